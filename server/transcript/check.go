package transcript

import (
	"fmt"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/lexicon"
	"elowen/server/words"
)

// Check compares what this package keeps for an account with what it promises: each
// transcript with its conversation, and the indexes of words with the turns. It answers
// what is wrong, and reads every turn once.
func Check(tx *db.Tx, owner db.AccountID) (faults []string, err error) {
	say := func(format string, args ...any) {
		faults = append(faults, "transcripts: "+fmt.Sprintf(format, args...))
	}
	all, err := list(tx, owner, `SELECT `+columns+` FROM transcript WHERE owner_id = ? ORDER BY conversation_id`, int64(owner))
	if err != nil {
		return nil, err
	}
	var turns, pairs lexicon.Tally
	for _, t := range all {
		branch, err := journal.Branch(tx, owner, t.ID)
		if err != nil {
			return nil, err
		}
		n := 0
		each(branch, func(e journal.Entry, w window) {
			n++
			terms, length := words.Terms(w.alone())
			turns.Add(e.ID, terms, length)
			terms, length = words.Terms(w.pair())
			pairs.Add(e.ID, terms, length)
		})
		if n != t.Turns {
			say("conversation %d has %d turns, not %d", t.ID, n, t.Turns)
		}
	}
	if err := turns.CompareOn(lexicon.Turns, tx, owner, say); err != nil {
		return nil, err
	}
	err = pairs.CompareOn(lexicon.Pairs, tx, owner, say)
	return faults, err
}
