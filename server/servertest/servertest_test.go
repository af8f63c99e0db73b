package servertest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/servertest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestWholeProgram(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	m := anna.Add("The ferry leaves at 07:40 from pier 3.")
	if m.CreatedAt != api.Time(s.Clock.Now()) || m.Vitality != 50 {
		t.Errorf("made at %s with vitality %v", m.CreatedAt, m.Vitality)
	}
	bela := s.Person("bela")
	if err := bela.Do(http.MethodGet, api.MemoryPath(m.ID), nil, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("bela sees anna's memory: %v", err)
	}
	var page api.Page[api.Memory]
	program := s.Token("anna")
	program.Must(http.MethodGet, api.PathMemory, nil, &page)
	if page.Total != 1 || page.Items[0].ID != m.ID {
		t.Errorf("the token sees %+v", page)
	}

	s.Restart()
	if s.Code != "" {
		t.Error("a setup code where there are accounts")
	}
	anna = s.Login("anna")
	anna.Must(http.MethodGet, api.MemoryPath(m.ID), nil, nil)
}

// The schedule of a running server goes by the test's clock.
func TestDaysPass(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	var lines []string
	for range 7 {
		lines = append(lines, `{"type":"memory","body":"Old news `+string(rune('a'+len(lines)))+`.","createdAt":"2026-01-01T00:00:00Z"}`)
	}
	anna.Must(http.MethodPost, api.PathImport, strings.NewReader(strings.Join(lines, "\n")), nil)
	trash := func() int {
		var stats api.MemoryStats
		anna.Must(http.MethodGet, api.PathStats, nil, &stats)
		return stats.Deleted
	}
	for _, want := range []int{5, 7} {
		s.Clock.Advance(24 * time.Hour)
		for deadline := time.Now().Add(20 * time.Second); trash() != want; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d in the trash, want %d", trash(), want)
			}
		}
	}
}

// Admin commands go through the running server, and work without it too.
func TestCommandsBesideTheServer(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	anna.Add("One.")
	stats := func() int {
		var list []struct{ Active int }
		if err := json.Unmarshal([]byte(s.Admin("stats", "--json")), &list); err != nil || len(list) != 1 {
			t.Fatalf("stats: %v %v", list, err)
		}
		return list[0].Active
	}
	if n := stats(); n != 1 {
		t.Errorf("%d through the server", n)
	}
	if _, errs, code := s.Command("", "admin", "vacuum"); code != 1 || !strings.Contains(errs, "Stop it first") {
		t.Errorf("vacuum beside the server: %d %s", code, errs)
	}
	if _, errs, code := s.Command("", "serve", "--addr", "127.0.0.1:0"); code != 1 || !strings.Contains(errs, "Another server") {
		t.Errorf("a second server: %d %s", code, errs)
	}
	s.Stop()
	if n := stats(); n != 1 {
		t.Errorf("%d without the server", n)
	}
	s.Admin("vacuum")
}

// What was purged is in no file of the data directory, its logs included, while
// the server runs; and nothing finds it any more.
func TestPurgedIsInNoFile(t *testing.T) {
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	const word = "zugunruhe-quagga"
	for i := range 30 {
		anna.Add(fmt.Sprintf("Filler number %d.", i))
	}
	req := anna.Request(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: "First " + word + "."})
	req.Header.Set(api.HeaderIdempotency, "once")
	status, text, _ := anna.Send(req)
	var m api.MemoryAdded
	if err := json.Unmarshal(text, &m); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	anna.Must(http.MethodPatch, api.MemoryPath(m.ID), api.MemoryPatch{Body: api.Ptr("Then " + word + ", edited.")}, nil)
	anna.Must(http.MethodGet, api.PathMemory+"?q=quagga", nil, nil)
	anna.Must(http.MethodDelete, api.MemoryPath(m.ID), nil, nil)
	anna.Must(http.MethodDelete, api.MemoryPath(m.ID, "purge"), nil, nil)

	found := 0
	err := filepath.WalkDir(s.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found++
		for _, w := range []string{word, "zugunruhe", "quagga"} {
			if bytes.Contains(data, []byte(w)) {
				t.Errorf("%s still has %q", path, w)
			}
		}
		return nil
	})
	if err != nil || found < 3 {
		t.Fatalf("%d files: %v", found, err)
	}
	for _, path := range []string{api.PathMemory + "?status=all&q=quagga", api.PathEvents, api.PathExport, api.MemoryPath(m.ID, "events")} {
		if status, text, _ := anna.Send(anna.Request(http.MethodGet, path, nil)); status != http.StatusOK || bytes.Contains(text, []byte("quagga")) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if err := anna.Do(http.MethodPost, api.MemoryPath(m.ID, "restore"), nil, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("restored: %v", err)
	}
	if err := anna.Do(http.MethodPatch, api.MemoryPath(m.ID), api.MemoryPatch{Version: api.Ptr(int64(1))}, nil); !fault.Is(err, fault.NotFound) {
		t.Errorf("an earlier version: %v", err)
	}
	req = anna.Request(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: "First " + word + "."})
	req.Header.Set(api.HeaderIdempotency, "once")
	if status, text, _ := anna.Send(req); status != http.StatusGone || bytes.Contains(text, []byte("quagga")) {
		t.Errorf("the same request again: %d %s", status, text)
	}
}
