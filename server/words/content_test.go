package words

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Content is what a question for the text would ask for, whatever the text.
func TestContentIsWhatAQuestionAsksFor(t *testing.T) {
	pieces := []string{"the", "of", "was", "Wi-Fi", "wifi", "password", "o'clock", "pgx/v5", "a@b.org", "2024-05-01", "C++", "don't", "喝水", "的", "喝", "ไทย", "물을", "カタカナ", "🎉", "🇨🇿",
		"kočka", "gatos", "x", "-", ".", "1,000", "ﬁne", "~root", strings.Repeat("long", 40)}
	rapid.Check(t, func(t *rapid.T) {
		var text string
		if rapid.Bool().Draw(t, "any text") {
			text = rapid.String().Draw(t, "text")
		} else {
			n := rapid.SampledFrom([]int{3, 20, 400}).Draw(t, "most")
			glue := rapid.SampledFrom([]string{" ", "", "-"}).Draw(t, "glue")
			text = strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringMatching(`[a-z]{2,5}`)), 0, n).Draw(t, "pieces"), glue)
		}
		want := slices.DeleteFunc(ParseQuery(text).Terms, func(term string) bool { return strings.HasPrefix(term, rootMark) })
		got := Content(text)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, a question asks for %q", text, got, want)
		}
	})
}

func BenchmarkContent(b *testing.B) {
	const text = "On Wednesdays the harbour crew checks the wi-fi password of berth 12 before the ferry from Göteborg arrives at 10:30."
	for name, work := range map[string]func(string){
		"content": func(s string) { Content(s) },
		"query":   func(s string) { ParseQuery(s) },
		"terms":   func(s string) { Terms(s) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				work(text)
			}
		})
	}
}
