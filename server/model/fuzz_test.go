package model

import "testing"

func FuzzParseCompletion(f *testing.F) {
	for _, s := range []string{`{"choices":[{"message":{"content":"1"}}]}`, `{"choices":[{"message":{"content":null}}]}`, `{"choices":[]}`, `[]`, `{`, `{"choices":[{"message":{"content":["x"]}}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		text, err := parseCompletion(answer)
		if err != nil && text != "" {
			t.Errorf("%q with %v", text, err)
		}
	})
}
