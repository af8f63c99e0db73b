package delivery

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Store is the deliveries of an instance. It is safe for concurrent use.
type Store struct {
	db         *db.DB
	memories   *memory.Store
	categories *category.Store
}

// New makes the store over an open database.
func New(d *db.DB, memories *memory.Store, categories *category.Store) *Store {
	return &Store{db: d, memories: memories, categories: categories}
}

// Request is what a result wants to hand out.
type Request struct {
	IDs          []int64 // in the order of the result
	Conversation string  // the handle as the agent gave it; empty: it gave none
	Begin        bool    // begin a conversation where none, or an unknown one, was given
	Full         bool    // whole, whatever the agent has
	Bytes        int     // of the bodies that are handed out whole, together
	Token        int64   // that the agent acts with (account.Identity.TokenID); 0: as the account itself
	// Within is the context of a conversation of ours, where the result will stand: what
	// is in it is held. Nothing is noted or counted then, and no handle looked at: what of
	// the result is delivered is known when it stands in the journal.
	Within Within
}

// Within tells what stands in a context.
type Within interface {
	// Has tells whether a memory stands there with that very body.
	Has(id int64, bodyHash string) bool
}

// Item is a memory of a result, as it is now.
type Item struct {
	api.Memory
	Category string // the name; empty: none, or one of a pool's
	Hash     string // of its body
	Whole    bool   // the body is to be shown; else only its beginning
	Held     bool   // the agent has it: it was handed out before, and holds
}

// Handed is what a result hands out.
type Handed struct {
	Items        []Item // those of the request that are active and may be read
	Conversation string // the handle to go on with; empty: none
	At           int64  // when, in Unix milliseconds
}

// HandOut decides what of the memories is handed out whole, notes it in the
// conversation, and counts it as recalled: once for each token within agent.heldMinutes.
// A body that doesn't fit into the bytes is not handed out, and counts nothing.
func (s *Store) HandOut(ctx context.Context, owner db.AccountID, r Request) (Handed, error) {
	var out Handed
	decide := s.db.Update
	if r.Within != nil {
		decide = s.db.View
	}
	err := decide(ctx, func(tx *db.Tx) (err error) {
		out, err = s.handOut(tx, owner, r)
		return err
	})
	return out, err
}

func (s *Store) handOut(tx *db.Tx, owner db.AccountID, r Request) (Handed, error) {
	out := Handed{Items: []Item{}, At: tx.Now}
	rows, err := s.memories.Rows(tx, owner, r.IDs)
	if err != nil {
		return out, err
	}
	names, err := s.categories.Names(tx, owner)
	if err != nil {
		return out, err
	}
	var c conversation
	var holds func(id int64, bodyHash string) bool
	if r.Within != nil {
		holds = r.Within.Has
	} else {
		if c, err = enter(tx, owner, r); err != nil {
			return out, err
		}
		holds = c.holds
	}
	out.Conversation = c.handle
	var whole []Item
	room, seen := r.Bytes, map[int64]bool{}
	for _, m := range rows {
		if m.Status != api.StatusActive || seen[m.ID] {
			continue
		}
		seen[m.ID] = true
		i := Item{Memory: m, Hash: audit.Hash(m.Body)}
		if m.CategoryID != nil {
			i.Category = names[*m.CategoryID]
		}
		i.Held = (!r.Full || r.Within != nil) && holds(m.ID, i.Hash)
		if i.Whole = !i.Held && len(m.Body) <= room; i.Whole {
			room -= len(m.Body)
			whole = append(whole, i)
			if err := c.note(tx, owner, m.ID, i.Hash); err != nil {
				return out, err
			}
		}
		out.Items = append(out.Items, i)
	}
	if len(whole) == 0 || r.Within != nil {
		return out, nil
	}
	uses, err := reckon(tx, owner, r.Token, whole)
	if err == nil && len(uses) > 0 {
		_, err = s.memories.Recalled(tx, owner, uses)
	}
	return out, err
}

// conversation is an agent's, in a transaction.
type conversation struct {
	handle string // empty: none
	result int64  // the number of the result that is made now
	has    map[int64]string
}

// enter begins or goes on with a conversation, and forgets what no longer holds.
func enter(tx *db.Tx, owner db.AccountID, r Request) (conversation, error) {
	var c conversation
	if r.Conversation == "" && !r.Begin {
		return c, nil
	}
	if r.Conversation != "" && plausible(r.Conversation) {
		err := tx.Row(`UPDATE agent_conversation SET results = results + 1, used_at = ? WHERE owner_id = ? AND handle = ? RETURNING results`,
			[]any{tx.Now, int64(owner), r.Conversation}, &c.result)
		switch {
		case err == nil:
			c.handle = r.Conversation
			return c, c.read(tx, owner)
		case !fault.Is(err, fault.NotFound):
			return c, err
		}
	}
	if !r.Begin {
		return c, nil
	}
	c.handle, c.result = newHandle(), 1
	if _, err := tx.Exec(`INSERT INTO agent_conversation (owner_id, handle, results, used_at) VALUES (?, ?, 1, ?)`, int64(owner), c.handle, tx.Now); err != nil {
		return c, err
	}
	return c, trim(tx, owner, c.handle)
}

