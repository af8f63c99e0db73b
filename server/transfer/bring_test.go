package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/transfer"
	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// brought is a file of a format with made-up content, and what must become of it.
type brought struct {
	format     string
	name       string // of the file; empty: files
	data       []byte
	files      map[string]string // a folder
	items      int
	categories map[string]int // how many stand in each; "-" in the default one
	first      string         // a body,
	created    string         // when it was made, empty for now,
	kind       string         // and its kind
}

// size is how many there are of each: more than a person types.
const size = 240

var (
	people = []string{"Mira", "Tomas", "Ilse", "Bao", "Noor", "Kwame"}
	doings = []string{"repairs clocks", "keeps bees", "reads maps", "bakes rye bread", "collects stamps", "sails in spring", "paints fences", "learns Basque"}
)

// saying is the nth made-up fact.
func saying(n int) string {
	return fmt.Sprintf("%s %s, as was said on day %d.", people[n%len(people)], doings[n%len(doings)], n)
}

// moment is when the nth was made.
func moment(n int) time.Time {
	return time.Date(2026, 3, 1, 8, 0, 0, 250_000_000, time.UTC).Add(time.Duration(n) * time.Hour)
}

func encoded(v any) []byte {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err)
	}
	return data
}

type object = map[string]any

// everything is a file of each format.
func everything() []brought {
	first := api.Time(moment(0).UnixMilli()).String()
	var list []brought

	var results []any
	kinds := []string{"personal_details", "health", "travel"}
	for n := range size {
		results = append(results, object{"id": fmt.Sprintf("id-%d", n), "memory": saying(n), "hash": fmt.Sprintf("%032x", n), "user_id": "mira", "agent_id": nil, "metadata": nil,
			"categories": []string{kinds[n%3], "misc"}, "created_at": moment(n).In(time.FixedZone("", -7*3600)).Format("2006-01-02T15:04:05.000000-07:00"), "updated_at": nil, "expiration_date": nil})
	}
	list = append(list, brought{format: api.FormatMem0, name: "mem0.json", data: encoded(object{"results": results, "relations": []any{}}), items: size,
		categories: map[string]int{"Personal details": 80, "Health": 80, "Travel": 80}, first: saying(0), created: first, kind: "fact"})

	var lines bytes.Buffer
	for n := range size / 2 {
		line, _ := json.Marshal(object{"type": "entity", "name": fmt.Sprintf("Entity_%d", n), "entityType": []string{"person", "tool"}[n%2], "observations": []string{saying(2 * n)}})
		lines.Write(append(line, '\n'))
		line, _ = json.Marshal(object{"type": "relation", "from": fmt.Sprintf("Entity_%d", n), "to": "Entity_0", "relationType": "depends_on"})
		lines.Write(append(line, '\n'))
	}
	list = append(list, brought{format: api.FormatMCPMemory, name: "memory.jsonl", data: lines.Bytes(), items: size, categories: map[string]int{"person": 60, "tool": 60, "-": 120},
		first: "Entity_0 (person): " + saying(0), kind: "fact"})

	var memories []any
	for n := range size {
		memories = append(memories, object{"content": saying(n), "content_hash": fmt.Sprintf("%064x", n), "tags": []string{"a", "b"}, "created_at": float64(moment(n).UnixMilli()) / 1000,
			"updated_at": float64(moment(n+1).UnixMilli()) / 1000, "memory_type": "decision", "metadata": object{}})
	}
	list = append(list, brought{format: api.FormatMCPMemoryService, name: "export.json", data: encoded(object{"export_metadata": object{"total_memories": size}, "memories": memories}),
		items: size, categories: map[string]int{"-": size}, first: saying(0), created: first, kind: "decision"})

	notes := map[string]string{}
	for n := range size / 4 {
		notes[fmt.Sprintf("%s/Note %d.md", []string{"people", "plans"}[n%2], n)] = fmt.Sprintf("---\ntitle: Note %d\ntype: note\npermalink: notes/%d\ncreated: %s\nmodified: %s\n---\n\n# Note %d\n\n%s\n\n## Observations\n- [decision] %s #tag\n- [fact] %s (context)\n\n## Relations\n- part_of [[Note 0]]\n",
			n, n, moment(n).Format(time.RFC3339Nano), moment(n+1).Format(time.RFC3339Nano), n, saying(4*n), saying(4*n+1), saying(4*n+2))
	}
	list = append(list, brought{format: api.FormatBasicMemory, files: notes, items: size, categories: map[string]int{"people": 120, "plans": 120},
		first: "Note 0: " + saying(1) + " #tag", created: first, kind: "decision"})

	var talks []any
	for t := range 12 {
		mapping := object{"root": object{"id": "root", "message": nil, "parent": nil, "children": []string{}}}
		for n := range size / 12 {
			id := t*size/12 + n
			mapping[fmt.Sprintf("n%d", id)] = object{"id": fmt.Sprintf("n%d", id), "parent": "root", "children": []string{}, "message": object{
				"author": object{"role": "assistant", "name": nil, "metadata": object{}}, "create_time": float64(moment(id).UnixMilli()) / 1000,
				"content": object{"content_type": "text", "parts": []string{saying(id)}}, "recipient": "bio", "channel": "commentary"}}
			mapping[fmt.Sprintf("u%d", id)] = object{"id": fmt.Sprintf("u%d", id), "parent": "root", "children": []string{}, "message": object{
				"author": object{"role": "user"}, "create_time": float64(moment(id).UnixMilli()) / 1000, "content": object{"content_type": "text", "parts": []string{"Not a memory."}}, "recipient": "all"}}
		}
		talks = append(talks, object{"title": "A talk", "create_time": 1.5e9, "mapping": mapping, "current_node": "root"})
	}
	list = append(list, brought{format: api.FormatChatGPT, name: "conversations.json", data: encoded(talks), items: size, categories: map[string]int{"-": size}, first: saying(0), created: first, kind: "fact"})

	var prose, entries, bullets, plain strings.Builder
	for n := range size {
		if n%80 == 0 {
			fmt.Fprintf(&prose, "**Part %d**\n\n", n/80)
			fmt.Fprintf(&bullets, "\n## Part %d\n\n", n/80)
		}
		fmt.Fprintf(&prose, "%s\n\n", saying(n))
		fmt.Fprintf(&bullets, "- %s\n", saying(n))
		fmt.Fprintf(&entries, "[%s] - %s\n", moment(n).Format(time.DateOnly), saying(n))
		fmt.Fprintf(&plain, "%s\n\n", saying(n))
	}
	parts := map[string]int{"Part 0": 80, "Part 1": 80, "Part 2": 80}
	list = append(list,
		brought{format: api.FormatClaude, name: "memories.json", data: encoded([]any{object{"conversations_memory": prose.String(), "account_uuid": "a"}}), items: size, categories: parts, first: saying(0), kind: "fact"},
		brought{format: api.FormatClaude, name: "pasted.txt", data: []byte(entries.String()), items: size, categories: map[string]int{"-": size}, first: saying(0), created: "2026-03-01T00:00:00.000Z", kind: "fact"},
		brought{format: api.FormatChatGPT, name: "pasted.txt", data: []byte("```\n" + entries.String() + "```\n"), items: size, categories: map[string]int{"-": size}, first: saying(0), created: "2026-03-01T00:00:00.000Z", kind: "fact"},
		brought{format: api.FormatMarkdown, name: "facts.md", data: []byte(bullets.String()), items: size, categories: parts, first: saying(0), kind: "fact"},
		brought{format: api.FormatText, name: "facts.txt", data: []byte(plain.String()), items: size, categories: map[string]int{"-": size}, first: saying(0), kind: "fact"})
	return list
}

