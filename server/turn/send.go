package turn

import (
	"context"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// sent is what is remembered of a Send: nothing of what was said.
type sent struct {
	Entry  int64 `json:"entry"`  // 0: it waits
	Queued int64 `json:"queued"` // 0: its turn has begun
	Began  bool  `json:"began"`  // a turn did, be it another message's
}

var errRunning = fault.New(fault.Taken, "A turn runs in this conversation. Stop it first, or wait for its end.")

// Send takes a person's message: its turn begins, or it waits for the one that runs.
// Once it answers, the message is kept, whatever happens. Errors: Invalid; NotFound;
// TooMany where too many wait; Taken for an edit while a turn runs.
func (s *Store) Send(ctx context.Context, owner db.AccountID, id int64, in api.MessageSend) (api.MessageSent, error) {
	out := api.MessageSent{ConversationID: id}
	if err := validation.Struct(in); err != nil {
		return out, err
	}
	did, err := db.Do(ctx, s.db, func(tx *db.Tx) (sent, error) { return s.accept(tx, owner, id, in) })
	if err != nil {
		return out, err
	}
	if did.Began {
		s.begin(owner, id)
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		all, err := waiting(tx, owner, []int64{id})
		for _, q := range all[id] {
			if q.ID == did.Queued {
				out.Queued = &q
			}
		}
		if err != nil || did.Entry == 0 {
			return err
		}
		found, err := journal.Entries(tx, owner, []int64{did.Entry})
		if e, ok := found[did.Entry]; ok {
			shown := entryOf(e.Entry)
			shown.InContext = true
			out.Entry = &shown
		}
		return err
	})
	return out, err
}

// accept stores a message, and the turn that it begins.
func (s *Store) accept(tx *db.Tx, owner db.AccountID, id int64, in api.MessageSend) (sent, error) {
	r, err := get(tx, owner, id)
	switch {
	case err != nil:
		return sent{}, err
	case in.Edit != 0 && r.running():
		return sent{}, errRunning
	case in.Edit != 0:
		parent, err := beside(tx, owner, id, in.Edit)
		if err != nil {
			return sent{}, err
		}
		entry, err := say(tx, owner, r, parent, in.Content)
		if err == nil {
			err = recount(tx, owner, id)
		}
		if err != nil {
			return sent{}, err
		}
		return sent{Entry: entry, Began: true}, s.take(tx, owner, id)
	}
	q, err := enqueue(tx, owner, id, in.Content, in.Steer && r.running())
	if err != nil || r.running() {
		return sent{Queued: q.ID}, err
	}
	// What waited since an earlier turn comes first.
	first, entry, err := next(tx, owner, r)
	if err != nil {
		return sent{}, err
	}
	out := sent{Queued: q.ID, Began: true}
	if first == q.ID {
		out = sent{Entry: entry, Began: true}
	}
	return out, s.take(tx, owner, id)
}

// next has the first message that waits said. queued 0: none waits.
func next(tx *db.Tx, owner db.AccountID, r row) (queued, entry int64, err error) {
	list, err := dequeue(tx, owner, r.ID, false)
	if err != nil || len(list) == 0 {
		return 0, 0, err
	}
	entry, err = say(tx, owner, r, r.Leaf, list[0].Content)
	return list[0].ID, entry, err
}

// say appends a person's message. The first one names the conversation, until somebody
// does it better.
func say(tx *db.Tx, owner db.AccountID, r row, parent int64, content string) (int64, error) {
	list, err := journal.Append(tx, owner, r.ID, parent, journal.Draft{Payload: &journal.Message{Role: journal.RoleUser, Content: content}})
	if err != nil {
		return 0, err
	}
	if r.titled == titledNo {
		err = entitle(tx, owner, r.ID, firstWords(content), titledWords)
	}
	return list[0].ID, err
}

