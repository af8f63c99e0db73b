package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

func fates(r api.ImportReport) string {
	var list []string
	for _, f := range r.Fates {
		list = append(list, fmt.Sprintf("%d %s", f.Line, f.Fate))
	}
	return strings.Join(list, ", ")
}

func TestEachLineHasItsFate(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna := h.person("anna")
		text := "\ufeff" + strings.Join([]string{
			`{"type":"memory","body":"Only a body."}`,
			``,
			`{"type":"memory","body":"Before its category.","category":"Boats","importance":9,"confidence":1,"usedAt":["2026-11-01T10:00:00Z",{"at":"2026-11-02T10:00:00+01:00","kind":"reinforced"},"2026-11-01T10:00:00Z"]}` + "\r",
			`{"type":"category","name":"Boats","description":"All that floats.","color":3}`,
			`{"type":"memory","body":"Only a body."}`,
			`{"type":"memory"}`,
			`not json`,
			`{"type":"memory","body":"x","importance":11}`,
			`{"type":"memory","body":"x","importance":0}`,
			`{"type":"memory","body":"x","Body":"y"}`,
			`{"type":"memory","body":"x","body":"y"}`,
			`{"type":"memory","body":"x","colour":"red"}`,
			`{"type":"memory","body":"nul \u0000"}`,
			`{"type":"memory","body":"half \ud800"}`,
			"{\"type\":\"memory\",\"body\":\"bytes \xff\"}",
			`{"type":"memory","body":"x","createdAt":"yesterday"}`,
			`{"type":"memory","body":"x","status":"lost"}`,
			`{"type":"memory","body":"x","project":"harbor"}`,
			`{"type":"memory","body":"x","usedAt":[{"at":"2026-11-01T10:00:00Z","AT":1}]}`,
			`{"type":"skill","body":"x"}`,
			`{"type":"memory","body":"` + strings.Repeat("x", setting.Int("import.line")) + `"}`,
			`{"type":"memory","body":"` + strings.Repeat("x", 100_001) + `"}`,
			`[1]`,
			`{"type":"purged"}`,
			`{"type":"memory","body":"The last one, without a line break."}`,
		}, "\n")
		r := h.importTo(anna, text, byImport)
		want := "1 added, 3 added, 4 added, 5 existing, 6 refused, 7 refused, 8 refused, 9 refused, 10 refused, 11 refused, 12 refused, 13 refused, 14 refused, 15 refused, " +
			"16 refused, 17 refused, 18 refused, 19 refused, 20 refused, 21 refused, 22 refused, 23 refused, 24 refused, 25 added"
		if got := fates(r); got != want {
			t.Errorf("fates:\n%s\nwant\n%s", got, want)
		}
		for _, f := range r.Fates {
			if f.Fate == api.FateRefused && (f.Message == "" || f.Message == fault.Invalid.Title()) {
				t.Errorf("line %d is refused without a reason: %q", f.Line, f.Message)
			}
		}
		for line, text := range map[int]string{1: "Only a body.", 3: "Before its category.", 4: "Boats", 5: "Only a body.",
			6: `{"type":"memory"}`, 7: "not json", 8: "x", 12: `{"type":"memory","body":"x","colour":"red"}`, 16: `{"type":"memory","body":"x","createdAt":"yesterday"}`,
			21: `{"type":"memory","body":"` + strings.Repeat("x", 74) + "…", 22: strings.Repeat("x", 99) + "…", 23: "[1]", 25: "The last one, without a line break."} {
			if i := slices.IndexFunc(r.Fates, func(f api.LineFate) bool { return f.Line == line }); i < 0 || r.Fates[i].Text != text {
				t.Errorf("line %d is told without its text: %+v", line, r.Fates)
			}
		}
		m := h.rows(anna)["Before its category."]
		if m.Importance != 9 || m.Confidence != 1 || m.UseCount != 2 || m.LastUsedAt == nil || m.LastUsedAt.String() != "2026-11-02T09:00:00.000Z" || m.CategoryID == nil {
			t.Errorf("%+v", m)
		}
		c, err := h.in.Categories.Get(context.Background(), anna, *m.CategoryID)
		if err != nil || c.Name != "Boats" || c.Description != "All that floats." || c.Color != 3 {
			t.Errorf("%+v %v", c, err)
		}
		plain := h.rows(anna)["Only a body."]
		if plain.Kind != "fact" || plain.Importance != 5 || plain.Source != api.SourceImport || plain.Status != api.StatusActive || int64(plain.CreatedAt) != clock.Now() {
			t.Errorf("%+v", plain)
		}
		page, err := h.in.Memories.Events(context.Background(), anna, plain.ID, "", 5)
		if err != nil || len(page.Items) != 1 || page.Items[0].Action != "add" || page.Items[0].Actor != "import" {
			t.Errorf("%+v %v", page.Items, err)
		}
		// The same file again.
		before := h.exported()
		r = h.importTo(anna, text, byImport)
		if r.Added != 0 || r.Existing != 5 || h.exported() != before {
			t.Errorf("again: %s", fates(r))
		}
		// Edited since.
		by := audit.Actor{Name: "user:1"}
		if _, err := h.in.Memories.Patch(context.Background(), anna, by, plain.ID, 0, api.MemoryPatch{Body: api.Ptr("More than a body.")}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.DeleteCategory(context.Background(), anna, by, *m.CategoryID, 0); err != nil {
			t.Fatal(err)
		}
		before = h.exported()
		r = h.importTo(anna, text, byImport)
		if r.Added != 0 || r.Kept < 2 || h.exported() != before {
			t.Errorf("edited since: %s", fates(r))
		}
	})
}

