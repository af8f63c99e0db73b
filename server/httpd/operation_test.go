package httpd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"elowen/server/backup"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// steps are the lines of an import's answer.
func steps(t *testing.T, text string) []api.ImportStep {
	t.Helper()
	var list []api.ImportStep
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var s api.ImportStep
		if err := d.Decode(&s); err == io.EOF {
			return list
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		list = append(list, s)
	}
}

// With progress an import answers line by line, and last with the report that it
// answers without.
func TestImportInSteps(t *testing.T) {
	w := newWorld(t, GateOptions{})
	ann := w.person("ann", api.RoleMember)
	var b strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&b, `{"type":"memory","body":"Number %d of many"}`+"\n", i)
	}
	b.WriteString("not JSON\n" + `{"type":"memory","body":"Number 7 of many"}` + "\n" + `{"type":"memory"}` + "\n")
	send := func(query string) answer {
		return ann.do("POST", api.PathImport+query, b.String(), "Content-Type", jsonl)
	}
	for _, c := range []struct {
		query, stage string
		added        int
	}{{"?progress=1&dryRun=1", api.StageReading, 9000}, {"?progress=1", api.StageWriting, 9000}, {"?progress=1", api.StageWriting, 0}} {
		a := send(c.query)
		if a.Code != 200 || a.Header().Get("Content-Type") != jsonl {
			t.Fatalf("%s: %d %v", c.query, a.Code, a.Header())
		}
		list := steps(t, a.text)
		if len(list) < 4 {
			t.Fatalf("%s: %d steps", c.query, len(list))
		}
		for i, s := range list {
			last := i == len(list)-1
			if s.Stage != c.stage || s.Total != int64(b.Len()) || s.Problem != nil || (s.Report != nil) != last || i > 0 && (s.Done < list[i-1].Done || s.Lines < list[i-1].Lines) {
				t.Errorf("%s: step %d is %+v after %+v", c.query, i, s, list[max(i-1, 0)])
			}
		}
		s := list[len(list)-1]
		if r := s.Report; s.Done != s.Total || r.Lines != 9003 || r.Added != c.added || r.Refused != 2 || r.DryRun != (c.stage == api.StageReading) || len(r.Fates) == 0 {
			t.Errorf("%s: %+v", c.query, r)
		}
	}
	// The same without steps, and what goes wrong before a step is a plain problem.
	if r := into[api.ImportReport](t, send("?dryRun=1")); r.Lines != 9003 || r.Existing == 0 {
		t.Errorf("%+v", r)
	}
	w.problem("not JSONL", ann.do("POST", api.PathImport+"?progress=1", "x", "Content-Type", "text/html"), fault.Unsupported)
	w.problem("progress of what", ann.do("POST", api.PathImport+"?progress=maybe", "x", "Content-Type", jsonl), fault.Invalid)
	// What goes wrong under way is the last step.
	list := steps(t, ann.do("POST", api.PathImport+"?progress=1", "SQLite format 3\x00", "Content-Type", jsonl).text)
	if p := list[len(list)-1].Problem; p == nil || p.Status != 400 || p.Code != fault.Invalid.Code() || !strings.Contains(p.Detail, "SQLite") {
		t.Errorf("%+v", list)
	}
}

// A backup is written, read back, fetched whole or in part, and removed; a name
// that is none leads nowhere.
func TestBackupsOverHTTP(t *testing.T) {
	w := newWorld(t, GateOptions{})
	root := w.person("root", api.RoleAdmin)
	root.must("POST", api.PathMemory, api.MemoryAdd{Body: "Kept in a backup"})
	made := into[api.Backup](t, root.must("POST", api.PathBackups, nil))
	if made.Daily || made.Size == 0 || made.WrittenAt != api.Time(w.clock.Now()) || len(made.Faults) != 0 {
		t.Errorf("%+v", made)
	}
	again := into[api.Backup](t, root.must("POST", api.PathBackups, nil)) // in the same second
	list := into[api.Backups](t, root.must("GET", api.PathBackups, nil))
	if list.Total != 2 || list.Items[0].Name == list.Items[1].Name || list.NextAt == nil || list.Kept != 7 || list.Running {
		t.Errorf("%+v", list)
	}
	w.clock.Advance(5000)
	if b := into[api.Backup](t, root.must("POST", api.BackupPath(made.Name, "check"), nil)); b.CheckedAt != api.Time(w.clock.Now()) || len(b.Faults) != 0 {
		t.Errorf("%+v", b)
	}
	a := root.must("GET", api.BackupPath(made.Name), nil)
	if int64(len(a.text)) != made.Size || !strings.HasPrefix(a.text, "SQLite format 3") || !strings.Contains(a.Header().Get("Content-Disposition"), made.Name) {
		t.Errorf("%d bytes, %v", len(a.text), a.Header())
	}
	file := t.TempDir() + "/fetched.sqlite"
	if err := os.WriteFile(file, []byte(a.text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := backup.Verify(context.Background(), file, w.clock.Now); err != nil || len(r.Faults) > 0 || r.Memories != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if part := root.do("GET", api.BackupPath(made.Name), nil, "Range", "bytes=0-5"); part.Code != 206 || part.text != "SQLite" {
		t.Errorf("%d %q", part.Code, part.text)
	}
	root.must("DELETE", api.BackupPath(again.Name), nil)
	for _, name := range []string{again.Name, "elowen.sqlite", "elowen-2026-11-30.sqlite", "..%2Felowen-2026-11-30.sqlite", "elowen-2026-11-30-000000-1.sqlite", "%2e%2e"} {
		for _, m := range []string{"GET", "DELETE"} {
			if a := root.do(m, api.PathBackups+"/"+name, nil); a.Code != 404 {
				t.Errorf("%s %s: %d %s", m, name, a.Code, a.text)
			}
		}
	}
}

// A signed-in browser sees its sessions and ends the others.
func TestSessionsOverHTTP(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("ann", api.RoleAdmin)
	here := with(w.login())
	w.clock.Advance(1000)
	there := with(w.login())
	list := into[api.Page[api.Session]](t, w.send(request{"GET", api.PathSessions, nil, here}))
	if list.Total != 2 || list.Items[0].Current == list.Items[1].Current {
		t.Fatalf("%+v", list)
	}
	if done := into[api.Ended](t, w.send(request{"DELETE", api.PathSessions, nil, here})); done.Ended != 1 {
		t.Errorf("%+v", done)
	}
	w.problem("the other one", w.send(request{"GET", api.PathMe, nil, there}), fault.Unauthenticated)
	if a := w.send(request{"GET", api.PathMe, nil, here}); a.Code != 200 {
		t.Errorf("one's own: %d %s", a.Code, a.text)
	}
}
