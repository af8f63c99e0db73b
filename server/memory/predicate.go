package memory

import (
	"strings"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// Filter is a query's filters, all but its free text: one condition, for rows in
// SQL and for a resident catalogue in Go.
type Filter struct {
	pool  Pool // whose rows are meant: a pool's; 0: the account's own
	tests []test
}

// test is one part of a condition, said twice.
type test struct {
	where string
	args  []any
	match func(*Brief) bool
}

// Predicate makes the filter of a query at an instant. What the query leaves open
// is not asked for; its default status is active. Text (Q), order and paging are
// not part of it. It is about the account's own rows; one that asks for a project
// finds none.
func Predicate(q api.MemoryQuery, t Terms, now int64) Filter {
	return PredicateIn(q, Places{}, t, now)
}

// PredicateIn is Predicate for an account whose places are known: of a project, or of
// a project's pool.
func PredicateIn(q api.MemoryQuery, places Places, t Terms, now int64) Filter {
	var f Filter
	add := func(match func(*Brief) bool, where string, args ...any) {
		f.tests = append(f.tests, test{where, args, match})
	}
	never := func() { add(func(*Brief) bool { return false }, `1 = 0`) }

	q = q.Normal()
	if q.Status != "all" {
		want := statusOf(q.Status)
		add(func(b *Brief) bool { return b.Status == want }, `status = ?`, q.Status)
	}
	if q.Kind != "" {
		add(func(b *Brief) bool { return b.Kind == q.Kind }, `kind = ?`, q.Kind)
	}
	if q.CategoryID != 0 {
		add(func(b *Brief) bool { return b.CategoryID == q.CategoryID }, `category_id = ?`, q.CategoryID)
	}
	if q.Uncategorized {
		add(func(b *Brief) bool { return b.CategoryID == 0 }, `category_id IS NULL`)
	}
	switch {
	case q.Pool:
		if f.pool = PoolOf(places.Home(q)); f.pool == 0 {
			never()
		}
	case q.ProjectID != 0:
		if ids := places.categories(q.ProjectID); len(ids) == 0 {
			never()
		} else {
			in, args := db.In(ids)
			add(func(b *Brief) bool { return places.bound[b.CategoryID] == q.ProjectID }, `category_id IN (`+in+`)`, args...)
		}
	}
	if q.Importance != 0 {
		add(func(b *Brief) bool { return int(b.Importance) >= q.Importance }, `importance >= ?`, q.Importance)
	}
	if q.FadesWithin != 0 {
		until := now + int64(q.FadesWithin)*vitality.DayMillis
		if t.Policy.Enabled {
			add(func(b *Brief) bool { return b.Status == Active && b.FadesAt <= until }, `status = 'active' AND fades_at <= ?`, until)
		} else {
			never()
		}
	}
	if q.NotIndexed {
		add(func(b *Brief) bool { return !b.Indexed }, embedding.Unindexed("memory"))
	}
	if q.Unreviewed {
		add(func(b *Brief) bool { return b.ReviewedAt == 0 }, `reviewed_at = 0`)
	}
	if q.DeletedBy != "" {
		switch q.DeletedBy {
		case api.DeletedBySweep:
			add(func(b *Brief) bool { return b.Gone == GoneFaded }, `deleted_how = ?`, audit.ActionEvict)
		case api.DeletedByMerge:
			add(func(b *Brief) bool { return b.Gone == GoneMerged }, `deleted_how = ?`, audit.ActionMerge)
		default:
			add(func(b *Brief) bool { return b.Status == Deleted && b.Gone == GonePeople }, `status = 'deleted' AND deleted_how NOT IN (?, ?)`, audit.ActionEvict, audit.ActionMerge)
		}
	}
	if q.After != nil {
		from := int64(*q.After)
		add(func(b *Brief) bool { return b.CreatedAt >= from }, `created_at >= ?`, from)
	}
	if q.Before != nil {
		to := int64(*q.Before)
		add(func(b *Brief) bool { return b.CreatedAt < to }, `created_at < ?`, to)
	}
	return f
}

// SQL is the condition on a row of table memory, to be joined with AND to that of
// its owner, which is Places.Home, and its arguments. It is never empty.
func (f Filter) SQL() (where string, args []any) {
	parts := make([]string, 0, len(f.tests)+1)
	for _, t := range f.tests {
		parts = append(parts, t.where)
		args = append(args, t.args...)
	}
	if len(parts) == 0 {
		parts = append(parts, `1 = 1`)
	}
	return strings.Join(parts, ` AND `), args
}

// Match is the same condition on a memory of the catalogue.
func (f Filter) Match(b *Brief) bool {
	if b.Pool != f.pool {
		return false
	}
	for i := range f.tests {
		if !f.tests[i].match(b) {
			return false
		}
	}
	return true
}