func TestLinesThatRepeat(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	// An export may hold the same text of the same instant twice: those are two.
	two := `{"type":"memory","body":"Twice.","createdAt":"2026-05-01T00:00:00Z"}` + "\n" +
		`{"type":"memory","body":"Twice.","createdAt":"2026-05-01T00:00:00Z","status":"deleted"}`
	for n, want := range []string{"1 added, 2 added", "1 existing, 2 existing", "1 existing, 2 existing"} {
		if got := fates(h.importTo(anna, two, byImport)); got != want {
			t.Errorf("run %d: %s", n+1, got)
		}
	}
	// What a person wrote by hand is there already if the text is.
	if _, err := h.in.Memories.Add(context.Background(), anna, audit.Actor{Name: "user:1"}, api.SourceUser, api.MemoryAdd{Body: "By hand.", CategoryID: api.Null[int64]()}); err != nil {
		t.Fatal(err)
	}
	if got := fates(h.importTo(anna, `{"type":"memory","body":" By hand. "}`, byImport)); got != "1 existing" {
		t.Errorf("by hand: %s", got)
	}
	if got := fates(h.importTo(anna, `{"type":"memory","body":"By hand.","category":"Elsewhere"}`, byImport)); got != "1 added" {
		t.Errorf("in another category: %s", got)
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	h.person("anna")
	h.person("bela")
	text := `{"type":"category","account":"anna","name":"Boats"}
{"type":"memory","account":"anna","body":"One.","category":"Boats"}
{"type":"memory","account":"carl","body":"Two.","category":"Carts"}
{"type":"memory","account":"carl","body":"Two.","category":"Carts"}
{"type":"memory","body":"Whose?"}
{"type":"memory","account":"carl","body":""}`
	before := h.exported()
	o := byImport
	o.DryRun = true
	r := h.importAll(text, o)
	if got := fates(r); got != "1 added, 2 added, 3 added, 4 existing, 5 refused, 6 refused" || !r.DryRun {
		t.Errorf("fates: %s", got)
	}
	if h.exported() != before {
		t.Error("a dry run wrote something")
	}
	wet := h.importAll(text, byImport)
	if fates(wet) != fates(r) {
		t.Errorf("the dry run said %s, it became %s", fates(r), fates(wet))
	}
	if len(wet.Notes) != 1 || !strings.Contains(wet.Notes[0], "carl") {
		t.Errorf("notes: %q", wet.Notes)
	}
	if carl, err := h.in.Accounts.Person(context.Background(), "carl"); err != nil || !carl.Locked || carl.Role != api.RoleMember {
		t.Errorf("carl: %+v %v", carl, err)
	}
}

// Where there is one account, lines that name none are for it; with two, nobody guesses.
func TestLinesOfTheOnlyAccount(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	text := `{"type":"category","name":"Boats"}
{"type":"memory","body":"One.","category":"Boats"}
{"type":"memory","account":"carl","body":"Carl's.","category":null}`
	dry := byImport
	dry.DryRun = true
	would := h.importAll(text, dry)
	did := h.importAll(text, byImport)
	if got := fates(did); got != "1 added, 2 added, 3 added" || fates(would) != got {
		t.Errorf("it became %s; the dry run said %s", got, fates(would))
	}
	if !strings.Contains(strings.Join(did.Notes, "\n"), "for anna, the only one here") {
		t.Errorf("notes: %q", did.Notes)
	}
	if list := h.rows(anna); len(list) != 1 || list["One."].CategoryID == nil {
		t.Errorf("anna has %+v", list)
	}
	if got := fates(h.importAll(text, byImport)); got != "1 refused, 2 refused, 3 existing" { // carl is here now
		t.Errorf("with two accounts: %s", got)
	}
}

func TestManyLines(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	var b strings.Builder
	for i := range 2600 {
		fmt.Fprintf(&b, `{"type":"memory","body":"Number %d of many.","category":"C%d","createdAt":"2026-11-%02dT00:00:00Z"}`+"\n", i, i%3, i%28+1)
		if i == 2000 {
			b.WriteString("broken\n")
		}
	}
	var seen []int64
	o := byImport
	o.Progress = func(done, total int64) { seen = append(seen, done, total) }
	r := h.importTo(anna, b.String(), o)
	if r.Added != 2600 || r.Refused != 1 || r.Lines != 2601 || fates(r) != "2002 refused" {
		t.Errorf("added %d, refused %d of %d; %s", r.Added, r.Refused, r.Lines, fates(r))
	}
	// Of many lines those that were there are listed, each with its text.
	again := h.importTo(anna, b.String(), byImport)
	if again.Existing != 2600 || len(again.Fates) != 1000 || slices.ContainsFunc(again.Fates, func(f api.LineFate) bool { return !strings.HasPrefix(f.Text, "Number ") && f.Fate != api.FateRefused }) {
		t.Errorf("again: %d were there, %d told", again.Existing, len(again.Fates))
	}
	if n := len(seen); n < 4 || seen[n-2] != int64(b.Len()) || seen[n-1] != int64(b.Len()) {
		t.Errorf("progress: %v of %d", seen, b.Len())
	}
	if n := len(h.rows(anna)); n != 2600 {
		t.Errorf("%d memories", n)
	}
}

// More categories than are written at a time, each after a memory that is in it.
func TestManyCategories(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	var b strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&b, `{"type":"memory","body":"Number %d.","category":"C%d"}`+"\n"+`{"type":"category","name":"C%d","icon":"i%d"}`+"\n", i, i, i, i)
	}
	r := h.importTo(anna, b.String(), byImport)
	if r.Added != 4200 {
		t.Errorf("%d added", r.Added)
	}
	list, err := h.in.Categories.List(context.Background(), anna)
	if err != nil || len(list) != 2101 {
		t.Fatalf("%d categories, %v", len(list), err)
	}
	for _, c := range list {
		if c.Name != "General" && (c.Count != 1 || "i"+c.Name[1:] != c.Icon) {
			t.Fatalf("%+v", c)
		}
	}
	if r := h.importTo(anna, b.String(), byImport); r.Existing != 4200 {
		t.Errorf("%+v", r)
	}
}

