package projection

import (
	"strings"
	"unicode/utf8"

	"elowen/server/words"
	"elowen/shared/api"
)

// The part of a body that a search shows, in bytes: enough for two lines on a
// wide screen, beginning a little before the first hit.
const (
	marksMost = 400
	marksLead = 60
)

// marks is the part of a body around the first hits, in runs of text and marks;
// nil where nothing of the query stands in the body as a word. What was left out
// at either end shows as an ellipsis.
func marks(body string, q words.Query) []api.Run {
	spans := words.Highlights(body, q)
	if len(spans) == 0 {
		return nil
	}
	from, to := part(body, spans[0].Start)
	var runs []api.Run
	add := func(op, text string) {
		switch {
		case text == "":
		case len(runs) > 0 && runs[len(runs)-1].Op == op:
			runs[len(runs)-1].Text += text
		default:
			runs = append(runs, api.Run{Op: op, Text: text})
		}
	}
	if from > 0 {
		add("text", "…")
	}
	at := from
	for _, s := range spans {
		if s.Start >= to {
			break
		}
		start, end := max(s.Start, at), min(s.End, to)
		add("text", body[at:start])
		add("mark", body[start:end])
		at = end
	}
	add("text", body[at:to])
	if to < len(body) {
		add("text", "…")
	}
	return runs
}

// part is the range of a body to show for a hit at a byte, on rune boundaries and
// where possible at a space.
func part(body string, hit int) (from, to int) {
	if len(body) <= marksMost || hit <= marksLead {
		return 0, boundary(body, marksMost)
	}
	from = boundary(body, max(0, min(hit-marksLead, len(body)-marksMost)))
	if i := strings.IndexByte(body[from:hit], ' '); from > 0 && i >= 0 {
		from += i + 1
	}
	return from, boundary(body, from+marksMost)
}

// boundary is the end of the text where it is shorter, else the start of the rune
// that the byte belongs to.
func boundary(body string, at int) int {
	if at >= len(body) {
		return len(body)
	}
	for at > 0 && !utf8.RuneStart(body[at]) {
		at--
	}
	return at
}
