package vitality

import (
	"cmp"
	"slices"

	"elowen/shared/setting"
)

// past is what a memory's record tells of its counters: the state at from, and the
// uses that move it on.
type past struct {
	from      int64 // the state is known from here on
	count     int64 // use count before replayed
	reference int64 // reference before replayed
	replayed  []Use // ascending; leads to the memory's present state
	all       []Use // the whole record, ascending
}

// pastOf finds out since when the counters are known. With R recorded recalls and
// U counted ones:
//
//   - Nothing recorded: the present state holds since the last use (or the creation,
//     if that is later: a merged or imported memory has the uses of its sources).
//   - U = R: every use is recorded, so before the first it was never used, and the
//     state is known since the creation.
//   - U > R: U − R uses happened before the record begins, nobody knows when, so the
//     reference before the first recorded use is lost; the state is known from that
//     one on, with U − R as a baseline of the count.
//   - U < R, or the last recorded use is not the memory's last use (a use without a
//     record, or a clock that was put back), or it lies after now: the record does
//     not explain the present, which alone is known, since the last of all these
//     instants.
func pastOf(m Memory, uses []Use, now int64) past {
	byTime := func(a, b Use) int { return cmp.Compare(a.At, b.At) }
	if !slices.IsSortedFunc(uses, byTime) {
		uses = slices.Clone(uses)
		slices.SortStableFunc(uses, byTime)
	}
	present := past{
		from: max(m.CreatedAt, m.Reference()), count: m.UseCount, reference: m.Reference(), all: uses,
	}
	if len(uses) == 0 {
		return present
	}
	last := uses[len(uses)-1].At
	present.from = max(present.from, last)

	baseline := m.UseCount
	for _, u := range uses {
		if u.Kind == Recall {
			baseline--
		}
	}
	if baseline < 0 || last != m.LastUsedAt || last > now {
		return present
	}
	if baseline == 0 {
		return past{from: m.CreatedAt, reference: m.CreatedAt, replayed: uses, all: uses}
	}

	// Recalls vanish by age, so those of the baseline lie before every surviving
	// one and before the horizon, but not before an older Reinforced.
	horizon := now - int64(setting.Int("memory.usageDays"))*DayMillis
	for i, u := range uses {
		if u.Kind != Recall && u.At < horizon {
			continue
		}
		if u.Kind == Recall {
			baseline++
		}
		return past{from: max(u.At, m.CreatedAt), count: baseline, reference: u.At, replayed: uses[i+1:], all: uses}
	}
	return present
}

// levels is what the record tells of a memory's importance.
type levels struct {
	from    int64 // the importance is known from here on
	first   int   // in force there
	changes []ImportanceChange
}

// levelsOf finds out since when the importance is known: back to where a change
// does not lead to what followed it.
func levelsOf(importance int, changes []ImportanceChange, now int64) levels {
	byTime := func(a, b ImportanceChange) int { return cmp.Compare(a.At, b.At) }
	if !slices.IsSortedFunc(changes, byTime) {
		changes = slices.Clone(changes)
		slices.SortStableFunc(changes, byTime)
	}
	known := levels{from: always, first: importance}
	if n := len(changes); n > 0 && changes[n-1].At > now {
		known.from = now
		return known
	}
	next := now // where the state after the change in hand ends
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if c.After != known.first {
			known.from = next
			break
		}
		known.changes = changes[i:]
		if c.Before < 1 || c.Before > Levels {
			known.from = c.At
			known.changes = changes[i+1:]
			break
		}
		known.first, next = c.Before, c.At
	}
	return known
}

// segment is a stretch of time in which nothing happened to the memory.
type segment struct {
	from, to int64
	curve    curve
}

// step is one event that moves the state.
type step struct {
	at     int64
	level  int  // the new importance; 0 for a use
	recall bool // a use that counts
}

// replay cuts the time from start to now at every use and every change of
// importance. What happened at start already belongs to the first segment. Each
// recall has a cut of its own; other events share one with what else happened at
// their instant, being one change to the reader. The last segment ends at now and
// may be empty.
func replay(pst past, lvl levels, p Policy, start, now int64) ([]segment, error) {
	steps := make([]step, 0, len(pst.replayed)+len(lvl.changes))
	for _, c := range lvl.changes {
		if c.Before != c.After {
			steps = append(steps, step{at: c.At, level: c.After})
		}
	}
	for _, u := range pst.replayed {
		steps = append(steps, step{at: u.At, recall: u.Kind == Recall})
	}
	order := func(a, b step) int {
		if a.at == b.at && a.recall != b.recall { // recalls last, so that the others share
			if a.recall {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.at, b.at)
	}
	if !slices.IsSortedFunc(steps, order) {
		slices.SortStableFunc(steps, order)
	}

	segments := make([]segment, 0, len(steps)+1)
	from, count, level, reference := start, pst.count, lvl.first, pst.reference
	cut := func(to int64) error {
		h, err := halfLifeMillis(p, level)
		segments = append(segments, segment{from, to, curve{reference, h, amplitude(count)}})
		from = to
		return err
	}
	for i, s := range steps {
		again := i > 0 && s.recall && steps[i-1].recall && s.at == steps[i-1].at
		if s.at > start && (s.at > from || again) {
			if err := cut(s.at); err != nil {
				return nil, err
			}
		}
		if s.level != 0 {
			level = s.level
			continue
		}
		reference = s.at
		if s.recall {
			count++
		}
	}
	return segments, cut(now)
}
