package words

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// marked shows spans as brackets.
func marked(text string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.Start] + "[" + text[s.Start:s.End] + "]")
		at = s.End
	}
	return b.String() + text[at:]
}

func TestHighlights(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"run", "He RUNS, ran and is running.", "He [RUNS], [ran] and is [running]."},
		{"creme brulee", "La Crème Brûlée!", "La [Crème] [Brûlée]!"},
		{"creme", "La Cre\u0300me", "La [Cre\u0300me]"},
		{"the dog", "The dog and the cat", "The [dog] and the cat"},
		{"wifi", "the wi-fi password", "the [wi-fi] password"},
		{"wi-fi", "wifi here, fi there", "[wifi] here, [fi] there"},
		{"prod", "deploy harbor-prod now", "deploy harbor-[prod] now"},
		{"harbor-prod", "deploy harbor-prod now", "deploy [harbor-prod] now"},
		{"caroline", "Caroline's book", "[Caroline]'s book"},
		{"dont", "I don’t know", "I [don’t] know"},
		{"strasse", "Die Straße ist lang", "Die [Straße] ist lang"},
		{"hunden", "Jag såg hundarna", "Jag såg [hundarna]"},
		{"planet", "The plan is the plan", "The plan is the plan"},
		{"har", "the harbor at Harlem", "the [harbor] at [Harlem]"},
		{"har ", "the harbor at Harlem", "the harbor at Harlem"},
		{"runni", "running on", "[running] on"},
		{"喝水", "他喝水，她用水", "他[喝水]，她用水"},
		{"喝水", "她用水", "她用[水]"},
		{"北京市", "住在北京市中心", "住在[北京市]中心"},
		{"น้ำ", "ดื่มน้ำทุกเช้า", "ดื่ม[น้ำ]ทุกเช้า"},
		{"hello", "ｈｅｌｌｏ", "[ｈｅｌｌｏ]"},
		{"🎉", "ok 🎉!", "ok [🎉]!"},
		{"c#", "in C#, not C", "in [C#], not [C]"},
		{"fine", "a ﬁne day", "a [ﬁne] day"},
		{"", "text", "text"},
		{"text", "", ""},
		{"a", "x\xffa\xffb", "x\xff[a]\xffb"},
	} {
		q := ParseQuery(c.query)
		if got := marked(c.text, Highlights(c.text, q)); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

func checkSpans(t interface{ Fatalf(string, ...any) }, text string, spans []Span) {
	if spans == nil {
		t.Fatalf("nil spans")
	}
	end := -1
	for _, s := range spans {
		if s.Start <= end || s.End <= s.Start || s.End > len(text) {
			t.Fatalf("span %v after %d of %q", s, end, text)
		}
		for _, at := range []int{s.Start, s.End} {
			if !boundary(text, at) {
				t.Fatalf("span %v of %q isn't on rune boundaries", s, text)
			}
		}
		end = s.End
	}
}

// boundary tells whether a rune, as Go reads the text, starts at a byte.
func boundary(text string, at int) bool {
	for i := range text {
		if i == at {
			return true
		}
	}
	return at == len(text)
}

// A word asked for is marked, and a text is marked just where it is found.
func TestHighlightsWhatIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := wordText().Draw(rt, "text")
		q := ParseQuery(wordText().Draw(rt, "question"))
		spans := Highlights(text, q)
		checkSpans(rt, text, spans)
		x := newIndex(t, text)
		hits, err := Score(x.stats, q, x.lists(q, true))
		if err != nil {
			rt.Fatal(err)
		}
		if (len(hits) > 0) != (len(spans) > 0) {
			rt.Fatalf("found: %v, marked: %s", hits, marked(text, spans))
		}
	})
}

func FuzzHighlights(f *testing.F) {
	f.Add("run", "He RUNS, ran and is running.")
	f.Add("creme 喝水", "La Cre\u0300me\xff 他喝水")
	f.Add("ﷺ c#", "ﷺﷺ C＃ C#\u0301")
	f.Add("a'", "a'\u0301'a’s't")
	f.Fuzz(func(t *testing.T, question, text string) {
		checkSpans(t, text, Highlights(text, ParseQuery(question)))
		spans := Highlights(text, ParseQuery(text))
		checkSpans(t, text, spans)
		if terms, _ := Terms(text); len(terms) > 0 && len(spans) == 0 && utf8.RuneCountInString(text) < MaxQueryWords {
			t.Fatalf("nothing of %q is marked when asked for itself", text)
		}
	})
}
