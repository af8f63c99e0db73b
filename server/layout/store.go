package layout

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/vector"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Options are what a Store is made of.
type Options struct {
	Memories *memory.Store
	Rules    memory.Rules
	Indexes  *vector.Indexes
	Service  *embedding.Service
}

// Store makes maps. It is safe for concurrent use.
type Store struct {
	db *db.DB
	o  Options

	mu   sync.Mutex
	of   map[db.AccountID]*kept
	uses int64
}

// kept is an account's newest picture.
type kept struct {
	turn    chan struct{} // held by the one who makes it
	state   string        // of the vectors that it was made of
	picture *picture
	used    int64
}

// keptMost is how many accounts' pictures are kept; one of 20,000 memories takes 3 MB.
const keptMost = 32

// New makes a store of maps.
func New(d *db.DB, o Options) *Store { return &Store{db: d, o: o, of: map[db.AccountID]*kept{}} }

// sight is what one transaction saw.
type sight struct {
	list    []placed
	state   string
	space   embedding.Stored
	ids     []int64 // with a vector, ascending
	vectors matrix  // theirs, where they have to be placed
	now     int64
}

// Map is where the account's active memories are, and those of pools that it may read.
// The first map of many memories takes seconds; ctx ends it. Errors: only the store's.
func (s *Store) Map(ctx context.Context, owner db.AccountID) (api.Map, error) {
	k := s.place(owner)
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return api.Map{}, ctx.Err()
	}
	defer func() { <-k.turn }()
	seen, err := s.look(ctx, owner, k)
	if err != nil {
		return api.Map{}, err
	}
	if seen.vectors.width > 0 {
		p, err := next(ctx, k.picture, seen.space.ID, seen.ids, seen.vectors, seen.now)
		if err != nil {
			return api.Map{}, err
		}
		k.picture, k.state = p, seen.state
	}
	if len(seen.ids) == 0 {
		k.picture, k.state = nil, ""
	}
	out := api.Map{Total: len(seen.list), AsOf: api.Time(seen.now), ComputedAt: api.Time(seen.now), Clusters: []api.Cluster{}}
	if k.picture != nil {
		out.Model, out.Placed, out.ComputedAt = seen.space.Model, len(seen.ids), api.Time(k.picture.made)
	}
	groups := arrange(seen.list, k.picture)
	words, err := s.words(ctx, seen.list, groups)
	if err != nil {
		return api.Map{}, err
	}
	for i, members := range groups {
		c := ellipse(seen.list, members)
		c.Words = words[i]
		out.Clusters = append(out.Clusters, c)
	}
	out.Points, out.Categories = encode(seen.list)
	return out, nil
}

// place is the account's, made where there is none.
func (s *Store) place(owner db.AccountID) *kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.of[owner]
	if k == nil {
		if len(s.of) >= keptMost {
			oldest := db.AccountID(0)
			for id, o := range s.of {
				if oldest == 0 || o.used < s.of[oldest].used {
					oldest = id
				}
			}
			delete(s.of, oldest)
		}
		k = &kept{turn: make(chan struct{}, 1)}
		s.of[owner] = k
	}
	s.uses++
	k.used = s.uses
	return k
}

// look reads what there is, and the vectors where the picture that is kept is not of
// these.
func (s *Store) look(ctx context.Context, who db.AccountID, k *kept) (out sight, err error) {
	snapshot := s.o.Service.Snapshot()
	err = s.db.ViewAgain(ctx, func(tx *db.Tx) error {
		out = sight{now: tx.Now}
		terms, err := s.o.Rules.Terms(tx)
		if err != nil {
			return err
		}
		places, err := s.o.Memories.Places(tx, who)
		if err != nil {
			return err
		}
		owners := []db.AccountID{who}
		for _, pool := range places.Pools() {
			if pool.Owner != 0 {
				owners = append(owners, pool.Owner)
			}
		}
		if out.space, err = embedding.Current(tx); err != nil {
			return err
		}
		on := out.space.On() && snapshot.ID == out.space.ID
		var state strings.Builder
		fmt.Fprint(&state, out.space.ID)
		for _, owner := range owners {
			revision, err := embedding.Revision(tx, owner)
			if err != nil {
				return err
			}
			fmt.Fprint(&state, " ", owner, ":", revision)
			for b, err := range s.o.Memories.Briefs(tx, owner, nil) {
				if err != nil {
					return err
				}
				if b.Status != memory.Active {
					continue
				}
				v, err := vitality.Vitality(b.Vital(), terms.Policy, tx.Now)
				if err != nil {
					return err
				}
				out.list = append(out.list, placed{
					id: b.ID, owner: int64(owner), category: b.CategoryID, importance: int(b.Importance),
					vitality: vitality.Shown(v, terms.Policy.Floor), meant: on && b.Indexed,
				})
			}
		}
		sortByID(out.list)
		out.state = state.String()
		if !on {
			return nil
		}
		for i := range out.list {
			if out.list[i].meant {
				out.ids = append(out.ids, out.list[i].id)
			}
		}
		if k.picture != nil && k.state == out.state && k.picture.holds(out.ids) {
			return nil
		}
		return s.vectors(tx, owners, snapshot, &out)
	})
	return out, err
}

