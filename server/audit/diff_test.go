package audit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"elowen/shared/api"
)

func side(runs []api.Run, without string) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Op != without {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"the red door", "the green door", "=the |-red|+green|= door"},
		{"same", "same", "=same"},
		{"", "new", "+new"},
		{"old", "", "-old"},
		{"one two three", "one three", "=one |-two |=three"},
		{"a b c d", "a x y d", "=a |-b c|+x y|= d"},
		{"会議は火曜日です", "会議は水曜日です", "=会議は|-火|+水|=曜日です"},
		{"port 7311", "port 7312.", "=port |-7311|+7312."},
		{"no walnuts: allergic. Mine edit.", "no walnuts or pecans: allergic.", "=no walnuts|+ or pecans|=: allergic|-. Mine edit|=."},
		{"See it, now", "See it now", "=See it|-,|= now"},
		{"one  two", "one two", "=one |- |=two"},
		{" a", "b a", "+b|= a"},
		{"👩🏽‍🚀 flies", "👨🏽‍🚀 flies", "-👩🏽‍🚀|+👨🏽‍🚀|= flies"},
	} {
		var got []string
		for _, r := range diff(c.before, c.after) {
			got = append(got, map[string]string{runEqual: "=", runInsert: "+", runDelete: "-"}[r.Op]+r.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q → %q: %s", c.before, c.after, strings.Join(got, "|"))
		}
	}
	long := strings.Repeat("word ", 3000)
	other := strings.Repeat("term ", 3000)
	if runs := diff(long, other); len(runs) > 3 {
		t.Errorf("a rewritten text has %d runs", len(runs))
	}
}

func TestDiffKeepsBothTexts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "  ", "\n", "word", "会", "é", "👍🏽", ".", "\u0301", "\ufffd", "1,5"}), 0, 40).Draw(t, "words"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := text.Draw(t, "before"), text.Draw(t, "after")
		runs := diff(before, after)
		if side(runs, runInsert) != before || side(runs, runDelete) != after {
			t.Fatalf("%q → %q gives %+v", before, after, runs)
		}
		for i, r := range runs {
			if r.Text == "" || i > 0 && runs[i-1].Op == r.Op {
				t.Fatalf("run %d of %+v", i, runs)
			}
		}
	})
}

// More words than there are runes up to the surrogates: each has its own.
func TestDiffManyWords(t *testing.T) {
	seen := map[rune]int{}
	for _, i := range []int{0, 1, surrogates - 2, surrogates - 1, surrogates, 100_000} {
		r := runeOf(i)
		if was, twice := seen[r]; twice || !utf8.ValidRune(r) {
			t.Errorf("%d becomes rune %x, as %d does", i, r, was)
		}
		seen[r] = i
	}
}
