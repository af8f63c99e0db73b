package state

import (
	"encoding/json"
	"strconv"
	"strings"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// The states of a change that was made without a connection.
const (
	ChangeWaiting  = "waiting"  // to be sent, in its turn
	ChangeConflict = "conflict" // somebody else changed the memory; Current is theirs
	ChangeRefused  = "refused"  // the server said no; Problem is why
	ChangeTrashed  = "trashed"  // the memory went to the trash meanwhile; Current is how it lies there
	ChangeHeld     = "held"     // it stands in the form to be mended, and is not sent before
)

// What a change does. The actions of a bulk change have their names of package api.
const (
	ActAdd  = "add"
	ActEdit = "edit"
)

// Change is something that a person wants done and that the server has not confirmed.
// It is kept as JSON, and holds the request as it is to be sent.
type Change struct {
	ID       int64   `json:"id,omitempty"` // in the order of the queue
	State    string  `json:"state,omitempty"`
	At       int64   `json:"at,omitempty"` // when it was made, milliseconds of the device's clock
	Action   string  `json:"action"`
	Memories []int64 `json:"memories,omitempty"` // that it is about; empty for a new one
	Text     string  `json:"text,omitempty"`     // the new body, or the body of what it is about

	Method   string `json:"method"`
	Path     string `json:"path"`
	Body     string `json:"body,omitempty"`     // JSON
	Revision int64  `json:"revision,omitempty"` // that it is made on top of; 0 names none
	Key      string `json:"key"`                // Idempotency-Key

	Problem string      `json:"problem,omitempty"`
	Current *api.Memory `json:"current,omitempty"`
}

// ChangeOf reads a request as a change that may wait. ok is false for what needs an
// answer at once: what can't be undone, what counts on a number, what isn't about
// memories.
func ChangeOf(method, path string, body []byte) (c Change, ok bool) {
	c = Change{Method: method, Path: path, Body: string(body)}
	if method == "POST" && path == api.PathMemory {
		var add api.MemoryAdd
		c.Action = ActAdd
		ok = json.Unmarshal(body, &add) == nil
		c.Text = add.Body
		return c, ok
	}
	if method == "POST" && path == api.PathBulk {
		var b api.MemoryBulk
		ok = json.Unmarshal(body, &b) == nil && b.All == nil && b.Expect == nil && b.Action != api.BulkPurge && len(b.IDs) > 0
		c.Action, c.Memories = b.Action, b.IDs
		return c, ok
	}
	rest, found := strings.CutPrefix(path, api.PathMemory+"/")
	number, part, _ := strings.Cut(rest, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	if !found || err != nil || id <= 0 {
		return c, false
	}
	c.Memories = []int64{id}
	switch method + " " + part {
	case "PATCH ":
		var p api.MemoryPatch
		if json.Unmarshal(body, &p) != nil || p.Version != nil {
			return c, false // an earlier text is not here to be shown
		}
		c.Action = ActEdit
		if p.Body != nil {
			c.Text = *p.Body
		}
	case "DELETE ":
		c.Action = api.BulkTrash
	case "POST restore":
		c.Action = api.BulkRestore
	case "PUT category":
		c.Action = api.BulkCategory
	default:
		return c, false
	}
	return c, true
}

// About tells whether a change is about a memory.
func (c Change) About(id int64) bool {
	for _, m := range c.Memories {
		if m == id {
			return true
		}
	}
	return false
}

// Overlay is a memory as it will be once what waits has been sent, and the last of the
// changes that wait for it. Its revision and its numbers stay the server's.
func Overlay(m api.Memory, changes []Change) (api.Memory, *Change) {
	var last *Change
	for i := range changes {
		c := &changes[i]
		if c.State != ChangeWaiting || !c.About(m.ID) {
			continue
		}
		last = c
		switch c.Action {
		case ActEdit:
			m = c.Patched(m)
		case api.BulkCategory, api.BulkKind, api.BulkImportance:
			var b api.MemoryBulk // PUT category has the same field
			if json.Unmarshal([]byte(c.Body), &b) != nil {
				continue
			}
			if c.Action == api.BulkCategory {
				m.CategoryID = b.CategoryID.Value
			}
			if b.Kind != nil {
				m.Kind = *b.Kind
			}
			if b.Importance != nil {
				m.Importance = *b.Importance
			}
		}
	}
	return m, last
}

// Added is the memory that a change makes; ok is false where it makes none.
func (c Change) Added() (m api.Memory, ok bool) {
	var add api.MemoryAdd
	if c.Action != ActAdd || json.Unmarshal([]byte(c.Body), &add) != nil {
		return m, false
	}
	m = api.Memory{Body: add.Body, Kind: add.Kind, CategoryID: add.CategoryID.Value, Importance: setting.Int("memory.importance"), Confidence: setting.Get("memory.confidence").Default}
	if add.Importance != nil {
		m.Importance = *add.Importance
	}
	if add.Confidence != nil {
		m.Confidence = *add.Confidence
	}
	if m.Kind == "" {
		m.Kind = setting.Get("memory.kind").DefaultText
	}
	return m, true
}

// Patched is a memory with what an edit changes in it.
func (c Change) Patched(m api.Memory) api.Memory {
	var p api.MemoryPatch
	if c.Action != ActEdit || json.Unmarshal([]byte(c.Body), &p) != nil {
		return m
	}
	if p.Body != nil {
		m.Body = *p.Body
	}
	if p.Kind != nil {
		m.Kind = *p.Kind
	}
	if p.Importance != nil {
		m.Importance = *p.Importance
	}
	if p.Confidence != nil {
		m.Confidence = *p.Confidence
	}
	if p.CategoryID.Set {
		m.CategoryID = p.CategoryID.Value
	}
	return m
}
