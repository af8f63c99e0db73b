package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// spaced is a word, or a mark between words, with the space before it.
type spaced struct{ space, word string }

// spacing takes the space out of a list of words; what is left at the end is last.
// Space is not compared by itself: as much of it stays the same in any change, and
// what it would cost are the words that stayed.
func spacing(words []string) (list []spaced, last string) {
	for _, w := range words {
		if strings.TrimSpace(w) == "" {
			last += w
			continue
		}
		list = append(list, spaced{last, w})
		last = ""
	}
	return list, last
}

// middle adds the diff of two lists of words.
func middle(runs []api.Run, wordsA, wordsB []string) []api.Run {
	a, lastA := spacing(wordsA)
	b, lastB := spacing(wordsB)
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > diffMost {
		runs = add(runs, runDelete, strings.Join(wordsA, ""))
		return add(runs, runInsert, strings.Join(wordsB, ""))
	}
	// The library compares runes, so each word becomes one.
	code := map[string]rune{}
	known := 0
	encode := func(words []spaced) []rune {
		out := make([]rune, len(words))
		for i, w := range words {
			c, ok := code[w.word]
			if !ok {
				c = runeOf(known)
				code[w.word] = c
				known++
			}
			out[i] = c
		}
		return out
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // the bound is diffMost, not a clock
	for _, part := range d.DiffMainRunes(encode(a), encode(b), false) {
		for range part.Text {
			switch part.Type {
			case diffmatchpatch.DiffInsert:
				runs = add(runs, runInsert, b[0].space+b[0].word)
				b = b[1:]
			case diffmatchpatch.DiffDelete:
				runs = add(runs, runDelete, a[0].space+a[0].word)
				a = a[1:]
			default:
				runs = add(between(runs, a[0].space, b[0].space), runEqual, a[0].word)
				a, b = a[1:], b[1:]
			}
		}
	}
	return between(runs, lastA, lastB)
}

// between adds the space before two words that are the same.
func between(runs []api.Run, before, after string) []api.Run {
	if before == after {
		return add(runs, runEqual, before)
	}
	return add(add(runs, runDelete, before), runInsert, after)
}

// Surrogates are no runes, so the numbers of words step over them.
const surrogates, afterSurrogates = 0xD800, 0xE000

func runeOf(i int) rune {
	if i >= surrogates-1 {
		return rune(i + 1 + afterSurrogates - surrogates)
	}
	return rune(i + 1)
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
		head, del, ins, tail := apart(gone.String(), come.String())
		out = add(out, runEqual, head)
		out = add(out, runDelete, del)
		out = add(out, runInsert, ins)
		out = add(out, runEqual, tail)
	}
	return out
}

// apart takes the space out of a change that both sides begin or end with.
func apart(gone, come string) (head, del, ins, tail string) {
	for _, r := range gone {
		if !unicode.IsSpace(r) || !strings.HasPrefix(come, string(r)) {
			break
		}
		head += string(r)
		gone, come = gone[len(string(r)):], come[len(string(r)):]
	}
	for gone != "" {
		r, n := utf8.DecodeLastRuneInString(gone)
		if !unicode.IsSpace(r) || !strings.HasSuffix(come, string(r)) {
			break
		}
		tail = string(r) + tail
		gone, come = gone[:len(gone)-n], come[:len(come)-n]
	}
	return head, gone, come, tail
}