func bundle(t testing.TB, name string, data []byte) *foreign.Bundle {
	t.Helper()
	b := &foreign.Bundle{}
	if err := transfer.Stage(b, name, bytes.NewReader(data), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func (b *brought) bundle(t testing.TB) *foreign.Bundle {
	t.Helper()
	if b.files == nil {
		return bundle(t, b.name, b.data)
	}
	dir := t.TempDir()
	for name, text := range b.files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in, err := foreign.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in
}

func (h *house) bring(owner db.AccountID, b *foreign.Bundle, o transfer.Options) api.ImportReport {
	h.t.Helper()
	o.TempDir = h.t.TempDir()
	r, err := h.Bring(context.Background(), owner, b, o)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// own is an account's export.
func (h *house) own(owner db.AccountID) string {
	h.t.Helper()
	var b bytes.Buffer
	if err := h.Export(context.Background(), owner, &b); err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

// shelved counts an account's memories by category; "-" is the default one.
func (h *house) shelved(owner db.AccountID) map[string]int {
	h.t.Helper()
	list, err := h.in.Categories.List(context.Background(), owner)
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]int{}
	for _, c := range list {
		name := c.Name
		if c.Default {
			name = "-"
		}
		if c.Count > 0 {
			out[name] = c.Count
		}
	}
	return out
}

// Of every format: all of it comes in, with its times and categories; the dry run says
// so before and writes nothing; the second time nothing comes; and what came in goes
// out and in again elsewhere, the same.
func TestEveryFormat(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		for n, b := range everything() {
			name := fmt.Sprintf("%s-%d", b.format, n)
			owner := h.person(name)
			o := byImport
			detected := b.name != "pasted.txt" // such text is anybody's
			if !detected {
				o.From = b.format
			}
			before := h.own(owner)
			dry := o
			dry.DryRun = true
			would := h.bring(owner, b.bundle(t), dry)
			if h.own(owner) != before {
				t.Errorf("%s: the dry run wrote something", name)
			}
			did := h.bring(owner, b.bundle(t), o)
			if did.Added != b.items || did.Lines != b.items || did.Refused+did.Existing+did.Held != 0 || did.Format != b.format || did.Detected != detected {
				t.Errorf("%s: %+v %q", name, counts(did), did.Notes)
			}
			if fates(would) != fates(did) || counts(would) != counts(did) || fmt.Sprint(would.Categories) != fmt.Sprint(did.Categories) || !would.DryRun {
				t.Errorf("%s: the dry run said %+v, it became %+v", name, counts(would), counts(did))
			}
			if got := h.shelved(owner); fmt.Sprint(got) != fmt.Sprint(b.categories) {
				t.Errorf("%s: filed as %v, want %v", name, got, b.categories)
			}
			for _, f := range would.Fates { // as it will stand in the list
				made := ""
				if f.CreatedAt != nil {
					made = f.CreatedAt.String()
				}
				if f.Text == b.first && made != b.created {
					t.Errorf("%s: the date is told as %q, not %q", name, made, b.created)
				}
			}
			m, ok := h.rows(owner)[b.first]
			created := b.created
			if created == "" {
				created = api.Time(clock.Now()).String()
			}
			if !ok || m.CreatedAt.String() != created || m.Kind != b.kind || m.Source != api.SourceImport || m.Importance != 5 || m.Status != api.StatusActive {
				t.Errorf("%s: %q is %+v", name, b.first, m)
			}
			page, err := h.in.Memories.Events(context.Background(), owner, m.ID, "", 5)
			if err != nil || len(page.Items) != 1 || page.Items[0].Reason != "imported from "+foreign.Title(b.format) {
				t.Errorf("%s: %+v %v", name, page.Items, err)
			}
			before = h.own(owner)
			if again := h.bring(owner, b.bundle(t), o); again.Existing != b.items || again.Added != 0 || h.own(owner) != before {
				t.Errorf("%s again: %+v", name, counts(again))
			}
			other := h.person(name + "-elsewhere")
			h.importTo(other, before, byImport)
			if h.own(other) != before {
				t.Errorf("%s: out and in again it is another", name)
			}
		}
	})
}

// counts are the numbers of a report.
func counts(r api.ImportReport) [8]int {
	return [8]int{r.Lines, r.Added, r.Existing, r.Kept, r.Refused, r.Held, r.Filed, r.Faded}
}

// Something that cannot be taken holds everything back, unless it is left out.
func TestAllOrNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna := h.person("anna")
		long := strings.Repeat("x", int(setting.Get("memory.body").Max)+1)
		text := []byte("- One\n- Two\n- " + long + "\n- One\n")
		before := h.exported()
		for _, dry := range []bool{true, false} {
			o := byImport
			o.DryRun = dry
			r := h.bring(anna, bundle(t, "a.md", text), o)
			if got := fates(r); got != "1 held, 2 held, 3 refused, 4 existing" || r.Held != 2 || r.Broken || r.DryRun != dry || h.exported() != before {
				t.Errorf("dry %t: %s %+v", dry, got, counts(r))
			}
			if f := r.Fates[2]; f.Line != 3 || !strings.Contains(f.Message, "100000") || !strings.HasPrefix(f.Text, "xxx") || len(f.Text) > 400 {
				t.Errorf("the refused one: %+v", f)
			}
		}
		o := byImport
		o.Skip = true
		dry := o
		dry.DryRun = true
		want := "1 added, 2 added, 3 refused, 4 existing"
		if r := h.bring(anna, bundle(t, "a.md", text), dry); fates(r) != want {
			t.Errorf("it would be %s", fates(r))
		}
		if r := h.bring(anna, bundle(t, "a.md", text), o); fates(r) != want || len(h.rows(anna)) != 2 {
			t.Errorf("it became %s", fates(r))
		}
		// A file that is broken cannot be had in part.
		before = h.exported()
		r := h.bring(anna, bundle(t, "a.md", []byte("- Three\n- caf\xe9\n- Four\n- \xff\n")), o)
		if !r.Broken || r.Added != 0 || fates(r) != "2 refused, 4 refused" || h.exported() != before {
			t.Errorf("broken: %+v %s", counts(r), fates(r))
		}
		r = h.bring(anna, bundle(t, "a.json", []byte("[{\"memory\":\"Three\"},\n{\"memory\":\"Fo")), o)
		if !r.Broken || r.Held != 1 || fates(r) != "1 held, 2 refused" || h.exported() != before {
			t.Errorf("cut off: %+v %s", counts(r), fates(r))
		}
		// Of several files, each fate says which one it is.
		b := bundle(t, "a.md", []byte("- Five\n"))
		if err := transfer.Stage(b, "b.md", strings.NewReader("- Six\n\n- caf\xe9\n"), t.TempDir()); err != nil {
			t.Fatal(err)
		}
		if r = h.bring(anna, b, o); len(r.Fates) != 2 || r.Fates[0].File != "a.md" || r.Fates[1].File != "b.md" || r.Fates[1].Line != 3 || h.exported() != before {
			t.Errorf("several: %+v", r.Fates)
		}
	})
}

