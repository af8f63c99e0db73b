package memory

import (
	"strings"

	"github.com/rivo/uniseg"
	"github.com/sergi/go-diff/diffmatchpatch"

	"elowen/shared/api"
)

// The roles of a run of a diff.
const (
	runEqual  = "equal"
	runInsert = "insert"
	runDelete = "delete"
)

// diffMost bounds the work of one diff: the product of the two lengths, in words,
// of what differs. Beyond it the text is shown as replaced.
const diffMost = 4 << 20

// diff is how one text became another, word by word (by the word boundaries of
// Unicode, so in scripts without spaces too). The runs of "equal" and "delete"
// together are the text before, those of "equal" and "insert" the one after.
func diff(before, after string) []api.Run {
	a, b := split(before), split(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	runs := add(nil, runEqual, strings.Join(a[:head], ""))
	runs = middle(runs, a[head:len(a)-tail], b[head:len(b)-tail])
	return tidy(add(runs, runEqual, strings.Join(a[len(a)-tail:], "")))
}

// split cuts a text into words and what is between them.
func split(text string) []string {
	var words []string
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		words = append(words, word)
	}
	return words
}

// middle adds the diff of two lists of words.
func middle(runs []api.Run, a, b []string) []api.Run {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > diffMost {
		runs = add(runs, runDelete, strings.Join(a, ""))
		return add(runs, runInsert, strings.Join(b, ""))
	}
	// The library compares runes, so each word becomes one.
	var vocabulary []string
	code := map[string]rune{}
	encode := func(words []string) []rune {
		out := make([]rune, len(words))
		for i, w := range words {
			c, ok := code[w]
			if !ok {
				c = runeOf(len(vocabulary))
				code[w] = c
				vocabulary = append(vocabulary, w)
			}
			out[i] = c
		}
		return out
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // the bound is diffMost, not a clock
	for _, part := range d.DiffMainRunes(encode(a), encode(b), false) {
		var text strings.Builder
		for _, c := range part.Text {
			text.WriteString(vocabulary[indexOf(c)])
		}
		op := runEqual
		switch part.Type {
		case diffmatchpatch.DiffInsert:
			op = runInsert
		case diffmatchpatch.DiffDelete:
			op = runDelete
		}
		runs = add(runs, op, text.String())
	}
	return runs
}

// Surrogates are no runes, so the numbers of words step over them.
const surrogates, afterSurrogates = 0xD800, 0xE000

func runeOf(i int) rune {
	if i >= surrogates-1 {
		return rune(i + 1 + afterSurrogates - surrogates)
	}
	return rune(i + 1)
}

func indexOf(r rune) int {
	if r >= afterSurrogates {
		return int(r) - 1 - (afterSurrogates - surrogates)
	}
	return int(r) - 1
}

// add appends a run, joined with the last if that has the same role.
func add(runs []api.Run, op, text string) []api.Run {
	if text == "" {
		return runs
	}
	if n := len(runs); n > 0 && runs[n-1].Op == op {
		runs[n-1].Text += text
		return runs
	}
	return append(runs, api.Run{Op: op, Text: text})
}

// tidy makes one change of neighbouring ones that only a space is between, which
// reads better, and puts what went before what came.
func tidy(runs []api.Run) []api.Run {
	var out []api.Run
	for i := 0; i < len(runs); {
		if runs[i].Op == runEqual {
			out = add(out, runEqual, runs[i].Text)
			i++
			continue
		}
		var gone, come strings.Builder
		for i < len(runs) {
			r := runs[i]
			if r.Op == runEqual && (strings.TrimSpace(r.Text) != "" || i+1 == len(runs)) {
				break
			}
			if r.Op != runInsert {
				gone.WriteString(r.Text)
			}
			if r.Op != runDelete {
				come.WriteString(r.Text)
			}
			i++
		}
		out = add(out, runDelete, gone.String())
		out = add(out, runInsert, come.String())
	}
	return out
}
