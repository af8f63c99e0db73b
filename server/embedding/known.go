package embedding

import (
	"embed"
	"maps"
	"slices"
	"sync"
)

// What package fit found of the built-in models, and of recall by words alone.
//
//go:embed known
var knownFiles embed.FS

// wordsFile is the profile of recall by words alone.
const wordsFile = "words"

// knownProfiles are read once; whoever takes one gets a copy.
var knownProfiles = sync.OnceValue(func() map[string]Profile {
	list := map[string]Profile{}
	for _, name := range []string{ModelE5Multilingual, ModelE5English, wordsFile} {
		text, err := knownFiles.ReadFile("known/" + name + ".json")
		if err != nil {
			continue // not fitted yet
		}
		var p Profile
		if err := p.UnmarshalText(text); err != nil {
			panic(err) // the file is in the program, and a test reads it
		}
		list[name] = p
	}
	return list
})

// Untold is what a profile of a built-in model is fitted from: what its model wants
// before texts, and the weight of words. Package fit finds the rest.
func Untold(name string) Profile {
	p := Profile{Model: name, PassageBy: "passage: ", QueryBy: "query: ", Words: 0.7}
	if name == ModelE5English {
		p.Words = 0.6
	}
	return p
}

// known is the profile of a built-in model.
func known(name string) Profile {
	p, ok := knownProfiles()[name]
	if !ok {
		return Untold(name)
	}
	return p.copied()
}

// copied shares nothing with p but vectors, which nobody changes.
func (p Profile) copied() Profile {
	p.Passages.Tongues, p.Queries.Tongues = maps.Clone(p.Passages.Tongues), maps.Clone(p.Queries.Tongues)
	return p
}

// WordsAlone is the profile of recall without any embedding: relevance is that of
// words, and of late interaction where it is on. Its numbers hold for stores of any
// language and size.
func WordsAlone() Profile {
	p := Profile{Words: 0.7, Blend: Line{Zero: 0.18, One: 0.42}, Floor: 0.5}
	p.Relevance = knownProfiles()[wordsFile].Relevance
	return p
}

// Fitted are the models whose profiles are shipped.
func Fitted() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(knownProfiles())), func(name string) bool { return name == wordsFile })
}
