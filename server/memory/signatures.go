package memory

import (
	"context"
	"iter"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/server/words"
	"elowen/shared/api"
)

// CountByCategory tells how many active memories are in each of the categories.
// It is what category.New takes.
func CountByCategory(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]int, error) {
	panic("TODO")
}

func (s *Store) Add(ctx context.Context, owner db.AccountID, by Actor, source string, in api.MemoryAdd) (api.MemoryAdded, error) {
	panic("TODO")
}
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Patch(ctx context.Context, owner db.AccountID, by Actor, id, ifRevision int64, in api.MemoryPatch) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Trash(ctx context.Context, owner db.AccountID, by Actor, id, ifRevision int64, reason string) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Restore(ctx context.Context, owner db.AccountID, by Actor, id, ifRevision int64, reason string) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Purge(ctx context.Context, owner db.AccountID, by Actor, ids []int64) (api.BulkDone, error) {
	panic("TODO")
}
func (s *Store) EmptyTrash(ctx context.Context, owner db.AccountID, by Actor) (api.BulkDone, error) {
	panic("TODO")
}
func (s *Store) Merge(ctx context.Context, owner db.AccountID, by Actor, in api.MemoryMerge) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Bulk(ctx context.Context, owner db.AccountID, by Actor, in api.MemoryBulk) (api.BulkDone, error) {
	panic("TODO")
}

// DeleteCategory deletes a category; its memories are left with none. It answers those memories.
func (s *Store) DeleteCategory(ctx context.Context, owner db.AccountID, by Actor, id, ifRevision int64) (api.BulkDone, error) {
	panic("TODO")
}

// Events pages the audit, newest first; id 0 is all of the account's memories.
func (s *Store) Events(ctx context.Context, owner db.AccountID, id int64, cursor string, limit int) (api.Page[api.Event], error) {
	panic("TODO")
}
func (s *Store) History(ctx context.Context, owner db.AccountID, id int64, days int) (api.VitalityHistory, error) {
	panic("TODO")
}
func (s *Store) Detail(ctx context.Context, owner db.AccountID, id int64, days int) (api.MemoryDetail, error) {
	panic("TODO")
}
func (s *Store) DetailIn(tx *db.Tx, owner db.AccountID, id int64, days int) (api.MemoryDetail, error) {
	panic("TODO")
}
func (s *Store) Similar(ctx context.Context, owner db.AccountID, id int64, limit int) ([]api.Similar, error) {
	panic("TODO")
}

// MarkRecalled counts a use of each of the memories that the account may read and that is active, and answers their ids.
func (s *Store) MarkRecalled(ctx context.Context, owner db.AccountID, ids []int64) ([]int64, error) {
	panic("TODO")
}

// Reinforce moves the last use to now and the importance up to the given one.
func (s *Store) Reinforce(ctx context.Context, owner db.AccountID, by Actor, id int64, importance int, reason string) (api.Memory, error) {
	panic("TODO")
}
func (s *Store) Stats(ctx context.Context, owner db.AccountID) (api.MemoryStats, error) {
	panic("TODO")
}
func (s *Store) StatsIn(tx *db.Tx, owner db.AccountID) (api.MemoryStats, error) { panic("TODO") }

// Rows renders memories in the order given; ids that are not the account's are left out.
func (s *Store) Rows(tx *db.Tx, owner db.AccountID, ids []int64) ([]api.Memory, error) { panic("TODO") }

// Brief is a memory without its text, as small as a resident catalogue wants it.
type Brief struct {
	ID         int64
	Revision   int64
	CategoryID int64 // 0: none
	CreatedAt  int64
	UpdatedAt  int64
	LastUsedAt int64 // 0: never
	UseCount   int64
	ReviewedAt int64 // 0: never
	FadesAt    int64
	OrderKey   float64
	Kind       string // equal kinds share their bytes
	Importance int8
	Status     Status
	Indexed    bool
}

// Status is a memory's status in a byte.
type Status uint8

// The statuses.
const (
	Active Status = iota
	Deleted
	Consolidated
)

// Vital is what the memory's vitality depends on.
func (b *Brief) Vital() vitality.Memory {
	return vitality.Memory{Importance: int(b.Importance), UseCount: b.UseCount, CreatedAt: b.CreatedAt, LastUsedAt: b.LastUsedAt, Active: b.Status == Active}
}