// A text is there already wherever it came from, and what was done with it stays.
func TestDuplicatesByText(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		ctx := context.Background()
		anna := h.person("anna")
		h.importTo(anna, `{"type":"memory","body":"One","category":"Mine","importance":9}
{"type":"memory","body":"Two","status":"deleted"}`, byImport)
		text := []byte("# Theirs\n- One\n- Two\n- Three\n")
		r := h.bring(anna, bundle(t, "a.md", text), byImport)
		if got := fates(r); got != "2 existing, 3 added, 4 added" {
			t.Error(got)
		}
		var three int64
		err := h.d.View(ctx, func(tx *db.Tx) error {
			for b, err := range h.in.Memories.Briefs(tx, anna, nil) {
				if err != nil {
					return err
				}
				three = max(three, b.ID)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Patch(ctx, anna, byImport.By, three, 0, api.MemoryPatch{Body: api.Ptr("Three and a half")}); err != nil {
			t.Fatal(err)
		}
		if got := fates(h.bring(anna, bundle(t, "a.md", text), byImport)); got != "2 existing, 3 existing, 4 kept" {
			t.Error(got)
		}
		// From elsewhere, another person's: nobody's memories are compared with theirs.
		bela := h.person("bela")
		if got := fates(h.bring(bela, bundle(t, "a.md", text), byImport)); got != "2 added, 3 added, 4 added" {
			t.Error(got)
		}
	})
}

// Our own lines come through the same door, and so does a zip of notes.
func TestOurLinesAndZips(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	line := []byte(`{"type":"memory","body":"One."}` + "\nnot JSON\n")
	r := h.bring(anna, bundle(t, "a.jsonl", line), byImport)
	if fates(r) != "1 added, 2 refused" || r.Format != api.FormatJSONL || !r.Detected {
		t.Errorf("%s %+v", fates(r), r)
	}
	var z bytes.Buffer
	w := zip.NewWriter(&z)
	f, _ := w.Create("notes/a.md")
	f.Write([]byte("- From a zip\n"))
	f, _ = w.Create("lines.jsonl")
	f.Write(line)
	w.Close()
	o := byImport
	o.From = api.FormatMarkdown
	if r := h.bring(anna, bundle(t, "a.zip", z.Bytes()), o); fates(r) != "1 added" || len(r.Notes) == 0 {
		t.Errorf("a zip: %s %q", fates(r), r.Notes)
	}
	o.From = api.FormatJSONL
	if _, err := h.Bring(context.Background(), anna, bundle(t, "a.zip", z.Bytes()), o); !fault.Is(err, fault.Invalid) {
		t.Errorf("lines in a zip: %v", err)
	}
	// Whose they are is said, or there is only one.
	if r, err := h.BringAll(context.Background(), bundle(t, "a.md", []byte("- For anna\n")), byImport); err != nil || r.Added != 1 || !strings.Contains(strings.Join(r.Notes, " "), "for anna") {
		t.Errorf("%+v %v", r, err)
	}
	h.person("bela")
	if _, err := h.BringAll(context.Background(), bundle(t, "a.md", []byte("- For whom\n")), byImport); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "--user") {
		t.Errorf("%v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Bring(cancelled, anna, bundle(t, "a.md", []byte("- Late\n")), byImport); !fault.Is(err, fault.Cancelled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Whoever is told how far it is may take their time: the writer does not wait for them.
func TestWhoIsToldDoesNotHoldTheWriter(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		anna, bela := h.person("anna"), h.person("bela")
		var b strings.Builder
		for n := range 4500 {
			fmt.Fprintf(&b, "- Fact %d\n", n)
		}
		o := byImport
		told := 0
		o.Step = func(done, total int64, lines int) {
			if told++; done > total || lines > 4500 {
				t.Errorf("%d of %d, %d lines", done, total, lines)
			}
			// This has to be written while somebody is being told.
			if _, err := h.in.Memories.Add(context.Background(), bela, byImport.By, api.SourceUser, api.MemoryAdd{Body: fmt.Sprintf("Told %d", told), CategoryID: api.Null[int64]()}); err != nil {
				t.Error(err)
			}
		}
		if r := h.bring(anna, bundle(t, "a.md", []byte(b.String())), o); r.Added != 4500 || told == 0 {
			t.Errorf("%+v, told %d times", counts(r), told)
		}
		if n := len(h.rows(bela)); n != told {
			t.Errorf("%d of %d were written", n, told)
		}
	})
}

// Whatever is in a list of facts: it comes in once, the second time is nothing, and what
// is exported comes in elsewhere the same.
func TestWhatCameInGoesOutAndInAgain(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		owner := h.person(fmt.Sprintf("p%d", n))
		word := rapid.StringMatching(`[a-zé漢][a-z0-9 #\[\]():*-]{0,30}`)
		var records []any
		for range rapid.IntRange(1, 30).Draw(rt, "records") {
			record := object{"memory": word.Draw(rt, "memory")}
			if rapid.Bool().Draw(rt, "dated") {
				record["created_at"] = moment(rapid.IntRange(0, 5000).Draw(rt, "hour")).Format("2006-01-02T15:04:05")
			}
			if rapid.Bool().Draw(rt, "filed") {
				record["categories"] = []string{word.Draw(rt, "category")}
			}
			records = append(records, record)
		}
		data := encoded(records)
		first := h.bring(owner, bundle(t, "a.json", data), byImport)
		if first.Added == 0 || first.Added+first.Existing != len(records) {
			rt.Fatalf("%+v", first)
		}
		if again := h.bring(owner, bundle(t, "a.json", data), byImport); again.Added != 0 || again.Existing != len(records) {
			rt.Fatalf("again: %+v", again)
		}
		out := h.own(owner)
		other := h.person(fmt.Sprintf("q%d", n))
		h.importTo(other, out, byImport)
		if back := h.own(other); back != out {
			rt.Fatalf("%s\n%s", out, back)
		}
	})
}

