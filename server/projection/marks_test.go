package projection

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"elowen/server/words"
)

func TestMarks(t *testing.T) {
	long := strings.Repeat("nothing of interest here, ", 40)
	for _, c := range []struct{ body, q, want string }{
		{"The boiler's valve sticks.", "valve", "The boiler's [valve] sticks."},
		{"The boiler's valve sticks.", "teapot", ""},
		{"valve", "valve", "[valve]"},
		{long + "the valve sticks", "valve", "…"},
		{"<b>valve</b>", "valve", "<b>[valve]</b>"},
	} {
		var b strings.Builder
		for _, r := range marks(c.body, words.ParseQuery(c.q)) {
			switch r.Op {
			case "mark":
				b.WriteString("[" + r.Text + "]")
			default:
				b.WriteString(r.Text)
			}
		}
		got := b.String()
		if c.want == "…" {
			if !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "the [valve] sticks") || len(got) > marksMost+20 {
				t.Errorf("long: %q", got)
			}
			continue
		}
		if got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.q, c.body, got, c.want)
		}
	}
}

// What is shown is a piece of the body, whole runes, with ellipses where it was cut.
func TestMarksAreAPieceOfTheBody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringN(0, 900, -1).Draw(t, "before") + " valve " + rapid.StringN(0, 900, -1).Draw(t, "after")
		runs := marks(body, words.ParseQuery("valve"))
		if len(runs) == 0 {
			t.Fatal("not found")
		}
		var b strings.Builder
		marked := false
		for _, r := range runs {
			b.WriteString(r.Text)
			marked = marked || r.Op == "mark"
			if r.Text == "" {
				t.Fatal("an empty run")
			}
		}
		text := b.String()
		if !marked || !utf8.ValidString(text) {
			t.Fatalf("%q", runs)
		}
		if strings.Contains(body, text) {
			return
		}
		piece := strings.TrimSuffix(strings.TrimPrefix(text, "…"), "…")
		if !strings.Contains(body, piece) {
			t.Fatalf("%q is not a piece of the body", piece)
		}
	})
}
