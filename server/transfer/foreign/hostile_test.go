package foreign_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// memory is content that lies in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// held makes a bundle of one file.
func held(t testing.TB, name string, data []byte) *foreign.Bundle {
	t.Helper()
	b := &foreign.Bundle{}
	if err := b.Add(name, memory{bytes.NewReader(data)}, int64(len(data)), 0); err != nil {
		t.Fatal(err)
	}
	return b
}

func readHeld(t testing.TB, name, from string, data []byte) *foreign.Found {
	t.Helper()
	found, err := foreign.Read(context.Background(), held(t, name, data), from)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A file that is cut off says on which line, whatever its format.
func TestCutOff(t *testing.T) {
	for name, from := range map[string]string{"mem0.json": api.FormatMem0, "openmemory.json": api.FormatMem0, "service.json": api.FormatMCPMemoryService,
		"conversations.json": api.FormatChatGPT, "claude/memories.json": api.FormatClaude} {
		data := bytes.TrimRight(sample(t, name), "\n")
		for _, at := range []int{len(data) - 1, len(data) / 2, len(data) / 3} {
			found := readHeld(t, filepath.Base(name), from, data[:at])
			want := 1 + bytes.Count(data[:at], []byte("\n"))
			if len(found.Faults) != 1 || found.Faults[0].Line != want && found.Faults[0].Line != want-1 || !strings.Contains(found.Faults[0].Message, "ends too early") {
				t.Errorf("%s to byte %d (line %d): %+v", name, at, want, found.Faults)
			}
		}
	}
	data := sample(t, "graph.jsonl")
	found := readHeld(t, "graph.jsonl", "", data[:len(data)-20])
	if len(found.Faults) != 0 || len(found.Items) != 4 || found.Items[3].Err == nil || found.Items[3].Line != 3 || !strings.Contains(found.Items[3].Err.Error(), "ends too early") {
		t.Errorf("a graph: %s", told(found))
	}
}

// Each line of another encoding is told, in every format.
func TestEncodings(t *testing.T) {
	for _, s := range samples {
		if info, err := os.Stat(filepath.Join("testdata", s.path)); err != nil || info.IsDir() {
			continue
		}
		data := sample(t, s.path)
		second := bytes.IndexByte(data, '\n') + 1
		third := second + bytes.IndexByte(data[second:], '\n') + 1
		for name, bad := range map[string][]byte{
			"Latin-1": append(append(append([]byte{}, data[:second]...), "caf\xe9 "...), data[second:]...),
			"NUL":     append(append(append([]byte{}, data[:second]...), 0), data[second:]...),
			"a half":  append(append(append([]byte{}, data[:second]...), "\xed\xa0\x80"...), data[second:]...),
		} {
			found := readHeld(t, s.path, s.format, bad)
			if len(found.Faults) != 1 || found.Faults[0].Line != 2 {
				t.Errorf("%s in %s: %+v", name, s.path, found.Faults)
			}
		}
		both := append(append(append([]byte{}, data[:second]...), "\xff\n"...), data[second:third]...)
		both = append(append(both, "\xfe"...), data[third:]...)
		if found := readHeld(t, s.path, s.format, both); len(found.Faults) != 2 || found.Faults[0].Line != 2 || found.Faults[1].Line != 4 {
			t.Errorf("two lines of %s: %+v", s.path, found.Faults)
		}
		wide := []byte{0xff, 0xfe}
		for _, c := range data {
			wide = append(wide, c, 0)
		}
		if found := readHeld(t, s.path, s.format, wide); len(found.Faults) != 1 || !strings.Contains(found.Faults[0].Message, "UTF-16") {
			t.Errorf("UTF-16 of %s: %+v", s.path, found.Faults)
		}
		if s.format == api.FormatText { // the mark alone is no harm
			if found := readHeld(t, s.path, s.format, append([]byte("\ufeff"), data...)); len(found.Faults) != 0 || strings.Contains(told(found), "\ufeff") {
				t.Errorf("UTF-8 with a mark: %s", told(found))
			}
		}
	}
}

// A character that the buffer's end cuts is whole.
func TestALongLineOfManyBytes(t *testing.T) {
	for shift := range 4 {
		text := strings.Repeat("x", 64<<10-shift) + strings.Repeat("𝄞é", 30_000)
		found := readHeld(t, "a.txt", api.FormatText, []byte(text))
		if len(found.Faults) != 0 || len(found.Items) != 1 || found.Items[0].Memory.Body != text {
			t.Errorf("shifted by %d: %+v", shift, found.Faults)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000)
	for name, c := range map[string]struct{ file, from, data, want string }{
		"deep":            {"a.json", api.FormatMem0, `{"results":[` + "\n" + deep + `]}`, "line 2"},
		"deep, left out":  {"a.json", api.FormatMem0, "{\"x\":\n" + deep + `,"results":[]}`, "line 2"},
		"twice":           {"a.json", api.FormatMem0, "{\"results\":[\n{\"memory\":\"a\",\"memory\":\"b\"}]}", "line 2: The JSON is not valid: a name stands in the same object twice"},
		"more after":      {"a.json", api.FormatMem0, "[]\n\n[]", "line 3: There is more"},
		"another kind":    {"a.json", api.FormatMem0, "{\"results\":[]}x", "line 1"},
		"empty":           {"a.json", api.FormatMem0, "", "line 1: The JSON ends too early"},
		"huge value":      {"a.json", api.FormatMem0, "[\n{\"memory\":\"" + strings.Repeat("x", 20<<20) + "\"}]", "line 2: A single value is larger"},
		"a number":        {"a.json", api.FormatClaude, "\n7", "a.json:2 refused"},
		"a list in a map": {"a.json", api.FormatMCPMemory, "{\"entities\":\n7}", "line 2: There must be a list here"},
		"long line":       {"a.txt", api.FormatText, "a\n" + strings.Repeat("x", 1<<20+10), "line 2: The line is longer"},
		"long JSON line":  {"a.jsonl", api.FormatMCPMemory, `{"type":"entity","name":"` + strings.Repeat("x", 1<<20) + `"}`, "line 1: The line is longer"},
		"names, not text": {"a.json", api.FormatMem0, "[{\"memory\":\n{\"a\":1}}]", "memory is not what the format has there"},
		"no time":         {"a.json", api.FormatMem0, `[{"memory":"a","created_at":"yesterday"}]`, "created_at is no time that could be read"},
		"endless time":    {"a.json", api.FormatMem0, `[{"memory":"a","created_at":1e300}]`, "created_at is no time that could be read"},
		"odd line":        {"a.jsonl", api.FormatMCPMemory, `{"type":"entity","name":"a"}` + "\n{]\n", "This is not valid JSON"},
		"neither":         {"a.jsonl", api.FormatMCPMemory, `{"type":"thing"}`, "this one is neither"},
		"no end":          {"a.jsonl", api.FormatMCPMemory, `{"type":"relation","from":"a","to":"","relationType":"b"}`, "A relation needs"},
	} {
		found, err := foreign.Read(context.Background(), held(t, c.file, []byte(c.data)), c.from)
		text := ""
		if err == nil {
			text = told(found)
		} else {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: %.300s", name, text)
		}
	}
}

// What nobody knows is not guessed at.
func TestWhatIsUnknown(t *testing.T) {
	for name, data := range map[string]string{"a.json": `{"hello":1}`, "b": "just text", "c.json": "", "d.json": "[1,2]"} {
		if found, err := foreign.Read(context.Background(), held(t, name, []byte(data)), ""); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %+v %v", name, found, err)
		}
	}
	if _, err := foreign.Read(context.Background(), held(t, "a.json", []byte("[]")), "what"); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "mem0") {
		t.Errorf("no format: %v", err)
	}
	if _, err := foreign.Read(context.Background(), held(t, "a.json", []byte("\xff\xfe[\x00]\x00")), ""); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: %v", err)
	}
	if _, err := foreign.Read(context.Background(), held(t, "a.db", []byte("SQLite format 3\x00")), ""); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "--from elowen") {
		t.Errorf("SQLite: %v", err)
	}
}

