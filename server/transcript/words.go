package transcript

import (
	"context"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/lexicon"
	"elowen/server/words"
)

// batches are the changes of both indexes of words.
type batches struct{ turns, pairs lexicon.Batch }

func newBatches() *batches {
	return &batches{lexicon.Batch{Shelf: lexicon.Turns}, lexicon.Batch{Shelf: lexicon.Pairs}}
}

// termed is a turn's words, told by words.Terms: of it alone and of it with the one before.
type termed struct {
	at         int64 // when it was said; its day is among the words
	turn, pair []words.Term
	turnLength int
	pairLength int
}

// terms takes a window's words, which costs by far the most of indexing it: what can is
// done before the writer is taken.
func terms(at int64, w window) (t termed) {
	t.at = at
	t.turn, t.turnLength = words.Terms(w.alone())
	if t.pair, t.pairLength = t.turn, t.turnLength; w.before != "" {
		t.pair, t.pairLength = words.Terms(w.pair())
	}
	return t
}

func (b *batches) add(id int64, t termed) {
	b.turns.Added(id, t.turn, t.turnLength)
	b.pairs.Added(id, t.pair, t.pairLength)
}

func (b *batches) remove(id int64, t termed) {
	b.turns.Withdrawn(id, t.turn, t.turnLength)
	b.pairs.Withdrawn(id, t.pair, t.pairLength)
}

func (b *batches) flush(tx *db.Tx, owner db.AccountID) error {
	if err := b.turns.Flush(tx, owner); err != nil {
		return err
	}
	return b.pairs.Flush(tx, owner)
}

// each calls f with the windows of turns that follow each other.
func each(branch []journal.Entry, f func(e journal.Entry, w window)) {
	var before *journal.Message
	for _, e := range branch {
		if m, ok := e.Payload.(*journal.Message); ok {
			f(e, windowOf(e, before))
			before = m
		}
	}
}

// ready are the words of drafts that are to be appended below each other.
func ready(drafts []journal.Draft) []termed {
	list := make([]termed, 0, len(drafts))
	var before *journal.Message
	for _, d := range drafts {
		m, _ := d.Payload.(*journal.Message)
		list = append(list, terms(d.At, windowOf(journal.Entry{At: d.At, Payload: d.Payload}, before)))
		before = m
	}
	return list
}

// readied are the words of turns that are stored, by entry. Turns never change.
func readied(branch []journal.Entry) map[int64]termed {
	found := make(map[int64]termed, len(branch))
	each(branch, func(e journal.Entry, w window) { found[e.ID] = terms(e.At, w) })
	return found
}

// index takes the words of a transcript's turns in. of gives those that are ready.
func index(tx *db.Tx, owner db.AccountID, branch []journal.Entry, of map[int64]termed) error {
	b := newBatches()
	each(branch, func(e journal.Entry, w window) { b.add(e.ID, termsOf(e, w, of)) })
	return b.flush(tx, owner)
}

// unindex takes them out.
func unindex(tx *db.Tx, owner db.AccountID, branch []journal.Entry, of map[int64]termed) error {
	b := newBatches()
	each(branch, func(e journal.Entry, w window) { b.remove(e.ID, termsOf(e, w, of)) })
	return b.flush(tx, owner)
}

// termsOf are a turn's words, taken here only where they are not ready.
func termsOf(e journal.Entry, w window, of map[int64]termed) termed {
	if t, there := of[e.ID]; there && t.at == e.At {
		return t
	}
	return terms(e.At, w)
}

// IndexOutdated tells whether the account's indexes of words were made by another
// version of the tokenizer, so that Reindex is due.
func (s *Store) IndexOutdated(tx *db.Tx, owner db.AccountID) (bool, error) {
	for _, shelf := range []lexicon.Shelf{lexicon.Turns, lexicon.Pairs} {
		if old, err := shelf.Outdated(tx, owner); err != nil || old {
			return old, err
		}
	}
	return false, nil
}

// Reindex makes the account's indexes of words anew, in one transaction, and tells how
// many turns are in them.
func (s *Store) Reindex(ctx context.Context, owner db.AccountID) (int, error) {
	n := 0
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		n = 0
		for _, shelf := range []lexicon.Shelf{lexicon.Turns, lexicon.Pairs} {
			if err := shelf.EraseAccount(tx, owner); err != nil {
				return err
			}
		}
		ids, err := tx.Column(`SELECT conversation_id AS v FROM transcript WHERE owner_id = ?`, int64(owner))
		if err != nil {
			return err
		}
		for _, id := range ids {
			branch, err := journal.Branch(tx, owner, id)
			if err != nil {
				return err
			}
			if err := index(tx, owner, branch, nil); err != nil {
				return err
			}
			n += len(branch)
		}
		return nil
	})
	return n, err
}
