package validation

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// fieldsOf are the paths and rules that an error names, e.g. "kind label".
func fieldsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid {
		t.Fatalf("not an Invalid: %v", err)
	}
	list := []string{}
	for _, f := range e.Fields {
		list = append(list, f.Field+" "+f.Rule)
		if !strings.Contains(f.Message, " ") || !strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "api.") {
			t.Errorf("%s: not a plain sentence: %q", f.Field, f.Message)
		}
	}
	if e.Detail == "" {
		t.Errorf("no detail: %+v", e)
	}
	return list
}

func TestStruct(t *testing.T) {
	ptr := func(n int) *int { return &n }
	str := func(s string) *string { return &s }
	many := make([]int64, 101)
	for i := range many {
		many[i] = int64(i + 1)
	}
	for name, c := range map[string]struct {
		in   any
		want []string
	}{
		"good memory":        {api.MemoryAdd{Body: "x"}, nil},
		"all fields":         {api.MemoryAdd{Body: "x\ny", Kind: "läbel", Importance: ptr(10), Confidence: api.Ptr(0.0), CategoryID: api.Some[int64](3), Subject: "Ann", Reason: "why"}, nil},
		"no body":            {api.MemoryAdd{}, []string{"body body"}},
		"blank body":         {api.MemoryAdd{Body: " \n\t "}, []string{"body body"}},
		"longest body":       {api.MemoryAdd{Body: strings.Repeat("ä", 50_000)}, nil},
		"padded body":        {api.MemoryAdd{Body: " " + strings.Repeat("x", 100_000) + "\n"}, nil},
		"long body":          {api.MemoryAdd{Body: strings.Repeat("x", 100_001)}, []string{"body body"}},
		"NUL in body":        {api.MemoryAdd{Body: "a\x00b"}, []string{"body body"}},
		"body not UTF-8":     {api.MemoryAdd{Body: "a\xffb"}, []string{"body body"}},
		"importance 0":       {api.MemoryAdd{Body: "x", Importance: ptr(0)}, []string{"importance setting"}},
		"importance 11":      {api.MemoryAdd{Body: "x", Importance: ptr(11)}, []string{"importance setting"}},
		"confidence NaN":     {api.MemoryAdd{Body: "x", Confidence: api.Ptr(math.NaN())}, []string{"confidence setting"}},
		"confidence high":    {api.MemoryAdd{Body: "x", Confidence: api.Ptr(1.01)}, []string{"confidence setting"}},
		"kind too long":      {api.MemoryAdd{Body: "x", Kind: strings.Repeat("k", 41)}, []string{"kind label"}},
		"kind of 40 ä":       {api.MemoryAdd{Body: "x", Kind: strings.Repeat("ä", 40)}, nil},
		"kind with newline":  {api.MemoryAdd{Body: "x", Kind: "a\nb"}, []string{"kind label"}},
		"kind with space":    {api.MemoryAdd{Body: "x", Kind: " a"}, []string{"kind label"}},
		"two at once":        {api.MemoryAdd{Kind: " ", Body: ""}, []string{"body body", "kind label"}},
		"patch nothing":      {api.MemoryPatch{}, nil},
		"patch empty body":   {api.MemoryPatch{Body: str("")}, []string{"body body"}},
		"patch empty kind":   {api.MemoryPatch{Kind: str("")}, []string{"kind label"}},
		"patch long subject": {api.MemoryPatch{Subject: str(strings.Repeat("s", 121))}, []string{"subject line"}},
		"merge of one":       {api.MemoryMerge{IDs: []int64{1}, Body: "x"}, []string{"ids ids"}},
		"merge twice":        {api.MemoryMerge{IDs: []int64{1, 1}, Body: "x"}, []string{"ids ids"}},
		"merge of 101":       {api.MemoryMerge{IDs: many, Body: "x"}, []string{"ids ids"}},
		"merge of -1":        {api.MemoryMerge{IDs: []int64{1, -1}, Body: "x"}, []string{"ids ids"}},
		"no ids":             {api.IDs{}, []string{"ids ids"}},
		"bulk action":        {api.MemoryBulk{Action: "burn"}, []string{"action oneof"}},
		"bulk inner query":   {api.MemoryBulk{Action: "trash", All: &api.MemoryQuery{Sort: "luck"}}, []string{"all.sort oneof"}},
		"category":           {api.CategoryAdd{Name: "A", Description: "a\nb\tc"}, nil},
		"category nameless":  {api.CategoryAdd{}, []string{"name required"}},
		"category blank":     {api.CategoryAdd{Name: "  "}, []string{"name line"}},
		"category colour":    {api.CategoryAdd{Name: "A", Color: 11}, []string{"color setting"}},
		"category bell":      {api.CategoryAdd{Name: "A", Description: "\a"}, []string{"description text"}},
		"category colour 0":  {api.CategoryPatch{Color: ptr(0)}, []string{"color setting"}},
		"name":               {api.PersonAdd{Name: "ann.b-c_d9"}, nil},
		"name not Latin":     {api.PersonAdd{Name: "山田太郎"}, nil},
		"name with a dot":    {api.PersonAdd{Name: ".ann"}, []string{"name name"}},
		"name of dots":       {api.PersonAdd{Name: ".."}, []string{"name name"}},
		"name with slash":    {api.PersonAdd{Name: "a/b"}, []string{"name name"}},
		"name with space":    {api.PersonAdd{Name: "a b"}, []string{"name name"}},
		"name too long":      {api.PersonAdd{Name: strings.Repeat("a", 65)}, []string{"name name"}},
		"no name":            {api.PersonAdd{}, []string{"name name"}},
		"role":               {api.PersonAdd{Name: "a", Role: "king"}, []string{"role oneof"}},
		"password short":     {api.PersonAdd{Name: "a", Password: "short"}, []string{"password password"}},
		"password of 10":     {api.PersonAdd{Name: "a", Password: "pässwörter"}, nil},
		"password of 257":    {api.PersonAdd{Name: "a", Password: strings.Repeat("p", 257)}, []string{"password password"}},
		"setup":              {api.Setup{Name: "a", Password: "0123456789"}, []string{"code required"}},
		"token":              {api.TokenAdd{Name: "t", Scopes: []string{"read", "read"}}, []string{"scopes unique"}},
		"token scope":        {api.TokenAdd{Name: "t", Scopes: []string{"read", "root"}}, []string{"scopes[1] oneof"}},
		"token days":         {api.TokenAdd{Name: "t", Days: 3_651}, []string{"days setting"}},
		"query":              {api.MemoryQuery{Status: "all", Importance: 3, FadesWithin: 30}, nil},
		"query importance":   {api.MemoryQuery{Importance: 11}, []string{"importance setting"}},
		"query category":     {api.MemoryQuery{CategoryID: -1}, []string{"categoryId min"}},
		"query text":         {api.MemoryQuery{Q: "a\x01b"}, []string{"q line"}},
		"preview limit":      {api.PreviewRequest{Limit: 501}, []string{"limit setting"}},
	} {
		if got := fieldsOf(t, Struct(c.in)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMessagesTellTheBound(t *testing.T) {
	one, long := 11, strings.Repeat("s", 121)
	for _, c := range []struct {
		in             any
		message, param string
	}{
		{api.MemoryPatch{Importance: &one}, "importance must be a whole number from 1 to 10.", "1 to 10"},
		{api.MemoryPatch{Subject: &long}, "subject must have 0 to 120 characters, not 121.", "0 to 120"},
		{api.MemoryAdd{Body: strings.Repeat("x", 100_001)}, "body must have at most 100000 bytes, not 100001; it was not cut.", "1 to 100000"},
		{api.Login{Name: "x"}, "password is missing.", ""},
		{api.MemoryQuery{Order: "up"}, "order must be one of asc, desc.", "asc desc"},
	} {
		var e *fault.Error
		if !errors.As(Struct(c.in), &e) || len(e.Fields) != 1 || e.Fields[0].Message != c.message || e.Fields[0].Param != c.param {
			t.Errorf("%+v", e)
		}
	}
}

func TestDecode(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	for name, c := range map[string]struct{ in, field, says string }{
		"empty":            {"", "", "empty"},
		"blank":            {" \n", "", "empty"},
		"not JSON":         {"hello", "", "object"},
		"null":             {"null", "", "object"},
		"a list":           {"[]", "", "object"},
		"cut off":          {`{"body":"x"`, "", "too early"},
		"trailing":         {`{"body":"x"} {}`, "", "not valid JSON"},
		"trailing text":    {`{"body":"x"}x`, "", "not valid JSON"},
		"comment":          {`{"body":"x"/*c*/}`, "", "not valid JSON"},
		"single quotes":    {`{'body':'x'}`, "", "not valid JSON"},
		"unknown":          {`{"body":"x","extra":1}`, "extra", "no field"},
		"wrong case":       {`{"Body":"x"}`, "Body", `this one is "body"`},
		"duplicate":        {`{"body":"x","body":"y"}`, "body", "twice"},
		"duplicate escape": {`{"body":"x","b\u006fdy":"y"}`, "body", "twice"},
		"bad UTF-8":        {"{\"body\":\"a\xff\"}", "", "UTF-8"},
		"half surrogate":   {`{"body":"a\ud800"}`, "", "surrogate"},
		"half, reversed":   {`{"body":"\udc00\ud800"}`, "", "not valid JSON"},
		"wrong type":       {`{"body":7}`, "body", "must be text"},
		"number as text":   {`{"body":"x","importance":"7"}`, "importance", "whole number"},
		"fraction":         {`{"body":"x","importance":7.5}`, "importance", "whole number"},
		"huge number":      {`{"body":"x","importance":99999999999999999999}`, "importance", "whole number"},
		"infinite":         {`{"body":"x","confidence":1e999}`, "confidence", "a number"},
		"optional type":    {`{"body":"x","categoryId":"seven"}`, "categoryId", "whole number or null"},
		"too deep":         {`{"body":` + deep, "", "not valid JSON"},
		"out of bounds":    {`{"body":"x","importance":77}`, "importance", "1 to 10"},
		"byte order mark":  {"\ufeff" + `{"body":"x"}`, "", "object"},
	} {
		var v api.MemoryAdd
		err := Decode(strings.NewReader(c.in), &v)
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(e.Detail, c.says) || strings.Contains(e.Detail, "Go ") {
			t.Errorf("%s says %q", name, e.Detail)
		}
		if c.field != "" && (len(e.Fields) != 1 || e.Fields[0].Field != c.field) {
			t.Errorf("%s: fields %+v", name, e.Fields)
		}
	}
	var v api.MemoryAdd
	in := ` {"body":"x \u00e4 \ud83d\ude00","categoryId":null,"importance":9} ` + "\n"
	if err := Decode(strings.NewReader(in), &v); err != nil || v.Body != "x ä 😀" || !v.CategoryID.Set || v.CategoryID.Value != nil || *v.Importance != 9 {
		t.Errorf("%+v, %v", v, err)
	}
	if err := Decode(strings.NewReader(`{"body":"`+strings.Repeat("x", 1<<20)+`"}`), &v); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too large: %v", err)
	}
	if err := Decode(iotestErr{}, &v); !fault.Is(err, fault.Cancelled) {
		t.Errorf("broken reader: %v", err)
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errors.New("reset") }

func TestQuery(t *testing.T) {
	for raw, want := range map[string]api.MemoryQuery{
		"":                  {},
		"categoryId=none":   {Uncategorized: true},
		"categoryId=7":      {CategoryID: 7},
		"q=a+b%26c&kind=x":  {Q: "a b&c", Kind: "x"},
		"notIndexed=1":      {NotIndexed: true},
		"unreviewed=true":   {Unreviewed: true},
		"after=2026-01-02":  {After: api.Ptr(api.Time(1767312000000))},
		"limit=5&cursor=ab": {},
		"before=2026-01-02T01:00:00%2B01:00&sort=created": {Before: api.Ptr(api.Time(1767312000000)), Sort: "created"},
	} {
		var q api.MemoryQuery
		var w Window
		if err := Query(raw, &q, &w); err != nil || !reflect.DeepEqual(q, want) {
			t.Errorf("%q: %+v, %v", raw, q, err)
		}
	}
	for raw, want := range map[string]string{
		"limit=0": "limit setting", "limit=501": "limit setting", "limit=-1": "limit setting", "limit=x": "limit type", "limit=": "limit type",
		"sort=luck": "sort oneof", "Sort=created": "Sort unknown", "nope=1": "nope unknown", "q=a&q=b": "q duplicate",
		"after=yesterday": "after type", "categoryId=any": "categoryId type", "notIndexed=yes": "notIndexed type",
		"cursor=" + strings.Repeat("a", 1001): "cursor max", "q=%00": "q line", "kind=%ff": "kind type",
	} {
		var q api.MemoryQuery
		var w Window
		if got := fieldsOf(t, Query(raw, &q, &w)); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q, want %q", raw, got, want)
		}
	}
	for _, raw := range []string{"%zz", "a;b", "q=%"} {
		if err := Query(raw, &api.MemoryQuery{}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", raw, err)
		}
	}
	if (Window{}).Rows() != 50 {
		t.Error("default limit")
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"body":"x","importance":3}`, `{"body":"\ud800"}`, `{"body":"a","body":"b"}`, `{"ids":[1,2],"action":"trash"}`, `{"all":{"q":"x"}}`, "[", "\xff", `{"a":{"a":{"a":1}}}`, `{"categoryId":null}`, `{"scopes":["read"],"name":"n"}`, `{"policy":{"halfLifeDays":[1,2]}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, v := range []any{&api.MemoryAdd{}, &api.MemoryPatch{}, &api.MemoryBulk{}, &api.MemoryMerge{}, &api.MePatch{}, &api.TokenAdd{}, &api.PolicyChange{}, &api.PreviewRequest{}, &api.CategoryAdd{}, &api.Line{}} {
			err := Decode(bytes.NewReader(data), v)
			if err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
				t.Fatalf("%T: %v", v, err)
			}
			if p := fault.ProblemOf(err); err != nil && !utf8.ValidString(p.Detail) {
				t.Fatalf("%T: detail is not UTF-8: %q", v, p.Detail)
			}
			if m, ok := v.(*api.MemoryAdd); ok && err == nil && (strings.ContainsRune(m.Body, 0) || !utf8.ValidString(m.Body) || len(strings.TrimSpace(m.Body)) > 100_000) {
				t.Fatalf("accepted the body %q", m.Body)
			}
		}
	})
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"q=a&sort=created&limit=3", "categoryId=none", "after=2026-01-02T03:04:05Z", "%zz", "q=%00", "a;b", "cursor=%ff", "limit=1e3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var q api.MemoryQuery
		var w Window
		err := Query(raw, &q, &w)
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatal(err)
		}
		if n := w.Rows(); err == nil && (n < 1 || n > 500 || !utf8.ValidString(q.Q) || strings.ContainsRune(q.Q, 0)) {
			t.Fatalf("accepted %+v %+v", q, w)
		}
		if p := fault.ProblemOf(err); err != nil && !utf8.ValidString(p.Detail) {
			t.Fatalf("detail is not UTF-8: %q", p.Detail)
		}
	})
}
