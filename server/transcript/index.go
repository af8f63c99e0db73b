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

// resident is an account's index.
type resident struct {
	turn chan struct{} // held by the one who brings it up to date; never waited for in a transaction

	mu sync.RWMutex // of what follows; written by the one whose turn it is

	profile *embedding.Snapshot // by which it was loaded; nil: it was not
	width   int
	head    head
	blocks  [][]float32
	rows    int
	dead    int // of them, rows of no slot
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

// held is an account's index as one search has it: first its turn, then the right to
// read it, then nothing.
type held struct {
	indexes *indexes
	owner   db.AccountID
	r       *resident
	turn    bool
	reading bool
}

// enter waits for the turn of the account's index. It is called before a transaction
// begins: those who wait, however many, keep no snapshot from anybody. Errors: Cancelled.
func (x *indexes) enter(ctx context.Context, owner db.AccountID) (*held, error) {
	x.mu.Lock()
	r := x.of[owner]
	if r == nil {
		r = &resident{turn: make(chan struct{}, 1), at: map[int64]int32{}}
		x.of[owner] = r
	}
	x.uses++
	r.used = x.uses
	x.mu.Unlock()
	select {
	case r.turn <- struct{}{}:
		return &held{indexes: x, owner: owner, r: r, turn: true}, nil
	case <-ctx.Done():
		return nil, fault.Wrap(fault.Cancelled, context.Cause(ctx), "The request was cancelled before it was done.")
	}
}

// open brings the index up to the transaction, and gives the turn up: it is read
// together with others until close. Errors: Stale where the snapshot's space is not the
// one in use.
func (h *held) open(tx *db.Tx, snapshot *embedding.Snapshot) (*resident, error) {
	now, err := embedding.Current(tx)
	if err != nil {
		return nil, err
	}
	if !now.On() || now.ID != snapshot.ID {
		return nil, fault.New(fault.Stale, "The embedding model was changed meanwhile. Ask again.")
	}
	if err := h.r.advance(tx, h.owner, now, snapshot); err != nil {
		return nil, err
	}
	h.r.mu.RLock() // before the turn is given up: it must not be moved to another space
	h.reading = true
	h.leave()
	return h.r, nil
}

func (h *held) leave() {
	if h.turn {
		h.turn = false
		<-h.r.turn
	}
}

// close gives the index back. It may be called again, and on nil.
func (h *held) close() {
	if h == nil || !h.turn && !h.reading {
		return
	}
	size := h.r.bytes()
	if h.reading {
		h.reading = false
		h.r.mu.RUnlock()
	}
	h.leave()
	h.indexes.settle(h.owner, h.r, size)
}

// settle counts what an index holds now, and lets others go where that is too much.
func (x *indexes) settle(owner db.AccountID, r *resident, size int64) {
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

// drop lets an account's index go.
func (x *indexes) drop(owner db.AccountID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if r := x.of[owner]; r != nil {
		x.bytes -= r.size
		delete(x.of, owner)
	}
}

func (r *resident) clear() {
	r.profile, r.width, r.head, r.blocks, r.rows, r.dead, r.slots, r.at = nil, 0, head{}, nil, 0, 0, nil, map[int64]int32{}
}

const slotBytes = 64 // with its place in the map

func (r *resident) bytes() int64 {
	return int64(len(r.blocks))*blockRows*int64(r.width)*4 + int64(len(r.slots))*slotBytes
}

// advance brings it to the transaction's snapshot, unless it is there or further. It is
// the caller's turn, so reading needs no lock here. Where it fails nothing is held.
func (r *resident) advance(tx *db.Tx, owner db.AccountID, now embedding.Stored, snapshot *embedding.Snapshot) error {
	h, err := headOf(tx, owner)
	if err != nil {
		return err
	}
	fits := r.profile == snapshot && r.width == now.Width
	if fits && h.revision <= r.head.revision && h.removed <= r.head.removed {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !fits {
		r.clear()
	}
	if err := r.follow(tx, owner, now, snapshot, h); err != nil {
		r.clear() // it may have taken a part
		return err
	}
	return nil
}

// follow takes in what was written, and lets go what was removed.
func (r *resident) follow(tx *db.Tx, owner db.AccountID, now embedding.Stored, snapshot *embedding.Snapshot, h head) error {
	if len(r.slots) > 0 && h.removed > r.head.removed {
		there, err := fresh(tx, owner, now)
		if err != nil {
			return err
		}
		r.keep(there)
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
		r.dead += r.slots[i].rows()
		r.slots[i] = one
		return
	}
	r.at[one.entry] = int32(len(r.slots))
	r.slots = append(r.slots, one)
}

// rows is how many rows a turn has.
func (s *slot) rows() int { return max(int(s.own)+int(s.pair), 1) }

// keep lets the turns go that are not there any more.
func (r *resident) keep(there map[int64]bool) {
	kept := r.slots[:0]
	for _, s := range r.slots {
		if there[s.entry] {
			r.at[s.entry] = int32(len(kept))
			kept = append(kept, s)
		} else {
			delete(r.at, s.entry)
			r.dead += s.rows()
		}
	}
	r.slots = kept
	if r.dead > blockRows && r.dead > r.rows/4 {
		r.pack()
	}
}

// pack moves the rows together, so that those of no turn take no space.
func (r *resident) pack() {
	old := r.blocks
	r.blocks, r.rows, r.dead = nil, 0, 0
	for i := range r.slots {
		s := &r.slots[i]
		from := int(s.row)
		s.row = int32(r.rows)
		for n := range s.rows() {
			at := (from + n) % blockRows * r.width
			copy(r.grow(), old[(from+n)/blockRows][at:at+r.width])
		}
	}
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
