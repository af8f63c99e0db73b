// Package background is texts of our own, in all languages and about nothing in
// particular, that models are got to know by: what all their vectors have in common,
// and how far apart are those that belong together and those that don't.
//
// passages.txt, queries.txt and foreign.txt are lines of a language and a text:
// what may be stored, what may be asked, and what nobody's memories answer.
// pairs.tsv has a passage and a question that it answers; paraphrases.tsv, two
// wordings, of the same fact or of different ones; kinds.tsv, questions of the same
// forms, why, how and how many, of what is somebody's own and of the world at large.
// None is taken from elsewhere, and
// none is about the people or the words of a set that recall is measured with.
package background

import (
	_ "embed"
	"strings"
)

var (
	//go:embed passages.txt
	passages string
	//go:embed queries.txt
	queries string
	//go:embed foreign.txt
	foreign string
	//go:embed pairs.tsv
	pairs string
	//go:embed paraphrases.tsv
	paraphrases string
	//go:embed kinds.tsv
	kinds string
)

// Text is a text in a language, an ISO 639-1 code.
type Text struct{ Lang, Text string }

// Pair is a passage and a question that it answers.
type Pair struct{ Lang, Passage, Question string }

// Wordings are two texts, which say the same or nearly so.
type Wordings struct {
	Lang string
	Same bool
	A, B string
}

// Question is one of what is somebody's own, or of the world at large.
type Question struct {
	Lang  string
	World bool
	Text  string
}

// Passages are texts as they are stored.
func Passages() []Text { return texts(passages) }

// Queries are questions.
func Queries() []Text { return texts(queries) }

// Foreign are questions of other domains than anybody's memories.
func Foreign() []Text { return texts(foreign) }

// Pairs are passages with their questions.
func Pairs() (list []Pair) {
	for f := range fields(pairs, 3) {
		list = append(list, Pair{f[0], f[1], f[2]})
	}
	return list
}

// Paraphrases are two wordings each.
func Paraphrases() (list []Wordings) {
	for f := range fields(paraphrases, 4) {
		list = append(list, Wordings{f[0], f[1] == "same", f[2], f[3]})
	}
	return list
}

// Kinds are questions of the same forms about either.
func Kinds() (list []Question) {
	for f := range fields(kinds, 3) {
		list = append(list, Question{f[1], f[0] == "world", f[2]})
	}
	return list
}

func texts(file string) (list []Text) {
	for f := range fields(file, 2) {
		list = append(list, Text{f[0], f[1]})
	}
	return list
}

// fields are those of the lines that have n.
func fields(file string, n int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(file) {
			if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == n && !yield(f) {
				return
			}
		}
	}
}
