package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding/local/weight"
	"elowen/shared/fault"
)

// sitting is a person at a terminal who answers what is in the list.
func sitting(dir string, answers ...string) (*System, *bytes.Buffer, *[]string) {
	out := &bytes.Buffer{}
	asked := &[]string{}
	return &System{
		Stdin: strings.NewReader(""), Stdout: out, Stderr: out, Dir: dir, Env: func(string) (string, bool) { return "", false },
		Ask: func(string) (string, error) { return "", nil },
		Line: func(prompt string) (string, error) {
			*asked = append(*asked, prompt)
			if len(answers) == 0 {
				return "", fault.New(fault.Cancelled, "Nobody answered.")
			}
			answer := answers[0]
			answers = answers[1:]
			return answer, nil
		},
		Clock: db.SystemClock, Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1},
	}, out, asked
}

func TestSetupAsksWhatTheCommandLineDoesNotSay(t *testing.T) {
	dir := t.TempDir()
	run := func(args []string, answers ...string) (code, asked int, said string) {
		s, out, questions := sitting(dir, answers...)
		code = s.Run(context.Background(), append(args, "--data", filepath.Join(dir, "data")))
		return code, len(*questions), out.String()
	}
	if code, asked, said := run([]string{"setup"}, "what?", "skip"); code != 0 || asked != 2 || !strings.Contains(said, "Nothing was changed") {
		t.Errorf("%d, asked %d times: %s", code, asked, said)
	}
	if code, asked, said := run([]string{"setup", "--skip-test"}, "", ""); code != 0 || asked != 2 || !strings.Contains(said, "multilingual-e5-small of local") {
		t.Errorf("the defaults: %d, asked %d times: %s", code, asked, said)
	}
	if code, _, said := run([]string{"setup"}); code != 1 || !strings.Contains(said, "Nobody answered") {
		t.Errorf("%d %s", code, said)
	}
	for _, args := range [][]string{{"setup", "--memory", "skip"}, {"setup", "--memory", "skip", "--json"}} {
		if code, asked, said := run(args); code != 0 || asked != 0 {
			t.Errorf("%v: %d, asked %d times: %s", args, code, asked, said)
		}
	}
	if code, asked, said := run([]string{"admin", "recategorize", "--all"}, "no"); code != 1 || asked != 1 || !strings.Contains(said, "Nothing was changed") {
		t.Errorf("%d, asked %d times: %s", code, asked, said)
	}
}

// Weights are added after their hash was looked at, under their own names.
func TestSetupAddsWeights(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	add := func(name string) (int, string) {
		s, out, _ := sitting(dir)
		s.Line = nil
		return s.Run(context.Background(), []string{"setup", "--memory", "skip", "--weights", name, "--data", data}), out.String()
	}
	pin := weight.EnglishTokenizer
	wrong := filepath.Join(dir, "wrong.json")
	if err := os.WriteFile(wrong, make([]byte, pin.Bytes), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := add("wrong.json"); code != 2 || !strings.Contains(said, "its content differs") {
		t.Errorf("%d %s", code, said)
	}
	if list, err := os.ReadDir(filepath.Join(data, weight.Folder)); err == nil && len(list) > 0 {
		t.Errorf("what isn't the pinned file was kept: %v", list)
	}
	r, err := weight.Files{}.Open(pin)
	if err != nil {
		t.Skip("this build has no weights to add: " + err.Error())
	}
	content := make([]byte, pin.Bytes)
	if _, err := r.ReadAt(content, 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "right"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := add("right"); code != 0 || !strings.Contains(said, "Added the weights "+pin.Name) {
		t.Errorf("%d %s", code, said)
	}
	if info, err := os.Stat(filepath.Join(data, weight.Folder, pin.Name)); err != nil || info.Size() != pin.Bytes {
		t.Error(err)
	}
}