// What is refused is told with how it begins, so that whoever brought it finds it; and a
// bundle in which nothing may be read says of each name why.
func TestWhatIsRefusedIsToldWithItsBeginning(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	anna := h.person("anna")
	for format, c := range map[string]struct{ text, begins string }{
		api.FormatMem0:             {`{"results": [{"id": "1", "memory": "Likes sencha.", "created_at": "soon"}]}`, `{"id": "1", "memory": "Likes sencha."`},
		api.FormatMCPMemory:        {`{"type":"entity","name":"Anna","entityType":"person","observations":["sencha",7]}` + "\n", `{"type":"entity","name":"Anna"`},
		api.FormatMCPMemoryService: {`{"memories": [{"content": "", "tags": ["sencha"]}]}`, `{"content": "", "tags": ["sencha"]`},
		api.FormatClaude:           {`[{"conversations_memory": 7}]`, `{"conversations_memory": 7}`},
		api.FormatText:             {"- " + strings.Repeat("sencha ", 20_000), "sencha sencha"},
	} {
		b := &foreign.Bundle{}
		if err := transfer.Stage(b, "file", strings.NewReader(c.text), t.TempDir()); err != nil {
			t.Fatal(err)
		}
		r := h.bring(anna, b, transfer.Options{By: byImport.By, From: format, DryRun: true})
		if r.Refused != 1 || !strings.HasPrefix(r.Fates[0].Text, c.begins) || r.Fates[0].Message == "" {
			t.Errorf("%s: %+v", format, r.Fates)
		}
	}

	var zipped bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, name := range []string{"../../out.md", "/out.md"} {
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	b := &foreign.Bundle{}
	if err := transfer.Stage(b, "import.zip", &zipped, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	r := h.bring(anna, b, transfer.Options{By: byImport.By})
	if r.Refused != 2 || !strings.Contains(r.Fates[0].Message, "leads out of the zip") || r.Fates[0].File == "" {
		t.Errorf("%+v", r)
	}
}