// holds tells whether a picture has all of ids.
func (p *picture) holds(ids []int64) bool {
	for _, id := range ids {
		if _, ok := p.slots[id]; !ok {
			return false
		}
	}
	return true
}

// vectors reads the vectors of what is placed by meaning.
func (s *Store) vectors(tx *db.Tx, owners []db.AccountID, snapshot *embedding.Snapshot, out *sight) error {
	slot := make(map[int64]int, len(out.ids))
	for i, id := range out.ids {
		slot[id] = i
	}
	var found []bool
	for _, owner := range owners {
		err := s.o.Indexes.All(tx, owner, snapshot, vector.Filter{}, func(id int64, v []float32) {
			i, ok := slot[id]
			if !ok {
				return
			}
			if out.vectors.width == 0 {
				out.vectors = matrix{width: len(v), data: make([]float32, len(out.ids)*len(v))}
				found = make([]bool, len(out.ids))
			}
			if len(v) == out.vectors.width {
				copy(out.vectors.row(i), v)
				found[i] = true
			}
		})
		if err != nil && !fault.Is(err, fault.Stale) { // another model meanwhile: around the hubs, until the next look
			return err
		}
	}
	kept := out.ids[:0]
	for i, id := range out.ids {
		if found != nil && found[i] {
			copy(out.vectors.row(len(kept)), out.vectors.row(i))
			kept = append(kept, id)
		}
	}
	out.ids = kept
	out.vectors.data = out.vectors.data[:len(kept)*out.vectors.width]
	if len(kept) == 0 {
		out.vectors = matrix{}
	}
	have := make(map[int64]bool, len(kept))
	for _, id := range kept {
		have[id] = true
	}
	for i := range out.list {
		out.list[i].meant = have[out.list[i].id]
	}
	return nil
}

// textsMost is how many texts of a cluster its words are taken from.
const textsMost = 80

// words are the labels' words of groups.
func (s *Store) words(ctx context.Context, list []placed, groups [][]int) (out [][]string, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		texts := make([][]string, len(groups))
		for g, members := range groups {
			ids := map[db.AccountID][]int64{}
			step := max(1, len(members)/textsMost)
			for i := 0; i < len(members); i += step {
				p := &list[members[i]]
				ids[db.AccountID(p.owner)] = append(ids[db.AccountID(p.owner)], p.id)
			}
			for owner, of := range ids {
				found, err := s.o.Memories.Texts(tx, owner, of)
				if err != nil {
					return err
				}
				for _, t := range found {
					texts[g] = append(texts[g], t.Text)
				}
			}
		}
		out = rareWords(texts)
		return nil
	})
	return out, err
}

// encode is the list as the wire has it.
func encode(list []placed) (points string, categories []int64) {
	categories = []int64{0}
	at := map[int64]byte{0: 0}
	b := make([]byte, 0, len(list)*api.MapRecord)
	for i := range list {
		p := &list[i]
		place, known := at[p.category]
		if !known && len(categories) <= math.MaxUint8 {
			place = byte(len(categories))
			at[p.category] = place
			categories = append(categories, p.category)
		}
		id := binary.LittleEndian.AppendUint64(nil, uint64(p.id))
		b = append(b, id[:6]...)
		b = binary.LittleEndian.AppendUint16(b, uint16(unit(p.x)))
		b = binary.LittleEndian.AppendUint16(b, uint16(unit(p.y)))
		meant := byte(0)
		if p.meant {
			meant = 1
		}
		b = append(b, place, byte(p.importance), byte(p.vitality), meant)
	}
	return base64.StdEncoding.EncodeToString(b), categories
}