// beside is where a message goes that takes the place of a person's.
func beside(tx *db.Tx, owner db.AccountID, id, edited int64) (parent int64, err error) {
	found, err := journal.Entries(tx, owner, []int64{edited})
	if err != nil {
		return 0, err
	}
	e, ok := found[edited]
	if m, said := e.Payload.(*journal.Message); !ok || e.Conversation != id || !said || m.Role != journal.RoleUser {
		return 0, fault.New(fault.NotFound, "There is no such message of a person in this conversation.")
	}
	return e.Parent, nil
}

// Retry goes on with a turn that failed, was stopped or cut off: with what was said
// until then, or, where the model was cut off in the middle of its answer, beside that.
// Errors: NotFound; Taken while a turn runs; Invalid where there is nothing to go on
// with.
func (s *Store) Retry(ctx context.Context, owner db.AccountID, id int64) (api.Conversation, error) {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (sent, error) {
		r, err := get(tx, owner, id)
		if err != nil {
			return sent{}, err
		}
		if r.running() {
			return sent{}, errRunning
		}
		branch, err := s.o.Snapshots.At(tx, owner, id, r.Leaf)
		if err != nil {
			return sent{}, err
		}
		if to := cutAt(branch); to != 0 {
			err := journal.Go(tx, owner, id, to)
			if err == nil {
				err = recount(tx, owner, id)
			}
			if err != nil {
				return sent{}, err
			}
		} else if !unanswered(branch) {
			queued, _, err := next(tx, owner, r)
			if err != nil {
				return sent{}, err
			}
			if queued == 0 {
				return sent{}, fault.New(fault.Invalid, "There is nothing to try again: the last message was answered.")
			}
		}
		return sent{Began: true}, s.take(tx, owner, id)
	})
	if err != nil {
		return api.Conversation{}, err
	}
	s.begin(owner, id)
	return s.Get(ctx, owner, id)
}

// cutAt is what an answer that was cut off hangs below, where the branch ends with one;
// else 0.
func cutAt(b *journal.Snapshot) int64 {
	for i := len(b.Branch) - 1; i >= 0; i-- {
		m, ok := b.Branch[i].Payload.(*journal.Message)
		if ok {
			if m.Role == journal.RoleAssistant && m.Cut != "" {
				return b.Branch[i].Parent
			}
			return 0
		}
		if _, label := b.Branch[i].Payload.(*journal.Label); !label {
			return 0
		}
	}
	return 0
}

// unanswered tells whether the branch ends with something that the model is to answer.
func unanswered(b *journal.Snapshot) bool {
	for i := len(b.Branch) - 1; i >= 0; i-- {
		if m, ok := b.Branch[i].Payload.(*journal.Message); ok {
			return m.Role != journal.RoleAssistant || len(m.Calls) > 0
		}
	}
	return false
}

// Stop ends the turn that runs, at once: what was said is kept. Where another program
// runs it, it ends when that looks. Errors: NotFound. Where none runs nothing happens.
func (s *Store) Stop(ctx context.Context, owner db.AccountID, id int64) (api.Conversation, error) {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (sent, error) {
		r, err := get(tx, owner, id)
		if err != nil || !r.running() {
			return sent{}, err
		}
		_, err = tx.Exec(`UPDATE chat SET stop_asked = 1 WHERE conversation_id = ? AND owner_id = ?`, id, int64(owner))
		return sent{}, err
	})
	if err != nil {
		return api.Conversation{}, err
	}
	s.mu.Lock()
	if ss := s.sessions[id]; ss != nil && ss.owner == owner && ss.end != nil {
		ss.end(errStopped)
	}
	s.mu.Unlock()
	return s.Get(ctx, owner, id)
}

// Unqueue takes a message back that waits. Errors: NotFound where it does not, or not
// any more.
func (s *Store) Unqueue(ctx context.Context, owner db.AccountID, id, queued int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (sent, error) {
		if _, err := get(tx, owner, id); err != nil {
			return sent{}, err
		}
		return sent{}, unqueue(tx, owner, id, queued)
	})
	return err
}
