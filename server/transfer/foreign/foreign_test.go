package foreign_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/transfer/foreign"
	"elowen/shared/api"
)

var update = flag.Bool("update", false, "write what the samples are read as")

// samples are files of each format, and what they are.
var samples = []struct{ path, format string }{
	{"mem0.json", api.FormatMem0},
	{"openmemory.json", api.FormatMem0},
	{"graph.jsonl", api.FormatMCPMemory},
	{"service.json", api.FormatMCPMemoryService},
	{"notes", api.FormatBasicMemory},
	{"conversations.json", api.FormatChatGPT},
	{"chatgpt.txt", api.FormatText},
	{"claude", api.FormatClaude},
	{"facts.md", api.FormatMarkdown},
	{"facts.txt", api.FormatText},
}

func open(t testing.TB, path string) *foreign.Bundle {
	t.Helper()
	b, err := foreign.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func read(t testing.TB, path, from string) *foreign.Found {
	t.Helper()
	found, err := foreign.Read(context.Background(), open(t, path), from)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// told writes down what was found.
func told(f *foreign.Found) string {
	var b strings.Builder
	for _, i := range f.Items {
		fmt.Fprintf(&b, "%s:%d ", i.File, i.Line)
		if i.Err != nil {
			fmt.Fprintf(&b, "refused: %s\n", i.Err)
			continue
		}
		m := i.Memory
		category := "-"
		if m.Category.Value != nil {
			category = *m.Category.Value
		}
		at := func(t *api.Time) string {
			if t == nil {
				return "-"
			}
			return t.String()
		}
		fmt.Fprintf(&b, "[%s] kind %q created %s updated %s\n    %s\n", category, m.Kind, at(m.CreatedAt), at(m.UpdatedAt), strings.ReplaceAll(m.Body, "\n", "\n    "))
	}
	for _, x := range f.Faults {
		fmt.Fprintf(&b, "fault: %s\n", x.Error())
	}
	for _, n := range f.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

// Each sample is what it is taken for, and is read as is written down beside it.
func TestSamples(t *testing.T) {
	for _, s := range samples {
		t.Run(s.path, func(t *testing.T) {
			path := filepath.Join("testdata", s.path)
			filepath.WalkDir(path, func(p string, d os.DirEntry, err error) error { // the files' own times would be other ones in a checkout
				return os.Chtimes(p, sampleTime, sampleTime)
			})
			found := read(t, path, "")
			if found.Format != s.format || !found.Detected {
				t.Errorf("taken for %s", found.Format)
			}
			if again := told(read(t, path, s.format)); again != told(found) {
				t.Errorf("named, it is read otherwise:\n%s", again)
			}
			golden := filepath.Join("testdata", "read", s.path+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(told(found)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got := told(found); got != string(want) {
				t.Errorf("read as\n%s\nwant\n%s", got, want)
			}
		})
	}
}
