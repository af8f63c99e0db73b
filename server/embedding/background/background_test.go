package background

import (
	"strings"
	"testing"

	"elowen/server/embedding"
)

// Every line is read, in the languages that profiles are fitted to.
func TestEveryLineIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		read int
	}{
		"passages": {passages, len(Passages())}, "queries": {queries, len(Queries())}, "foreign": {foreign, len(Foreign())},
		"pairs": {pairs, len(Pairs())}, "paraphrases": {paraphrases, len(Paraphrases())},
		"kinds": {kinds, len(Kinds())},
	} {
		if n := strings.Count(c.file, "\n"); n != c.read || n == 0 {
			t.Errorf("%s: %d lines, %d read", name, n, c.read)
		}
	}
	languages := map[string]int{}
	for _, p := range Pairs() {
		languages[p.Lang]++
		if p.Passage == p.Question || embedding.Script(p.Passage) != embedding.Script(p.Question) {
			t.Errorf("%s: %q for %q", p.Lang, p.Question, p.Passage)
		}
	}
	if len(languages) < 11 || languages["en"] < 150 {
		t.Errorf("pairs in %v", languages)
	}
	for lang, n := range languages {
		if n < 12 {
			t.Errorf("%s has %d pairs", lang, n)
		}
	}
	same := 0
	for _, w := range Paraphrases() {
		if w.Same {
			same++
		}
	}
	if n := len(Paraphrases()); same*2 != n {
		t.Errorf("%d of %d wordings are of the same", same, n)
	}
	world, own := map[string]int{}, map[string]int{}
	for _, q := range Kinds() {
		if q.World {
			world[q.Lang]++
		} else {
			own[q.Lang]++
		}
	}
	for _, of := range []map[string]int{world, own} {
		for lang, n := range of {
			if n != of["en"] || len(of) != 8 {
				t.Errorf("%d questions in %s, %d in English, of %d languages", n, lang, of["en"], len(of))
			}
		}
	}
}
