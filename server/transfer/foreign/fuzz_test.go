package foreign_test

import (
	"bytes"
	"context"
	"testing"
	"unicode/utf8"

	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// fuzz reads anything as a format: whatever it is, there is an answer with places in
// the file, and what is taken is text.
func fuzz(f *testing.F, from, name string, seeds ...string) {
	for _, s := range samples {
		if s.format == from && s.path != "notes" && s.path != "claude" {
			f.Add(sample(f, s.path))
		}
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &foreign.Bundle{}
		if err := b.Add(name, memory{bytes.NewReader(data)}, int64(len(data)), 1767225600000); err != nil {
			if k := fault.KindOf(err); k != fault.Invalid && k != fault.TooLarge {
				t.Fatal(err)
			}
			return
		}
		found, err := foreign.Read(context.Background(), b, from)
		if err != nil {
			if k := fault.KindOf(err); k != fault.Invalid && k != fault.TooLarge {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		lines := 1 + bytes.Count(data, []byte("\n"))
		for _, x := range found.Faults {
			if x.Line < 0 || x.Line > lines || x.Message == "" {
				t.Fatalf("%q: %+v", data, x)
			}
		}
		for _, i := range found.Items {
			switch {
			case i.Line < 0 || i.Line > lines:
				t.Fatalf("%q: line %d of %d", data, i.Line, lines)
			case i.Err != nil && i.Err.Error() == "":
				t.Fatalf("%q: refused without a reason", data)
			case i.Err == nil && len(found.Faults) == 0 && (i.Memory.Body == "" || !utf8.ValidString(i.Memory.Body)):
				t.Fatalf("%q: body %q", data, i.Memory.Body)
			}
		}
	})
}

func FuzzMem0(f *testing.F) {
	fuzz(f, api.FormatMem0, "a.json", `[{"memory":"a","created_at":1767225600}]`, `{"results":null}`)
}
func FuzzGraph(f *testing.F) {
	fuzz(f, api.FormatMCPMemory, "a.jsonl", `{"entities":[{"name":"a"}],"relations":[]}`, `[{"type":"entity"}]`)
}
func FuzzService(f *testing.F) { fuzz(f, api.FormatMCPMemoryService, "a.json", `{"memories":[{}]}`) }
func FuzzChatGPT(f *testing.F) {
	fuzz(f, api.FormatChatGPT, "a.json", `[{"content":"a","enabled":false}]`, `[{"mapping":{"a":{"message":{"recipient":"bio","author":{"role":"assistant"},"content":{"model_set_context":"1. [2026-01-01]. a"}}}}}]`)
}
func FuzzClaude(f *testing.F) {
	fuzz(f, api.FormatClaude, "memories.json", string(`[{"conversations_memory":"**A**\n\nb"}]`), `{"memory_files":[{"path":"","content":"- a"}]}`)
}
func FuzzMarkdown(f *testing.F) {
	fuzz(f, api.FormatMarkdown, "a.md", "# a\n- b\n\n  c\n```\nd\n```\n", "a\n===\n~~~\n- b\n~~~", "---\na: b\n---\nc")
}
func FuzzText(f *testing.F) {
	fuzz(f, api.FormatText, "a.txt", "[2026-01-01] - a\nb\n\nc.\nd.", "```\n1. a\n")
}
func FuzzDetected(f *testing.F) {
	fuzz(f, "", "a", `{"type":"entity"}`, "PK\x03\x04", "[{", "SQLite format 3\x00")
}
func FuzzBasicMemory(f *testing.F) {
	fuzz(f, api.FormatBasicMemory, "a/b.md", "---\ntitle: [a]\ntags: &x [*x]\ncreated: 2026-01-01\n---\n- [a] b #c (d)\n- e [[F|g]] (h)\ni", "---\n")
}
