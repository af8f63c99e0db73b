package job

import (
	"context"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/queue"
	"elowen/server/late"
	"elowen/server/memory"
	"elowen/server/transcript"
	"elowen/shared/api"
)

// Reindex makes an account's indexes anew: of words at once, of meaning by having the
// queue find that everything is missing. How far that is follows from the rows, so a
// job that was cut off goes on by looking.
type Reindex struct {
	Memories *memory.Store
	DB       *db.DB
	Service  *embedding.Service
	// Transcripts are made anew too, though they are not counted; nil: there are none.
	Transcripts *transcript.Store
	// State tells what the queue cannot do.
	State func(tx *db.Tx, owner db.AccountID) (api.IndexState, error)
}

// The places of a Reindex.
const (
	placeWords   = 1 // the index of words is to be made, then that of meaning
	placeMeaning = 2 // the queue makes it
	placeOnly    = 3 // the index of words is to be made, and there is no other
)

// lookAgain is how often a Reindex looks how far the queue is.
const lookAgain = 250 * time.Millisecond

// Begin implements Work.
func (w *Reindex) Begin(tx *db.Tx, owner db.AccountID, _ string) (Progress, error) {
	at := Progress{Place: placeOnly}
	var err error
	if at.Total, err = w.Memories.CountActive(tx, owner); err != nil {
		return at, err
	}
	now, err := embedding.Current(tx)
	if err != nil {
		return at, err
	}
	// Vectors that nobody could make again now are kept.
	if snapshot := w.Service.Snapshot(); now.On() && snapshot.Ready() && snapshot.ID == now.ID {
		at.Place = placeWords
		if err := embedding.Forget(tx, owner, now.ID); err != nil {
			return at, err
		}
	}
	if err := late.EraseAccount(tx, owner); err != nil {
		return at, err
	}
	if err := queue.EraseAccount(tx, owner); err != nil { // what failed is tried again
		return at, err
	}
	tx.Emit(owner, db.NounMemory, 0) // everything may be missing
	return at, transcript.Forget(tx, owner, at.Place == placeWords)
}

// Step implements Work.
func (w *Reindex) Step(ctx context.Context, owner db.AccountID, _ string, at Progress) (Progress, bool, error) {
	switch at.Place {
	case placeMeaning:
		return w.look(ctx, owner, at)
	case placeWords:
		if err := w.words(ctx, owner); err != nil {
			return at, false, err
		}
		at.Place = placeMeaning
		return at, false, nil
	}
	if err := w.words(ctx, owner); err != nil {
		return at, false, err
	}
	at.Succeeded = at.Total
	return at, true, nil
}

// words makes the indexes of words anew.
func (w *Reindex) words(ctx context.Context, owner db.AccountID) error {
	if _, err := w.Memories.Reindex(ctx, owner); err != nil || w.Transcripts == nil {
		return err
	}
	_, err := w.Transcripts.Reindex(ctx, owner)
	return err
}

// look waits a little, and tells how far the queue is.
func (w *Reindex) look(ctx context.Context, owner db.AccountID, at Progress) (Progress, bool, error) {
	timer := time.NewTimer(lookAgain)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return at, false, ctx.Err()
	}
	off := false
	err := w.DB.View(ctx, func(tx *db.Tx) (err error) {
		now, err := embedding.Current(tx)
		if err != nil {
			return err
		}
		off = !now.On()
		state, err := w.State(tx, owner)
		if err != nil {
			return err
		}
		at.Note, at.Failed = state.Problem, state.Failed
		at.Succeeded, at.Total, err = w.Memories.CountIndexed(tx, owner)
		return err
	})
	if err != nil {
		return at, false, err
	}
	if off { // somebody has switched it off meanwhile; the words are done
		at.Succeeded, at.Failed, at.Note = at.Total, 0, ""
		return at, true, nil
	}
	done := at.Succeeded+at.Failed >= at.Total
	if done {
		at.Note = ""
	}
	return at, done, nil
}
