package vector

import (
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"elowen/server/embedding"
	"elowen/server/memory"
)

// blockRows is how many rows are in one piece: a matrix grows without being copied.
const blockRows = 1024

// entry is one memory of an index.
type entry struct {
	id       int64  // 0: gone
	mark     uint64 // of the body that its rows are of
	row      int32  // its first
	category int32  // its place in index.categories
	parts    uint16
	status   memory.Status
	group    uint8 // of its body: its place in groups
}

// index is the vectors of one account in one space.
type index struct {
	width      int
	blocks     [][]float32
	rows       int // in use, those of gone entries too
	dead       int // of them, rows of gone entries
	entries    []entry
	slots      map[int64]int32 // of entries, by memory
	categories []int64
	places     map[int64]int32 // of categories
}

func newIndex(width, expected int) *index {
	return &index{
		width: width, entries: make([]entry, 0, expected), slots: make(map[int64]int32, expected), places: map[int64]int32{},
	}
}

// vector is one row.
func (x *index) vector(row int) []float32 {
	at := row % blockRows * x.width
	return x.blocks[row/blockRows][at : at+x.width : at+x.width]
}

// grow adds a row and gives it to be filled.
func (x *index) grow() []float32 {
	if x.rows == len(x.blocks)*blockRows {
		x.blocks = append(x.blocks, make([]float32, blockRows*x.width))
	}
	x.rows++
	return x.vector(x.rows - 1)
}

// fact is what an index knows of a memory beside its vectors.
type fact struct {
	id, category int64
	status       memory.Status
}

// put adds a row of a memory: its first one, or another one right after it. A
// memory that is there already has to be dropped before.
func (x *index) put(f fact, bodyHash string) []float32 {
	if last := len(x.entries) - 1; last >= 0 && x.entries[last].id == f.id {
		x.entries[last].parts++
		return x.grow()
	}
	place, ok := x.places[f.category]
	if !ok {
		place = int32(len(x.categories))
		x.places[f.category] = place
		x.categories = append(x.categories, f.category)
	}
	x.slots[f.id] = int32(len(x.entries))
	x.entries = append(x.entries, entry{id: f.id, mark: markOf(bodyHash), row: int32(x.rows), category: place, parts: 1, status: f.status})
	return x.grow()
}

// drop takes a memory out.
func (x *index) drop(id int64) {
	slot, ok := x.slots[id]
	if !ok {
		return
	}
	x.dead += int(x.entries[slot].parts)
	x.entries[slot].id = 0
	delete(x.slots, id)
}

// loose tells whether so much is gone that it is worth to be packed anew.
func (x *index) loose() bool { return x.dead > blockRows && x.dead > x.rows/4 }

// packed is the index without what is gone.
func (x *index) packed() *index {
	fresh := newIndex(x.width, len(x.slots))
	for i := range x.entries {
		e := &x.entries[i]
		if e.id == 0 {
			continue
		}
		f := fact{e.id, x.categories[e.category], e.status}
		for part := range int(e.parts) {
			copy(fresh.put(f, ""), x.vector(int(e.row)+part))
		}
		last := &fresh.entries[len(fresh.entries)-1]
		last.mark, last.group = e.mark, e.group
	}
	return fresh
}

func (x *index) bytes() int64 {
	const slotBytes = 24 // of the map
	return int64(len(x.blocks))*blockRows*int64(x.width)*4 + int64(cap(x.entries))*int64(unsafe.Sizeof(entry{})) + int64(len(x.slots))*slotBytes
}

// markOf is a body's hash in eight bytes.
func markOf(bodyHash string) uint64 {
	n, _ := strconv.ParseUint(bodyHash[:min(len(bodyHash), 16)], 16, 64) // what is no hash has the mark 0
	return n
}

// Filter says which memories may be found. The zero value finds every active one.
type Filter struct {
	// Permitted tells which categories may be looked into; 0 is none at all. nil:
	// every one. It is asked once for each category that the account has.
	Permitted func(category int64) bool
	// Excluded memories are passed over.
	Excluded []int64
	// Status is that of those that are looked for.
	Status memory.Status
	// Any says that they are of whatever status.
	Any bool
}

// gate is a filter made ready for an index.
type gate struct {
	permitted []bool   // by place of the category
	excluded  []uint64 // a bit for each entry; nil: none
	status    memory.Status
	any       bool
}

