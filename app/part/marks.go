package part

import (
	"strings"

	"elowen/shared/api"
)

// Marks shows in what a text was changed, as one piece between what both begin and
// end with. It is for two texts of which one isn't saved yet; changes that are come
// from the server in finer pieces.
func Marks(from, to string) []api.Run {
	if from == to {
		return []api.Run{{Op: "equal", Text: to}}
	}
	a, b := strings.SplitAfter(from, " "), strings.SplitAfter(to, " ")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var runs []api.Run
	add := func(op string, words []string) {
		if s := strings.Join(words, ""); s != "" {
			runs = append(runs, api.Run{Op: op, Text: s})
		}
	}
	add("equal", b[:head])
	add("insert", b[head:len(b)-tail])
	add("equal", b[len(b)-tail:])
	return runs
}