// zipped makes a zip of names and contents.
func zipped(t testing.TB, entries ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		f, err := w.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, entries[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestZips(t *testing.T) {
	note := "---\npermalink: a\n---\n- [fact] One\n"
	found := readHeld(t, "notes.zip", "", zipped(t, "in/a.md", note, ".obsidian/b.md", note, "__MACOSX/in/._a.md", note, "in/picture.png", "x",
		"../out.md", note, "/etc/c.md", note, `..\d.md`, note, "C:/e.md", note, "in/../../f.md", note, "in/a.md", note))
	refused := map[string]bool{}
	for _, i := range found.Items {
		if i.Err != nil {
			refused[i.File] = true
		}
	}
	if found.Format != api.FormatBasicMemory || len(found.Items) != 7 || len(refused) != 6 || !refused["../out.md"] || !refused["in/a.md"] {
		t.Errorf("%s", told(found))
	}
	whole := zipped(t, "a.md", strings.Repeat("- something of a note\n", 1000))
	for _, data := range [][]byte{whole[:len(whole)/2], append([]byte("PK\x03\x04"), "nothing"...)} {
		b := &foreign.Bundle{}
		if err := b.Add("a.zip", memory{bytes.NewReader(data)}, int64(len(data)), 0); !fault.Is(err, fault.Invalid) {
			t.Errorf("a broken zip: %v", err)
		}
	}
	// An entry that is not what its checksum says.
	var raw bytes.Buffer
	w := zip.NewWriter(&raw)
	f, _ := w.CreateRaw(&zip.FileHeader{Name: "a.md", Method: zip.Store, CompressedSize64: 5, UncompressedSize64: 5, CRC32: 1})
	f.Write([]byte("- one"))
	w.Close()
	if _, err := foreign.Read(context.Background(), held(t, "a.zip", raw.Bytes()), api.FormatMarkdown); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("a wrong checksum: %v", err)
	}
	// What says that it is too large is not read at all.
	raw.Reset()
	w = zip.NewWriter(&raw)
	f, _ = w.CreateRaw(&zip.FileHeader{Name: "a.md", Method: zip.Deflate, CompressedSize64: 5, UncompressedSize64: 1 << 40})
	f.Write([]byte("xxxxx"))
	w.Close()
	b := &foreign.Bundle{}
	if err := b.Add("a.zip", memory{bytes.NewReader(raw.Bytes())}, int64(raw.Len()), 0); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a bomb: %v", err)
	}
	// One that says it is small ends where it said.
	var deflated bytes.Buffer
	w = zip.NewWriter(&deflated)
	g, _ := w.Create("a.md")
	io.WriteString(g, strings.Repeat("- x\n", 1<<20))
	w.Close()
	data := bytes.Clone(deflated.Bytes())
	central := bytes.LastIndex(data, []byte("PK\x01\x02"))
	copy(data[central+24:], []byte{9, 0, 0, 0})
	if _, err := foreign.Read(context.Background(), held(t, "a.zip", data), api.FormatMarkdown); !fault.Is(err, fault.Invalid) {
		t.Errorf("a lying zip: %v", err)
	}
}