// A line finds its category as people do, however it is written.
func TestCategoriesAreFoundByTheirKey(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna := h.person("anna")
		if _, err := h.in.Categories.Add(context.Background(), anna, api.CategoryAdd{Name: "Straße nach  Osten"}); err != nil {
			t.Fatal(err)
		}
		text := `{"type":"category","name":"STRASSE nach Osten"}
{"type":"memory","body":"One.","category":"strasse  nach osten"}
{"type":"memory","body":"Two.","category":"Ｓtraße nach Osten"}
{"type":"memory","body":"One.","category":"Straße nach Osten"}`
		r := h.importTo(anna, text, byImport)
		if got := fates(r); got != "1 existing, 2 added, 3 added, 4 existing" {
			t.Error(got)
		}
		if list, err := h.in.Categories.List(context.Background(), anna); err != nil || len(list) != 2 {
			t.Errorf("%+v %v", list, err)
		}
		if r := h.importTo(anna, text, byImport); r.Existing != 4 {
			t.Errorf("again: %s", fates(r))
		}
	})
}

// A line that names no category goes where an add would; null keeps it in none.
func TestLinesWithoutACategoryGoToTheDefault(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna := h.person("anna")
		text := `{"type":"memory","body":"Names none."}
{"type":"memory","body":"In none.","category":null}
{"type":"memory","body":"In Boats.","category":"Boats"}
{"type":"memory","body":"Names none."}`
		dry := byImport
		dry.DryRun = true
		r := h.importTo(anna, text, dry)
		if r.Filed != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "would go to General") {
			t.Errorf("dry run: %d filed, %q", r.Filed, r.Notes)
		}
		r = h.importTo(anna, text, byImport)
		if r.Filed != 1 || r.Added != 3 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "went to General") {
			t.Errorf("%d filed, %d added, %q", r.Filed, r.Added, r.Notes)
		}
		names := func(owner db.AccountID) string {
			t.Helper()
			list, err := h.in.Categories.List(ctx, owner)
			if err != nil {
				t.Fatal(err)
			}
			by := map[int64]string{}
			for _, c := range list {
				by[c.ID] = c.Name
			}
			rows := h.rows(owner)
			var out []string
			for _, body := range []string{"Names none.", "In none.", "In Boats."} {
				name := "-"
				if c := rows[body].CategoryID; c != nil {
					name = by[*c]
				}
				out = append(out, name)
			}
			return strings.Join(out, " ")
		}
		if got := names(anna); got != "General - Boats" {
			t.Errorf("filed as %s", got)
		}
		if r := h.importTo(anna, text, byImport); r.Existing != 4 || r.Filed != 0 || len(r.Notes) != 0 {
			t.Errorf("again: %s, %d filed, %q", fates(r), r.Filed, r.Notes)
		}
		// What is exported says where each is, in none too.
		var b bytes.Buffer
		if err := h.Export(ctx, anna, &b); err != nil || strings.Count(b.String(), `"category":null`) != 1 {
			t.Errorf("%v\n%s", err, b.String())
		}
		bela := h.person("bela")
		if r := h.importTo(bela, b.String(), byImport); r.Filed != 0 || names(bela) != "General - Boats" {
			t.Errorf("brought over: %d filed, as %s", r.Filed, names(bela))
		}
		// An account that the import makes has a default; one without a default has no such place.
		named := strings.ReplaceAll(text, `"body"`, `"account":"carl","body"`)
		would := h.importAll(named, dry)
		if did := h.importAll(named, byImport); did.Filed != 1 || would.Filed != 1 || names(h.owner("carl")) != "General - Boats" {
			t.Errorf("carl: %d would be filed, %d were, as %s", would.Filed, did.Filed, names(h.owner("carl")))
		}
		dora := h.person("dora")
		list, err := h.in.Categories.List(ctx, dora)
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v %v", list, err)
		}
		if _, err := h.in.Memories.DeleteCategory(ctx, dora, audit.Actor{Name: "user:1"}, list[0].ID, 0); err != nil {
			t.Fatal(err)
		}
		if r := h.importTo(dora, text, byImport); r.Filed != 0 || names(dora) != "- - Boats" {
			t.Errorf("without a default: %d filed, as %s", r.Filed, names(dora))
		}
	})
}

