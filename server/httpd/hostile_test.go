package httpd

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// What is taken comes back as it was, everywhere; what can't be kept is refused
// in plain words. Nothing is cut or repaired.
func TestHostileTexts(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleAdmin)
	emoji := strings.Repeat("😀", 25_000) // 100,000 bytes
	for name, body := range map[string]string{
		"script":      `<script>alert(1)</script>`,
		"attribute":   `"><img src=x onerror=alert(1)>`,
		"frame":       `</memory></memories>]]>-->`,
		"entities":    `&lt;b&gt; &amp;amp; &#0;`,
		"right left":  "abc \u202e\u2066 fdp.exe \u200f\u061c",
		"combining":   "z" + strings.Repeat("\u0301\u0327", 500) + " a\u0308 ä",
		"emoji":       emoji,
		"families":    "👩‍👩‍👧‍👦 🏳️‍🌈",
		"controls":    "a\tb\nc\r\nd\u0001\u001f\u007f\u0085\u2028\u2029e",
		"noncharset":  "\ufffe\uffff\ufffd\U0010ffff",
		"sql":         `'; DROP TABLE memory; -- " \ % _`,
		"json":        `{"body":"x"}`,
		"backslashes": `\ud800 \u0000 \x00`,
		"mark":        "\ufefftext",
	} {
		a := ann.do("POST", api.PathMemory, api.MemoryAdd{Body: body, CategoryID: api.Null[int64]()})
		if a.Code != 201 {
			t.Errorf("%s: %d %s", name, a.Code, a.text)
			continue
		}
		m := into[api.MemoryAdded](t, a)
		if want := strings.TrimSpace(body); m.Body != want {
			t.Errorf("%s: became %.80q", name, m.Body)
		}
		if got := into[api.Memory](t, ann.must("GET", api.MemoryPath(m.ID), nil)); got.Body != m.Body {
			t.Errorf("%s: is read as %.80q", name, got.Body)
		}
		if len(body) < 1000 {
			page := into[api.Page[api.Memory]](t, ann.must("GET", api.PathMemory+"?limit=500&status=all", nil))
			found := false
			for _, other := range page.Items {
				found = found || other.ID == m.ID && other.Body == m.Body
			}
			if !found {
				t.Errorf("%s: is not in the list as it is", name)
			}
			if a := ann.do("GET", api.PathMemory+"?q="+url.QueryEscape(name+" "+strings.Map(printable, body)), nil); a.Code != 200 {
				t.Errorf("%s: searching it: %d %s", name, a.Code, a.text)
			}
		}
	}
	long, err := json.Marshal(api.MemoryAdd{Body: emoji + "x"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ body, says string }{
		"NUL":            {`{"body":"a\u0000b"}`, "NUL"},
		"half surrogate": {`{"body":"a\ud83dz"}`, "surrogate"},
		"other half":     {`{"body":"\ude00"}`, "surrogate"},
		"not UTF-8":      {"{\"body\":\"a\xc3\"}", "UTF-8"},
		"overlong":       {"{\"body\":\"\xc0\x80\"}", "UTF-8"},
		"too long":       {string(long), "not cut"},
		"twice":          {`{"body":"a","body":"b"}`, "twice"},
		"wrong case":     {`{"body":"a","Importance":3}`, `"importance"`},
		"NUL in a kind":  {`{"body":"a","kind":"\u0000"}`, "NUL"},
		"NUL in reason":  {`{"body":"a","reason":"\u0000"}`, "NUL"},
	} {
		p := w.problem(name, ann.do("POST", api.PathMemory, c.body), fault.Invalid)
		if !strings.Contains(p.Detail, c.says) {
			t.Errorf("%s: %s", name, p.Detail)
		}
	}
	for i, name := range []string{`<script>alert(1)</script>`, `"><img onerror=x>`, "\u202egnol", "a\u0301b"} {
		k := into[api.Category](t, ann.must("POST", api.PathCategories, api.CategoryAdd{Name: name, Description: name + "\n" + name}))
		if got := into[api.Category](t, ann.must("GET", api.CategoryPath(k.ID), nil)); k.Name != name || got.Name != name || got.Description != name+"\n"+name {
			t.Errorf("category %d %q became %q, %q", i, name, got.Name, got.Description)
		}
	}
	if strings.Contains(w.log.String(), "script") {
		t.Errorf("logged: %s", w.log)
	}
}

func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}