// Of an account export only what has memories in it is read.
func TestExportsAsZips(t *testing.T) {
	talk := string(sample(t, "conversations.json"))
	found := readHeld(t, "export.zip", "", zipped(t, "conversations-000.json", talk, "conversations-001.json", strings.ReplaceAll(talk, "Python", "Go"), "user.json", `{"id":"u"}`,
		"something_new.json", `[{"a":1}]`, "file-abc.txt", "What was sent to it.", "chat.html", "<html>", "dalle/picture.png", "x"))
	if text := told(found); found.Format != api.FormatChatGPT || len(found.Items) != 2 || !strings.Contains(text, "writes Go at work") || !strings.Contains(text, "5 files have nothing to do") || !strings.Contains(text, "2 conversations") {
		t.Errorf("%s:\n%s", found.Format, text)
	}
	found = readHeld(t, "data.zip", "", zipped(t, "conversations.json", `[{"uuid":"c","chat_messages":[]}]`, "users.json", `[{"uuid":"u"}]`, "projects.json", `[{"uuid":"p","name":"Lantern"}]`,
		"memories.json", `[{"conversations_memory":"Lives in Graz","project_memories":{"p":"Uses Go"}}]`))
	if text := told(found); found.Format != api.FormatClaude || len(found.Items) != 2 || found.Items[1].Memory.Category.Value == nil || *found.Items[1].Memory.Category.Value != "Lantern" {
		t.Errorf("%s:\n%s", found.Format, text)
	}
	found = readHeld(t, "memories_export_mira.zip", "", zipped(t, "memories.json", string(sample(t, "openmemory.json")), "memories.jsonl.gz", "\x1f\x8b"))
	if text := told(found); found.Format != api.FormatMem0 || len(found.Items) != 1 {
		t.Errorf("%s:\n%s", found.Format, text)
	}
	// The newest state of its memory has what was not deleted.
	found = readHeld(t, "a.json", "", []byte(`[{"title":"a","mapping":{
"old":{"message":{"author":{"role":"user"},"create_time":1767225500,"recipient":"all","content":{"content_type":"model_editable_context","model_set_context":"1. [2025-12-01]. Had a dog."}}},
"new":{"message":{"author":{"role":"user"},"create_time":1767225600,"recipient":"all","content":{"content_type":"model_editable_context","model_set_context":"1. [2025-12-24]. Has a cat.\n\n2. [2025-12-25]. Is vegan."}}},
"before":{"message":{"author":{"role":"assistant"},"create_time":1767225550,"recipient":"bio","content":{"content_type":"text","parts":["Wants a bird."]}}},
"after":{"message":{"author":{"role":"assistant"},"create_time":1767225700,"recipient":"bio","content":{"content_type":"text","parts":["Wants a fish."]}}}}}]`))
	if text := told(found); len(found.Items) != 3 || strings.Contains(text, "dog") || strings.Contains(text, "bird") || !strings.Contains(text, "created 2025-12-24T00:00:00.000Z updated -\n    Has a cat.") {
		t.Errorf("%s:\n%s", found.Format, text)
	}
}

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.md")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(secret, "- nobody's business")
	write(filepath.Join(dir, "in", "a.md"), "- one\n")
	write(filepath.Join(dir, "in", "b.MD"), "- caf\xe9\n")
	write(filepath.Join(dir, ".git", "c.md"), "- none\n")
	write(filepath.Join(dir, "picture.png"), "\x89PNG")
	for link, to := range map[string]string{"out.md": secret, "up": filepath.Dir(secret), "round": dir, "in/self.md": "a.md"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	found := read(t, dir, "")
	text := told(found)
	for _, want := range []string{"out.md:0 refused", "up:0 refused", "round:0 refused", "in/self.md:0 refused", "fault: in/b.MD, line 1: Byte 0xE9", "in/a.md:1 ", "1 file or folder whose", "1 file has nothing to do"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "business") || found.Format != api.FormatMarkdown {
		t.Errorf("%s:\n%s", found.Format, text)
	}
	if _, err := foreign.Open(filepath.Join(dir, "nothing")); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if b, err := foreign.Open(t.TempDir()); err != nil {
		t.Error(err)
	} else if _, err := foreign.Read(context.Background(), b, ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("an empty folder: %v", err)
	}
}

