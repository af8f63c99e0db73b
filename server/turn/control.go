package turn

import (
	"context"
	"fmt"
	"strings"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/project"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// made is what is remembered of what made a conversation.
type made struct {
	ID int64 `json:"id"`
}

// Create begins a conversation. Errors: Invalid; NotFound for a project that the account
// has no part in.
func (s *Store) Create(ctx context.Context, owner db.AccountID, in api.ConversationAdd) (api.Conversation, error) {
	if err := validation.Struct(in); err != nil {
		return api.Conversation{}, err
	}
	did, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) {
		r := row{project: in.ProjectID, titled: titledNo}
		if in.Title = strings.TrimSpace(in.Title); in.Title != "" {
			r.titled = titledPerson
		}
		if in.Model != nil {
			r.pick = *in.Model
		}
		if err := whole(in.Model); err != nil {
			return made{}, err
		}
		if err := used(tx, owner, in.ProjectID); err != nil {
			return made{}, err
		}
		var err error
		if r.Conversation, err = journal.Begin(tx, owner, journal.KindChat, in.Title, tx.Now); err != nil {
			return made{}, err
		}
		return made{r.ID}, create(tx, owner, r)
	})
	if err != nil {
		return api.Conversation{}, err
	}
	return s.Get(ctx, owner, did.ID)
}

// whole refuses half a model.
func whole(pick *api.ModelPick) error {
	if pick != nil && (pick.Provider == "") != (pick.Model == "") {
		return fault.BadField("model", "required", "", "A model is named with its provider, or neither is named.")
	}
	return nil
}

// used refuses a project that the account has no part in.
func used(tx *db.Tx, owner db.AccountID, id int64) error {
	if id == 0 {
		return nil
	}
	_, err := project.Choose(tx, owner, id, "")
	return err
}

// Patch changes what a conversation is set to: for the next turn, where one runs.
// Errors: Invalid; NotFound.
func (s *Store) Patch(ctx context.Context, owner db.AccountID, id int64, in api.ConversationPatch) (api.Conversation, error) {
	if err := validation.Struct(in); err != nil {
		return api.Conversation{}, err
	}
	if in.CompactAt.Value != nil {
		if n, least := *in.CompactAt.Value, setting.Int("conversation.compactLeast"); n != 0 && n < least {
			most := int(setting.Get("conversation.compactPercent").Max)
			return api.Conversation{}, fault.BadField("compactAt", "setting", fmt.Sprintf("0, %d to %d", least, most), fmt.Sprintf("The share of the context is 0, for never, or from %d to %d percent.", least, most))
		}
	}
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) { return made{id}, s.patch(tx, owner, id, in) })
	if err != nil {
		return api.Conversation{}, err
	}
	return s.Get(ctx, owner, id)
}

func (s *Store) patch(tx *db.Tx, owner db.AccountID, id int64, in api.ConversationPatch) error {
	r, err := get(tx, owner, id)
	if err != nil {
		return err
	}
	if in.ProjectID.Set {
		if r.project = 0; in.ProjectID.Value != nil {
			r.project = max(0, *in.ProjectID.Value)
		}
		if err := used(tx, owner, r.project); err != nil {
			return err
		}
	}
	if err := whole(in.Model); err != nil {
		return err
	}
	if in.Model != nil && *in.Model != r.pick {
		r.pick = *in.Model
		r.tokens, r.window = 0, 0 // another model counts otherwise
	}
	if err := tx.Must(`UPDATE chat SET project_id = ?, provider = ?, model = ?, tokens = ?, context_window = ? WHERE conversation_id = ? AND owner_id = ?`,
		r.project, r.pick.Provider, r.pick.Model, r.tokens, r.window, id, int64(owner)); err != nil {
		return err
	}
	if in.CompactAt.Set {
		if _, err := tx.Exec(`DELETE FROM chat_compaction WHERE owner_id = ? AND provider = ? AND model = ?`, int64(owner), r.pick.Provider, r.pick.Model); err != nil {
			return err
		}
		if in.CompactAt.Value != nil {
			if _, err := tx.Exec(`INSERT INTO chat_compaction (owner_id, provider, model, percent) VALUES (?, ?, ?, ?)`, int64(owner), r.pick.Provider, r.pick.Model, *in.CompactAt.Value); err != nil {
				return err
			}
		}
	}
	if in.Title != nil {
		title, by := strings.TrimSpace(*in.Title), titledPerson
		if title == "" {
			by = titledNo
		}
		if err := entitle(tx, owner, id, title, by); err != nil {
			return err
		}
	}
	tx.Emit(owner, db.NounConversation, id)
	return nil
}

