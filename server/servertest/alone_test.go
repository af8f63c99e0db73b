package servertest_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest"
)

// talk is an `elowen mcp` that answers by itself: say sends a line and gives the answer.
func talk(t *testing.T, s *servertest.Server) (say func(line string) string) {
	t.Helper()
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer out.Close()
		s.Program(in, out, io.Discard).Run(t.Context(), []string{"mcp", "--data", s.Data})
	}()
	t.Cleanup(func() { toProgram.Close(); <-ended })
	answers := json.NewDecoder(fromProgram)
	return func(line string) string {
		t.Helper()
		if _, err := io.WriteString(toProgram, line+"\n"); err != nil {
			t.Fatal(err)
		}
		var answer json.RawMessage
		if err := answers.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
}

// counts are an account's, by the command line.
func counts(t *testing.T, s *servertest.Server) (c struct{ Active, Deleted, Uncategorized, NotIndexed int }) {
	t.Helper()
	out, errs, code := s.Command("", "admin", "stats", "--json")
	list := []*struct{ Active, Deleted, Uncategorized, NotIndexed int }{&c}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("%d %v %s %s", code, err, out, errs)
	}
	return c
}

// Whoever uses elowen through agents alone has no server that sees to things: the agent's
// own program indexes what there is, keeps a copy of the day, and sweeps at its start and
// every day.
func TestAgentsAloneHaveTheirMemoriesSeenTo(t *testing.T) {
	local := newBuiltIn()
	s := servertest.Start(t, servertest.Options{Local: local})
	s.Setup("anna").Add("This one fades first.")
	if code := s.Stop(); code != 0 {
		t.Fatal(code)
	}
	backups, err := filepath.Glob(filepath.Join(s.Data, "backups", "elowen-*"))
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(400 * 24 * time.Hour)
	file := filepath.Join(t.TempDir(), "more.jsonl")
	line := `{"type":"memory","body":"This one fades a day later.","createdAt":"` + time.UnixMilli(s.Clock.Now()).UTC().Add(-6*time.Hour).Format(time.RFC3339) + `"}`
	if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Admin("import", "--user", "anna", file)
	if c := counts(t, s); c.Active != 2 || c.NotIndexed == 0 {
		t.Fatalf("before: %+v", c)
	}

	until := func(what string, met func() bool) {
		t.Helper()
		for began := time.Now(); !met(); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > 30*time.Second {
				t.Fatalf("%s: not so: %+v", what, counts(t, s))
			}
		}
	}
	say := talk(t, s)
	if got := say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`); !strings.Contains(got, `"id":1`) {
		t.Fatal(got)
	}
	until("what faded is swept at the start", func() bool { c := counts(t, s); return c.Active == 1 && c.Deleted == 1 })
	until("what there is gets its vectors", func() bool { return counts(t, s).NotIndexed == 0 })
	until("a copy of the day is kept", func() bool {
		now, err := filepath.Glob(filepath.Join(s.Data, "backups", "elowen-*"))
		return err == nil && len(now) > len(backups)
	})
	for range 400 { // day by day, as they pass
		s.Clock.Advance(24 * time.Hour)
		if counts(t, s).Deleted == 2 {
			break
		}
	}
	until("what fades later is swept on its day", func() bool { return counts(t, s).Deleted == 2 })
	if got := say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(got, "MemorySearch") {
		t.Error(got)
	}
}