// endless gives spaces without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, errors.New("gone") }

func TestWholeFilesAreRefused(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	ctx := context.Background()
	o := byImport
	o.TempDir = t.TempDir()
	before := h.exported()
	if _, err := h.Import(ctx, anna, endless{}, o); !fault.Is(err, fault.TooLarge) {
		t.Errorf("endless: %v", err)
	}
	if _, err := h.Import(ctx, anna, brokenPipe{}, o); !fault.Is(err, fault.Cancelled) {
		t.Errorf("cut off: %v", err)
	}
	many := `{"type":"category","name":"Boats"}` + "\n" + strings.Repeat("1\n", setting.Int("import.lines"))
	if _, err := h.Import(ctx, anna, strings.NewReader(many), o); !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "lines") {
		t.Errorf("many lines: %v", err)
	}
	if _, err := h.Import(ctx, anna, strings.NewReader("SQLite format 3\x00 and so on"), o); !fault.Is(err, fault.Invalid) {
		t.Errorf("SQLite: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := h.Import(cancelled, anna, strings.NewReader(`{"type":"memory","body":"x"}`), o); !fault.Is(err, fault.Cancelled) {
		t.Errorf("cancelled: %v", err)
	}
	if h.exported() != before {
		t.Error("something was written")
	}
	if r := h.importTo(anna, "", byImport); r.Lines != 0 || r.Fates == nil || r.Notes == nil {
		t.Errorf("empty: %+v", r)
	}
}

