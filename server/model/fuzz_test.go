package model

import (
	"testing"

	"elowen/shared/setting"
)

func FuzzParseList(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"id":"a","context_length":4096},{"id":"b","max_model_len":1e9},{"id":"c","meta":{"n_ctx":2048}},{"id":"a"}]}`,
		`{"models":[{"name":"llama3.1:8b","model":"llama3.1:8b"}]}`, `{"data":[{"id":7},null,"x",{"id":""},{"id":"\u0000"},{"id":"e","type":"embeddings"}]}`,
		`{"data":null}`, `[]`, `{`, `{"data":[{"id":"x","context_length":-1,"max_input_tokens":"many"}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		list, err := parseList(answer)
		if err != nil && list != nil {
			t.Errorf("%v with %v", list, err)
		}
		seen := map[string]bool{}
		for _, m := range list {
			if m.id == "" || len(m.id) > int(setting.Get("model.name").Max) || seen[m.id] || m.window < 0 || m.window > int(setting.Get("chat.window").Max) {
				t.Errorf("%+v", m)
			}
			seen[m.id] = true
			known(m.id)
		}
	})
}
