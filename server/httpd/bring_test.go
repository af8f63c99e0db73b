package httpd

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// form is a form of files, and its type.
func form(t *testing.T, files ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		p, err := w.CreateFormFile("file", files[i])
		if err != nil {
			t.Fatal(err)
		}
		p.Write([]byte(files[i+1]))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

// What comes from other systems comes by any of its types, found out or named.
func TestImportFromOtherSystems(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleMember)
	bring := func(query, contentType, body string) api.ImportReport {
		t.Helper()
		return into[api.ImportReport](t, ann.must("POST", api.PathImport+query, body, "Content-Type", contentType))
	}
	graph := `{"type":"entity","name":"Lantern","entityType":"project","observations":["Is written in Go"]}` + "\n"
	for _, c := range []struct{ query, contentType, body, format string }{
		{"", "application/json", `{"results":[{"memory":"Likes tea","created_at":"2026-01-02T03:04:05Z"}]}`, api.FormatMem0},
		{"", jsonl, graph, api.FormatMCPMemory},
		{"", "application/octet-stream", `[{"conversations_memory":"Lives in Graz"}]`, api.FormatClaude},
		{"", "text/markdown", "# Facts\n- Cooks on Sundays\n", api.FormatMarkdown},
		{"?from=chatgpt", "text/plain; charset=utf-8", "[2026-01-02] - Sails in spring\n", api.FormatChatGPT},
		{"", "text/plain", `{"type":"memory","body":"A line of our own"}`, api.FormatJSONL},
	} {
		sep := "?"
		if c.query != "" {
			sep = "&"
		}
		dry := bring(c.query+sep+"dryRun=1", c.contentType, c.body)
		if dry.Added != 1 || !dry.DryRun || dry.Format != c.format || dry.Detected != (c.query == "") {
			t.Errorf("%s, dry: %+v", c.format, dry)
		}
		if r := bring(c.query, c.contentType, c.body); r.Added != 1 || r.Format != c.format {
			t.Errorf("%s: %+v", c.format, r)
		}
		if r := bring(c.query, c.contentType, c.body); r.Added != 0 || r.Existing != 1 {
			t.Errorf("%s again: %+v", c.format, r)
		}
	}

	// Several files, and a zip, with what is refused.
	body, kind := form(t, "people/a.md", "---\npermalink: a\n---\n- [fact] Tall\n", `C:\notes\b.md`, "- [fact] caf\xe9\n", "c.png", "\x89PNG")
	r := bring("", kind, body)
	if r.Format != api.FormatBasicMemory || !r.Broken || r.Held != 1 || len(r.Fates) != 2 || r.Fates[1].File != "b.md" || r.Fates[1].Line != 1 {
		t.Errorf("a form: %+v", r)
	}
	var z bytes.Buffer
	zw := zip.NewWriter(&z)
	for name, text := range map[string]string{"a.md": "- From a zip\n- " + strings.Repeat("x", 100_001) + "\n"} {
		f, err := zw.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	zw.Close()
	if r := bring("", "application/zip", z.String()); r.Held != 1 || r.Refused != 1 || r.Added != 0 {
		t.Errorf("a zip: %+v", r)
	}
	if r := bring("?skip=1", "application/zip", z.String()); r.Held != 0 || r.Refused != 1 || r.Added != 1 {
		t.Errorf("a zip, with what is refused left out: %+v", r)
	}

	// The steps of one that is whole end with its report.
	body, kind = form(t, "a.txt", "One more fact.\n")
	list := steps(t, ann.do("POST", api.PathImport+"?progress=1", body, "Content-Type", kind).text)
	if last := list[len(list)-1]; last.Report == nil || last.Report.Added != 1 || last.Done != last.Total {
		t.Errorf("%+v", list)
	}
	list = steps(t, ann.do("POST", api.PathImport+"?progress=1", "{}", "Content-Type", "application/json").text)
	if p := list[len(list)-1].Problem; p == nil || p.Status != 400 || !strings.Contains(p.Detail, "Name its format") {
		t.Errorf("%+v", list)
	}

	// What is no import.
	w.problem("an unknown format", ann.do("POST", api.PathImport+"?from=nonsense", "x", "Content-Type", jsonl), fault.Invalid)
	w.problem("an older database", ann.do("POST", api.PathImport+"?from=elowen", "x", "Content-Type", jsonl), fault.Invalid)
	w.problem("a form without an end", ann.do("POST", api.PathImport, body[:len(body)-10], "Content-Type", kind), fault.Invalid)
	w.problem("a form without a boundary", ann.do("POST", api.PathImport, body, "Content-Type", multipartForm), fault.Invalid)
	w.problem("half a zip", ann.do("POST", api.PathImport, z.String()[:z.Len()/2], "Content-Type", "application/zip"), fault.Invalid)
	field, kind := form(t, "", "x")
	w.problem("a field", ann.do("POST", api.PathImport, strings.Replace(field, `; filename=""`, "", 1), "Content-Type", kind), fault.Invalid)
}

// The same files under one key are one import, whatever the form's boundary is; others
// under it are refused.
func TestAFormUnderAKey(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleMember)
	send := func(name, text string) answer {
		body, kind := form(t, name, text)
		return ann.do("POST", api.PathImport, body, "Content-Type", kind, api.HeaderIdempotency, "once")
	}
	first := into[api.ImportReport](t, send("a.md", "- One\n"))
	again := into[api.ImportReport](t, send("a.md", "- One\n"))
	if first.Added != 1 || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("%+v, then %+v", first, again)
	}
	if a := send("a.md", "- Two\n"); a.Code < 400 {
		t.Errorf("other content: %d %s", a.Code, a.text)
	}
	if a := send("b.md", "- One\n"); a.Code < 400 {
		t.Errorf("another name: %d %s", a.Code, a.text)
	}
}

