package memory

import (
	"encoding/json"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// The actions of the audit.
const (
	actionAdd      = "add"
	actionUpdate   = "update"
	actionCategory = "category"
	actionReview   = "review"
	actionMerge    = "merge"
	actionTrash    = "trash"
	actionRestore  = "restore"
	actionPurge    = "purge"
	actionEvict    = "auto-evict" // stands in the schema too, as the ledger's index
)

// event is an entry of the audit that is yet to be written.
type event struct {
	memory, revision, at int64
	action               string
	by                   Actor
	reason               string
	before, after        string // JSON of the changed fields; empty: none
	carried              bool
	writer               int64 // whom it counts for in a pool; 0: the owner
	group                int64 // of the change of many that it belongs to; 0: none
}

// field is a column that changes, and its name in the audit; fields without one
// follow from others or from the event itself.
type field struct {
	column, name string
	value        func(*row) any
	audited      func(*row) any // where the audit holds something else than the column
}

// fields are the columns that a change may touch. A body's own are one after the
// other: they change together.
var fields = []field{
	{column: "body", name: "body", value: func(r *row) any { return r.body }, audited: func(r *row) any { return r.hash }},
	{column: "body_hash", value: func(r *row) any { return r.hash }},
	{column: "lang", value: func(r *row) any { return r.lang }},
	{column: "words", value: func(r *row) any { return r.words }},
	{column: "kind", name: "kind", value: func(r *row) any { return r.kind }},
	{column: "subject", name: "subject", value: func(r *row) any { return r.subject }},
	{column: "importance", name: "importance", value: func(r *row) any { return r.importance }},
	{column: "confidence", name: "confidence", value: func(r *row) any { return r.confidence }},
	{column: "category_id", name: "categoryId", value: func(r *row) any { return nullable(r.category) }},
	{column: "category_by", value: func(r *row) any { return r.filed }},
	{column: "status", name: "status", value: func(r *row) any { return r.status }},
	{column: "last_used_at", name: "lastUsedAt", value: func(r *row) any { return r.lastUsedAt }},
	{column: "reviewed_at", name: "reviewedAt", value: func(r *row) any { return r.reviewedAt }},
	{column: "deleted_at", value: func(r *row) any { return r.deletedAt }},
	{column: "deleted_why", value: func(r *row) any { return r.deletedWhy }},
	{column: "deleted_by", value: func(r *row) any { return r.deletedBy }},
	{column: "deleted_how", value: func(r *row) any { return r.deletedHow }},
	{column: "order_key", value: func(r *row) any { return r.orderKey }},
	{column: "fades_at", value: func(r *row) any { return r.fadesAt }},
}

// state builds the JSON of an event's before or after.
type state struct {
	buf []byte
	err error
}

func (s *state) set(name string, v any) {
	if s.err != nil {
		return
	}
	value, err := json.Marshal(v)
	if err != nil {
		s.err = fault.Wrap(fault.Internal, err, "")
		return
	}
	sep := byte(',')
	if len(s.buf) == 0 {
		sep = '{'
	}
	s.buf = append(s.buf, sep, '"')
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, '"', ':')
	s.buf = append(s.buf, value...)
}

// text is the JSON; an empty state has none.
func (s *state) text() (string, error) {
	if len(s.buf) == 0 || s.err != nil {
		return "", s.err
	}
	return string(s.buf) + "}", nil
}

// begin is the state that a new memory's first event holds.
func begin(r *row) *state {
	var s state
	for i := range fields {
		f := &fields[i]
		switch {
		case f.name == "" || f.name == "reviewedAt" || f.name == "lastUsedAt" && r.lastUsedAt == 0 || f.name == "subject" && r.subject == "":
			continue
		case f.audited != nil:
			s.set(f.name, f.audited(r))
		default:
			s.set(f.name, f.value(r))
		}
	}
	if r.useCount != 0 {
		s.set("useCount", r.useCount)
	}
	s.set("source", r.source)
	return &s
}

// writeEvents appends to the audit, in order.
func writeEvents(tx *db.Tx, owner db.AccountID, list []event) error {
	for i := range list {
		e := &list[i]
		carried := 0
		if e.carried {
			carried = 1
		}
		if _, err := tx.Exec(`INSERT INTO memory_event (owner_id, memory_id, action, actor, model, reason, revision, at, before_state, after_state, carried, change_id, writer_id)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			int64(owner), e.memory, e.action, e.by.Name, e.by.Model, e.reason, e.revision, e.at, e.before, e.after, carried, e.group, e.writer); err != nil {
			return err
		}
	}
	return nil
}

// statusOf is a stored status in a byte.
func statusOf(s string) Status {
	switch s {
	case api.StatusDeleted:
		return Deleted
	case api.StatusConsolidated:
		return Consolidated
	}
	return Active
}
