package lexicon

import (
	"fmt"
	"hash/maphash"

	"elowen/server/db"
	"elowen/server/words"
)

// Tally is what an index should hold, or holds: sums that don't depend on the
// order. The zero value is that of no memories.
type Tally struct {
	docs, words, postings int64
	sum                   uint64
}

// Add counts a memory: its terms and length, as words.Terms tells them.
func (t *Tally) Add(id int64, terms []words.Term, length int) {
	t.docs++
	t.words += int64(length)
	for _, term := range terms {
		t.add(term.Text, id, term.Count, length)
	}
}

// add counts that a term is in a memory.
func (t *Tally) add(term string, id int64, tf, length int) {
	var h maphash.Hash
	h.SetSeed(tallySeed)
	fmt.Fprintf(&h, "%s\x00%d\x00%d\x00%d", term, id, tf, max(length, 1))
	t.postings++
	t.sum += h.Sum64()
}

var tallySeed = maphash.MakeSeed()

// Compare tallies the account's index as it is stored, and reports with fault what
// is not as t says that it should be. An outdated index is not looked at: it is
// made anew when it is next used, and nothing is lost.
func (t *Tally) Compare(tx *db.Tx, owner db.AccountID, fault func(format string, args ...any)) error {
	return t.CompareOn(Memories, tx, owner, fault)
}

// CompareOn is Compare with the account's index on a shelf.
func (t *Tally) CompareOn(shelf Shelf, tx *db.Tx, owner db.AccountID, fault func(format string, args ...any)) error {
	outdated, err := shelf.Outdated(tx, owner)
	if err != nil || outdated {
		return err
	}
	var have Tally
	rows := tx.Query(`SELECT term, chunk, body FROM `+shelf.posting()+` WHERE owner_id = ?`, int64(owner))
	err = rows.Each(func() error {
		var term string
		var chunk int64
		var blob []byte
		if err := rows.Scan(&term, &chunk, &blob); err != nil {
			return err
		}
		p := words.Decode(chunk, blob)
		for p.Next() {
			one := p.Posting()
			have.add(term, one.ID, one.TF, one.Length)
		}
		if p.Err() != nil {
			fault("the index of words is damaged at a term; `elowen admin reindex` builds it anew")
		}
		return nil
	})
	if err != nil {
		return err
	}
	stat := tx.Query(`SELECT docs, words FROM `+shelf.stat()+` WHERE owner_id = ?`, int64(owner))
	defer stat.Close()
	for stat.Next() {
		if err := stat.Scan(&have.docs, &have.words); err != nil {
			return err
		}
	}
	if have != *t {
		fault("the index of words does not say what the texts say (%d postings of %d, %d texts of %d); `elowen admin reindex` builds it anew",
			have.postings, t.postings, have.docs, t.docs)
	}
	return stat.Err()
}