// The document names every type that is taken.
func TestImportTypesAreDocumented(t *testing.T) {
	w := newWorld(t, GateOptions{})
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]any `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	if err := json.Unmarshal([]byte(w.person("ann", api.RoleMember).must("GET", "/api/openapi.json", nil).text), &doc); err != nil {
		t.Fatal(err)
	}
	content := doc.Paths[api.PathImport]["post"].RequestBody.Content
	if len(content) != len(importTypes) || len(importTypesNamed) != len(importTypes) {
		t.Errorf("%d of %d types: %v", len(content), len(importTypes), content)
	}
	for kind := range importTypes {
		if content[kind] == nil {
			t.Errorf("%s is missing", kind)
		}
	}
}

// Files of a form are counted as they come, whatever is in them: empty ones, zips with
// nothing in them, and such as no format reads.
func TestAFormOfManyFiles(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleMember)
	most := setting.Int("import.parts")
	empty := "PK\x05\x06" + strings.Repeat("\x00", 18)
	for what, text := range map[string]string{"empty files": "", "empty zips": empty} {
		var files []string
		for n := range most {
			files = append(files, fmt.Sprintf("%d.png", n), text)
		}
		body, kind := form(t, append(files, "a.md", "- One too many\n")...)
		w.problem(what, ann.do("POST", api.PathImport, body, "Content-Type", kind), fault.TooLarge)
		files[0], files[1] = "a.md", "- One of many "+what+"\n"
		body, kind = form(t, files...)
		if r := into[api.ImportReport](t, ann.must("POST", api.PathImport+"?from=markdown", body, "Content-Type", kind)); r.Added != 1 {
			t.Errorf("%s: %+v", what, r)
		}
	}
}

// The formats that the query names are those there are.
func TestImportFormatsOfTheQuery(t *testing.T) {
	field, _ := reflect.TypeFor[importQuery]().FieldByName("From")
	_, named, _ := strings.Cut(field.Tag.Get("validate"), "oneof=")
	if got, want := strings.Fields(named), api.ImportFormats(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An upload that stands still holds up its own account's next one, of which nothing is
// staged meanwhile, and nobody else's.
func TestUploadsOfAnAccountWaitForEachOther(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann, ben := w.person("ann", api.RoleMember), w.person("ben", api.RoleMember)
	r, slow := io.Pipe()
	send := func(body io.Reader) <-chan answer {
		done := make(chan answer, 1)
		go func() {
			done <- w.send(request{method: "POST", path: api.PathImport, body: body, header: map[string]string{
				"Authorization": "Bearer " + ann.token, "Content-Type": "text/markdown"}})
		}()
		return done
	}
	first := send(r)
	if _, err := slow.Write([]byte("- One")); err != nil { // it is being read: it has its turn
		t.Fatal(err)
	}
	next := &watched{Reader: strings.NewReader("- Two\n")}
	second := send(next)
	if r := into[api.ImportReport](t, ben.must("POST", api.PathImport, "- Three\n", "Content-Type", "text/markdown")); r.Added != 1 {
		t.Errorf("somebody else's: %+v", r)
	}
	if next.read.Load() {
		t.Error("the second was read before the first had come")
	}
	slow.Close()
	for _, a := range []answer{<-first, <-second} {
		if r := into[api.ImportReport](t, a); r.Added != 1 {
			t.Errorf("%+v", r)
		}
	}
}

// watched tells whether anything of it was read.
type watched struct {
	io.Reader
	read atomic.Bool
}

func (w *watched) Read(p []byte) (int, error) {
	w.read.Store(true)
	return w.Reader.Read(p)
}
