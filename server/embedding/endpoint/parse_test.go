package endpoint

import (
	"encoding/json"
	"math"
	"testing"
	"time"
	"unicode/utf8"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "7": 7 * time.Second, " 1.5 ": 1500 * time.Millisecond, "999999999999": time.Hour, "NaN": 0, "+Inf": time.Hour, "soon": 0,
		"Mon, 30 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 30 Nov 2026 11:59:00 GMT": 0, "Tue, 30 Nov 2027 12:00:00 GMT": time.Hour,
	} {
		if got := RetryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestCutKeepsWholeRunes(t *testing.T) {
	const text = "aé日🙂"
	for n := -1; n <= len(text)+2; n++ {
		got := cut(text, max(n, 0))
		if !utf8.ValidString(got) || len(got) > max(n, 0) || got != text[:len(got)] {
			t.Errorf("%d bytes: %q", n, got)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7")
	f.Add("Mon, 30 Nov 2026 12:01:00 GMT")
	f.Fuzz(func(t *testing.T, text string) {
		if d := RetryAfter(text, time.Unix(1_800_000_000, 0)); d < 0 || d > retryMost {
			t.Errorf("%q: %v", text, d)
		}
	})
}

// What is read as a vector is what JSON has there.
func FuzzParseVector(f *testing.F) {
	for _, s := range []string{"[]", "[1]", "[0.5, -2e-3,\n7]", "[1,null]", "[NaN]", "[1e39]", `["1"]`, "null", "[[1]]", "[1,,2]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // only what a JSON reader has passed comes here
		}
		v, err := ParseVector(raw)
		var want []*float64
		plain := json.Unmarshal(raw, &want)
		if err != nil {
			return
		}
		if plain != nil || len(want) != len(v) {
			t.Fatalf("%q was read as %v", raw, v)
		}
		for i, x := range want {
			if x == nil || math.Abs(*x-float64(v[i])) > 1e-6*math.Max(math.Abs(*x), 1e-30) {
				t.Errorf("%q: number %d is %v", raw, i, v[i])
			}
		}
	})
}