func (x *index) gate(f Filter) gate {
	g := gate{permitted: make([]bool, len(x.categories)), status: f.Status, any: f.Any}
	for i, id := range x.categories {
		g.permitted[i] = f.Permitted == nil || f.Permitted(id)
	}
	for _, id := range f.Excluded {
		if slot, ok := x.slots[id]; ok {
			if g.excluded == nil {
				g.excluded = make([]uint64, len(x.entries)/64+1)
			}
			g.excluded[slot/64] |= 1 << (slot % 64)
		}
	}
	return g
}

func (g *gate) passes(i int, e *entry) bool { return g.permits(e) && !g.excludes(i) }

func (g *gate) permits(e *entry) bool {
	return e.id != 0 && (g.any || e.status == g.status) && g.permitted[e.category]
}

func (g *gate) excludes(i int) bool { return g.excluded != nil && g.excluded[i/64]&(1<<(i%64)) != 0 }

// Hit is a memory that was found.
type Hit struct {
	Memory int64
	Cosine float64
	mark   uint64
	group  uint8
}

// Tongue tells whether the memory is of a group (embedding.Group) of texts.
func (h Hit) Tongue(group string) bool { return h.group == placeOf(group) }

// groups are those of embedding, by place; 0 is none of them.
var groups = sync.OnceValue(func() map[string]uint8 {
	m := map[string]uint8{}
	for i, g := range embedding.Groups() {
		m[g] = uint8(i + 1)
	}
	return m
})

func placeOf(group string) uint8 { return groups()[group] }

// Of tells whether the cosine is of a body. A transaction that began before the
// index was brought up to date may see another one.
func (h Hit) Of(bodyHash string) bool { return h.mark == markOf(bodyHash) }

// lookAhead is how many memories before its turn a row is fetched into the cache,
// where a filter skips some: then the processor doesn't guess by itself what comes
// next, and each gap would cost as much as several rows. Where none is skipped it
// knows better.
const lookAhead = 4

// candidates are reused, from one search to the next.
var candidates = sync.Pool{New: func() any { return new([]int32) }}

// search finds the k nearest to any of queries, the nearest first, of equally near
// ones the newer; and of those that only the exclusion keeps out, the nearest most.
// compared is how many memories passed the filter.
func (x *index) search(queries [][]float32, f Filter, k, most int) (hits, excluded []Hit, compared int) {
	if k <= 0 || len(queries) == 0 {
		return []Hit{}, []Hit{}, 0
	}
	g := x.gate(f)
	best, beside := nearest{most: k}, nearest{most: most}
	list := candidates.Get().(*[]int32)
	defer candidates.Put(list)
	slots := (*list)[:0]
	for i := range x.entries {
		if e := &x.entries[i]; g.permits(e) && (most > 0 || !g.excludes(i)) {
			slots = append(slots, int32(i))
		}
	}
	*list = slots
	for n, i := range slots {
		e := &x.entries[i]
		var ahead []float32
		if far := slots[min(n+lookAhead, len(slots)-1)]; far-i > lookAhead {
			ahead = x.vector(int(x.entries[far].row))
		}
		cosine := x.cosine(e, queries, ahead)
		into := &best
		if g.excludes(int(i)) {
			into = &beside
		} else {
			compared++
		}
		if into.wants(cosine, e.id) {
			into.put(Hit{Memory: e.id, Cosine: float64(cosine), mark: e.mark, group: e.group})
		}
	}
	return best.sorted(), beside.sorted(), compared
}

// cosine is the largest of a memory's rows and queries. ahead is a row that will be
// wanted soon, or nil.
func (x *index) cosine(e *entry, queries [][]float32, ahead []float32) float32 {
	best := float32(-2)
	for part := range int(e.parts) {
		row := x.vector(int(e.row) + part)
		for _, q := range queries {
			if ahead == nil {
				best = max(best, dot(q, row))
			} else {
				best = max(best, dotAhead(q, row, ahead))
			}
		}
	}
	return best
}

// of are copies of a memory's vectors.
func (x *index) of(id int64) [][]float32 {
	slot, ok := x.slots[id]
	if !ok {
		return nil
	}
	e := &x.entries[slot]
	list := make([][]float32, e.parts)
	for part := range list {
		list[part] = slices.Clone(x.vector(int(e.row) + part))
	}
	return list
}

// fill takes a stored vector in, with the means taken off.
func (x *index) fill(f fact, v *embedding.Vector, means embedding.Means) bool {
	if v.Width != x.width || len(v.Raw) != 4*x.width {
		return false
	}
	row := x.put(f, v.BodyHash)
	embedding.Decode(row, v.Raw)
	group := means.Centre(row)
	if group == "" {
		group = v.Script
	}
	x.entries[len(x.entries)-1].group = placeOf(group)
	return true
}
