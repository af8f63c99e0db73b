package memory

import (
	"regexp"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
)

// sorts are the statements that may sort: a person's counts and pools, the uses of what
// is merged, and bodies of some ids.
var sorts = regexp.MustCompile(`GROUP BY status, kind|FROM project p|SUM\(times\)|id IN \([?,]+\) AND owner_id = \? AND status = \? ORDER BY id DESC$`)

// What is run every day, or over very many rows, uses an index from the account on:
// the statements are those that the store really runs, over all that it does.
func TestQueryPlans(t *testing.T) {
	f := open(t)
	old := carried(3000, f.clock.Now())
	for i := range old[:2*duePage] { // of one level, and all due
		old[i].Importance, old[i].CreatedAt, old[i].UseCount, old[i].LastUsedAt = 1, f.clock.Now()-300*day, 0, 0
	}
	f.insert(old)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do := func(_ any, err error) { t.Helper(); must(err) }
	terms := f.rules.set(func(*Terms) {})
	var hers api.Category
	list := dbtest.Plans(t, f.d, func() {
		var err error
		hers, err = f.categories.Add(ctx, f.ann, api.CategoryAdd{Name: "Work"})
		must(err)
		var ids []int64
		for _, body := range []string{"The boat leaves at seven", "The boat leaves at eight", "A note about walnuts", "A note about pecans", "The door is red"} {
			ids = append(ids, f.add(body).ID)
		}
		f.add("The door is red") // it is there already
		f.patch(ids[0], api.MemoryPatch{Body: api.Ptr("The boat leaves at nine"), Importance: api.Ptr(7)})
		f.patch(ids[0], api.MemoryPatch{Version: api.Ptr(int64(1))})
		f.patch(ids[2], api.MemoryPatch{CategoryID: api.Some(hers.ID)})
		do(f.MarkRecalled(ctx, f.ann, ids[:3]))
		do(f.Reinforce(ctx, f.ann, me, ids[3], 8, ""))
		merged, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: ids[:2], Body: "The boat leaves at seven or at eight"})
		must(err)
		do(f.Undo(ctx, f.ann, me, api.MemoryUndo{Change: merged.Undo}))
		do(f.Bulk(ctx, f.ann, me, api.MemoryBulk{IDs: ids[2:4], Action: api.BulkTrash}))
		do(f.Restore(ctx, f.ann, me, ids[2], 0, ""))
		do(f.Events(ctx, f.ann, ids[0], "", 4))
		do(f.Events(ctx, f.ann, 0, "", 4))
		do(f.History(ctx, f.ann, ids[0], 0))
		do(f.Similar(ctx, f.ann, ids[0], 5))
		do(f.Stats(ctx, f.ann))
		f.view(func(tx *db.Tx) error {
			do(f.Detail(tx, f.ann, ids[0], 0))
			_, _, err := f.Search(tx, f.ann, "boat", true)
			must(err)
			do(f.Facts(tx, f.ann, ids))
			do(CountByCategory(tx, f.ann, []int64{hers.ID}))
			do(f.CountDue(tx, f.ann, terms, tx.Now))
			for _, err := range f.Due(tx, f.ann, terms, tx.Now) { // more than a page of a level
				must(err)
			}
			for _, err := range f.Export(tx, f.ann) {
				must(err)
			}
			for _, err := range f.ExportPurged(tx, f.ann) {
				must(err)
			}
			do(f.Bodies(tx, f.ann, 0, 100))
			do(f.BodiesOf(tx, f.ann, ids))
			do(f.Texts(tx, f.ann, ids))
			do(f.Filing(tx, f.ann, ids[2]))
			do(f.Filings(tx, f.ann, Sorting{All: true, Upto: 1 << 60}, 1<<60, 100))
			do(f.CountFilings(tx, f.ann, Sorting{All: true, Upto: 1 << 60}))
			do(f.Unfiled(tx, f.ann, 0, 0, 100))
			do(f.Members(tx, f.ann, hers.ID, 100))
			_, _, err = f.CountIndexed(tx, f.ann)
			must(err)
			do(f.Twins(tx, f.ann, []string{"The door is red"}))
			do(f.Rows(tx, f.ann, ids))
			for _, err := range f.Briefs(tx, f.ann, nil) {
				must(err)
			}
			return nil
		})
		for _, q := range []api.MemoryQuery{{Kind: "nothing"}, {Status: "all", Q: "nothing"}, {CategoryID: hers.ID, FadesWithin: 7}} {
			do(f.Bulk(ctx, f.ann, me, api.MemoryBulk{All: &q, Action: api.BulkKind, Kind: api.Ptr("fact")}))
		}
		do(f.AutoEvict(ctx, f.ann, ids[4], f.clock.Now(), 5, terms))
		do(f.Purge(ctx, f.ann, me, []int64{ids[3]}))
		do(f.EmptyTrash(ctx, f.ann, me, api.EmptyTrash{}))
		do(f.DeleteCategory(ctx, f.ann, me, hers.ID, 0))
		do(f.TrimUsage(ctx, f.ann))
		f.update(func(tx *db.Tx) error { return f.Rekey(tx, f.ann, terms) })
		f.view(func(tx *db.Tx) error { do(audit.Evicted(tx, f.ann, tx.Now)); return nil })
	})
	dbtest.Indexed(t, list, sorts)
	for query, step := range map[string]string{
		"FROM memory WHERE id = ? AND owner_id = ?":  "INTEGER PRIMARY KEY",
		"AND body_hash = ?":                          "memory_hash",
		"ORDER BY order_key, created_at, id LIMIT ?": "COVERING INDEX memory_order",
		"(order_key, created_at, id) > (?, ?, ?)":    "COVERING INDEX memory_order",
		"SELECT COUNT(*) FROM memory WHERE owner_id = ? AND writer_id = 0 AND status = ? AND importance = ?": "COVERING INDEX memory_order",
		"action = 'auto-evict' AND at > ?":                                  "memory_event_evict",
		"FROM memory_event WHERE owner_id = ? AND memory_id = ? AND id < ?": "memory_event_memory",
		"FROM memory_event WHERE owner_id = ? AND id < ?":                   "memory_event_owner",
		"FROM memory_event WHERE owner_id = ? AND change_id = ?":            "memory_event_change",
		"FROM memory WHERE category_id IN":                                  "COVERING INDEX memory_category",
		"FROM usage_event WHERE owner_id = ? AND memory_id = ?":             "PRIMARY KEY",
		"FROM memory_version WHERE owner_id = ? AND memory_id = ?":          "PRIMARY KEY",
	} {
		dbtest.Uses(t, list, query, step)
	}
}
