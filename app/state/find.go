package state

import (
	"strings"
	"unicode/utf8"

	"elowen/shared/api"
)

// Match tells how well a name answers to what was typed: 0 not at all, more for a
// beginning than for a word within, and more for that than for letters in their
// order with a few others between.
func Match(typed, name string) int {
	typed, name = strings.ToLower(strings.TrimSpace(typed)), strings.ToLower(name)
	if typed == "" {
		return 1
	}
	switch at := strings.Index(name, typed); {
	case at == 0:
		return 1000 - len(name)
	case at > 0 && name[at-1] == ' ':
		return 800 - at
	case at > 0:
		return 600 - at
	}
	gaps, last, from := 0, -1, 0
	for _, r := range typed {
		if r == ' ' {
			continue
		}
		at := strings.IndexRune(name[from:], r)
		if at < 0 {
			return 0
		}
		if last >= 0 {
			gaps += at
		} else {
			gaps += at / 2 // a late beginning is no gap
		}
		last = from + at
		from = last + utf8.RuneLen(r)
	}
	if gaps > 4*len(typed) {
		return 0 // so far apart that nobody meant it
	}
	return 400 - gaps
}

// hitBefore is how many bytes of a text are shown before its first hit.
const hitBefore = 28

// Hits is the part of a text around the first of the words typed, with every word
// marked that begins with one of them. It is for a glance: what a search found is the
// server's to say.
func Hits(body, typed string, most int) []api.Run {
	body = strings.Join(strings.Fields(body), " ")
	lower := strings.ToLower(body)
	words := strings.Fields(strings.ToLower(typed))
	if len(lower) != len(body) {
		words = nil // places in the one would not be places in the other
	}
	next := func(from int) (at, length int) {
		at = -1
		for _, w := range words {
			for i := from; i < len(lower); {
				n := strings.Index(lower[i:], w)
				if n < 0 {
					break
				}
				if n += i; n == 0 || strings.ContainsRune(" .,;:-(“\"'/", last(lower[:n])) || w[0] >= utf8.RuneSelf {
					if at < 0 || n < at {
						at, length = n, len(w)
					}
					break
				}
				i = n + 1
			}
		}
		return at, length
	}
	from := 0
	var runs []api.Run
	if at, _ := next(0); at > hitBefore {
		from = at - hitBefore
		if sp := strings.IndexByte(body[from:at], ' '); sp >= 0 {
			from += sp + 1
		}
		for from < at && !utf8.RuneStart(body[from]) {
			from++
		}
		runs = append(runs, api.Run{Op: "text", Text: "…"})
	}
	end := min(len(body), from+most)
	for end < len(body) && !utf8.RuneStart(body[end]) {
		end--
	}
	for from < end {
		at, length := next(from)
		if at < 0 || at+length > end {
			break
		}
		if at > from {
			runs = append(runs, api.Run{Op: "text", Text: body[from:at]})
		}
		runs = append(runs, api.Run{Op: "mark", Text: body[at : at+length]})
		from = at + length
	}
	if from < end {
		runs = append(runs, api.Run{Op: "text", Text: body[from:end]})
	}
	return runs
}

func last(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}
