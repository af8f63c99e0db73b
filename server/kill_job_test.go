package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/server/model/modeltest"
	"elowen/shared/api"
)

// call asks the victim with its token.
func (v *victim) call(method, path string, in, out any) {
	v.t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			v.t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, "http://"+v.addr+path, body)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+v.token)
	a, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	if a.StatusCode > 299 {
		v.t.Fatalf("%s %s: %d %s", method, path, a.StatusCode, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			v.t.Fatalf("%s: %v", text, err)
		}
	}
}

// A server that is killed in the middle of a job leaves a receipt that says so, and
// the next start goes on where it was: no memory is asked about twice but the one that
// was being looked at.
func TestKilledInAJob(t *testing.T) {
	gate := make(chan struct{}, 100)
	script := modeltest.NewServer(t, func(modeltest.Request) string { return "1" })
	script.Fail(func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-gate:
			return false
		case <-r.Context().Done():
			return true
		}
	})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	v := &victim{t: t, data: filepath.Join(t.TempDir(), "data"), addr: free.Addr().String()}
	v.run("a long enough password\n", "admin", "user", "add", "anna", "--admin", "--password-stdin")
	v.token = strings.TrimSpace(v.run("", "admin", "token", "create", "--user", "anna", "--scopes", "read,write,admin"))
	v.start()
	defer v.kill()
	const all, before = 12, 5
	for i := range all {
		// Without a category on purpose, so that nothing is sorted unasked.
		v.call(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: fmt.Sprintf("The ferry number %d leaves at noon.", i), CategoryID: api.Null[int64]()}, nil)
	}
	for _, name := range []string{"Travel", "Work"} {
		v.call(http.MethodPost, api.PathCategories, api.CategoryAdd{Name: name}, nil)
	}
	var now api.Settings
	v.call(http.MethodGet, api.PathSettings, nil, &now)
	v.call(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "mine", Kind: api.ProviderOpenAI, BaseURL: script.URL + "/v1"},
	}, Roles: map[string]*api.Role{api.RoleUtility: {Provider: "mine", Model: "small"}}}, nil)
	var first, second api.Maintenance
	start := api.MaintenanceStart{Operation: api.OperationRecategorize}
	v.call(http.MethodPost, api.PathMaintenance, start, &first)
	v.call(http.MethodPost, api.PathMaintenance, start, &second)
	if first.ID != second.ID || first.Total != all {
		t.Fatalf("two starts: %+v %+v", first, second)
	}
	until := func(id int64, what string, is func(api.Maintenance) bool) (m api.Maintenance) {
		t.Helper()
		for began := time.Now(); time.Since(began) < 60*time.Second; time.Sleep(10 * time.Millisecond) {
			if v.call(http.MethodGet, api.MaintenancePath(id), nil, &m); is(m) {
				return m
			}
		}
		t.Fatalf("never %s: %+v\n%s", what, m, v.said.String())
		return m
	}
	for range before {
		gate <- struct{}{}
	}
	until(first.ID, "in the middle", func(m api.Maintenance) bool { return m.Processed == before })
	for began := time.Now(); len(script.Requests()) <= before && time.Since(began) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
	} // it asks for the next one
	v.kill()

	v.start()
	var m api.Maintenance
	v.call(http.MethodGet, api.MaintenancePath(first.ID), nil, &m)
	if m.Status != api.JobInterrupted || m.Processed != before || m.FinishedAt == nil {
		t.Fatalf("after the kill: %+v", m)
	}
	v.call(http.MethodPost, api.PathMaintenance, start, &second)
	if second.ID == first.ID || second.Processed != before {
		t.Fatalf("the next start: %+v", second)
	}
	close(gate)
	m = until(second.ID, "completed", func(m api.Maintenance) bool { return m.Status == api.JobCompleted })
	if m.Processed != all || m.Succeeded != all || m.Failed != 0 {
		t.Errorf("%+v", m)
	}
	asked := map[string]int{}
	for _, r := range script.Requests() {
		asked[r.User]++
	}
	if len(asked) != all || len(script.Requests()) != all+1 {
		t.Errorf("%d memories were asked about, with %d requests", len(asked), len(script.Requests()))
	}
	var stats api.MemoryStats
	v.call(http.MethodGet, api.PathStats, nil, &stats)
	if stats.Uncategorized != 0 {
		t.Errorf("%d are in no category", stats.Uncategorized)
	}
}
