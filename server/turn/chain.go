package turn

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/model/chat"
	"elowen/shared/fault"
)

// chain is what was said of a conversation, message by message: each print tells of one
// message and all before it. By them a program's conversation is found again.
type chain struct {
	sum    [sha256.Size]byte
	prints []int64
}

// say adds a message. What programs change on the way without meaning anything is left
// out: space around a text, the form of arguments, the names of calls.
func (c *chain) say(role, text string, calls []chat.Call, images []chat.Image) {
	h := sha256.New()
	h.Write(c.sum[:])
	part(h, role)
	part(h, strings.TrimSpace(text))
	for _, one := range calls {
		part(h, "call")
		part(h, one.Name)
		part(h, plainJSON(one.Arguments))
	}
	for _, i := range images {
		part(h, "image")
		part(h, i.URL)
		part(h, i.Data)
	}
	c.sum = [sha256.Size]byte(h.Sum(nil))
	c.prints = append(c.prints, int64(binary.BigEndian.Uint64(c.sum[:8])>>1))
}

// part adds a text that can't be mistaken for a part of the one before.
func part(h hash.Hash, text string) {
	fmt.Fprintf(h, "%d:", len(text))
	h.Write([]byte(text))
}

// plainJSON is a text of JSON without what means nothing; another text as it is.
func plainJSON(text string) string {
	v := jsontext.Value(text)
	if v.Canonicalize() != nil {
		return text
	}
	return string(v)
}

// note keeps the print of a message that was said behind all others. The chain stays as it
// is: the decision may have to be made again.
func (c chain) note(tx *db.Tx, owner db.AccountID, conversation, entry int64, m *journal.Message) error {
	calls := make([]chat.Call, len(m.Calls))
	for i, one := range m.Calls {
		calls[i] = chat.Call{ID: one.ID, Name: one.Name, Arguments: one.Arguments}
	}
	c.prints = slices.Clip(c.prints)
	c.say(chat.Assistant, m.Content, calls, nil)
	return c.keep(tx, owner, conversation, len(c.prints)-1, []int64{entry})
}

// keep keeps the prints of messages from one on, which are entries by now.
func (c *chain) keep(tx *db.Tx, owner db.AccountID, conversation int64, from int, entries []int64) error {
	for i, id := range entries {
		if _, err := tx.Exec(`INSERT INTO relayed_entry (owner_id, print, entry_id, conversation_id) VALUES (?, ?, ?, ?)`, int64(owner), c.prints[from+i], id, conversation); err != nil {
			return err
		}
	}
	return nil
}

// known is where something that was said stands.
type known struct {
	said         int // messages, from the first one on
	entry        int64
	conversation int64
}

// find tells where most of it was said, from its beginning on: all places where that
// much was, the newest first. conversation 0 looks into all of the account's.
func (c *chain) find(tx *db.Tx, owner db.AccountID, conversation int64) (list []known, err error) {
	for end := len(c.prints); end > 0 && len(list) == 0; end -= db.InMost {
		from := max(0, end-db.InMost)
		in, args := db.In(c.prints[from:end])
		query := `SELECT print, entry_id, conversation_id FROM relayed_entry WHERE print IN (` + in + `) AND owner_id = ?`
		args = append(args, int64(owner))
		if conversation != 0 {
			query, args = query+` AND conversation_id = ?`, append(args, conversation)
		}
		rows := tx.Query(query, args...)
		if err := rows.Each(func() error {
			var print int64
			var k known
			if err := rows.Scan(&print, &k.entry, &k.conversation); err != nil {
				return err
			}
			k.said = slices.Index(c.prints, print) + 1
			list = append(list, k)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	most := 0
	for _, k := range list {
		most = max(most, k.said)
	}
	list = slices.DeleteFunc(list, func(k known) bool { return k.said < most })
	slices.SortFunc(list, func(a, b known) int { return int(b.entry - a.entry) })
	return list, nil
}

// named is the conversation that a program calls so; 0: none.
func named(tx *db.Tx, owner db.AccountID, name string) (id int64, err error) {
	err = tx.Row(`SELECT conversation_id FROM relayed_name WHERE owner_id = ? AND name = ?`, []any{int64(owner), name}, &id)
	if fault.Is(err, fault.NotFound) {
		return 0, nil
	}
	return id, err
}

// call names a conversation as a program does.
func call(tx *db.Tx, owner db.AccountID, name string, id int64) error {
	_, err := tx.Exec(`INSERT INTO relayed_name (owner_id, name, conversation_id) VALUES (?, ?, ?)`, int64(owner), name, id)
	return err
}
