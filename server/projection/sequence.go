package projection

import (
	"slices"

	"elowen/server/vitality"
)

// place is a place in a sequence: a key, and in the order of vitality also the
// level of importance whose run the key belongs to.
type place struct {
	level int
	key
}

// sequence is the rows of a projection in order. Ranks count from 0. An instant
// now matters only to the order of vitality.
type sequence interface {
	length() int
	// part is the slots of the ranks from … from+limit−1, as far as there are any.
	part(rows []brief, from, limit int, now int64) []int32
	// rank is how many rows stand before the place.
	rank(rows []brief, p place, now int64) int
	placeOf(m *brief) place

	insert(rows []brief, slot int32)
	remove(rows []brief, slot int32)
	insertAll(rows []brief, slots []int32)
	removeAll(rows []brief, gone func(slot int32) bool)
	bytes() int64
}

// plain is a sequence that time doesn't move: one run.
type plain struct{ run }

func (p *plain) length() int { return len(p.slots) }

func (p *plain) part(_ []brief, from, limit int, _ int64) []int32 {
	from = min(from, len(p.slots))
	return p.slots[from : from+min(limit, len(p.slots)-from)]
}

func (p *plain) rank(rows []brief, at place, _ int64) int { return p.find(rows, at.key) }
func (p *plain) placeOf(m *brief) place                   { return place{key: p.by.keyOf(m)} }
func (p *plain) removeAll(_ []brief, gone func(int32) bool) {
	p.run.removeAll(gone)
}
func (p *plain) bytes() int64 { return 4 * int64(cap(p.slots)) }

// levels is the order of vitality: one run for each level of importance, ordered
// by the order key, which no clock moves. A rank is found by merging the ten at an
// instant; nothing has to be sorted as time passes.
//
// Across levels rows are compared by (now − key) / halfLife, the number of
// half-lives since they were full, which orders as vitality does and needs no
// exponential. Equal ones are ordered by level, then key, creation and id.
type levels struct {
	runs   [vitality.Levels]run // ascending: lowest vitality first
	policy vitality.Policy
	desc   bool
	n      int
}

func (l *levels) length() int { return l.n }

func (l *levels) level(m *brief) *run { return &l.runs[levelOf(m)-1] }

func levelOf(m *brief) int { return min(max(int(m.Importance), 1), vitality.Levels) }

func (l *levels) insert(rows []brief, slot int32) {
	l.level(&rows[slot]).insert(rows, slot)
	l.count()
}

func (l *levels) remove(rows []brief, slot int32) {
	l.level(&rows[slot]).remove(rows, slot)
	l.count()
}

func (l *levels) insertAll(rows []brief, slots []int32) {
	var by [vitality.Levels][]int32
	for _, s := range slots {
		i := levelOf(&rows[s]) - 1
		by[i] = append(by[i], s)
	}
	for i := range l.runs {
		l.runs[i].insertAll(rows, by[i])
	}
	l.count()
}

func (l *levels) removeAll(_ []brief, gone func(int32) bool) {
	for i := range l.runs {
		l.runs[i].removeAll(gone)
	}
	l.count()
}

func (l *levels) count() {
	l.n = 0
	for i := range l.runs {
		l.n += len(l.runs[i].slots)
	}
}

func (l *levels) bytes() int64 {
	var n int64
	for i := range l.runs {
		n += 4 * int64(cap(l.runs[i].slots))
	}
	return n
}

func (l *levels) placeOf(m *brief) place {
	r := l.level(m)
	return place{level: levelOf(m), key: r.by.keyOf(m)}
}

// height is how high a key of a level stands at an instant: minus the half-lives
// since it was full.
func (l *levels) height(level int, k key, now int64) float64 {
	return (number(k.a) - float64(now)) / (l.policy.HalfLifeDays[level-1] * vitality.DayMillis)
}

// before tells, in ascending order, whether a place stands before another.
func (l *levels) before(p place, height float64, q place, now int64) bool {
	if p.level == q.level {
		return p.key.ascending(q.key) < 0
	}
	if h := l.height(p.level, p.key, now); h != height {
		return h < height
	}
	return p.level < q.level
}

// count of a run's rows in [low, high) that stand before q, plus low.
func (l *levels) lower(rows []brief, level, low, high int, q place, height float64, now int64) int {
	r := &l.runs[level-1]
	for low < high {
		mid := int(uint(low+high) >> 1)
		p := place{level: level, key: r.by.keyOf(&rows[r.slots[mid]])}
		if l.before(p, height, q, now) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (l *levels) rank(rows []brief, p place, now int64) int {
	height := l.height(p.level, p.key, now)
	n := 0
	for level := 1; level <= vitality.Levels; level++ {
		n += l.lower(rows, level, 0, len(l.runs[level-1].slots), p, height, now)
	}
	if !l.desc {
		return n
	}
	// Descending, the rows behind stand before; one that is at the place itself
	// stands neither before nor behind.
	r := &l.runs[p.level-1]
	if i := r.find(rows, p.key); i < len(r.slots) && r.by.keyOf(&rows[r.slots[i]]) == p.key {
		return l.n - n - 1
	}
	return l.n - n
}

func (l *levels) part(rows []brief, from, limit int, now int64) []int32 {
	from = min(from, l.n)
	limit = min(limit, l.n-from)
	if !l.desc {
		return l.ascending(rows, from, limit, now)
	}
	slots := l.ascending(rows, l.n-from-limit, limit, now)
	slices.Reverse(slots)
	return slots
}

func (l *levels) ascending(rows []brief, from, limit int, now int64) []int32 {
	out := make([]int32, 0, limit)
	at := l.split(rows, from, now)
	for len(out) < limit {
		best, bestHeight := place{}, 0.0
		for i := range l.runs {
			r := &l.runs[i]
			if at[i] == len(r.slots) {
				continue
			}
			p := place{level: i + 1, key: r.by.keyOf(&rows[r.slots[at[i]]])}
			if best.level == 0 || l.before(p, bestHeight, best, now) {
				best, bestHeight = p, l.height(p.level, p.key, now)
			}
		}
		i := best.level - 1
		out = append(out, l.runs[i].slots[at[i]])
		at[i]++
	}
	return out
}

// split says how many of the first n rows are of each level. It narrows a range
// in each run: the middle of the longest one tells on which side of it rank n
// lies, in all runs at once.
func (l *levels) split(rows []brief, n int, now int64) [vitality.Levels]int {
	var low, high, mid [vitality.Levels]int
	for i := range l.runs {
		high[i] = len(l.runs[i].slots)
	}
	for {
		longest, width := 0, 0
		for i := range low {
			if w := high[i] - low[i]; w > width {
				longest, width = i, w
			}
		}
		if width == 0 {
			return low
		}
		r := &l.runs[longest]
		m := low[longest] + width/2
		pivot := place{level: longest + 1, key: r.by.keyOf(&rows[r.slots[m]])}
		height := l.height(pivot.level, pivot.key, now)
		before := 0
		for i := range mid {
			if i == longest {
				mid[i] = m
			} else {
				mid[i] = l.lower(rows, i+1, low[i], high[i], pivot, height, now)
			}
			before += mid[i]
		}
		if before < n {
			// The pivot itself is among the first n.
			low = mid
			low[longest]++
		} else {
			high = mid
		}
	}
}

// newSequence makes an empty sequence.
func newSequence(by ordering, p vitality.Policy) sequence {
	if by.sort != byVitality {
		return &plain{run{by: by}}
	}
	l := &levels{policy: p, desc: by.desc}
	for i := range l.runs {
		l.runs[i].by = ordering{sort: by.sort}
	}
	return l
}