// Briefs goes through the account's memories by id, all of them or (ids not nil)
// those. Other statements may run meanwhile. The Brief is only valid until the next.
func (s *Store) Briefs(tx *db.Tx, owner db.AccountID, ids []int64) iter.Seq2[*Brief, error] {
	panic("TODO")
}

// Search finds memories of any status that have words of q, by ascending id.
// prefix also takes words that only begin with the last one, as while typing.
func (s *Store) Search(tx *db.Tx, owner db.AccountID, q string, prefix bool) ([]words.Hit, words.Query, error) {
	panic("TODO")
}

// Filter is a query's filters, all but its free text.
type Filter struct{}

// Predicate makes the filter of a query, for SQL and for Go alike.
func Predicate(q api.MemoryQuery, t Terms, now int64) Filter { panic("TODO") }

// SQL is the condition on a row of table memory, and its arguments.
func (f Filter) SQL() (where string, args []any) { panic("TODO") }

// Match is the same condition on a Brief.
func (f Filter) Match(b *Brief) bool { panic("TODO") }

// Candidate is a memory that a sweep may take.
type Candidate struct {
	ID int64
	vitality.Memory
	Vitality float64 // at the asked instant
}

// Due goes through the account's memories that are evictable at now under the
// terms: the lowest vitality first, then the oldest. In pages: other statements
// may run meanwhile, and memory stays flat.
func (s *Store) Due(tx *db.Tx, owner db.AccountID, t Terms, now int64) iter.Seq2[Candidate, error] {
	panic("TODO")
}

// CountDue counts what Due goes through.
func (s *Store) CountDue(tx *db.Tx, owner db.AccountID, t Terms, now int64) (int, error) {
	panic("TODO")
}

// Outcome is what became of a sweep's candidate.
type Outcome uint8

// The outcomes.
const (
	Kept    Outcome = iota // not evictable any more
	Trashed                // moved to the trash
	Refused                // evictable, but the daily limit is used up
)

// AutoEvict moves one memory to the trash if it is still evictable at the sweep's
// clock and the account lost fewer than limit to sweeps in the 24 hours before.
func (s *Store) AutoEvict(ctx context.Context, owner db.AccountID, id, sweepNow int64, limit int, t Terms) (Outcome, error) {
	panic("TODO")
}

// Evicted counts the sweep's ledger: what AutoEvict compares with the limit.
func (s *Store) Evicted(tx *db.Tx, owner db.AccountID, sweepNow int64) (int, error) { panic("TODO") }

// Rekey computes again what is stored of the forecast, after a change of policy.
func (s *Store) Rekey(tx *db.Tx, owner db.AccountID, t Terms) error { panic("TODO") }

// Carried is a memory as it travels: into the store with Insert, out of it with Export.
type Carried struct {
	ID         int64 // only out
	Body       string
	Kind       string
	Importance int
	Confidence float64
	Subject    string
	CategoryID int64 // 0: none
	Source     string
	Status     string
	UseCount   int64
	LastUsedAt int64 // 0: never
	CreatedAt  int64
	UpdatedAt  int64
	ReviewedAt int64
	DeletedAt  int64
	DeletedWhy string
	Revision   int64 // at least 1
	Uses       []api.Use
	Events     []api.LineEvent // Foreign ones are not counted by the sweep's ledger
	Versions   []api.LineVersion
}

// Insert brings memories in as they are, many at a time. Without events of its
// own one gets an "add" by the actor. It answers the new ids in order.
func (s *Store) Insert(tx *db.Tx, owner db.AccountID, by Actor, reason string, list []Carried) ([]int64, error) {
	panic("TODO")
}

// Export goes through the account's memories by id with all that belongs to them.
func (s *Store) Export(tx *db.Tx, owner db.AccountID) iter.Seq2[*Carried, error] { panic("TODO") }

// TrimUsage drops the recalls that are past their days.
func (s *Store) TrimUsage(ctx context.Context, owner db.AccountID) (int64, error) { panic("TODO") }

// EraseAccount removes everything of the account's, the audit too; the account
// must have been marked for it.
func EraseAccount(tx *db.Tx, owner db.AccountID) error { panic("TODO") }
