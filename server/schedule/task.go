package schedule

import (
	"context"
	"slices"
	"time"

	"elowen/server/db"
)

// Distances of turns. A day is 24 hours, never a calendar day.
const (
	Daily  = 24 * time.Hour
	Weekly = 7 * Daily
)

// Turn is one time that a task is done.
type Turn struct {
	Owner db.AccountID // 0: the store
	At    int64        // its own clock, Unix milliseconds
}

// Task is work that recurs.
type Task struct {
	Name  string        // as it is stored
	Every time.Duration // whole milliseconds, more than 0
	Boot  bool          // a server begins with it

	// Owners are the accounts that have turns of their own; nil: the task is the
	// store's.
	Owners func(*db.Tx) ([]db.AccountID, error)

	// Owns tells whether one account is among the Owners. It is asked before each turn
	// that is claimed, on the writer, so it is one quick query. Only with Owners.
	Owns func(*db.Tx, db.AccountID) (bool, error)

	// Run does a turn.
	Run func(context.Context, Turn) error

	// Moved is told of each new instant, in the transaction that stores it. It may be
	// nil.
	Moved func(tx *db.Tx, owner db.AccountID, next int64) error
}

func (t *Task) every() int64 { return t.Every.Milliseconds() }

func (t *Task) owners(tx *db.Tx) ([]db.AccountID, error) {
	if t.Owners == nil {
		return []db.AccountID{0}, nil
	}
	return t.Owners(tx)
}

// touchy are the owners whose instant is to be looked at again: it has come, is
// further away than it can be, or there is none.
func (t *Task) touchy(tx *db.Tx) ([]db.AccountID, error) {
	owners, err := t.owners(tx)
	if err != nil {
		return nil, err
	}
	next, err := all(tx, t.Name)
	return slices.DeleteFunc(slices.Clone(owners), func(owner db.AccountID) bool {
		at, ok := next[owner]
		return ok && at > tx.Now && at <= tx.Now+t.every()
	}), err
}

// claim tells whether an owner's turn has come, and the turn's own clock, and moves
// the instant on. An instant further away than the distance means that the clock was
// put back; it is moved along its grid. putBack tells that.
func (t *Task) claim(tx *db.Tx, owner db.AccountID) (at int64, due, putBack bool, err error) {
	if t.Owners != nil { // it may have been erased since it was found
		if owns, err := t.Owns(tx, owner); err != nil || !owns {
			return 0, false, false, err
		}
	}
	next, err := Next(tx, t.Name, owner)
	every := t.every()
	switch {
	case err != nil:
		return 0, false, false, err
	case next == 0:
		return 0, false, false, t.move(tx, owner, tx.Now+every)
	case next > tx.Now+every:
		return 0, false, true, t.move(tx, owner, next-(next-tx.Now-1)/every*every)
	case next > tx.Now:
		return 0, false, false, nil
	}
	at = next
	if tx.Now-next > late {
		at = tx.Now
	}
	return at, true, false, t.move(tx, owner, next+((tx.Now-next)/every+1)*every)
}
