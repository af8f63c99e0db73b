package vitality

import (
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// UseKind is what a use moves.
type UseKind uint8

// The kinds of use.
const (
	Recall     UseKind = iota // moves the use count and the last use
	Reinforced                // moves the last use only
)

// Use is one recorded use of a memory.
type Use struct {
	At   int64
	Kind UseKind
}

// ImportanceChange is one recorded change of a memory's importance, both on the
// scale of ten.
type ImportanceChange struct {
	At            int64
	Before, After int
}

// Point is the vitality at an instant. Two points at one instant are a jump.
type Point struct {
	At       int64
	Vitality float64
}

// History is how a memory's vitality came about, and how it goes on if the memory
// is not used again. Slices are never nil.
type History struct {
	Points   []Point // the past, ascending; the last is the vitality at Now
	Recalls  []int64 // the instants of the recalls within Points, ascending
	Forecast []Point // from Now to the crossing, or as far as the setting memory.forecast says

	Floor       *float64 // nil while retention is off
	CrossingAt  *int64   // see CrossingAt; nil while retention is off or the memory is not active
	EvictableAt *int64   // see EvictableAt; nil where there is no such sweep

	HistoryFrom int64 // Points begin here: before it nothing is known, or nothing was asked
	Now         int64
}

// BuildHistory replays a memory's recorded uses and changes of importance over the
// last days (as the setting memory.history bounds them, else fault.Invalid), under
// today's policy.
//
// The past is exact or absent. The curve begins with the window, or later at the
// first instant from which the memory's state is known, for which see pastOf and
// levelsOf; where the record contradicts the memory it begins when the present
// state did, and so may be a single point. It always ends at now with exactly
// Vitality(m, p, now).
//
// uses are all that survive, not only those of the window, in any order. Recalls
// are taken to be forgotten once they are older than the setting memory.usageDays,
// all of them and no later one. What moved the last use without a count is taken to
// be there for the whole life, as Reinforced: it is audited, so it need not be
// forgotten, and the last use that a merged or imported memory came with is one
// too. A memory whose every counted recall survives is otherwise drawn as never
// used before its first record.
// changes are all changes of importance on today's scale; those of a scale of five
// and the migration away from it are left out.
func BuildHistory(m Memory, p Policy, uses []Use, changes []ImportanceChange, now int64, days int, nextSweepAt int64) (History, error) {
	if bad, ok := violation("days", setting.Get("memory.history"), float64(days)); !ok {
		return History{}, fault.BadField(bad.Field, bad.Rule, bad.Param, bad.Message)
	}
	present, err := curveOf(m, p)
	if err != nil {
		return History{}, err
	}
	pst := pastOf(m, uses, now)
	lvl := levelsOf(m.Importance, changes, now)
	h := History{
		Recalls: []int64{}, Now: now,
		HistoryFrom: min(now, max(now-int64(days)*DayMillis, pst.from, lvl.from)),
	}

	segments, err := replay(pst, lvl, p, h.HistoryFrom, now)
	if err != nil {
		return History{}, err
	}
	h.Points = sample(segments)
	for _, u := range pst.all {
		if u.Kind == Recall && u.At >= h.HistoryFrom && u.At <= now {
			h.Recalls = append(h.Recalls, u.At)
		}
	}

	end := now + int64(setting.Int("memory.forecast"))*DayMillis
	if p.Enabled {
		h.Floor = &p.Floor
	}
	if p.Enabled && m.Active {
		crossing, err := CrossingAt(m, p)
		if err != nil {
			return History{}, err
		}
		if crossing != Never {
			h.CrossingAt = &crossing
			if crossing > now {
				end = crossing
			}
		}
		sweep, ok, err := EvictableAt(m, p, nextSweepAt)
		if err != nil {
			return History{}, err
		}
		if ok {
			h.EvictableAt = &sweep
		}
	}
	h.Forecast = sample([]segment{{from: now, to: end, curve: present}})
	return h, nil
}
