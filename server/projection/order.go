package projection

import (
	"cmp"
	"math"
	"slices"

	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/server/words"
	"elowen/shared/api"
)

// key is where a row stands in an order. Keys compare as their fields do, in this
// sequence; the id makes them distinct, so that every order is total and a place
// in it can be named by a cursor.
type key struct {
	last bool // has no value to sort by: behind all that have one, in either direction
	a, b int64
	id   int64
}

// sorting is what a list is ordered by, as a number: it is looked at for every
// comparison.
type sorting uint8

const (
	byUpdated sorting = iota
	byCreated
	byVitality
	byImportance
	byUsed
	byEvictable
	byRelevance
)

var sortings = map[string]sorting{
	api.SortUpdated: byUpdated, api.SortCreated: byCreated, api.SortVitality: byVitality, api.SortImportance: byImportance,
	api.SortUsed: byUsed, api.SortEvictable: byEvictable, api.SortRelevance: byRelevance,
}

// ordering is the order of a list.
type ordering struct {
	sort sorting
	desc bool
	hits []words.Hit // for relevance: the scores, by ascending id
}

// keyOf is the key of a row. That of the vitality order holds only among rows of
// one importance.
func (o ordering) keyOf(m *brief) key {
	k := key{b: o.second(m), id: m.ID}
	k.a, k.last = o.first(m)
	return k
}

// first is what rows are ordered by before all else; last says that a row has no
// such value.
func (o ordering) first(m *brief) (a int64, last bool) {
	switch o.sort {
	case byCreated:
		return m.CreatedAt, false
	case byImportance:
		return int64(m.Importance), false
	case byUsed:
		return m.LastUsedAt, m.LastUsedAt == 0
	case byEvictable:
		if m.Status != memory.Active || m.FadesAt == vitality.Never {
			return 0, true
		}
		return m.FadesAt, false
	case byVitality:
		return sortable(m.OrderKey), false
	case byRelevance:
		return sortable(scoreOf(o.hits, m.ID)), false
	}
	return m.UpdatedAt, false
}

// second orders rows whose first is equal.
func (o ordering) second(m *brief) int64 {
	switch o.sort {
	case byImportance:
		return m.UpdatedAt
	case byVitality:
		return m.CreatedAt
	}
	return 0
}

// compare orders two keys.
func (o ordering) compare(x, y key) int {
	if x.last != y.last {
		if x.last {
			return 1
		}
		return -1
	}
	c := x.ascending(y)
	if o.desc {
		return -c
	}
	return c
}

func (x key) ascending(y key) int {
	switch {
	case x.a != y.a:
		return cmp.Compare(x.a, y.a)
	case x.b != y.b:
		return cmp.Compare(x.b, y.b)
	}
	return cmp.Compare(x.id, y.id)
}

// sortable is a number that orders as f does. NaN stands beyond all.
func sortable(f float64) int64 {
	if f == 0 {
		f = 0 // −0 too
	}
	n := int64(math.Float64bits(f))
	if n < 0 {
		n ^= math.MaxInt64
	}
	return n
}

// number is the inverse of sortable.
func number(n int64) float64 {
	if n < 0 {
		n ^= math.MaxInt64
	}
	return math.Float64frombits(uint64(n))
}

// run is rows in the order of their keys. It holds the rows' slots in the
// catalogue; whoever changes a row takes it out before and puts it back after.
type run struct {
	by    ordering
	slots []int32
}

// find is how many rows of the run stand before the key.
func (r *run) find(rows []brief, k key) int {
	low, high := 0, len(r.slots)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if r.by.compare(r.by.keyOf(&rows[r.slots[mid]]), k) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (r *run) insert(rows []brief, slot int32) {
	at := r.find(rows, r.by.keyOf(&rows[slot]))
	r.slots = slices.Insert(r.slots, at, slot)
}

func (r *run) remove(rows []brief, slot int32) {
	at := r.find(rows, r.by.keyOf(&rows[slot]))
	if at < len(r.slots) && r.slots[at] == slot {
		r.slots = slices.Delete(r.slots, at, at+1)
	}
}

// removeAll takes out the slots that are marked.
func (r *run) removeAll(gone func(slot int32) bool) {
	r.slots = slices.DeleteFunc(r.slots, gone)
}

// sorted is the slots in the run's order.
func (r *run) sorted(rows []brief, slots []int32) []int32 {
	out := slices.Clone(slots)
	if len(out) < radixLeast {
		slices.SortFunc(out, func(x, y int32) int { return r.by.compare(r.by.keyOf(&rows[x]), r.by.keyOf(&rows[y])) })
		return out
	}
	// The least important part of the key first; each pass leaves equals as they are.
	flip := uint64(1) << 63 // makes negative numbers the smaller ones
	if r.by.desc {
		flip = ^flip
	}
	entries := make([]entry, len(out))
	ascending := true
	for i, slot := range out {
		entries[i].slot = slot
		ascending = ascending && (i == 0 || rows[out[i-1]].ID < rows[slot].ID)
	}
	pass := func(part func(m *brief) uint64) {
		for i := range entries {
			entries[i].key = part(&rows[entries[i].slot])
		}
		entries = radix(entries)
	}
	switch {
	case !ascending:
		pass(func(m *brief) uint64 { return uint64(m.ID) ^ flip })
	case r.by.desc:
		slices.Reverse(entries)
	}
	if r.by.sort == byImportance || r.by.sort == byVitality {
		pass(func(m *brief) uint64 { return uint64(r.by.second(m)) ^ flip })
	}
	pass(func(m *brief) uint64 {
		first, last := r.by.first(m)
		if last {
			return math.MaxUint64
		}
		return uint64(first) ^ flip
	})
	for i, e := range entries {
		out[i] = e.slot
	}
	return out
}

// insertAll puts many rows in at once: it sorts them and merges the two orders.
func (r *run) insertAll(rows []brief, slots []int32) {
	if len(slots) == 0 {
		return
	}
	fresh := r.sorted(rows, slots)
	if len(r.slots) == 0 {
		r.slots = fresh
		return
	}
	// From the end, in place: what is already there moves at most once.
	i, j := len(r.slots)-1, len(fresh)-1
	r.slots = append(r.slots, fresh...)
	for at := len(r.slots) - 1; j >= 0; at-- {
		if i >= 0 && r.by.compare(r.by.keyOf(&rows[r.slots[i]]), r.by.keyOf(&rows[fresh[j]])) > 0 {
			r.slots[at] = r.slots[i]
			i--
		} else {
			r.slots[at] = fresh[j]
			j--
		}
	}
}
