package transcript

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// List pages the account's transcripts, those that came last first, without their turns.
// Errors: Invalid for a cursor that isn't one.
func (s *Store) List(ctx context.Context, owner db.AccountID, cursor string, limit int) (api.Page[api.Transcript], error) {
	page := api.Page[api.Transcript]{Items: []api.Transcript{}}
	before, err := readCursor(cursor)
	if err != nil {
		return page, err
	}
	err = s.db.View(ctx, func(tx *db.Tx) (err error) {
		page.AsOf = api.Time(tx.Now)
		if err := tx.Row(`SELECT COUNT(*) FROM transcript WHERE owner_id = ?`, []any{int64(owner)}, &page.Total); err != nil {
			return err
		}
		page.Items, err = list(tx, owner, `SELECT `+columns+` FROM transcript WHERE owner_id = ? AND conversation_id < ? ORDER BY conversation_id DESC LIMIT ?`, int64(owner), before, limit+1)
		return err
	})
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.NextCursor = base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, page.Items[limit-1].ID, 36))
	}
	return page, err
}

// readCursor is the id of the last transcript of the page before.
func readCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err == nil {
		var id int64
		if id, err = strconv.ParseInt(string(text), 36, 64); err == nil && id > 0 {
			return id, nil
		}
	}
	return 0, fault.BadField("cursor", "cursor", "", "The cursor is not one of this list. Start again without it.")
}

// Get is a transcript with its turns, in their order. Errors: NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (api.TranscriptWhole, error) {
	out := api.TranscriptWhole{Items: []api.Turn{}}
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if out.Transcript, err = get(tx, owner, id); err != nil {
			return err
		}
		branch, err := journal.Branch(tx, owner, id)
		if err != nil {
			return err
		}
		out.Items = make([]api.Turn, 0, len(branch))
		for _, e := range branch {
			if t, ok := turn(e); ok {
				out.Items = append(out.Items, t)
			}
		}
		return nil
	})
	return out, err
}

// turn is an entry as it is served, if it is a message.
func turn(e journal.Entry) (api.Turn, bool) {
	m, ok := e.Payload.(*journal.Message)
	if !ok {
		return api.Turn{}, false
	}
	return api.Turn{ID: e.ID, Speaker: m.Speaker, Text: m.Content, At: api.Time(e.At)}, true
}
