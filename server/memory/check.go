package memory

import (
	"fmt"
	"hash/maphash"

	"elowen/server/db"
	"elowen/server/words"
)

// Checked is what Check looked at.
type Checked struct {
	Memories int
	Events   int
	Faults   []string // one line each, without any text of a memory; none is well
}

// checkMost bounds the faults that are listed.
const checkMost = 50

func (c *Checked) fault(format string, args ...any) {
	if len(c.Faults) < checkMost {
		c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
	}
}

// Check compares everything that this package keeps for an account with what it
// promises: bodies with their hashes, each memory with an event and in a category
// of the account's own, forecasts with the terms, the index of words with the
// bodies, and nothing left of what is gone. It reads every row once and holds
// none. categories are the account's, by id.
func Check(tx *db.Tx, owner db.AccountID, t Terms, categories map[int64]string) (Checked, error) {
	var c Checked
	indexed, err := c.rows(tx, owner, t, categories)
	if err != nil {
		return c, err
	}
	if err := c.orphans(tx, owner); err != nil {
		return c, err
	}
	return c, c.index(tx, owner, indexed)
}

// tally is what an index of words should hold, or holds: sums that don't depend
// on the order.
type tally struct {
	docs, words, postings int64
	sum                   uint64
}

// add counts that a term is in a memory.
func (t *tally) add(seed maphash.Seed, term string, id int64, tf, length int) {
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprintf(&h, "%s\x00%d\x00%d\x00%d", term, id, tf, max(length, 1))
	t.postings++
	t.sum += h.Sum64()
}

var checkSeed = maphash.MakeSeed()

// rows looks at each memory, and tallies the index that the bodies ask for.
func (c *Checked) rows(tx *db.Tx, owner db.AccountID, t Terms, categories map[int64]string) (tally, error) {
	var want tally
	for last := int64(0); ; {
		list, err := readSome(tx, `owner_id = ? AND id > ? ORDER BY id`, []any{int64(owner), last}, exportPage)
		if err != nil {
			return want, err
		}
		for _, r := range list {
			last = r.id
			c.Memories++
			if r.hash != hashOf(r.body) {
				c.fault("memory %d: its text is not what its hash says", r.id)
			}
			if _, ok := categories[r.category]; r.category != 0 && !ok {
				c.fault("memory %d: its category is not the account's", r.id)
			}
			is := *r
			if err := is.rekey(t.Policy); err != nil {
				return want, err
			}
			if is.orderKey != r.orderKey || is.fadesAt != r.fadesAt {
				c.fault("memory %d: its forecast is not what the policy gives", r.id)
			}
			terms, length := words.Terms(r.body)
			if int64(length) != r.words {
				c.fault("memory %d: its number of words is %d, not %d", r.id, length, r.words)
			}
			want.docs++
			want.words += int64(length)
			for _, term := range terms {
				want.add(checkSeed, term.Text, r.id, term.Count, length)
			}
		}
		if len(list) < exportPage {
			return want, nil
		}
	}
}

// orphans counts rows that contradict others.
func (c *Checked) orphans(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []struct{ query, text string }{
		{`SELECT COUNT(*) FROM memory m WHERE m.owner_id = ? AND NOT EXISTS (SELECT 1 FROM memory_event e WHERE e.owner_id = m.owner_id AND e.memory_id = m.id)`,
			"%d memories have no event"},
		{`SELECT COUNT(*) FROM memory m WHERE m.owner_id = ? AND m.revision < (SELECT MAX(e.revision) FROM memory_event e WHERE e.owner_id = m.owner_id AND e.memory_id = m.id)`,
			"%d memories are behind their events"},
		{`SELECT COUNT(*) FROM memory_version v WHERE v.owner_id = ? AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.owner_id = v.owner_id AND m.id = v.memory_id AND m.revision > v.revision)`,
			"%d earlier texts belong to no memory"},
		{`SELECT COUNT(*) FROM usage_event u WHERE u.owner_id = ? AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.owner_id = u.owner_id AND m.id = u.memory_id)`,
			"%d uses belong to no memory"},
	} {
		var n int
		if err := tx.Row(q.query, []any{int64(owner)}, &n); err != nil {
			return err
		}
		if n > 0 {
			c.fault(q.text, n)
		}
	}
	return tx.Row(`SELECT COUNT(*) FROM memory_event WHERE owner_id = ?`, []any{int64(owner)}, &c.Events)
}

// index tallies the stored index and compares it.
func (c *Checked) index(tx *db.Tx, owner db.AccountID, want tally) error {
	outdated, err := indexOutdated(tx, owner)
	if err != nil {
		return err
	}
	if outdated {
		return nil // it is built anew when it is next used; nothing is lost
	}
	var have tally
	rows := tx.Query(`SELECT term, chunk, body FROM posting WHERE owner_id = ?`, int64(owner))
	for rows.Next() {
		var term string
		var chunk int64
		var blob []byte
		if err := rows.Scan(&term, &chunk, &blob); err != nil {
			rows.Close()
			return err
		}
		p := words.Decode(chunk, blob)
		for p.Next() {
			one := p.Posting()
			have.add(checkSeed, term, one.ID, one.TF, one.Length)
		}
		if p.Err() != nil {
			c.fault("the index of words is damaged at a term; `elowen admin reindex` builds it anew")
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	stat := tx.Query(`SELECT docs, words FROM word_stat WHERE owner_id = ?`, int64(owner))
	defer stat.Close()
	for stat.Next() {
		if err := stat.Scan(&have.docs, &have.words); err != nil {
			return err
		}
	}
	if have != want {
		c.fault("the index of words does not say what the texts say (%d postings of %d, %d texts of %d); `elowen admin reindex` builds it anew",
			have.postings, want.postings, have.docs, want.docs)
	}
	return stat.Err()
}
