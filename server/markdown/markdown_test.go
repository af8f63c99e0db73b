package markdown

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"elowen/shared/api"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]string{
		"A sentence, no more.":              `null`,
		"Two.\n\nParagraphs - yes":          `null`,
		"5 < 6 and 7 > 6":                   `null`,
		"**bold** and *not*":                `[{"k":"p","in":[{"k":"strong","in":[{"k":"text","t":"bold"}]},{"k":"text","t":" and "},{"k":"em","in":[{"k":"text","t":"not"}]}]}]`,
		"# Head\nthen `co  de`":             `[{"k":"h","n":1,"in":[{"k":"text","t":"Head"}]},{"k":"p","in":[{"k":"text","t":"then "},{"k":"code","t":"co  de"}]}]`,
		"- a\n- b":                          `[{"k":"ul","in":[{"k":"li","in":[{"k":"p","in":[{"k":"text","t":"a"}]}]},{"k":"li","in":[{"k":"p","in":[{"k":"text","t":"b"}]}]}]}]`,
		"3. c":                              `[{"k":"ol","n":3,"in":[{"k":"li","in":[{"k":"p","in":[{"k":"text","t":"c"}]}]}]}]`,
		"> q":                               `[{"k":"quote","in":[{"k":"p","in":[{"k":"text","t":"q"}]}]}]`,
		"```go\na := 1\n```":                `[{"k":"pre","t":"a := 1"}]`,
		"[here](https://a.example/x \"t\")": `[{"k":"p","in":[{"k":"a","to":"https://a.example/x","in":[{"k":"text","t":"here"}]}]}]`,
		"[no](javascript:alert)":            `null`,
		"[no](data:text/html,x)":            `null`,
		"[no](/api/logout) **b**":           `[{"k":"p","in":[{"k":"text","t":"no "},{"k":"strong","in":[{"k":"text","t":"b"}]}]}]`,
		"![cat](https://a.example/c.png)":   `[{"k":"p","in":[{"k":"a","to":"https://a.example/c.png","in":[{"k":"text","t":"cat"}]}]}]`,
		"<script>x</script> **b**":          `null`,
		"a <b>c</b> ~~d~~":                  `[{"k":"p","in":[{"k":"text","t":"a \u003cb\u003ec\u003c/b\u003e "},{"k":"del","in":[{"k":"text","t":"d"}]}]}]`,
		"AT&amp;T \\*x\\* **b**":            `[{"k":"p","in":[{"k":"text","t":"AT\u0026T *x* "},{"k":"strong","in":[{"k":"text","t":"b"}]}]}]`,
		"|a|b|\n|-|-|\n|1|2|":               `[{"k":"table","in":[{"k":"tr","in":[{"k":"th","in":[{"k":"text","t":"a"}]},{"k":"th","in":[{"k":"text","t":"b"}]}]},{"k":"tr","in":[{"k":"td","in":[{"k":"text","t":"1"}]},{"k":"td","in":[{"k":"text","t":"2"}]}]}]}]`,
		"see https://a.example/y.":          `[{"k":"p","in":[{"k":"text","t":"see "},{"k":"a","to":"https://a.example/y","in":[{"k":"text","t":"https://a.example/y"}]},{"k":"text","t":"."}]}]`,
		"a  \nb *c*":                        `[{"k":"p","in":[{"k":"text","t":"a"},{"k":"br"},{"k":"text","t":"b "},{"k":"em","in":[{"k":"text","t":"c"}]}]}]`,
	} {
		got, err := json.Marshal(Parse(in))
		if err != nil || string(got) != want {
			t.Errorf("%q\n got %s\nwant %s", in, got, want)
		}
	}
}

// Too deep or too large is no tree, and no trouble.
func TestParseIsBounded(t *testing.T) {
	for _, in := range []string{strings.Repeat("> ", 5000) + "x", strings.Repeat("*a* ", 20000), strings.Repeat("- ", 300) + "x", strings.Repeat("[", 20000)} {
		if got := Parse(in); got != nil {
			t.Errorf("%.20q: %d nodes", in, len(got))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"# a\n- b\n\n> c", "[x](https://y)", "<b>", "a\x00b", "\xff*a*", "|a|\n|-|\n|b|"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var walk func(list []api.Node, depth int)
		walk = func(list []api.Node, depth int) {
			if depth > depthMost+1 {
				t.Fatal("too deep")
			}
			for _, n := range list {
				if n.To != "" && !strings.HasPrefix(n.To, "http://") && !strings.HasPrefix(n.To, "https://") && !strings.HasPrefix(n.To, "mailto:") {
					t.Errorf("leads to %q", n.To)
				}
				if utf8.ValidString(s) && !utf8.ValidString(n.Text) {
					t.Errorf("cut a character: %q", n.Text)
				}
				walk(n.In, depth+1)
			}
		}
		walk(Parse(s), 0)
	})
}
