package command

import (
	_ "embed" // for the texts
	"fmt"
	"io"
	"strings"

	"elowen/assets"
)

// moduleLicenses are the licences of the modules that are in the program and in
// the browser's, and of Go's own library: blocks that begin with a line "== NAME
// VERSION, NAME VERSION …" and have a text. licenses_test.go writes it with -update,
// and fails while a module is missing.
//
//go:embed licenses.txt
var moduleLicenses string

type licensesCommand struct{}

// local: it looks at the program, not at a store.
func (c *licensesCommand) local() {}

// notice is a licence and what it is of.
type notice struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Text    string `json:"text"`
}

// Run implements the command.
func (c *licensesCommand) Run(r *run) error {
	list := notices()
	return r.show(list, func(w io.Writer) {
		for i, n := range list {
			fmt.Fprintln(w, strings.TrimSpace(n.Name+" "+n.Version))
			if i+1 < len(list) && list[i+1].Text == n.Text {
				continue // the text stands under the last that has it
			}
			fmt.Fprintf(w, "\n%s\n\n", strings.TrimSpace(n.Text))
		}
	})
}

// notices are all licences: of the modules, the fonts and the icons.
func notices() []notice {
	var list []notice
	for _, block := range strings.Split("\n"+moduleLicenses, "\n== ")[1:] {
		names, text, _ := strings.Cut(block, "\n")
		for _, one := range strings.Split(names, ", ") {
			name, version, _ := strings.Cut(one, " ")
			list = append(list, notice{name, version, text})
		}
	}
	for _, l := range assets.Licenses() {
		list = append(list, notice{Name: l.Name, Text: l.Text})
	}
	return list
}
