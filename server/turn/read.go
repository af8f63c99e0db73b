package turn

import (
	"context"
	"encoding/base64"
	"strconv"
	"strings"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Get is a conversation. Errors: NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (c api.Conversation, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		c, err = s.GetIn(tx, owner, id)
		return err
	})
	return c, err
}

// GetIn is Get in a transaction.
func (s *Store) GetIn(tx *db.Tx, owner db.AccountID, id int64) (api.Conversation, error) {
	r, err := get(tx, owner, id)
	if err != nil {
		return api.Conversation{}, err
	}
	list, err := s.wire(tx, owner, []row{r})
	if err != nil {
		return api.Conversation{}, err
	}
	return list[0], nil
}

// wire is chats as they are served.
func (s *Store) wire(tx *db.Tx, owner db.AccountID, rows []row) ([]api.Conversation, error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	queued, err := waiting(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	at := map[api.ModelPick]int{}
	list := make([]api.Conversation, len(rows))
	for i := range rows {
		r := &rows[i]
		c := api.Conversation{
			ID: r.ID, Kind: r.Kind, Title: r.Title, LeafID: r.Leaf, Model: r.model(), State: r.state, Problem: r.problem, Queued: queued[r.ID],
			Tokens: r.tokens, Window: r.window, CreatedAt: api.Time(r.CreatedAt), UpdatedAt: api.Time(r.usedAt),
		}
		if c.Queued == nil {
			c.Queued = []api.Queued{}
		}
		if r.project != 0 {
			c.ProjectID = api.Ptr(r.project)
		}
		if r.retryAt != 0 {
			c.RetryAt = api.Ptr(api.Time(r.retryAt))
		}
		percent, known := at[r.pick]
		if !known {
			if percent, err = compactAt(tx, owner, r.pick); err != nil {
				return nil, err
			}
			at[r.pick] = percent
		}
		c.CompactAt = percent
		list[i] = c
	}
	return list, nil
}

// List is a page of the account's conversations, the last used first. Errors: Invalid for
// a cursor that isn't one.
func (s *Store) List(ctx context.Context, owner db.AccountID, cursor string, limit int) (page api.Page[api.Conversation], err error) {
	usedAt, id, err := readCursor(cursor)
	if err != nil {
		return page, err
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		page.AsOf = api.Time(tx.Now)
		if err := tx.Row(`SELECT COUNT(*) FROM chat WHERE owner_id = ?`, []any{int64(owner)}, &page.Total); err != nil {
			return err
		}
		rows, err := listed(tx, owner, usedAt, id, limit+1)
		if err != nil {
			return err
		}
		if len(rows) > limit {
			rows = rows[:limit]
			last := rows[limit-1]
			page.NextCursor = writeCursor(last.usedAt, last.ID)
		}
		page.Items, err = s.wire(tx, owner, rows)
		return err
	})
	return page, err
}

// Recent are the account's conversations that were used last, and how many there are.
func (s *Store) Recent(tx *db.Tx, owner db.AccountID, limit int) (list []api.Conversation, total int, err error) {
	if err := tx.Row(`SELECT COUNT(*) FROM chat WHERE owner_id = ?`, []any{int64(owner)}, &total); err != nil {
		return nil, 0, err
	}
	rows, err := listed(tx, owner, 1<<62, 1<<62, limit)
	if err != nil {
		return nil, 0, err
	}
	list, err = s.wire(tx, owner, rows)
	return list, total, err
}

// listed are chats below a place in the order of last use.
func listed(tx *db.Tx, owner db.AccountID, usedAt, id int64, limit int) ([]row, error) {
	rows := tx.Query(`SELECT `+chatColumns+` FROM chat WHERE owner_id = ? AND (used_at < ? OR used_at = ? AND conversation_id < ?) ORDER BY used_at DESC, conversation_id DESC LIMIT ?`,
		int64(owner), usedAt, usedAt, id, limit)
	var list []row
	var ids []int64
	if err := rows.Each(func() error {
		var r row
		err := rows.Scan(r.fields()...)
		list, ids = append(list, r), append(ids, r.ID)
		return err
	}); err != nil {
		return nil, err
	}
	found, err := journal.GetAll(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Conversation = found[list[i].ID]
		list[i].settle(tx.Now)
	}
	return list, nil
}

func writeCursor(usedAt, id int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(usedAt, 10) + " " + strconv.FormatInt(id, 10)))
}

func readCursor(cursor string) (usedAt, id int64, err error) {
	if cursor == "" {
		return 1 << 62, 1 << 62, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err == nil {
		at, of, _ := strings.Cut(string(text), " ")
		if usedAt, err = strconv.ParseInt(at, 10, 64); err == nil {
			if id, err = strconv.ParseInt(of, 10, 64); err == nil {
				return usedAt, id, nil
			}
		}
	}
	return 0, 0, fault.BadField("cursor", "cursor", "", "The cursor is not one of this list. Start again without it.")
}
