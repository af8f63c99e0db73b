package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/shared/api"
)

// Whatever is said comes out again, and saying more leaves all paragraphs but the last.
func TestParagraphsGrowAtTheirEnd(t *testing.T) {
	words := func(list []api.Node) string {
		var b strings.Builder
		for _, n := range list {
			for _, in := range n.In {
				b.WriteString(in.Text)
			}
		}
		return b.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab \n*<é")), 0, 60, -1).Draw(t, "text")
		more := text + rapid.StringOfN(rapid.RuneFrom([]rune("ab \n")), 0, 20, -1).Draw(t, "more")
		was, is := Paragraphs(text), Paragraphs(more)
		if got, want := words(is), strings.ReplaceAll(more, "\n", ""); got != want {
			t.Fatalf("%q of %q", got, want)
		}
		for i := 0; i+1 < len(was); i++ {
			if i >= len(is) || words(is[i:i+1]) != words(was[i:i+1]) {
				t.Fatalf("paragraph %d of %q is another one in %q", i, text, more)
			}
		}
		if slices.ContainsFunc(is, func(n api.Node) bool { return len(n.In) == 0 }) {
			t.Fatal("an empty paragraph")
		}
	})
}
