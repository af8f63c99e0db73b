package transcript

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/journal"
	"elowen/server/lexicon"
	"elowen/shared/fault"
)

// Delete removes a transcript with all its turns and what was derived from them, for
// good. Errors: NotFound.
func (s *Store) Delete(ctx context.Context, owner db.AccountID, id int64) error {
	var branch []journal.Entry
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		if _, err = get(tx, owner, id); err == nil {
			branch, err = journal.Branch(tx, owner, id)
		}
		return err
	})
	if err != nil && !fault.Is(err, fault.NotFound) { // a repeated request is answered as the first
		return err
	}
	words := readied(branch)
	_, err = db.Do(ctx, s.db, func(tx *db.Tx) (struct{}, error) { return struct{}{}, remove(tx, owner, id, words) })
	return err
}

// remove is it in one decision; words are those of its turns that are ready.
func remove(tx *db.Tx, owner db.AccountID, id int64, words map[int64]termed) error {
	if _, err := get(tx, owner, id); err != nil {
		return err
	}
	branch, err := journal.Branch(tx, owner, id)
	if err != nil {
		return err
	}
	if err := unindex(tx, owner, branch, words); err != nil {
		return err
	}
	ids := make([]int64, len(branch))
	for i, e := range branch {
		ids[i] = e.ID
	}
	if err := underive(tx, owner, ids); err != nil {
		return err
	}
	if err := tx.Must(`DELETE FROM transcript WHERE conversation_id = ? AND owner_id = ?`, id, int64(owner)); err != nil {
		return err
	}
	_, err = journal.Delete(tx, owner, id)
	return err
}

// underive takes out the vectors and token vectors of turns, in every space.
func underive(tx *db.Tx, owner db.AccountID, ids []int64) error {
	spaces, err := embedding.Spaces(tx)
	if err != nil {
		return err
	}
	which, of := db.In(spaces)
	removed := int64(0)
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		for _, q := range []string{
			`DELETE FROM turn_vector WHERE owner_id = ? AND space_id IN (` + which + `) AND entry_id IN (` + in + `)`,
			`DELETE FROM turn_embedding WHERE owner_id = ? AND space_id IN (` + which + `) AND entry_id IN (` + in + `)`,
		} {
			gone, err := tx.Exec(q, append(append([]any{int64(owner)}, of...), args...)...)
			if err != nil {
				return err
			}
			removed += gone
		}
		args = append([]any{int64(owner)}, args...)
		for _, q := range []string{
			`DELETE FROM turn_late_vector WHERE owner_id = ? AND entry_id IN (` + in + `)`,
			`DELETE FROM turn_late_label WHERE owner_id = ? AND entry_id IN (` + in + `)`,
		} {
			if _, err := tx.Exec(q, args...); err != nil {
				return err
			}
		}
	}
	if removed == 0 {
		return nil
	}
	_, err = move(tx, owner, 0, 1)
	return err
}

// Forget takes out what was derived from the account's turns, so that the queue makes it
// anew: token vectors, and with vectors those of the space in use.
func Forget(tx *db.Tx, owner db.AccountID, vectors bool) error {
	queries := []string{`DELETE FROM turn_late_vector WHERE owner_id = ?`, `DELETE FROM turn_late_label WHERE owner_id = ?`}
	args := [][]any{{int64(owner)}, {int64(owner)}}
	if vectors {
		now, err := embedding.Current(tx)
		if err != nil {
			return err
		}
		queries = append(queries, `DELETE FROM turn_vector WHERE owner_id = ? AND space_id = ?`, `DELETE FROM turn_embedding WHERE owner_id = ? AND space_id = ?`)
		args = append(args, []any{int64(owner), int64(now.ID)}, []any{int64(owner), int64(now.ID)})
	}
	for i, q := range queries {
		if _, err := tx.Exec(q, args[i]...); err != nil {
			return err
		}
	}
	tx.Emit(owner, db.NounConversation, 0) // everything may be missing
	_, err := move(tx, owner, 0, 1)
	return err
}

// Drop lets go what is resident of an account that was erased.
func (s *Store) Drop(owner db.AccountID) { s.indexes.drop(owner) }

// EraseAccount removes everything of the account's here. Its conversations are the
// journal's to erase, afterwards.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	for _, shelf := range []lexicon.Shelf{lexicon.Turns, lexicon.Pairs} {
		if err := shelf.EraseAccount(tx, owner); err != nil {
			return err
		}
	}
	for _, q := range []string{
		`DELETE FROM turn_vector WHERE owner_id = ?`,
		`DELETE FROM turn_embedding WHERE owner_id = ?`,
		`DELETE FROM turn_head WHERE owner_id = ?`,
		`DELETE FROM turn_late_vector WHERE owner_id = ?`,
		`DELETE FROM turn_late_label WHERE owner_id = ?`,
		`DELETE FROM transcript WHERE owner_id = ?`,
	} {
		if _, err := tx.Exec(q, int64(owner)); err != nil {
			return err
		}
	}
	tx.Erase()
	return nil
}
