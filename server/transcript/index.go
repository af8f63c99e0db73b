package transcript

import (
	"context"
	"sync"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/vector"
	"elowen/shared/fault"
)

// indexes hold the vectors of turns resident, by account. Those of accounts that were not
// searched for longest leave where it is too much.
type indexes struct {
	budget int64

	mu    sync.Mutex
	of    map[db.AccountID]*resident
	bytes int64
	uses  int64
}

func newIndexes(budget int64) *indexes {
	return &indexes{budget: budget, of: map[db.AccountID]*resident{}}
}

// resident is an account's index. Its turn is held by whoever uses it.
type resident struct {
	turn chan struct{}

	profile *embedding.Snapshot // by which it was loaded; nil: it was not
	width   int
	head    head
	blocks  [][]float32
	rows    int
	slots   []slot
	at      map[int64]int32 // of slots, by entry

	used, size int64 // under indexes.mu
}

// slot is one turn. A cosine is linear, so half a turn's vector and half its pair's are one
// row; where either has several windows, all of them are rows, and the nearest counts.
type slot struct {
	entry, conversation int64
	row                 int32
	own, pair           uint16 // rows of each; 0 and 0: one row of both
}

// open brings the account's index up to the transaction, and holds it until close.
// Errors: Stale where the snapshot's space is not the one in use.
func (x *indexes) open(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot) (*resident, error) {
	now, err := embedding.Current(tx)
	if err != nil {
		return nil, err
	}
	if !now.On() || now.ID != snapshot.ID {
		return nil, fault.New(fault.Stale, "The embedding model was changed meanwhile. Ask again.")
	}
	x.mu.Lock()
	r := x.of[owner]
	if r == nil {
		r = &resident{turn: make(chan struct{}, 1)}
		x.of[owner] = r
	}
	x.uses++
	r.used = x.uses
	x.mu.Unlock()
	select {
	case r.turn <- struct{}{}:
	case <-tx.Context().Done():
		return nil, fault.Wrap(fault.Cancelled, context.Cause(tx.Context()), "The request was cancelled before it was done.")
	}
	if err := r.advance(tx, owner, now, snapshot); err != nil {
		r.clear() // it may have taken a part
		x.close(owner, r)
		return nil, err
	}
	return r, nil
}

// close gives the index back.
func (x *indexes) close(owner db.AccountID, r *resident) {
	size := r.bytes()
	<-r.turn
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.of[owner] != r {
		return // it was let go
	}
	x.bytes += size - r.size
	r.size = size
	for x.bytes > x.budget && len(x.of) > 1 {
		var oldest db.AccountID
		for id, other := range x.of {
			if other != r && (oldest == 0 || other.used < x.of[oldest].used) {
				oldest = id
			}
		}
		x.bytes -= x.of[oldest].size
		delete(x.of, oldest)
	}
}

func (r *resident) clear() {
	r.profile, r.width, r.head, r.blocks, r.rows, r.slots, r.at = nil, 0, head{}, nil, 0, nil, map[int64]int32{}
}

const slotBytes = 64 // with its place in the map

func (r *resident) bytes() int64 {
	return int64(len(r.blocks))*blockRows*int64(r.width)*4 + int64(len(r.slots))*slotBytes
}

// advance brings it to the transaction's snapshot, unless it is there or further.
func (r *resident) advance(tx *db.Tx, owner db.AccountID, now embedding.Stored, snapshot *embedding.Snapshot) error {
	h, err := headOf(tx, owner)
	if err != nil {
		return err
	}
	if r.profile != snapshot || r.width != now.Width || h.removed > r.head.removed {
		r.clear()
	} else if h.revision <= r.head.revision {
		return nil
	}
	r.profile, r.width = snapshot, now.Width
	if now.Width > 0 {
		var rows [][]float32
		var of *stored
		take := func() {
			if of != nil && len(rows) > of.own {
				r.put(of, rows)
			}
			rows = rows[:0]
		}
		err := vectors(tx, owner, now, r.head.revision, func(s *stored, part int, raw []byte) {
			if part == 0 {
				take()
				of = s
			}
			v := make([]float32, now.Width)
			if embedding.Decode(v, raw) {
				snapshot.Profile.Passages.Centre(v)
				rows = append(rows, v)
			}
		})
		if err != nil {
			return err
		}
		take()
	}
	r.head = h
	return nil
}

// put takes a turn's rows in, those of the turn alone first.
func (r *resident) put(s *stored, rows [][]float32) {
	one := slot{entry: s.entry, conversation: s.conversation, row: int32(r.rows)}
	own, pair := rows[:s.own], rows[s.own:]
	if len(own) == 1 && len(pair) == 1 {
		to := r.grow()
		for i := range to {
			to[i] = (own[0][i] + pair[0][i]) / 2
		}
	} else {
		one.own, one.pair = uint16(len(own)), uint16(len(pair))
		for _, v := range rows {
			copy(r.grow(), v)
		}
	}
	if i, there := r.at[one.entry]; there { // written again: the rows of before stay unused
		r.slots[i] = one
		return
	}
	r.at[one.entry] = int32(len(r.slots))
	r.slots = append(r.slots, one)
}

// blockRows is how many rows are in one piece: a matrix grows without being copied.
const blockRows = 1024

func (r *resident) grow() []float32 {
	if r.rows == len(r.blocks)*blockRows {
		r.blocks = append(r.blocks, make([]float32, blockRows*r.width))
	}
	r.rows++
	return r.row(r.rows - 1)
}

func (r *resident) row(n int) []float32 {
	at := n % blockRows * r.width
	return r.blocks[n/blockRows][at : at+r.width : at+r.width]
}

// cosine is half a turn's and half its pair's.
func (r *resident) cosine(s *slot, question []float32) float64 {
	if s.own == 0 {
		return float64(vector.Dot(question, r.row(int(s.row))))
	}
	best := func(from, n int) float64 {
		b := float32(-2)
		for i := range n {
			b = max(b, vector.Dot(question, r.row(from+i)))
		}
		return float64(b)
	}
	return (best(int(s.row), int(s.own)) + best(int(s.row)+int(s.own), int(s.pair))) / 2
}

// near is a turn with its cosine.
type near struct {
	entry  int64
	cosine float64
}

// nearest are the k turns nearest to a question, in no particular order. conversation 0
// looks into all.
func (r *resident) nearest(question []float32, conversation int64, k int) []near {
	list := make([]near, 0, 2*k)
	floor := -3.0
	for i := range r.slots {
		s := &r.slots[i]
		if conversation != 0 && s.conversation != conversation {
			continue
		}
		c := r.cosine(s, question)
		if c < floor {
			continue
		}
		if list = append(list, near{s.entry, c}); len(list) == 2*k {
			list = cut(list, k)
			floor = list[k-1].cosine
		}
	}
	return cut(list, k)
}

// of is a turn's cosine; false where it has no fresh vector.
func (r *resident) of(entry int64, question []float32) (float64, bool) {
	i, ok := r.at[entry]
	if !ok {
		return 0, false
	}
	return r.cosine(&r.slots[i], question), true
}