// Groups become categories as long as a person could have made them.
func TestGroupsAreFewOrNone(t *testing.T) {
	most := setting.Int("import.groups")
	for n, categories := range map[int]bool{most: true, most + 1: false} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "# Heading %d\n\n- fact %d\n", i, i)
		}
		found := readHeld(t, "a.md", "", []byte(b.String()))
		if len(found.Items) != n || found.Items[0].Memory.Category.Set != categories || len(found.Notes) == 0 == !categories {
			t.Errorf("%d headings: %+v %q", n, found.Items[0].Memory.Category, found.Notes)
		}
	}
	found := readHeld(t, "a.md", "", []byte("# "+strings.Repeat("x", 81)+"\n- one\n# Short\n- two\n"))
	if found.Items[0].Memory.Category.Set || !found.Items[1].Memory.Category.Set || len(found.Notes) != 1 {
		t.Errorf("a long heading: %s", told(found))
	}
}

// What looks like a key is taken, and told.
func TestKeysAreTold(t *testing.T) {
	found := readHeld(t, "a.txt", "", []byte("The deploy token is ghp_"+strings.Repeat("a1", 18)+"\n\nThe wifi password: rather-long-one\n\nHer password manager is good.\n"))
	if len(found.Items) != 3 || len(found.Notes) != 1 || !strings.Contains(found.Notes[0], "2 memories look") || !strings.Contains(found.Notes[0], "line 1; a.txt, line 3") {
		t.Errorf("%s", told(found))
	}
}
