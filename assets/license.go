package assets

import "path"

// License is the licence of something here that others made.
type License struct {
	Name string // of the thing
	Text string
}

// Licenses are those of the fonts and icons.
func Licenses() []License {
	var list []License
	for _, l := range []struct{ name, file string }{
		{"Figtree (font)", "fonts/LICENSE-figtree.txt"},
		{"JetBrains Mono (font)", "fonts/LICENSE-jetbrains-mono.txt"},
		{"Source Serif 4 (font)", "fonts/LICENSE-source-serif-4.txt"},
		{"Lucide (icons)", "icons-LICENSE.txt"},
	} {
		text, err := files.ReadFile(path.Clean(l.file))
		if err != nil {
			panic(err) // it is part of the program
		}
		list = append(list, License{l.name, string(text)})
	}
	return list
}
