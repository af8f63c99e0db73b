package vector

import (
	"context"
	"sync"
	"sync/atomic"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Indexes are the resident indexes of all accounts. It is safe for concurrent use.
type Indexes struct {
	memories *memory.Store
	budget   int64

	mu    sync.Mutex
	of    map[db.AccountID]*resident
	bytes int64
	uses  int64
}

// New makes an empty set of indexes. bytes bounds what they hold; 0 takes the
// setting embedding.resident.
func New(memories *memory.Store, bytes int64) *Indexes {
	if bytes <= 0 {
		bytes = int64(setting.Int("embedding.resident"))
	}
	return &Indexes{memories: memories, budget: bytes, of: map[db.AccountID]*resident{}}
}

// resident is an account's index.
type resident struct {
	owner db.AccountID
	turn  chan struct{} // held by the one who brings it up to date
	long  atomic.Pointer[work]

	mu       sync.RWMutex // of what follows; written by the one whose turn it is
	x        *index       // nil before it was loaded
	space    embedding.SpaceID
	profile  *embedding.Snapshot // by whose profile it was loaded
	head     db.Head
	revision int64

	used atomic.Int64
	size int64 // as counted in Indexes.bytes; under Indexes.mu
}

// Search finds the k memories of the account, among those that the filter lets
// through, that are nearest to a question, the nearest first. question is as the
// snapshot's Embedder made it. compared is how many
// passed the filter. Errors: Stale where the snapshot's space is not the one in use,
// so that nothing is compared across spaces; Corrupt for a question of another width.
func (s *Indexes) Search(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, question []float32, f Filter, k int) (hits []Hit, compared int, err error) {
	q := make([]float32, len(question))
	copy(q, question)
	snapshot.Profile.Queries.Centre(q)
	err = s.with(tx, owner, snapshot, func(x *index) error {
		if x.rows > 0 && len(q) != x.width {
			return fault.Newf(fault.Corrupt, "A question of %d numbers cannot be compared with vectors of %d.", len(q), x.width)
		}
		hits, _, compared = x.search([][]float32{q}, f, k, 0)
		return nil
	})
	return hits, compared, err
}

// Like finds the k memories that are nearest to one that is there, which is not
// among them. A memory without a fresh vector is like none. Errors: as Search.
func (s *Indexes) Like(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, id int64, f Filter, k int) (hits []Hit, err error) {
	err = s.with(tx, owner, snapshot, func(x *index) error {
		f.Excluded = append(f.Excluded[:len(f.Excluded):len(f.Excluded)], id)
		hits, _, _ = x.search(x.of(id), f, k, 0)
		return nil
	})
	return hits, err
}

// Vectors are the vectors of memories, as they are compared: with the means taken
// off, of length 1, one for each window. Memories without fresh ones are missing.
// Errors: Stale as Search.
func (s *Indexes) Vectors(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, ids []int64) (map[int64][][]float32, error) {
	found := make(map[int64][][]float32, len(ids))
	err := s.with(tx, owner, snapshot, func(x *index) error {
		for _, id := range ids {
			if list := x.of(id); list != nil {
				found[id] = list
			}
		}
		return nil
	})
	return found, err
}

// All calls fn with each memory that the filter lets through and its first vector,
// which is valid until fn returns. fn must not use this package. Errors: Stale as Search.
func (s *Indexes) All(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, f Filter, fn func(id int64, v []float32)) error {
	return s.with(tx, owner, snapshot, func(x *index) error {
		g := x.gate(f)
		for i := range x.entries {
			if e := &x.entries[i]; g.passes(i, e) {
				fn(e.id, x.vector(int(e.row)))
			}
		}
		return nil
	})
}

// Cosine is the largest cosine of any two of two memories' vectors.
func Cosine(a, b [][]float32) float64 {
	best := float32(-1)
	for _, x := range a {
		for _, y := range b {
			best = max(best, Dot(x, y))
		}
	}
	return float64(best)
}

// Bytes is how much the indexes hold, and how many there are.
func (s *Indexes) Bytes() (bytes int64, indexes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes, len(s.of)
}

// Drop lets the index of an account go, as of one that was erased.
func (s *Indexes) Drop(owner db.AccountID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.of[owner]; r != nil {
		s.bytes -= r.size
		delete(s.of, owner)
	}
}

// with runs fn on the account's index, brought up to the transaction.
func (s *Indexes) with(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, fn func(*index) error) error {
	r, err := s.hold(tx, owner, snapshot)
	if err != nil {
		return err
	}
	defer s.settle(r)
	defer r.mu.RUnlock()
	return fn(r.x)
}

// hold brings the account's index up to the transaction and gives it locked for
// reading. The caller unlocks and settles it.
func (s *Indexes) hold(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot) (*resident, error) {
	now, err := embedding.Current(tx)
	if err != nil {
		return nil, err
	}
	if !now.On() || now.ID != snapshot.ID {
		return nil, fault.New(fault.Stale, "The embedding model was changed meanwhile. Ask again.")
	}
	r := s.resident(owner)
	if err := r.enter(tx); err != nil {
		s.settle(r)
		return nil, err
	}
	if err := r.advance(tx, s.memories, now, snapshot); err != nil {
		r.leave()
		s.settle(r)
		return nil, err
	}
	r.mu.RLock() // before the turn is given up: it must not be moved to another space
	r.leave()
	return r, nil
}

// work is a time in which whoever has the turn reads much.
type work struct{ begun, ended chan struct{} }

func newWork() *work { return &work{make(chan struct{}), make(chan struct{})} }

// enter takes the turn. Where the one who has it reads much, the transaction waits as
// db.Tx.Wait has it.
func (r *resident) enter(tx *db.Tx) error {
	for {
		w := r.long.Load()
		select {
		case r.turn <- struct{}{}:
			return nil
		case <-w.begun:
			if err := tx.Wait(w.ended); err != nil {
				return err
			}
		case <-tx.Context().Done():
			return fault.Wrap(fault.Cancelled, context.Cause(tx.Context()), "The request was cancelled before it was done.")
		}
	}
}

// reads tells those who wait for the turn that it takes long, until done is called.
func (r *resident) reads() (done func()) {
	w := r.long.Load()
	close(w.begun)
	return func() {
		r.long.Store(newWork())
		close(w.ended)
	}
}

func (r *resident) leave() { <-r.turn }

func (s *Indexes) resident(owner db.AccountID) *resident {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of[owner]
	if r == nil {
		r = &resident{owner: owner, turn: make(chan struct{}, 1)}
		r.long.Store(newWork())
		s.of[owner] = r
	}
	s.uses++
	r.used.Store(s.uses)
	return r
}

// settle counts what an index holds now, and lets others go where that is too much.
// One that goes while somebody searches it is gone when they are done.
func (s *Indexes) settle(r *resident) {
	r.mu.RLock()
	size := int64(0)
	if r.x != nil {
		size = r.x.bytes()
	}
	r.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[r.owner] != r {
		return // it was let go
	}
	s.bytes += size - r.size
	r.size = size
	for s.bytes > s.budget && len(s.of) > 1 {
		var oldest *resident
		for _, other := range s.of {
			if other != r && (oldest == nil || other.used.Load() < oldest.used.Load()) {
				oldest = other
			}
		}
		s.bytes -= oldest.size
		delete(s.of, oldest.owner)
	}
}
