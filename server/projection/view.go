package projection

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
)

// View is what a window shows that is no list of memories: rows with ids of their
// own, read from the store. The projector calls its methods one at a time.
type View interface {
	// Key tells views of one name in one account apart: equal keys show the same.
	Key() string
	// Touched tells whether the view may show something else after this news.
	Touched(News) bool
	// Rows reads what the view shows. It reads nothing of any account but at.Owner.
	// fault.NotFound and fault.Unauthenticated end a window: what it showed is no
	// more. After any other error it is tried again.
	Rows(at At) (Part, error)
}

// Timely is a View whose rows move with the clock too. Whatever such a view shows
// is sent again to one who comes back; of another one only what was touched.
type Timely interface {
	View
	// Moved tells whether the view may show something else at at.Tx.Now than when its
	// rows were last read, though nothing changed.
	Moved(at At) (bool, error)
}

// Make makes the view that a valid request asks for, for one who may read. Errors
// are told to who asks.
type Make func(who account.Identity, req wire.Request) (View, error)

// Part is what a view shows at an instant.
type Part struct {
	Rows  []Row // in order, no id twice
	Total int   // of the rows that Rows are a part of
	From  int   // the rank of the first one
}

// Whole is the part that is everything.
func Whole(rows ...Row) Part { return Part{Rows: rows, Total: len(rows)} }

// Row is one row of a view.
type Row struct {
	ID   int64
	JSON []byte // with the member "id"
	// Essence is what has to differ for the row to be sent again; nil is JSON.
	Essence []byte
}

// NewRow is a row that is sent as the JSON of v.
func NewRow(id int64, v any) Row { return Row{ID: id, JSON: marshal(v)} }

// At is where a view reads: one snapshot of the store, with what the projector
// knows of the account's memories at that very snapshot.
type At struct {
	Tx    *db.Tx
	Owner db.AccountID
	r     *resident
}

// Stats counts the account's memories.
func (a At) Stats() api.MemoryStats { return a.r.cat.stats(a.Tx.Now) }

// InCategory counts the active memories of a category.
func (a At) InCategory(id int64) int {
	return a.r.cat.tally.categories[id] + a.r.cat.tally.shared[id]
}

// opener makes a window for a request: one that may turn out to be there already.
type opener func(who account.Identity, req wire.Request) (*window, error)

// openers is the table of all views by name.
func (p *Projector) openers() map[string]opener {
	table := map[string]opener{
		wire.ViewMemories: openMemories,
		wire.ViewTrash:    openTrash,
		wire.ViewMemory:   opening(wire.ViewMemory, p.detail),
		wire.ViewStats:    opening(wire.ViewStats, newStats),
	}
	for name, make := range p.c.Views {
		table[name] = opening(name, make)
	}
	return table
}

func opening(name string, make Make) opener {
	return func(who account.Identity, req wire.Request) (*window, error) {
		v, err := make(who, req)
		if err != nil {
			return nil, err
		}
		return newWindow(name+" "+v.Key(), nil, v), nil
	}
}

// projectView brings a window with a view up to date.
func (r *resident) projectView(tx *db.Tx, w *window, ticked bool) error {
	c, now := r.cat, tx.Now
	prev := w.current.Load()
	if prev != nil && prev.problem != nil {
		return nil
	}
	at := At{Tx: tx, Owner: r.owner, r: r}
	if !w.pending() {
		timely, ok := w.view.(Timely)
		moved := false
		if ok && ticked {
			var err error
			if moved, err = timely.Moved(at); err != nil {
				return err
			}
		}
		if !moved {
			w.reached(c, now, ticked)
			return nil
		}
	}
	part, err := r.rows(w.view, at)
	switch {
	case err == nil:
		w.show(c, now, part)
	case prev != nil && (fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unauthenticated)):
		w.fail(c, now, problemOf(err))
		err = nil
	}
	return err
}

// rows reads a view. One that panics is one that failed: the others go on.
func (r *resident) rows(v View, at At) (part Part, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.p.c.Log.Error("a live view panicked", "panic", p, "stack", string(debug.Stack()))
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
	}()
	return v.Rows(at)
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the wire types have a JSON form
	}
	return b
}
