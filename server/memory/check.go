package memory

import (
	"fmt"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/project"
	"elowen/server/words"
)

// Checked is what Check looked at.
type Checked struct {
	Memories int
	Events   int
	Faults   []string // one line each, without any text of a memory; none is well

	untold, behind int // memories without an event, and behind one
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
	if c.untold > 0 {
		c.fault("%d memories have no event", c.untold)
	}
	if c.behind > 0 {
		c.fault("%d memories are behind their events", c.behind)
	}
	if c.Events, err = audit.Count(tx, owner); err != nil {
		return c, err
	}
	if err := c.orphans(tx, owner); err != nil {
		return c, err
	}
	if err := c.writers(tx, owner); err != nil {
		return c, err
	}
	return c, indexed.Compare(tx, owner, c.fault)
}

// rows looks at each memory, and tallies the index that the bodies ask for.
func (c *Checked) rows(tx *db.Tx, owner db.AccountID, t Terms, categories map[int64]string) (lexicon.Tally, error) {
	var want lexicon.Tally
	for last := int64(0); ; {
		list, err := readSome(tx, `owner_id = ? AND id > ? ORDER BY id`, []any{int64(owner), last}, exportPage)
		if err != nil {
			return want, err
		}
		ids := make([]int64, len(list))
		for i, r := range list {
			ids[i] = r.id
		}
		told, err := audit.Newest(tx, owner, ids)
		if err != nil {
			return want, err
		}
		for _, r := range list {
			last = r.id
			c.Memories++
			if revision, ok := told[r.id]; !ok {
				c.untold++
			} else if r.revision < revision {
				c.behind++
			}
			if r.hash != audit.Hash(r.body) {
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
			want.Add(r.id, terms, length)
		}
		if len(list) < exportPage {
			return want, nil
		}
	}
}

// writers looks for memories of a pool that nobody wrote, and for written ones of
// an account's own: a sweep would not find them.
func (c *Checked) writers(tx *db.Tx, owner db.AccountID) error {
	_, pool, err := project.Of(tx, owner)
	if err != nil {
		return err
	}
	query, text := `SELECT COUNT(*) FROM memory WHERE owner_id = ? AND writer_id <> 0`, "%d memories say that they are a pool's, and are the account's own"
	if pool {
		query, text = `SELECT COUNT(*) FROM memory WHERE owner_id = ? AND writer_id = 0`, "%d memories of the pool say not whose they are"
	}
	var n int
	if err := tx.Row(query, []any{int64(owner)}, &n); err != nil {
		return err
	}
	if n > 0 {
		c.fault(text, n)
	}
	return nil
}

// orphans counts rows that contradict others.
func (c *Checked) orphans(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []struct{ query, text string }{
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
	return nil
}
