package memory

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
)

// Candidate is a memory that a sweep may take.
type Candidate struct {
	ID int64
	vitality.Memory
	Vitality float64 // at the asked instant
}

// duePage is how many candidates of a level are read at a time.
const duePage = 512

// Due goes through the account's memories that are evictable at now under the
// terms: the lowest vitality first, then the oldest. The terms are those in force,
// by which the rows are keyed; for another policy compute over Briefs. It reads ranges of the order
// key, ten levels merged, in pages that look at an index only: flat, whatever their
// number, and other statements of the transaction may run meanwhile.
func (s *Store) Due(tx *db.Tx, owner db.AccountID, t Terms, now int64) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		if !t.Policy.Enabled {
			return
		}
		var levels [vitality.Levels + 1]dueLevel
		ahead := &levels[vitality.Levels]
		ahead.drained = true
		for i := range vitality.Levels {
			err := levels[i].start(tx, owner, t.Policy, i+1, now)
			if err == nil && t.Policy.Floor > leastAhead {
				err = ahead.addAhead(&levels[i])
			}
			if err != nil {
				yield(Candidate{}, err)
				return
			}
		}
		ahead.page = ahead.store
		slices.SortFunc(ahead.page, func(a, b dueRow) int { return sooner(&a.Candidate, &b.Candidate) })
		for {
			var best *dueLevel
			for i := range levels {
				if l := &levels[i]; len(l.page) > 0 && (best == nil || sooner(&l.page[0].Candidate, &best.page[0].Candidate) < 0) {
					best = l
				}
			}
			if best == nil || !yield(best.page[0].Candidate, nil) {
				return
			}
			if err := best.step(); err != nil {
				yield(Candidate{}, err)
				return
			}
		}
	}
}

func sooner(a, b *Candidate) int {
	return cmp.Or(cmp.Compare(a.Vitality, b.Vitality), cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// dueLevel is the candidates of one importance, in order.
type dueLevel struct {
	tx      *db.Tx
	owner   db.AccountID
	policy  vitality.Policy
	level   int
	now     int64
	below   float64 // order keys from here on are not evictable
	page    []dueRow
	store   []dueRow
	drained bool
}

type dueRow struct {
	Candidate
	key float64
}

// leastAhead is the vitality that a memory has at least whose last use is yet to
// come: it was used, and then the clock was put back.
const leastAhead = 50

func (l *dueLevel) start(tx *db.Tx, owner db.AccountID, p vitality.Policy, level int, now int64) error {
	l.tx, l.owner, l.policy, l.level, l.now = tx, owner, p, level, now
	below, err := vitality.KeyThreshold(level, p, now, p.Floor)
	if err != nil {
		return err
	}
	l.below = below + vitality.KeyTolerance
	return l.next(`order_key < ?`, l.below)
}

// step goes to the level's next candidate.
func (l *dueLevel) step() error {
	last := l.page[0]
	l.page = l.page[1:]
	if len(l.page) > 0 || l.drained {
		return nil
	}
	return l.next(`order_key < ? AND (order_key, created_at, id) > (?, ?, ?)`, l.below, last.key, last.CreatedAt, last.ID)
}

// next reads the next page. Those whose last use is yet to come are not in the
// order of their keys; addAhead has them.
func (l *dueLevel) next(where string, args ...any) error {
	l.store = l.store[:0]
	err := l.read(&l.store, where+` AND last_used_at <= ?`, append(args, l.now), duePage)
	l.page, l.drained = l.store, len(l.store) < duePage
	return err
}

// addAhead adds a level's candidates whose last use is yet to come. Their vitality
// stands still until then, whatever their key says.
func (l *dueLevel) addAhead(level *dueLevel) error {
	from, err := vitality.KeyThreshold(level.level, level.policy, level.now, leastAhead)
	if err != nil {
		return err
	}
	return level.read(&l.store, `order_key > ? AND last_used_at > ?`, []any{from - vitality.KeyTolerance, level.now}, math.MaxInt32)
}

// read adds candidates of the level to a list, in the order of the key.
func (l *dueLevel) read(list *[]dueRow, where string, args []any, limit int) error {
	args = append([]any{int64(l.owner), api.StatusActive, l.level}, append(args, l.now, limit)...)
	rows := l.tx.Query(`SELECT id, order_key, created_at, use_count, last_used_at FROM memory
		WHERE owner_id = ? AND status = ? AND importance = ? AND `+where+` AND fades_at <= ?
		ORDER BY order_key, created_at, id LIMIT ?`, args...)
	defer rows.Close()
	r := dueRow{Candidate: Candidate{Memory: vitality.Memory{Importance: l.level, Active: true}}}
	dest := []any{&r.ID, &r.key, &r.CreatedAt, &r.UseCount, &r.LastUsedAt}
	for rows.Next() {
		err := rows.Scan(dest...)
		if err == nil {
			r.Vitality, err = vitality.Vitality(r.Memory, l.policy, l.now)
		}
		if err != nil {
			return err
		}
		*list = append(*list, r)
	}
	return rows.Err()
}

// CountDue counts what Due goes through.
func (s *Store) CountDue(tx *db.Tx, owner db.AccountID, t Terms, now int64) (int, error) {
	if !t.Policy.Enabled {
		return 0, nil
	}
	var n int
	err := tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ? AND fades_at <= ?`, []any{int64(owner), api.StatusActive, now}, &n)
	return n, err
}

// rekeyPage is how many rows are computed again at a time.
const rekeyPage = 512

// Rekey computes again what the account's rows hold of the forecast, after a
// change of policy, in the transaction of that change. It is no change of a
// memory: revisions stay, nothing is emitted here.
func (s *Store) Rekey(tx *db.Tx, owner db.AccountID, t Terms) error {
	type keyed struct {
		id  int64
		key float64
		at  int64
	}
	changed := make([]keyed, 0, rekeyPage)
	var last int64
	for {
		rows := tx.Query(`SELECT id, importance, use_count, last_used_at, created_at, order_key, fades_at FROM memory WHERE owner_id = ? AND id > ? ORDER BY id LIMIT ?`,
			int64(owner), last, rekeyPage)
		n := 0
		changed = changed[:0]
		for rows.Next() {
			var r row
			err := rows.Scan(&r.id, &r.importance, &r.useCount, &r.lastUsedAt, &r.createdAt, &r.orderKey, &r.fadesAt)
			was := r
			if err == nil {
				err = r.rekey(t.Policy)
			}
			if err != nil {
				rows.Close()
				return err
			}
			n, last = n+1, r.id
			if r != was {
				changed = append(changed, keyed{r.id, r.orderKey, r.fadesAt})
			}
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		for _, c := range changed {
			if err := tx.Must(`UPDATE memory SET order_key = ?, fades_at = ? WHERE id = ? AND owner_id = ?`, c.key, c.at, c.id, int64(owner)); err != nil {
				return err
			}
		}
		if n < rekeyPage {
			return nil
		}
	}
}
