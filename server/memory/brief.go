package memory

import (
	"iter"

	"elowen/server/db"
	"elowen/server/vitality"
)

// Brief is a memory without its text, as small as a resident catalogue wants it.
// Instants are Unix milliseconds, 0 for never.
type Brief struct {
	ID         int64
	Revision   int64
	CategoryID int64 // 0: none
	CreatedAt  int64
	UpdatedAt  int64
	LastUsedAt int64
	UseCount   int64
	ReviewedAt int64
	FadesAt    int64   // vitality.FadesAt under the policy in force
	OrderKey   float64 // vitality.OrderKey under the policy in force
	Kind       string  // equal kinds share their bytes
	Importance int8
	Status     Status
	Gone       Gone // how it came into the trash; meaningless elsewhere
	Indexed    bool // has a fresh vector in the active space
}

// Status is a memory's status in a byte.
type Status uint8

// The statuses.
const (
	Active Status = iota
	Deleted
	Consolidated
)

// Gone is how a memory came into the trash, in a byte.
type Gone uint8

// The ways into the trash.
const (
	GonePeople Gone = iota // somebody moved it there, or nobody knows
	GoneFaded              // a sweep did
	GoneMerged             // it was made one with others
)

func goneOf(how string) Gone {
	switch how {
	case actionEvict:
		return GoneFaded
	case actionMerge:
		return GoneMerged
	}
	return GonePeople
}

// Vital is what the memory's vitality depends on.
func (b *Brief) Vital() vitality.Memory {
	return vitality.Memory{
		Importance: int(b.Importance), UseCount: b.UseCount, CreatedAt: b.CreatedAt, LastUsedAt: b.LastUsedAt,
		Active: b.Status == Active,
	}
}

const briefColumns = `id, revision, COALESCE(category_id, 0), created_at, updated_at, last_used_at, use_count, reviewed_at, fades_at, order_key, kind, importance, status, deleted_how`

// briefPage is how many briefs are read at a time.
const briefPage = 512

// Briefs goes through the account's memories by ascending id: all of them, or
// (ids not nil) those of ids that are there. They are read in pages, so other
// statements of the transaction may run meanwhile. A Brief is valid until the next.
func (s *Store) Briefs(tx *db.Tx, owner db.AccountID, ids []int64) iter.Seq2[*Brief, error] {
	return func(yield func(*Brief, error) bool) {
		page := make([]Brief, 0, briefPage)
		kinds := map[string]string{}
		give := func() bool {
			for i := range page {
				if !yield(&page[i], nil) {
					return false
				}
			}
			return true
		}
		var err error
		if ids == nil {
			for last := int64(0); ; last = page[len(page)-1].ID {
				page, err = scanBriefs(page[:0], kinds, tx.Query(`SELECT `+briefColumns+` FROM memory WHERE owner_id = ? AND id > ? ORDER BY id LIMIT ?`,
					int64(owner), last, briefPage))
				if err != nil {
					yield(nil, err)
					return
				}
				if !give() || len(page) < briefPage {
					return
				}
			}
		}
		for len(ids) > 0 {
			n := min(len(ids), db.InMost)
			in, args := db.In(ids[:n])
			ids = ids[n:]
			page, err = scanBriefs(page[:0], kinds, tx.Query(`SELECT `+briefColumns+` FROM memory WHERE id IN (`+in+`) AND owner_id = ? ORDER BY id`,
				append(args, int64(owner))...))
			if err != nil {
				yield(nil, err)
				return
			}
			if !give() {
				return
			}
		}
	}
}

func scanBriefs(page []Brief, kinds map[string]string, rows *db.Rows) ([]Brief, error) {
	defer rows.Close()
	var b Brief
	var kind, status, how string
	dest := []any{&b.ID, &b.Revision, &b.CategoryID, &b.CreatedAt, &b.UpdatedAt, &b.LastUsedAt, &b.UseCount, &b.ReviewedAt, &b.FadesAt, &b.OrderKey, &kind, &b.Importance, &status, &how}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return nil, err
		}
		b.Status, b.Gone = statusOf(status), goneOf(how)
		shared, ok := kinds[kind]
		if !ok {
			shared = kind
			kinds[kind] = kind
		}
		b.Kind = shared
		page = append(page, b)
	}
	return page, rows.Err()
}
