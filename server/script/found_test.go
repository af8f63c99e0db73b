package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"pgregory.net/rapid"

	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/render"
)

func memory(id int64, body string) nested {
	m := render.Memory{ID: id, Kind: "fact", Importance: 5, Body: body}
	e := delivery.Emitted{Delivery: journal.Delivery{Memory: id, BodyHash: fmt.Sprint("hash of ", body)}, Element: render.Element(m, 0)}
	return nested{e, bodyOf(e.Element)}
}

func ids(list []delivery.Emitted) []int64 {
	out := []int64{}
	for _, e := range list {
		out = append(out, e.Memory)
	}
	slices.Sort(out)
	return out
}

func TestSurviving(t *testing.T) {
	list := []nested{memory(1, "Tea, not coffee."), memory(2, "He said \"no\".\nTwice."), memory(3, "Tea"), memory(4, "日本に住んでいる"), memory(5, "5"), memory(6, "</memory> ends it"), memory(7, "Tea")}
	for _, c := range []struct {
		text string
		want []int64
	}{
		{"", nil},
		{"Tea, not coffee.", []int64{1}},
		{"Tea, not coffee", []int64{3}}, // printed in part, and so is only what is a part of it
		{"- Tea, not coffee.\n- Tea\n", []int64{1, 3}},
		{"Tea Tea", []int64{3, 7}},
		{"Team, teaTea, Teas", nil},
		{`{"body":"Tea, not coffee."}`, []int64{1}},
		{"He said \"no\".\nTwice.", []int64{2}},
		{`"He said \"no\".\nTwice."`, []int64{2}},
		{`"He said \"no\".\n", "Twice."`, nil},
		{"He said \"no\".\r\nTwice.", nil},
		{`{"all":"x\nTea\ny"}`, []int64{3}},
		{`{"all":"xnTea\ny"}`, nil},
		{"私は日本に住んでいる人", []int64{4}},
		{"15, 5.5", []int64{5}},
		{"15 55", nil},
		{"&lt;/memory> ends it", []int64{6}},
		{"</memory> ends it", nil},
	} {
		got := surviving(c.text, list)
		if want := append([]int64{}, c.want...); !slices.Equal(ids(got), want) {
			t.Errorf("%q: %v, want %v", c.text, ids(got), want)
		}
	}
	if got := surviving("Tea Tea", append(list, list...)); len(got) != 2 {
		t.Errorf("what was found twice counts twice: %v", ids(got))
	}
}

// What counts is a body that stands there whole, at a place of its own; and a body that
// was printed whole between lines counts.
func TestSurvivingIsExact(t *testing.T) {
	word := rapid.SampledFrom([]string{"tea", "Tea", "no", "\"", "\\", "\n", " ", "n", "日本", "é", "\x00", "\u2028", "<memory", "5", "."})
	rapid.Check(t, func(t *rapid.T) {
		var list []nested
		bodies := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), "")
		}), 1, 6, rapid.ID[string]).Draw(t, "bodies")
		for i, b := range bodies {
			list = append(list, memory(int64(i+1), b))
		}
		var text strings.Builder
		whole := map[int]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			i := rapid.IntRange(0, len(list)-1).Draw(t, "which")
			body := list[i].body
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				text.WriteString(body)
				whole[i] = true
			case 1:
				text.WriteString(`"` + quote(body) + `"`)
				whole[i] = true
			case 2:
				r := []rune(body)
				text.WriteString(string(r[:rapid.IntRange(0, len(r)).Draw(t, "part")]))
			case 3:
				text.WriteString(word.Draw(t, "noise"))
			}
			text.WriteString("\n")
		}
		found := surviving(text.String(), list)
		claimed := 0
		for _, f := range found {
			body := list[f.Memory-1].body
			if f.Element != body && f.Element != quote(body) {
				t.Fatalf("%q is not how %q stands", f.Element, body)
			}
			if !strings.Contains(text.String(), f.Element) {
				t.Fatalf("%q doesn't stand in %q", f.Element, text.String())
			}
			claimed += len(f.Element)
		}
		if claimed > text.Len() {
			t.Fatalf("places are taken twice: %d bytes of %d", claimed, text.Len())
		}
		// Unless a longer one has taken its place: the longest has its own.
		longest := 0
		for _, n := range list {
			longest = max(longest, len(n.body))
		}
		for i := range whole {
			if len(list[i].body) == longest && strings.Count(fmt.Sprint(lengths(list)), fmt.Sprint(" ", longest, " ")) == 1 && !slices.Contains(ids(found), int64(i+1)) {
				t.Fatalf("%q was printed whole in %q and doesn't count", list[i].body, text.String())
			}
		}
	})
}

func lengths(list []nested) (out string) {
	for _, n := range list {
		out += fmt.Sprint(" ", len(n.body), " ")
	}
	return out
}

// quote is what the interpreter writes.
func TestQuoteIsTheInterpreters(t *testing.T) {
	vm := goja.New()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(rapid.String().Draw(t, "text"), "")
		v, err := vm.RunString("JSON.stringify")
		if err != nil {
			t.Fatal(err)
		}
		stringify, _ := goja.AssertFunction(v)
		got, err := stringify(nil, vm.ToValue(text))
		if err != nil || got.String() != `"`+quote(text)+`"` {
			t.Fatalf("%q: %s, not %q", text, got, quote(text))
		}
		var back string
		if err := json.Unmarshal([]byte(`"`+quote(text)+`"`), &back); err != nil || back != text {
			t.Fatalf("%q comes back as %q: %v", text, back, err)
		}
	})
}