// read drops what no longer holds in a conversation, and reads what does.
func (c *conversation) read(tx *db.Tx, owner db.AccountID) error {
	if _, err := tx.Exec(`DELETE FROM agent_delivery WHERE owner_id = ? AND handle = ? AND (at <= ? OR at > ? OR result <= ?)`,
		int64(owner), c.handle, tx.Now-heldMillis(), tx.Now, c.result-int64(setting.Int("agent.heldResults"))-1); err != nil {
		return err
	}
	rows := tx.Query(`SELECT memory_id, body_hash FROM agent_delivery WHERE owner_id = ? AND handle = ?`, int64(owner), c.handle)
	defer rows.Close()
	c.has = map[int64]string{}
	for rows.Next() {
		var id int64
		var hash string
		if err := rows.Scan(&id, &hash); err != nil {
			return err
		}
		c.has[id] = hash
	}
	return rows.Err()
}

// holds tells whether the agent has a memory with that very body.
func (c *conversation) holds(id int64, hash string) bool { return hash != "" && c.has[id] == hash }

// note writes down that a memory was handed out.
func (c *conversation) note(tx *db.Tx, owner db.AccountID, id int64, hash string) error {
	if c.handle == "" {
		return nil
	}
	_, err := tx.Exec(`INSERT INTO agent_delivery (owner_id, handle, memory_id, body_hash, result, at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (owner_id, handle, memory_id) DO UPDATE SET body_hash = excluded.body_hash, result = excluded.result, at = excluded.at`,
		int64(owner), c.handle, id, hash, c.result, tx.Now)
	return err
}

// trim removes the account's conversations that nothing holds in any more, and those
// beyond what it may keep: of one result first, which is all that an agent begins that
// gives no handles, but never the one that begins now. Their deliveries go along.
func trim(tx *db.Tx, owner db.AccountID, begun string) error {
	if _, err := tx.Exec(`DELETE FROM agent_conversation WHERE owner_id = ? AND used_at <= ?`, int64(owner), tx.Now-idleMillis); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM agent_conversation WHERE owner_id = ? AND handle IN
		(SELECT handle FROM agent_conversation WHERE owner_id = ? AND handle LIKE ?
			ORDER BY CASE WHEN handle = ? THEN 0 WHEN results > 1 THEN 1 ELSE 2 END, used_at DESC, handle LIMIT 100000 OFFSET ?)`,
		int64(owner), int64(owner), ours+"%", begun, setting.Int("agent.conversations"))
	return err
}

// idleMillis is how long a conversation is known without a result: longer than
// anything holds in it, so that an agent that comes back after a night keeps its handle.
const idleMillis = int64(24 * time.Hour / time.Millisecond)

func heldMillis() int64 {
	return int64(setting.Int("agent.heldMinutes")) * time.Minute.Milliseconds()
}

// ours begins every handle that is made up for an agent, and none of a token's ledger.
const ours = "c-"

// newHandle makes a handle up. It is no secret: it opens nothing but what its own
// account may read anyway.
func newHandle() string { return ours + strings.ToLower(db.NewSecret()[:10]) }

// plausible tells whether a handle may be one of ours, before the store is asked.
func plausible(handle string) bool {
	return strings.HasPrefix(handle, ours) && len(handle) <= 64 && utf8.ValidString(handle) && !strings.ContainsRune(handle, 0)
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	if _, err := tx.Exec(`DELETE FROM agent_delivery WHERE owner_id = ?`, int64(owner)); err != nil {
		return err
	}
	_, err := tx.Exec(`DELETE FROM agent_conversation WHERE owner_id = ?`, int64(owner))
	return err
}

// Recent hands out the account's own memories that were changed last: the ids alone,
// for HandOut. It is here, and not asked of package memory, so that those who list
// need no transaction of their own.
func (s *Store) Recent(ctx context.Context, owner db.AccountID, after memory.Place, limit int) (ids []int64, next memory.Place, more bool, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		ids, next, more, err = s.memories.Recent(tx, owner, after, limit)
		return err
	})
	return ids, next, more, err
}

// Look reads memories as they are now and counts nothing: for lists of beginnings.
func (s *Store) Look(ctx context.Context, owner db.AccountID, ids []int64) (list []api.Memory, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list, err = s.memories.Rows(tx, owner, ids)
		return err
	})
	return list, err
}
