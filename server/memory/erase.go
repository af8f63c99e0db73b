package memory

import (
	"context"

	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/words"
)

// EraseAccount removes the account's memories with their versions and uses. What it
// wrote into pools stays there, as the pools' own. What other nouns keep of memories
// (words, vectors, audit) is theirs to erase.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	if err := handOver(tx, owner); err != nil {
		return err
	}
	for _, q := range []string{
		`DELETE FROM usage_event WHERE owner_id = ?`,
		`DELETE FROM memory_version WHERE owner_id = ?`,
		`DELETE FROM memory WHERE owner_id = ?`,
	} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	tx.Erase()
	return nil
}

// IndexOutdated tells whether the account's index of words was made by another
// version of the tokenizer, so that Reindex is due.
func (s *Store) IndexOutdated(tx *db.Tx, owner db.AccountID) (bool, error) {
	return lexicon.Outdated(tx, owner)
}

// reindexPage is how many bodies are read at a time.
const reindexPage = 256

// Reindex makes the account's index of words anew, in one transaction, and tells
// how many memories are in it.
func (s *Store) Reindex(ctx context.Context, owner db.AccountID) (int, error) {
	var n int
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		if err := lexicon.EraseAccount(tx, owner); err != nil {
			return err
		}
		var x lexicon.Batch
		for last := int64(0); ; {
			list, err := readSome(tx, `owner_id = ? AND id > ? ORDER BY id`, []any{int64(owner), last}, reindexPage)
			if err != nil {
				return err
			}
			for _, r := range list {
				terms, length := words.Terms(r.body)
				x.Added(r.id, terms, length)
				if int64(length) != r.words {
					if err := tx.Must(`UPDATE memory SET words = ? WHERE id = ? AND owner_id = ?`, length, r.id, int64(owner)); err != nil {
						return err
					}
				}
				last = r.id
			}
			n += len(list)
			if n%batchMost == 0 || len(list) < reindexPage {
				if err := x.Flush(tx, owner); err != nil {
					return err
				}
			}
			if len(list) < reindexPage {
				return nil
			}
		}
	})
	return n, err
}