// Numbers that are added to later leave room for that.
func TestCountersAreBounded(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	r := h.importTo(anna, `{"type":"memory","body":"a","useCount":1000000001}
{"type":"memory","body":"b","useCount":-1}
{"type":"memory","body":"c","revision":1000000001}
{"type":"memory","body":"d","events":[{"action":"add","actor":"user:1","at":"2026-01-01T00:00:00Z","revision":9223372036854775807}]}
{"type":"memory","body":"e","versions":[{"revision":9223372036854775807,"body":"x","at":"2026-01-01T00:00:00Z"}]}
{"type":"memory","body":"f","useCount":1000000000,"revision":1000000000}`, byImport)
	if got := fates(r); got != "1 refused, 2 refused, 3 refused, 4 refused, 5 refused, 6 added" {
		t.Error(got)
	}
	for _, f := range r.Fates {
		if f.Fate == api.FateRefused && !strings.Contains(f.Message, "1000000000") {
			t.Errorf("line %d: %q", f.Line, f.Message)
		}
	}
}

// The same request under one key is one import.
func TestImportUnderAKey(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	text := `{"type":"memory","body":"Once."}`
	run := func() api.ImportReport {
		t.Helper()
		ctx, _ := db.WithIdempotency(context.Background(), anna, "key", []byte(text))
		r, err := h.Import(ctx, anna, strings.NewReader(text), byImport)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := run()
	if again := run(); fates(first) != "1 added" || fates(again) != fates(first) {
		t.Errorf("first %s, again %s", fates(first), fates(again))
	}
}

// One person's lines never become another's.
func TestExportIsOnesOwn(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna, bela := h.person("anna"), h.person("bela")
	h.importTo(anna, `{"type":"memory","body":"Anna's own.","category":"Hers"}`, byImport)
	h.importTo(bela, `{"type":"memory","body":"Bela's own.","category":"His"}`, byImport)
	var b bytes.Buffer
	if err := h.Export(context.Background(), anna, &b); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Contains(text, "Bela") || strings.Contains(text, "His") || strings.Contains(text, `"account"`) || !strings.Contains(text, "Anna's own.") {
		t.Errorf("anna's export: %s", text)
	}
}

func FuzzImportLine(f *testing.F) {
	for _, seed := range []string{
		`{"type":"memory","body":"A body."}`,
		`{"type":"memory","account":"anna","body":"B","kind":"fact","importance":10,"confidence":0.5,"category":null,"source":"user","status":"deleted","useCount":3,"lastUsedAt":"2026-01-01T00:00:00Z","createdAt":"2026-01-01","usedAt":["2026-01-01T00:00:00Z",{"at":"2026-01-01T00:00:00Z","kind":"reinforced"}],"events":[{"action":"add","actor":"user:1","at":"2026-01-01T00:00:00Z","after":"{\"body\":\"x\",\"categoryId\":4}"}],"versions":[{"revision":1,"body":"x","at":"2026-01-01T00:00:00Z"}]}`,
		`{"type":"category","name":"Boats","color":3,"default":true}`,
		`{"type":"purged","events":[{"action":"purge","actor":"user:1","at":"2026-01-01T00:00:00Z"}]}`,
		`{"type":"memory","body":"\u0000"}`, `{"type":"memory","body":"\ud800"}`, `{"type":"memory","body":"x","revision":-9223372036854775808}`,
		`{"type":"memory","body":"x","useCount":9223372036854775807,"lastUsedAt":"9999-12-31T23:59:59Z"}`, `{`, "\ufeff{}", "null", "[]", `{"type":{}}`,
	} {
		f.Add([]byte(seed))
	}
	h := open(f, dbtest.Open(f, nil))
	anna := h.person("anna")
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := h.Import(context.Background(), anna, bytes.NewReader(line), transfer.Options{By: byImport.By, Foreign: true})
		if err != nil {
			if k := fault.KindOf(err); k != fault.Invalid {
				t.Fatalf("%q: %v", line, err)
			}
			return
		}
		if r.Lines != r.Added+r.Existing+r.Kept+r.Refused {
			t.Fatalf("%q: %+v", line, r)
		}
		if r.Added == 0 {
			return
		}
		// What was taken comes out, and in again as what is there already.
		var out bytes.Buffer
		if err := h.Export(context.Background(), anna, &out); err != nil {
			t.Fatal(err)
		}
		again, err := h.Import(context.Background(), anna, bytes.NewReader(line), transfer.Options{By: byImport.By, Foreign: true})
		if err != nil || again.Added != 0 {
			t.Fatalf("%q twice: %+v %v", line, again, err)
		}
	})
}
