package output

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func note(from, to int) string { return fmt.Sprintf("\n[%d to %d]\n", from, to) }

// What is told as kept is exactly what stands there: each span of the text, byte for
// byte; between the spans there is the note and nothing else; nothing is over the limit.
func TestKeptSpansAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"日本", "é", "😀", "x", "word ", "\n", "[9 to 12]\n", "a longer line\n"})
		text := strings.Join(rapid.SliceOfN(piece, 0, 120).Draw(t, "text"), "")
		most := rapid.IntRange(1, 500).Draw(t, "most")
		s := Limit(text, most, note)
		if len(s.Text) > most {
			t.Fatalf("%d bytes are over %d", len(s.Text), most)
		}
		if !utf8.ValidString(s.Text) {
			t.Fatalf("%q is cut in a character", s.Text)
		}
		at, from := 0, 0
		for i, k := range s.Kept {
			if k.From > k.To || k.To > len(text) || k.From < from || k.At < at {
				t.Fatalf("%v of %d bytes", s.Kept, len(text))
			}
			if got := s.Text[k.At : k.At+k.To-k.From]; got != text[k.From:k.To] {
				t.Fatalf("%v holds %q, not %q", k, got, text[k.From:k.To])
			}
			if between := s.Text[at:k.At]; i > 0 && between != note(from, k.From) {
				t.Fatalf("%q stands between", between)
			}
			at, from = k.At+k.To-k.From, k.To
		}
		if at != len(s.Text) {
			t.Fatalf("%q stands behind", s.Text[at:])
		}
		if len(text) <= most && s.Text != text {
			t.Fatal("what fits is cut")
		}
		// A piece is held where one span has it whole.
		if n := len(text); n > 0 {
			a := before(text, rapid.IntRange(0, n).Draw(t, "a"))
			b := before(text, rapid.IntRange(a, n).Draw(t, "b"))
			piece, inside := text[a:b], false
			for _, k := range s.Kept {
				inside = inside || a >= k.From && b <= k.To
			}
			if inside && !s.Holds(piece) {
				t.Fatalf("%q stands there and is not held", piece)
			}
			if s.Holds(piece) && !strings.Contains(s.Text, piece) {
				t.Fatalf("%q is held and doesn't stand there", piece)
			}
		}
	})
}

// What the note completes is not held: it is no part of the text.
func TestANoteCompletesNothing(t *testing.T) {
	text := strings.Repeat("a", 100) + strings.Repeat("b", 100)
	s := Limit(text, 100, note)
	k := s.Kept
	whole := s.Text[k[0].To-3 : k[1].At+3]
	if !strings.Contains(s.Text, whole) || s.Holds(whole) {
		t.Errorf("%q is held in %q", whole, s.Text)
	}
	if s.Holds("to") || !s.Holds("aaa") || !s.Holds("bbb") || s.Holds("ab") {
		t.Errorf("%+v", s)
	}
}

func TestWholeLinesWhereTheyAreShort(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	s := Limit(b.String(), 2000, note)
	before, behind, _ := strings.Cut(s.Text, "\n[")
	_, behind, _ = strings.Cut(behind, "]\n")
	if !strings.HasPrefix(before, "line 0\n") || !strings.HasSuffix(before, "\n") || !strings.HasPrefix(behind, "line ") || !strings.HasSuffix(behind, "line 999\n") {
		t.Errorf("%q … %q", before[len(before)-20:], behind[:20])
	}
}
