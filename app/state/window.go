// Package state is what the browser knows: windows of rows that the server
// projects, brought up to date by frames, and the arithmetic of a long list of
// which only a few rows are on the screen.
//
// Concepts. A Window is the server's answer to one subscription: the rows of the
// ranks From … From+len(Rows)−1 of a list of Total. Apply makes the next window
// out of a window and a frame. A Viewport says which ranks are to be shown and
// which window to ask for. A Change is what a person did without a connection; Overlay
// shows it on a row until it is sent.
//
// Invariants. Everything here is pure: no clock, no I/O, no go-app; a window is
// never changed in place, so that whoever holds one may go on reading it. No id
// appears twice in a window.
//
// What it doesn't do: it computes nothing about memories. Vitality, dates and
// order are shown as they were sent.
package state

import (
	"encoding/json"

	"elowen/shared/api"
	"elowen/shared/live"
)

// Keyed is a row that deltas can name.
type Keyed interface{ Key() int64 }

// Window is the part of a list that the server keeps up to date for us. The zero
// Window is one that has not been answered yet.
type Window[R Keyed] struct {
	Loaded bool     // a snapshot has arrived
	Kept   bool     // it is what the browser kept from an earlier time, not the server's answer
	Epoch  string   // of the store; changes when a backup is restored
	Seq    int64    // all changes up to it are in
	AsOf   api.Time // the server's clock when the shown numbers were computed
	Total  int      // rows of the whole list
	From   int      // rank of the first row
	Rows   []R      // in the order of the list
}

// Outcome says what a frame did to a window.
type Outcome uint8

// The outcomes.
const (
	Ignored  Outcome = iota // not for this window, or older than it
	Replaced                // a snapshot: all rows are new
	Changed                 // a delta
	Gap                     // the log no longer reaches back: ask for a snapshot
	Refused                 // the server can't show this window; see the frame's Error
)

// Row is the row of a rank, and whether the window has it.
func (w Window[R]) Row(rank int) (R, bool) {
	if i := rank - w.From; i >= 0 && i < len(w.Rows) {
		return w.Rows[i], true
	}
	var none R
	return none, false
}

// At is Row without a copy: nil where the window doesn't have the rank. What it
// points to never changes.
func (w Window[R]) At(rank int) *R {
	if i := rank - w.From; i >= 0 && i < len(w.Rows) {
		return &w.Rows[i]
	}
	return nil
}

// Find is the row of an id with its rank, and whether the window has it.
func (w Window[R]) Find(id int64) (row R, rank int, ok bool) {
	for i, r := range w.Rows {
		if r.Key() == id {
			return r, w.From + i, true
		}
	}
	return row, 0, false
}

// IDs lists the ids of the rows, in order.
func (w Window[R]) IDs() []int64 {
	ids := make([]int64, len(w.Rows))
	for i, r := range w.Rows {
		ids[i] = r.Key()
	}
	return ids
}

// Apply is the window after a frame. A frame that can't be read leaves the window
// as it is, with Gap, so that the caller takes a new snapshot.
func (w Window[R]) Apply(f live.Frame) (Window[R], Outcome, error) {
	switch f.Type {
	case live.TypeSnapshot:
		rows, err := decode[R](f.Rows)
		if err != nil {
			return w, Gap, err
		}
		return Window[R]{
			Loaded: true, Epoch: f.Epoch, Seq: f.Seq, AsOf: f.AsOf,
			Total: f.Total, From: f.From, Rows: unique(rows),
		}, Replaced, nil
	case live.TypeDelta:
		return w.delta(f)
	case live.TypeGap:
		return w, Gap, nil
	case live.TypeError:
		return w, Refused, nil
	}
	return w, Ignored, nil
}

func (w Window[R]) delta(f live.Frame) (Window[R], Outcome, error) {
	if !w.Loaded {
		return w, Gap, nil
	}
	// A frame of the clock alone repeats the sequence number; an older one was
	// overtaken by the snapshot that we took since.
	if f.Seq < w.Seq || f.Seq == w.Seq && f.AsOf < w.AsOf {
		return w, Ignored, nil
	}
	upsert, err := decode[R](f.Upsert)
	if err != nil {
		return w, Gap, err
	}
	next := w
	next.Seq, next.AsOf, next.Total, next.From = f.Seq, f.AsOf, f.Total, f.From
	next.Rows = merge(w.Rows, upsert, f.Remove)
	if len(f.Order) > 0 {
		ordered, complete := arrange(next.Rows, f.Order)
		if !complete {
			// The server speaks of rows that we never got: our copy is not to be trusted.
			return w, Gap, nil
		}
		next.Rows = ordered
	}
	return next, Changed, nil
}

// merge puts the rows of upsert in the places of those with their ids, appends
// the others, and drops the removed ones.
func merge[R Keyed](rows, upsert []R, remove []int64) []R {
	at := make(map[int64]int, len(rows)+len(upsert))
	next := make([]R, 0, len(rows)+len(upsert))
	gone := make(map[int64]bool, len(remove))
	for _, id := range remove {
		gone[id] = true
	}
	for _, r := range rows {
		if id := r.Key(); !gone[id] {
			at[id] = len(next)
			next = append(next, r)
		}
	}
	for _, r := range upsert {
		if i, ok := at[r.Key()]; ok {
			next[i] = r
			continue
		}
		at[r.Key()] = len(next)
		next = append(next, r)
	}
	return next
}

// arrange puts rows in the order of ids; complete is false where a row is missing.
// Rows that the order doesn't name are dropped: they are no longer in the window.
func arrange[R Keyed](rows []R, ids []int64) (ordered []R, complete bool) {
	by := make(map[int64]R, len(rows))
	for _, r := range rows {
		by[r.Key()] = r
	}
	ordered = make([]R, 0, len(ids))
	for _, id := range ids {
		r, ok := by[id]
		if !ok {
			return nil, false
		}
		ordered = append(ordered, r)
		delete(by, id)
	}
	return ordered, true
}

func decode[R any](raw []json.RawMessage) ([]R, error) {
	rows := make([]R, len(raw))
	for i, b := range raw {
		if err := json.Unmarshal(b, &rows[i]); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func unique[R Keyed](rows []R) []R {
	seen := make(map[int64]bool, len(rows))
	kept := rows[:0]
	for _, r := range rows {
		if !seen[r.Key()] {
			seen[r.Key()] = true
			kept = append(kept, r)
		}
	}
	return kept
}
