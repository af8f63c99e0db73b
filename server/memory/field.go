package memory

import (
	"elowen/server/audit"
	"elowen/shared/api"
)

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

// begin is the state that a new memory's first event holds.
func begin(r *row) *audit.State {
	var s audit.State
	for i := range fields {
		f := &fields[i]
		switch {
		case f.name == "" || f.name == "reviewedAt" || f.name == "lastUsedAt" && r.lastUsedAt == 0 || f.name == "subject" && r.subject == "":
			continue
		case f.audited != nil:
			s.Set(f.name, f.audited(r))
		default:
			s.Set(f.name, f.value(r))
		}
	}
	if r.useCount != 0 {
		s.Set("useCount", r.useCount)
	}
	s.Set("source", r.source)
	return &s
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
