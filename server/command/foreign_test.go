package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"": "",
		"plain, ünï 漢字 👩‍👩‍👧 – «»": "plain, ünï 漢字 👩‍👩‍👧 – «»",
		"\x1b[2J\x07\x00\x7f":      `\x1b[2J\x07\x00\x7f`,
		"\u009b2J \u0085":          `\x9b2J \x85`,
		"a\nb\tc\rd":               `a\nb\tc\x0dd`,
		"abc\u202edef\u2066\u200f": `abc\u202edef\u2066\u200f`,
		"\u2028\u2029":             `\u2028\u2029`,
		"\xff\x9b2J":               `\xff\x9b2J`,
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// Whatever is shown acts on nothing, and what acts on nothing is shown as it is.
func TestVisibleHasNothingThatActs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		out := visible(in)
		if acting(out, "") != "" {
			t.Fatalf("%q is shown as %q", in, out)
		}
		if visible(out) != out {
			t.Fatalf("%q is shown as %q", out, visible(out))
		}
	})
}

// acting is what of a text acts on a terminal, but for keep.
func acting(text, keep string) string {
	if !utf8.ValidString(text) {
		return text
	}
	for i, r := range text {
		if steers(r) && !strings.ContainsRune(keep, r) {
			return text[i:]
		}
	}
	return ""
}

// Nothing that somebody stored, and no argument, steers the terminal of whoever
// runs a command.
func TestNoCommandLetsForeignTextAct(t *testing.T) {
	dir := t.TempDir()
	const bad = "\x1b]0;owned\x07\u009b2J\u202egpj"
	line := `{"body":"line \u001b]0;owned\u0007\u009b2J\u202egpj\nmore","kind":"fact","importance":1,"confidence":0.1,"createdAt":"2020-01-01T00:00:00.000Z","updatedAt":"2020-01-01T00:00:00.000Z"}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "in.jsonl"), []byte(line+`{"body":"x","\u001b[2J\u202e":1}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := 0
	run := func(want int, args ...string) {
		t.Helper()
		s := sit(dir)
		code := s.Run(context.Background(), append(args, "--data", filepath.Join(dir, "data")))
		all := s.out.String() + s.err.String()
		if code != want {
			t.Errorf("%q: %d: %s", args, code, all)
		}
		if rest := acting(all, "\n"); rest != "" {
			t.Errorf("%q: %q acts", args, rest)
		}
		if strings.Contains(all, `\u202e`) {
			shown++
		}
	}
	run(exitDone, "admin", "user", "add", "anna", "--locked", "--display-name", "A \u202eanna")
	run(exitDone, "admin", "user", "list")
	run(exitDone, "admin", "token", "create", "--user", "anna", "--name", "T \u2066\u202e")
	run(exitDone, "admin", "token", "list")
	run(exitFailed, "admin", "import", filepath.Join(dir, "in.jsonl"), "--user", "anna")
	run(exitDone, "admin", "retention", "preview")
	run(exitDone, "admin", "stats")
	run(exitFailed, "admin", "verify", bad)
	run(exitFailed, "admin", "restore", bad)
	run(exitFailed, "admin", "import", bad)
	run(exitDone, "admin", "export", filepath.Join(dir, bad))
	run(exitDone, "admin", "backup", filepath.Join(dir, "b"+bad))
	run(exitUsage, "admin", "user", "erase", bad)
	run(exitUsage, "admin", bad)
	run(exitFailed, "admin", "stats", "--user", bad)
	run(exitUsage, "admin", "import", "in.jsonl", "--from", bad)
	run(exitUsage, "serve", "--addr", bad)
	run(exitUsage, "serve", "--base-path", bad)
	if shown < 8 {
		t.Errorf("only %d of them showed the text at all", shown)
	}
}
