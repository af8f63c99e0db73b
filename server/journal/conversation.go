package journal

import (
	"slices"

	"elowen/server/db"
	"elowen/shared/fault"
)

// The kinds of conversations.
const (
	KindChat  = "chat"
	KindRoom  = "room"  // several people and agents
	KindVoice = "voice" // what was said in a voice session
	KindAgent = "agent" // another program's session
)

// Conversation is what stands around a tree of entries.
type Conversation struct {
	ID        int64
	Kind      string
	Title     string
	Leaf      int64 // the last entry of the active branch; 0: there is none yet
	StartedAt int64 // Unix milliseconds, as the others
	CreatedAt int64
	UpdatedAt int64
}

// Begin makes an empty conversation of a kind. startedAt is when it began, which may be
// long before it came here. Errors: Invalid for a kind that is none.
func Begin(tx *db.Tx, owner db.AccountID, kind, title string, startedAt int64) (Conversation, error) {
	c := Conversation{Kind: kind, Title: title, StartedAt: startedAt, CreatedAt: tx.Now, UpdatedAt: tx.Now}
	switch kind {
	case KindChat, KindRoom, KindVoice, KindAgent:
	default:
		return c, fault.Newf(fault.Invalid, "There are no conversations of the kind %q.", kind)
	}
	var err error
	if c.ID, err = tx.NewID(owner, "conversation"); err != nil {
		return c, err
	}
	tx.Emit(owner, db.NounConversation, c.ID)
	return c, tx.Must(`INSERT INTO conversation (id, owner_id, kind, title, started_at, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
		c.ID, int64(owner), kind, title, startedAt, tx.Now, tx.Now)
}

// Came sets when a conversation came, where it was brought from a store that had it
// before. at is in Unix milliseconds.
func Came(tx *db.Tx, owner db.AccountID, id, at int64) error {
	return tx.Must(`UPDATE conversation SET created_at = ?, updated_at = ? WHERE id = ? AND owner_id = ?`, at, at, id, int64(owner))
}

const conversationColumns = `id, kind, title, leaf_id, started_at, created_at, updated_at`

func (c *Conversation) fields() []any {
	return []any{&c.ID, &c.Kind, &c.Title, &c.Leaf, &c.StartedAt, &c.CreatedAt, &c.UpdatedAt}
}

// Beside are the messages that hang below the same entry of a conversation as others, by
// what they hang below (0: nothing), each list ascending.
func Beside(tx *db.Tx, owner db.AccountID, conversation int64, parents []int64) (map[int64][]int64, error) {
	found := map[int64][]int64{}
	take := func(rows *db.Rows) error {
		return rows.Each(func() error {
			var parent, id int64
			err := rows.Scan(&parent, &id)
			found[parent] = append(found[parent], id)
			return err
		})
	}
	for in, args := range db.InParts(parents) {
		if err := take(tx.Query(`SELECT parent_id, id FROM journal_entry WHERE parent_id IN (`+in+`) AND +owner_id = ? AND conversation_id = ? AND type = ? ORDER BY id`,
			append(args, int64(owner), conversation, string(TypeMessage))...)); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(parents, 0) {
		return found, nil
	}
	return found, take(tx.Query(`SELECT 0, id FROM journal_entry WHERE conversation_id = ? AND parent_id IS NULL AND +owner_id = ? AND type = ? ORDER BY id`,
		conversation, int64(owner), string(TypeMessage)))
}

// Get is one of the account's conversations. Errors: NotFound.
func Get(tx *db.Tx, owner db.AccountID, id int64) (Conversation, error) {
	var c Conversation
	err := tx.Row(`SELECT `+conversationColumns+` FROM conversation WHERE id = ? AND owner_id = ?`, []any{id, int64(owner)}, c.fields()...)
	if fault.Is(err, fault.NotFound) {
		err = errNoConversation
	}
	return c, err
}

var errNoConversation = fault.New(fault.NotFound, "There is no such conversation.")

// GetAll are those of ids that are the account's, by id.
func GetAll(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]Conversation, error) {
	found := make(map[int64]Conversation, len(ids))
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		rows := tx.Query(`SELECT `+conversationColumns+` FROM conversation WHERE id IN (`+in+`) AND owner_id = ?`, append(args, int64(owner))...)
		for rows.Next() {
			var c Conversation
			if err := rows.Scan(c.fields()...); err != nil {
				rows.Close()
				return nil, err
			}
			found[c.ID] = c
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Rename gives a conversation another title. Errors: NotFound.
func Rename(tx *db.Tx, owner db.AccountID, id int64, title string) error {
	err := tx.Must(`UPDATE conversation SET title = ?, updated_at = ? WHERE id = ? AND owner_id = ?`, title, tx.Now, id, int64(owner))
	if fault.Is(err, fault.NotFound) {
		return errNoConversation
	}
	tx.Emit(owner, db.NounConversation, id)
	return err
}

// Go moves the leaf of a conversation to one of its entries: the branch that ends there
// is the active one. Errors: NotFound.
func Go(tx *db.Tx, owner db.AccountID, conversation, entry int64) error {
	n, err := tx.Exec(`UPDATE conversation SET leaf_id = ?, updated_at = ? WHERE id = ? AND owner_id = ?
		AND EXISTS (SELECT 1 FROM journal_entry e WHERE e.conversation_id = conversation.id AND e.id = ? AND e.owner_id = conversation.owner_id)`,
		entry, tx.Now, conversation, int64(owner), entry)
	if err != nil {
		return err
	}
	if n == 0 {
		return fault.New(fault.NotFound, "There is no such entry in this conversation.")
	}
	tx.Emit(owner, db.NounConversation, conversation)
	return nil
}

// Newest is the newest entry of a conversation below one of its entries, or that one:
// children are newer than their parent, so it ends a branch. Errors: NotFound.
func Newest(tx *db.Tx, owner db.AccountID, conversation, entry int64) (int64, error) {
	var newest int64
	err := tx.Row(`WITH RECURSIVE below (id) AS (
			SELECT id FROM journal_entry WHERE id = ? AND conversation_id = ? AND owner_id = ?
			UNION ALL SELECT e.id FROM journal_entry e JOIN below b ON e.parent_id = b.id WHERE e.conversation_id = ? AND e.owner_id = ?)
		SELECT COALESCE(MAX(id), 0) AS v FROM below`, []any{entry, conversation, int64(owner), conversation, int64(owner)}, &newest)
	if err == nil && newest == 0 {
		err = fault.New(fault.NotFound, "There is no such entry in this conversation.")
	}
	return newest, err
}

// Behind is the end of what stands behind an entry without being said: blocks, and what
// takes blocks out; the entry itself where there is nothing. Of several the newest counts.
// Errors: NotFound.
func Behind(tx *db.Tx, owner db.AccountID, conversation, entry int64) (int64, error) {
	var last int64
	err := tx.Row(`WITH RECURSIVE behind (id) AS (
			SELECT id FROM journal_entry WHERE id = ? AND conversation_id = ? AND owner_id = ?
			UNION ALL SELECT e.id FROM journal_entry e JOIN behind b ON e.parent_id = b.id WHERE e.conversation_id = ? AND +e.owner_id = ? AND e.type IN (?, ?))
		SELECT COALESCE(MAX(id), 0) AS v FROM behind`, []any{entry, conversation, int64(owner), conversation, int64(owner), string(TypeTurnContext), string(TypeContextCleared)}, &last)
	if err == nil && last == 0 {
		err = errNoParent
	}
	return last, err
}

// Delete removes a conversation with all its entries, for good, and tells which those
// were. Errors: NotFound.
func Delete(tx *db.Tx, owner db.AccountID, id int64) (entries []int64, err error) {
	if _, err := Get(tx, owner, id); err != nil {
		return nil, err
	}
	entries, err = tx.Column(`SELECT id AS v FROM journal_entry WHERE conversation_id = ? AND +owner_id = ?`, id, int64(owner))
	if err != nil {
		return nil, err
	}
	for _, q := range []string{
		`DELETE FROM journal_entry WHERE conversation_id = ? AND +owner_id = ?`,
		`DELETE FROM conversation WHERE id = ? AND owner_id = ?`,
	} {
		if _, err := tx.Exec(q, id, int64(owner)); err != nil {
			return nil, err
		}
	}
	tx.Emit(owner, db.NounConversation, id)
	tx.Erase()
	return entries, nil
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, q := range []string{`DELETE FROM journal_entry WHERE owner_id = ?`, `DELETE FROM conversation WHERE owner_id = ?`} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	tx.Erase()
	return nil
}
