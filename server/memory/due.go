package memory

import (
	"iter"
	"math"
	"slices"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Candidate is a memory that a sweep may take.
type Candidate struct {
	ID int64
	vitality.Memory
	Vitality float64 // at the asked instant
}

// duePage is how many candidates of a level are read at a time.
const duePage = 512

// Due goes through the account's memories, and those that it wrote into pools, as far
// as they are evictable at now under the terms: the lowest vitality first, then the oldest. The terms are those in force,
// by which the rows are keyed; for another policy compute over Briefs. It reads
// ranges of the order key, ten levels merged, in pages that look at an index only:
// flat, whatever their number, and other statements of the transaction may run
// meanwhile.
func (s *Store) Due(tx *db.Tx, owner db.AccountID, t Terms, now int64) iter.Seq2[Candidate, error] {
	return func(yield func(Candidate, error) bool) {
		if !t.Policy.Enabled {
			return
		}
		sets, err := dueSets(tx, owner)
		if err != nil {
			yield(Candidate{}, err)
			return
		}
		levels := make([]dueLevel, len(sets)*vitality.Levels+1)
		ahead := &levels[len(levels)-1]
		ahead.drained = true
		for i := range len(levels) - 1 {
			l := &levels[i]
			*l = dueLevel{tx: tx, owner: owner, set: sets[i/vitality.Levels], policy: t.Policy, level: i%vitality.Levels + 1, now: now}
			err := l.start()
			if err == nil && t.Policy.Floor > leastAhead {
				var where string
				var args []any
				if where, args, err = l.ahead(); err == nil {
					err = l.read(&ahead.store, where, args, math.MaxInt32)
				}
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

func sooner(a, b *Candidate) int { return a.turn().Compare(b.turn()) }

func (c *Candidate) turn() vitality.Turn {
	return vitality.Turn{Vitality: c.Vitality, CreatedAt: c.CreatedAt, ID: c.ID}
}

// What counts for an account in a sweep: its own rows, and those that it wrote into
// pools.
const (
	dueOwn     = `owner_id = ? AND writer_id = 0`
	dueWritten = `writer_id = ? AND writer_id <> 0`
)

// dueSets are the conditions of what counts for an account; that of pools only where
// it wrote anything there.
func dueSets(tx *db.Tx, owner db.AccountID) ([]string, error) {
	var n int
	err := tx.Row(`SELECT 1 FROM memory WHERE `+dueWritten+` LIMIT 1`, []any{int64(owner)}, &n)
	if fault.Is(err, fault.NotFound) {
		return []string{dueOwn}, nil
	}
	return []string{dueOwn, dueWritten}, err
}

// dueLevel is the candidates of one importance, in order.
type dueLevel struct {
	tx      *db.Tx
	owner   db.AccountID
	set     string // dueOwn or dueWritten
	policy  vitality.Policy
	level   int
	now     int64
	where   string // the condition of all its candidates
	args    []any
	page    []dueRow // read and not gone through yet
	store   []dueRow // what page is a part of
	drained bool     // nothing comes after page
}

type dueRow struct {
	Candidate
	key float64
}

// leastAhead is the vitality that a memory has at least whose last use is yet to
// come: it was used, and then the clock was put back.
const leastAhead = 50

// behind is the condition of candidates whose last use is past: they are in the
// order of their keys.
func (l *dueLevel) behind() (where string, args []any, err error) {
	below, err := vitality.KeyThreshold(l.level, l.policy, l.now, l.policy.Floor)
	return `order_key < ? AND last_used_at <= ?`, []any{below + vitality.KeyTolerance, l.now}, err
}

// ahead is the condition of candidates whose last use is yet to come. Their
// vitality stands still until then, whatever their key says.
func (l *dueLevel) ahead() (where string, args []any, err error) {
	from, err := vitality.KeyThreshold(l.level, l.policy, l.now, leastAhead)
	return `order_key > ? AND last_used_at > ?`, []any{from - vitality.KeyTolerance, l.now}, err
}

// start reads the level's first page.
func (l *dueLevel) start() (err error) {
	if l.where, l.args, err = l.behind(); err != nil {
		return err
	}
	return l.next(``)
}

// step goes to the level's next candidate.
func (l *dueLevel) step() error {
	last := l.page[0]
	l.page = l.page[1:]
	if len(l.page) > 0 || l.drained {
		return nil
	}
	return l.next(` AND (order_key, created_at, id) > (?, ?, ?)`, last.key, last.CreatedAt, last.ID)
}

// next reads the page after a place.
func (l *dueLevel) next(after string, args ...any) error {
	l.store = l.store[:0]
	err := l.read(&l.store, l.where+after, append(l.args[:len(l.args):len(l.args)], args...), duePage)
	l.page, l.drained = l.store, len(l.store) < duePage
	return err
}

// read adds candidates of the level to a list, in the order of the key.
func (l *dueLevel) read(list *[]dueRow, where string, args []any, limit int) error {
	args = append([]any{int64(l.owner), api.StatusActive, l.level}, append(args, l.now, limit)...)
	rows := l.tx.Query(`SELECT id, order_key, created_at, use_count, last_used_at FROM memory
		WHERE `+l.set+` AND status = ? AND importance = ? AND `+where+` AND fades_at <= ?
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
	sets, err := dueSets(tx, owner)
	total := 0
	for _, set := range sets {
		n, err := countDue(tx, owner, set, t, now)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, err
}

func countDue(tx *db.Tx, owner db.AccountID, set string, t Terms, now int64) (int, error) {
	if !t.Policy.Enabled {
		return 0, nil
	}
	total := 0
	for i := range vitality.Levels {
		l := dueLevel{tx: tx, owner: owner, set: set, policy: t.Policy, level: i + 1, now: now}
		where, args, err := l.behind()
		if err == nil {
			err = l.count(&total, where, args)
		}
		if err == nil && t.Policy.Floor > leastAhead {
			if where, args, err = l.ahead(); err == nil {
				err = l.count(&total, where, args)
			}
		}
		if err != nil {
			return 0, err
		}
	}
	return total, nil
}

func (l *dueLevel) count(total *int, where string, args []any) error {
	var n int
	err := l.tx.Row(`SELECT COUNT(*) FROM memory WHERE `+l.set+` AND status = ? AND importance = ? AND `+where+` AND fades_at <= ?`,
		append([]any{int64(l.owner), api.StatusActive, l.level}, append(args, l.now)...), &n)
	*total += n
	return err
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