// Delete removes a conversation with everything in it, for good. A turn that runs in it
// ends. Errors: NotFound.
func (s *Store) Delete(ctx context.Context, owner db.AccountID, id int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) {
		if _, err := get(tx, owner, id); err != nil {
			return made{}, err
		}
		for _, q := range []string{
			`DELETE FROM relayed_entry WHERE conversation_id = ? AND owner_id = ?`, `DELETE FROM relayed_name WHERE conversation_id = ? AND owner_id = ?`,
			`DELETE FROM turn_queue WHERE conversation_id = ? AND owner_id = ?`, `DELETE FROM chat WHERE conversation_id = ? AND owner_id = ?`,
		} {
			if _, err := tx.Exec(q, id, int64(owner)); err != nil {
				return made{}, err
			}
		}
		_, err := journal.Delete(tx, owner, id)
		return made{id}, err
	})
	if err != nil {
		return err
	}
	if s.o.Deleted != nil {
		defer s.o.Deleted(owner, id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ss := s.sessions[id]; ss != nil && ss.owner == owner {
		if ss.end != nil {
			ss.end(errStopped)
		} else {
			ss.drop()
			delete(s.sessions, id)
		}
	}
	return nil
}

// Go makes the branch that an entry is on the active one, up to that entry. Errors:
// NotFound; Taken while a turn runs.
func (s *Store) Go(ctx context.Context, owner db.AccountID, id int64, in api.EntryPick) (api.Conversation, error) {
	if err := validation.Struct(in); err != nil {
		return api.Conversation{}, err
	}
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) {
		r, err := get(tx, owner, id)
		if err != nil {
			return made{}, err
		}
		if r.running() {
			return made{}, errRunning
		}
		to := in.EntryID
		if in.Newest {
			if to, err = journal.Newest(tx, owner, id, to); err != nil {
				return made{}, err
			}
		}
		if err = journal.Go(tx, owner, id, to); err == nil {
			err = recount(tx, owner, id)
		}
		if err != nil {
			return made{}, err
		}
		// How its turn ended is not how this branch's did.
		_, err = tx.Exec(`UPDATE chat SET state = ?, problem = '', retry_at = 0, used_at = ? WHERE conversation_id = ? AND owner_id = ?`, api.ChatIdle, tx.Now, id, int64(owner))
		return made{id}, err
	})
	if err != nil {
		return api.Conversation{}, err
	}
	return s.Get(ctx, owner, id)
}

// Fork copies the branch that ends with an entry into a conversation of its own.
// Errors: NotFound.
func (s *Store) Fork(ctx context.Context, owner db.AccountID, id int64, in api.EntryPick) (api.Conversation, error) {
	if err := validation.Struct(in); err != nil {
		return api.Conversation{}, err
	}
	did, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) {
		r, err := get(tx, owner, id)
		if err != nil {
			return made{}, err
		}
		title, by := r.Title, r.titled
		if t := strings.TrimSpace(in.Title); t != "" {
			title, by = t, titledPerson
		}
		c, err := journal.Fork(tx, owner, id, in.EntryID, title)
		if err != nil {
			return made{}, err
		}
		return made{c.ID}, create(tx, owner, row{Conversation: c, project: r.project, pick: r.pick, titled: by})
	})
	if err != nil {
		return api.Conversation{}, err
	}
	return s.Get(ctx, owner, did.ID)
}

// Clear takes all blocks of the memory out of what the model sees: what of it matters is
// recalled anew. Errors: NotFound; Taken while a turn runs.
func (s *Store) Clear(ctx context.Context, owner db.AccountID, id int64) (api.Conversation, error) {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (made, error) {
		r, err := get(tx, owner, id)
		if err != nil {
			return made{}, err
		}
		if r.running() {
			return made{}, errRunning
		}
		b, err := s.o.Snapshots.At(tx, owner, id, r.Leaf)
		if err != nil {
			return made{}, err
		}
		var blocks []int64
		for _, p := range b.Parts {
			if p.Context != nil {
				blocks = append(blocks, p.Entry)
			}
		}
		if len(blocks) == 0 {
			return made{id}, nil
		}
		_, err = journal.Append(tx, owner, id, r.Leaf, journal.Draft{Payload: &journal.ContextCleared{Cleared: blocks}})
		return made{id}, err
	})
	if err != nil {
		return api.Conversation{}, err
	}
	return s.Get(ctx, owner, id)
}
