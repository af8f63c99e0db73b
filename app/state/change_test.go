package state

import (
	"encoding/json"
	"testing"

	"elowen/shared/api"
)

func TestWhatMayWait(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		action             string // "" may not wait
		text               string
		memories           int
	}{
		{"POST", "/api/memory", `{"body":"New."}`, ActAdd, "New.", 0},
		{"PATCH", "/api/memory/7", `{"body":"Edited."}`, ActEdit, "Edited.", 1},
		{"PATCH", "/api/memory/7", `{"importance":3}`, ActEdit, "", 1},
		{"PATCH", "/api/memory/7", `{"version":2}`, "", "", 0},
		{"DELETE", "/api/memory/7", ``, api.BulkTrash, "", 1},
		{"POST", "/api/memory/7/restore", ``, api.BulkRestore, "", 1},
		{"PUT", "/api/memory/7/category", `{"categoryId":null}`, api.BulkCategory, "", 1},
		{"DELETE", "/api/memory/7/purge", ``, "", "", 0},
		{"POST", "/api/memory/bulk", `{"ids":[1,2],"action":"trash"}`, api.BulkTrash, "", 2},
		{"POST", "/api/memory/bulk", `{"ids":[1,2],"action":"purge"}`, "", "", 0},
		{"POST", "/api/memory/bulk", `{"all":{},"action":"trash"}`, "", "", 0},
		{"POST", "/api/memory/bulk", `{"ids":[1],"action":"trash","expect":1}`, "", "", 0},
		{"POST", "/api/memory/merge", `{"ids":[1,2],"body":"x"}`, "", "", 0},
		{"POST", "/api/memory/empty-trash", `{}`, "", "", 0},
		{"DELETE", "/api/memory/0", ``, "", "", 0},
		{"DELETE", "/api/memory/x", ``, "", "", 0},
		{"POST", "/api/tokens", `{"name":"x"}`, "", "", 0},
		{"PATCH", "/api/memory/7", `{`, "", "", 0},
	} {
		got, ok := ChangeOf(c.method, c.path, []byte(c.body))
		if ok != (c.action != "") {
			t.Errorf("%s %s %s: may wait %v", c.method, c.path, c.body, ok)
			continue
		}
		if ok && (got.Action != c.action || got.Text != c.text || len(got.Memories) != c.memories || got.Body != c.body) {
			t.Errorf("%s %s: %+v", c.method, c.path, got)
		}
	}
}

func TestOverlayFollowsTheQueue(t *testing.T) {
	m := api.Memory{ID: 7, Revision: 3, Body: "Old.", Kind: "fact", Importance: 5, CategoryID: api.Ptr(int64(1)), VitalityShown: 40}
	change := func(state, method, path, body string) Change {
		c, ok := ChangeOf(method, path, []byte(body))
		if !ok {
			t.Fatalf("%s %s may not wait", method, path)
		}
		c.State = state
		return c
	}
	got, last := Overlay(m, []Change{
		change(ChangeWaiting, "PATCH", "/api/memory/7", `{"body":"First."}`),
		change(ChangeWaiting, "PATCH", "/api/memory/8", `{"body":"Another."}`),
		change(ChangeWaiting, "PATCH", "/api/memory/7", `{"importance":9}`),
		change(ChangeConflict, "PATCH", "/api/memory/7", `{"body":"In conflict."}`),
		change(ChangeWaiting, "POST", "/api/memory/bulk", `{"ids":[7,8],"action":"category","categoryId":null}`),
		change(ChangeWaiting, "POST", "/api/memory/bulk", `{"ids":[8],"action":"kind","kind":"decision"}`),
		change(ChangeWaiting, "DELETE", "/api/memory/7", ``),
	})
	if got.Body != "First." || got.Importance != 9 || got.CategoryID != nil || got.Kind != "fact" {
		t.Errorf("%+v", got)
	}
	if got.Revision != 3 || got.VitalityShown != 40 || got.Status != m.Status {
		t.Errorf("what is the server's was touched: %+v", got)
	}
	if last == nil || last.Action != api.BulkTrash {
		t.Errorf("last: %+v", last)
	}
	if _, last := Overlay(api.Memory{ID: 9}, nil); last != nil {
		t.Error("something waits for a memory that nobody changed")
	}
}

// What comes back from the browser's store may be of an older program, or damaged.
func FuzzOverlay(f *testing.F) {
	f.Add([]byte(`[{"state":"waiting","action":"edit","memories":[7],"body":"{\"body\":\"x\"}"}]`))
	f.Add([]byte(`[{"state":"waiting","action":"category","memories":[7],"body":"null"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var changes []Change
		if json.Unmarshal(b, &changes) != nil {
			return
		}
		if m, _ := Overlay(api.Memory{ID: 7, Revision: 3}, changes); m.ID != 7 || m.Revision != 3 {
			t.Errorf("%+v", m)
		}
	})
}
