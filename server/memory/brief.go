package memory

import (
	"iter"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/embedding"
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
	Pool       Pool // that it is in, as whoever lists it says; 0: the account's own
}

// Pool is a pool's account, in the few bytes that are left of a Brief.
type Pool uint32

// PoolOf is a pool's account as a Brief has it.
func PoolOf(owner db.AccountID) Pool { return Pool(owner) }

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
	case audit.ActionEvict:
		return GoneFaded
	case audit.ActionMerge:
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
		r := briefs{tx: tx, owner: owner, kinds: map[string]string{}, page: make([]Brief, 0, briefPage)}
		var err error
		if r.space, err = embedding.Current(tx); err != nil {
			yield(nil, err)
			return
		}
		if ids == nil {
			for last := int64(0); ; last = r.page[len(r.page)-1].ID {
				if !r.give(yield, `owner_id = ? AND id > ? ORDER BY id LIMIT ?`, int64(owner), last, briefPage) || len(r.page) < briefPage {
					return
				}
			}
		}
		for in, args := range db.InParts(ids) {
			if !r.give(yield, `id IN (`+in+`) AND owner_id = ? ORDER BY id`, append(args, int64(owner))...) {
				return
			}
		}
	}
}

// Counted goes through what counts for an account in a sweep: its own memories, and
// those that it wrote into pools. Whether a Brief is indexed is not looked at.
func (s *Store) Counted(tx *db.Tx, owner db.AccountID) iter.Seq2[*Brief, error] {
	return func(yield func(*Brief, error) bool) {
		sets, err := dueSets(tx, owner)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, set := range sets {
			r := briefs{tx: tx, owner: owner, kinds: map[string]string{}, page: make([]Brief, 0, briefPage)}
			for last := int64(0); ; last = r.page[len(r.page)-1].ID {
				if !r.give(yield, set+` AND id > ? ORDER BY id LIMIT ?`, int64(owner), last, briefPage) {
					return
				}
				if len(r.page) < briefPage {
					break
				}
			}
		}
	}
}

// briefs reads pages of them.
type briefs struct {
	tx     *db.Tx
	owner  db.AccountID
	space  embedding.Stored
	kinds  map[string]string
	page   []Brief
	bodies []embedding.Body // of the page, where embeddings are on
}

// give reads a page and yields it; false is the end.
func (r *briefs) give(yield func(*Brief, error) bool, where string, args ...any) bool {
	err := r.scan(where, args)
	if err == nil {
		err = r.label()
	}
	if err != nil {
		yield(nil, err)
		return false
	}
	for i := range r.page {
		if !yield(&r.page[i], nil) {
			return false
		}
	}
	return true
}

func (r *briefs) scan(where string, args []any) error {
	r.page, r.bodies = r.page[:0], r.bodies[:0]
	var b Brief
	var kind, status, how, hash string
	dest := []any{&b.ID, &b.Revision, &b.CategoryID, &b.CreatedAt, &b.UpdatedAt, &b.LastUsedAt, &b.UseCount, &b.ReviewedAt, &b.FadesAt, &b.OrderKey, &kind, &b.Importance, &status, &how}
	query := `SELECT ` + briefColumns
	if r.space.On() {
		query += `, body_hash`
		dest = append(dest, &hash)
	}
	rows := r.tx.Query(query+` FROM memory WHERE `+where, args...)
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		b.Status, b.Gone = statusOf(status), goneOf(how)
		shared, ok := r.kinds[kind]
		if !ok {
			shared = kind
			r.kinds[kind] = kind
		}
		b.Kind = shared
		r.page = append(r.page, b)
		if r.space.On() {
			r.bodies = append(r.bodies, embedding.Body{Memory: b.ID, Hash: hash})
		}
	}
	return rows.Err()
}

// label tells which of the page have a fresh vector.
func (r *briefs) label() error {
	if !r.space.On() || len(r.page) == 0 {
		return nil
	}
	fresh, err := embedding.FreshOf(r.tx, r.owner, r.space, r.bodies)
	if err != nil {
		return err
	}
	for i := range r.page {
		r.page[i].Indexed = fresh[i]
	}
	return nil
}
