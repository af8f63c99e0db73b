package audit

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"elowen/shared/fault"
)

// A cursor is one that we made, or refused.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{"", makeCursor(1), makeCursor(1 << 60), "MA", "LTE", "!!", "AAAAAAAAAAAAAAAAAAAAAAAA", "MQ==", "_-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		id, err := readCursor(cursor)
		switch {
		case err != nil && !fault.Is(err, fault.Invalid):
			t.Errorf("%q: %v", cursor, err)
		case err == nil && id <= 0:
			t.Errorf("%q is the id %d", cursor, id)
		case err == nil && cursor != "":
			if again, err := readCursor(makeCursor(id)); err != nil || again != id {
				t.Errorf("%q is %d, which is not read back: %d %v", cursor, id, again, err)
			}
		}
	})
}

// An event's state from elsewhere never brings a body in, nor breaks what reads it.
func FuzzState(f *testing.F) {
	for _, s := range []string{
		"", "{}", `{"body":"hello"}`, `{"body":"` + Hash("x") + `","importance":5}`, `{"id":1,"user_id":1,"body":"a \"quoted\" word","importance":2,"category_id":null}`,
		`{"body":7,"importance":"9"}`, `{"importance":1e99}`, `{"body":null}`, `[1,2]`, `not JSON with "body": "inside"`, `{"sources":[1,2,3]}`, `{"lastUsedAt":-5}`, `{"body":"a","body":"b"}`, `{"\u0062ody":"x"}`, `{"body":"first","body":"` + Hash("x") + `"}`, `[{"row":{"body":"deep"}}]`, `{"body":"x"} {"body":"y"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused before
		}
		kept, err := hashed(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if again, err := hashed(kept); err != nil || again != kept {
			t.Errorf("%q becomes %q, and that %q", text, kept, again)
		}
		var s any
		if json.Unmarshal([]byte(kept), &s) == nil && hashBodies(s) {
			t.Errorf("%q keeps a body: %s", text, kept)
		}
		if n, _ := importanceIn(kept); n < 0 || n > 10 {
			t.Errorf("%q has the importance %d", text, n)
		}
		e := Entry{Before: kept, After: text}
		budget := diffBudget
		for _, c := range e.changes() {
			c.wire(nil, nil, &budget)
			c.told(ActionUpdate)
		}
	})
}
