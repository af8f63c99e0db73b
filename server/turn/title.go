package turn

import (
	"context"
	"strings"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/model/chat"
	"elowen/server/render"
	"elowen/shared/setting"
)

// titleAsk is what the utility model is asked for a title with.
const titleAsk = `Give this conversation a title of two to six words, in its language. Write the title alone, without quotation marks or a full stop.`

// titleTexts is how much of each side of a conversation its title is made of, in
// characters.
const titleTexts = 2_000

// titleTokens is how much the utility model may write for a title, in tokens.
const titleTokens = 64

// firstWords is a title made of a message.
func firstWords(content string) string {
	words := strings.Fields(render.Without(content))
	most := setting.Int("turn.titleWords")
	cutOff := len(words) > most
	if cutOff {
		words = words[:most]
	}
	title := cut(strings.Join(words, " "), 80)
	if cutOff {
		title += "…"
	}
	return title
}

// entitle names a conversation.
func entitle(tx *db.Tx, owner db.AccountID, id int64, title, by string) error {
	if err := journal.Rename(tx, owner, id, title); err != nil {
		return err
	}
	return tx.Must(`UPDATE chat SET titled = ? WHERE conversation_id = ? AND owner_id = ?`, by, id, int64(owner))
}

// title has the utility model name a conversation that nobody has named, beside whatever
// else goes on. Without one the first words stay.
func (s *Store) title(owner db.AccountID, id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.work.Go(func() {
		if err := s.makeTitle(s.ctx, owner, id); err != nil && s.ctx.Err() == nil {
			s.o.Log.Info("a conversation keeps its first words as its title", "conversation", id, "error", err)
		}
	})
}

func (s *Store) makeTitle(ctx context.Context, owner db.AccountID, id int64) error {
	var r row
	var asked, answered string
	if err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if r, err = get(tx, owner, id); err != nil || r.titled != titledWords {
			return err
		}
		b, err := s.o.Snapshots.At(tx, owner, id, r.Leaf)
		if err != nil {
			return err
		}
		for _, e := range b.Branch {
			if m, ok := e.Payload.(*journal.Message); ok && m.Role == journal.RoleUser && asked == "" {
				asked = m.Content
			} else if ok && m.Role == journal.RoleAssistant && answered == "" {
				answered = m.Content
			}
		}
		return nil
	}); err != nil || asked == "" || answered == "" || r.titled != titledWords {
		return err
	}
	text, ok, err := s.o.Models.Utility(ctx, owner, chat.Request{Messages: []chat.Message{
		{Role: chat.System, Text: titleAsk},
		{Role: chat.User, Text: "Person: " + cut(asked, titleTexts) + "\n\nAssistant: " + cut(answered, titleTexts)},
	}, MostTokens: titleTokens})
	if err != nil || !ok {
		return err
	}
	title := strings.Trim(strings.Join(strings.Fields(storable(text)), " "), `"'“”„.`)
	title = cut(title, 80)
	if title == "" {
		return nil
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		now, err := get(tx, owner, id)
		if err != nil || now.titled != titledWords { // somebody has named it meanwhile
			return err
		}
		return entitle(tx, owner, id, title, titledModel)
	})
}
