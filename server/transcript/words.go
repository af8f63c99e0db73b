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

func (b *batches) add(id int64, w window) {
	terms, length := words.Terms(w.alone())
	b.turns.Added(id, terms, length)
	terms, length = words.Terms(w.pair())
	b.pairs.Added(id, terms, length)
}

func (b *batches) remove(id int64, w window) {
	_, length := words.Terms(w.alone())
	b.turns.Removed(id, w.alone(), length)
	_, length = words.Terms(w.pair())
	b.pairs.Removed(id, w.pair(), length)
}

func (b *batches) flush(tx *db.Tx, owner db.AccountID) error {
	if err := b.turns.Flush(tx, owner); err != nil {
		return err
	}
	return b.pairs.Flush(tx, owner)
}

// each calls f with the windows of turns that follow each other.
func each(branch []journal.Entry, f func(id int64, w window)) {
	var before *journal.Message
	for _, e := range branch {
		if m, ok := e.Payload.(*journal.Message); ok {
			f(e.ID, windowOf(e, before))
			before = m
		}
	}
}

// index takes the words of a transcript's turns in.
func index(tx *db.Tx, owner db.AccountID, branch []journal.Entry) error {
	b := newBatches()
	each(branch, b.add)
	return b.flush(tx, owner)
}

// unindex takes them out.
func unindex(tx *db.Tx, owner db.AccountID, branch []journal.Entry) error {
	b := newBatches()
	each(branch, b.remove)
	return b.flush(tx, owner)
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
			if err := index(tx, owner, branch); err != nil {
				return err
			}
			n += len(branch)
		}
		return nil
	})
	return n, err
}
