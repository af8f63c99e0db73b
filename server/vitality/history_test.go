package vitality

import (
	"math"
	"slices"
	"testing"

	"elowen/shared/fault"
	"elowen/shared/setting"

	"pgregory.net/rapid"
)

// checkHistory tells what holds of every history.
func checkHistory(t testing.TB, m Memory, p Policy, h History) {
	t.Helper()
	if len(h.Points) == 0 || h.Points[0].At != h.HistoryFrom {
		t.Fatalf("the curve does not begin at %d: %v", h.HistoryFrom, h.Points)
	}
	v, err := Vitality(m, p, h.Now)
	if last := h.Points[len(h.Points)-1]; err != nil || last != (Point{h.Now, v}) {
		t.Fatalf("the curve ends with %+v, the vitality is %v (%v)", last, v, err)
	}
	if h.Recalls == nil || !slices.IsSorted(h.Recalls) {
		t.Fatalf("recalls %v", h.Recalls)
	}
	if h.Forecast[0] != (Point{h.Now, v}) || len(h.Forecast) < 2 {
		t.Fatalf("the forecast begins with %+v", h.Forecast[0])
	}
	for _, points := range [][]Point{h.Points, h.Forecast} {
		for i, q := range points {
			if q.Vitality < 0 || q.Vitality > 100 || i > 0 && q.At < points[i-1].At {
				t.Fatalf("point %d: %+v", i, q)
			}
		}
	}
	for _, q := range h.Forecast[1:] {
		if want, _ := Vitality(m, p, q.At); q.Vitality != want {
			t.Fatalf("forecast of %v, the vitality will be %v", q.Vitality, want)
		}
	}
}

func build(t testing.TB, m Memory, p Policy, uses []Use, changes []ImportanceChange, now int64, days int) History {
	t.Helper()
	h, err := BuildHistory(m, p, uses, changes, now, days, now+DayMillis/2)
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, m, p, h)
	return h
}

// jumps are the pairs of points at one instant.
func jumps(h History) []int64 {
	at := []int64{}
	for i := 1; i < len(h.Points); i++ {
		if h.Points[i].At == h.Points[i-1].At {
			at = append(at, h.Points[i].At)
		}
	}
	return at
}

func TestHistoryCases(t *testing.T) {
	const now = epoch
	ago := func(days float64) int64 { return now - int64(days*DayMillis) }
	recall := func(days float64) Use { return Use{At: ago(days)} }
	touch := func(days float64) Use { return Use{At: ago(days), Kind: Reinforced} }
	mem := func(created float64, count int64, last int64) Memory {
		return Memory{Importance: 7, UseCount: count, CreatedAt: ago(created), LastUsedAt: last, Active: true}
	}
	changed := func(days float64, before, after int) ImportanceChange {
		return ImportanceChange{ago(days), before, after}
	}
	days := func(list ...float64) (at []int64) {
		at = []int64{}
		for _, d := range list {
			at = append(at, ago(d))
		}
		return at
	}

	for name, c := range map[string]struct {
		m       Memory
		uses    []Use
		changes []ImportanceChange
		window  int
		from    float64   // days ago
		recalls []float64 // days ago
		jumps   []float64 // days ago
		first   float64   // vitality at the beginning; −1 where it goes without saying
	}{
		"never used":                         {mem(200, 0, 0), nil, nil, 30, 30, nil, nil, 50 * math.Exp2(-170./45)},
		"created within the window":          {mem(10, 0, 0), nil, nil, 30, 10, nil, nil, 50},
		"every use recorded":                 {mem(200, 2, ago(3)), []Use{recall(8), recall(3)}, nil, 30, 30, []float64{8, 3}, []float64{8, 3}, 50 * math.Exp2(-170./45)},
		"in any order":                       {mem(200, 2, ago(3)), []Use{recall(3), recall(8)}, nil, 30, 30, []float64{8, 3}, []float64{8, 3}, -1},
		"used before the window":             {mem(200, 2, ago(40)), []Use{recall(60), recall(40)}, nil, 30, 30, nil, nil, -1},
		"used at the window's first instant": {mem(200, 1, ago(30)), []Use{recall(30)}, nil, 30, 30, []float64{30}, nil, 100 * (0.5 + 0.5/6)},
		"used just now":                      {mem(5, 1, now), []Use{recall(0)}, nil, 30, 5, []float64{0}, []float64{0}, 50},
		"used when created":                  {mem(5, 1, ago(5)), []Use{recall(5)}, nil, 30, 5, []float64{5}, nil, 100 * (0.5 + 0.5/6)},

		"baseline, nothing recorded":              {mem(300, 12, ago(120)), nil, nil, 90, 90, nil, nil, -1},
		"baseline, last use within the window":    {mem(300, 12, ago(20)), nil, nil, 30, 20, nil, nil, 100 * (0.5 + 0.5*12/17)},
		"baseline without a last use":             {mem(20, 12, 0), nil, nil, 30, 20, nil, nil, 100 * (0.5 + 0.5*12/17)},
		"baseline, then a recall":                 {mem(300, 13, ago(5)), []Use{recall(5)}, nil, 30, 5, []float64{5}, nil, 100 * (0.5 + 0.5*13/18)},
		"baseline, a recall before the window":    {mem(300, 14, ago(5)), []Use{recall(50), recall(5)}, nil, 30, 30, []float64{5}, []float64{5}, -1},
		"baseline, an old reinforcement no help":  {mem(300, 13, ago(5)), []Use{touch(100), recall(5)}, nil, 200, 5, []float64{5}, nil, -1},
		"baseline, only an old reinforcement":     {mem(300, 13, ago(100)), []Use{touch(100)}, nil, 200, 100, nil, nil, -1},
		"baseline, a recent reinforcement":        {mem(300, 13, ago(5)), []Use{touch(20), recall(5)}, nil, 30, 20, []float64{5}, []float64{5}, 100 * (0.5 + 0.5*12/17)},
		"no baseline, an old reinforcement":       {mem(300, 1, ago(5)), []Use{touch(100), recall(5)}, nil, 200, 200, []float64{5}, []float64{100, 5}, -1},
		"reinforced only":                         {mem(40, 0, ago(9)), []Use{touch(9)}, nil, 30, 30, nil, []float64{9}, -1},
		"merged, uses of its sources":             {mem(10, 9, ago(15)), nil, nil, 30, 10, nil, nil, 100 * (0.5 + 0.5*9/14) * math.Exp2(-5./45)},
		"merged, its last use passed, then used":  {mem(10, 10, ago(2)), []Use{touch(15), recall(2)}, nil, 30, 10, []float64{2}, []float64{2}, 100 * (0.5 + 0.5*9/14) * math.Exp2(-5./45)},
		"merged, then used":                       {mem(10, 10, ago(2)), []Use{recall(2)}, nil, 30, 2, []float64{2}, nil, -1},
		"merged, its sources' records passed too": {mem(10, 2, ago(2)), []Use{recall(15), recall(2)}, nil, 30, 10, []float64{2}, []float64{2}, -1},

		"more records than uses":               {mem(50, 1, ago(5)), []Use{recall(9), recall(5)}, nil, 30, 5, []float64{5}, nil, -1},
		"a use after the last record":          {mem(50, 3, ago(2)), []Use{recall(9), recall(5)}, nil, 30, 2, nil, nil, -1},
		"a record after the last use":          {mem(50, 2, ago(9)), []Use{recall(9), recall(5)}, nil, 30, 5, []float64{5}, nil, -1},
		"records, and no last use":             {mem(50, 2, 0), []Use{recall(9), recall(5)}, nil, 30, 5, []float64{5}, nil, -1},
		"the clock put back behind a use":      {mem(50, 2, ago(-3)), []Use{recall(9), recall(-3)}, nil, 30, 0, nil, nil, 100 * (0.5 + 0.5*2/7)},
		"the clock put back behind the start":  {mem(-3, 0, 0), nil, nil, 30, 0, nil, nil, 50},
		"the clock put back behind a change":   {mem(50, 0, 0), nil, []ImportanceChange{changed(-3, 5, 7)}, 30, 0, nil, nil, -1},
		"the clock put back, kept in the past": {mem(50, 2, ago(9)), []Use{recall(12), recall(9)}, nil, 30, 30, []float64{12, 9}, []float64{12, 9}, -1},

		"importance raised":                      {mem(50, 0, 0), nil, []ImportanceChange{changed(10, 3, 7)}, 30, 30, nil, []float64{10}, 50 * math.Exp2(-20./7)},
		"importance raised before the window":    {mem(50, 0, 0), nil, []ImportanceChange{changed(40, 3, 7)}, 30, 30, nil, nil, 50 * math.Exp2(-20./45)},
		"importance changed to what it was":      {mem(50, 0, 0), nil, []ImportanceChange{changed(10, 7, 7)}, 30, 30, nil, nil, -1},
		"several changes, in any order":          {mem(50, 0, 0), nil, []ImportanceChange{changed(4, 9, 7), changed(10, 3, 9)}, 30, 30, nil, []float64{10, 4}, -1},
		"a missing change":                       {mem(50, 0, 0), nil, []ImportanceChange{changed(10, 3, 5), changed(4, 9, 7)}, 30, 4, nil, nil, -1},
		"the last change missing":                {mem(50, 0, 0), nil, []ImportanceChange{changed(10, 3, 5)}, 30, 0, nil, nil, -1},
		"a level off the scale":                  {mem(50, 0, 0), nil, []ImportanceChange{changed(10, 0, 7)}, 30, 10, nil, nil, -1},
		"reinforced and raised in one":           {mem(50, 0, ago(9)), []Use{touch(9)}, []ImportanceChange{changed(9, 5, 7)}, 30, 30, nil, []float64{9}, -1},
		"two recalls in one millisecond":         {mem(50, 2, ago(9)), []Use{recall(9), recall(9)}, nil, 30, 30, []float64{9, 9}, []float64{9, 9, 9}, -1},
		"recalled, reinforced and raised in one": {mem(50, 1, ago(9)), []Use{recall(9), touch(9)}, []ImportanceChange{changed(9, 5, 7)}, 30, 30, []float64{9}, []float64{9}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			uses, changes := slices.Clone(c.uses), slices.Clone(c.changes)
			h := build(t, c.m, DefaultPolicy(), c.uses, c.changes, now, c.window)
			if h.HistoryFrom != ago(c.from) {
				t.Errorf("begins %v days ago", float64(now-h.HistoryFrom)/DayMillis)
			}
			if !slices.Equal(h.Recalls, days(c.recalls...)) {
				t.Errorf("recalls %v, want %v days ago", h.Recalls, c.recalls)
			}
			if !slices.Equal(jumps(h), days(c.jumps...)) {
				t.Errorf("jumps %v, want %v days ago", jumps(h), c.jumps)
			}
			if c.first >= 0 && math.Abs(h.Points[0].Vitality-c.first) > 1e-9 {
				t.Errorf("begins with %v, want %v", h.Points[0].Vitality, c.first)
			}
			if !slices.Equal(uses, c.uses) || !slices.Equal(changes, c.changes) {
				t.Error("the caller's slices are sorted")
			}
		})
	}
}

func TestForecast(t *testing.T) {
	const now = epoch
	p := DefaultPolicy()
	far := now + int64(setting.Int("memory.forecast"))*DayMillis
	end := func(h History) int64 { return h.Forecast[len(h.Forecast)-1].At }

	m := Memory{Importance: 10, CreatedAt: now, Active: true}
	h := build(t, m, p, nil, nil, now, 30)
	if h.CrossingAt == nil || end(h) != *h.CrossingAt || *h.CrossingAt < now+417*DayMillis || *h.Floor != p.Floor {
		t.Errorf("to the crossing, however far: %+v", h)
	}
	if at, ok, _ := EvictableAt(m, p, now+DayMillis/2); !ok || h.EvictableAt == nil || *h.EvictableAt != at {
		t.Errorf("date %v", h.EvictableAt)
	}

	fallen := Memory{Importance: 1, CreatedAt: now - 20*DayMillis, Active: true}
	h = build(t, fallen, p, nil, nil, now, 30)
	if end(h) != far || h.CrossingAt == nil || *h.CrossingAt >= now || *h.EvictableAt != now+DayMillis/2 {
		t.Errorf("below the floor already: %+v", h)
	}

	trashed := m
	trashed.Active = false
	h = build(t, trashed, p, nil, nil, now, 30)
	if end(h) != far || h.CrossingAt != nil || h.EvictableAt != nil || h.Floor == nil {
		t.Errorf("in the trash: %+v", h)
	}

	p.Enabled = false
	h = build(t, m, p, nil, nil, now, 30)
	if end(h) != far || h.CrossingAt != nil || h.EvictableAt != nil || h.Floor != nil {
		t.Errorf("retention off: %+v", h)
	}
}

func TestHistoryDaysAreBounded(t *testing.T) {
	m := Memory{Importance: 5, CreatedAt: epoch, Active: true}
	for _, days := range []int{-1, 0, 366, math.MaxInt} {
		if _, err := BuildHistory(m, DefaultPolicy(), nil, nil, epoch, days, epoch); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d days: %v", days, err)
		}
	}
	for _, days := range []int{1, 365} {
		if _, err := BuildHistory(m, DefaultPolicy(), nil, nil, epoch, days, epoch); err != nil {
			t.Errorf("%d days: %v", days, err)
		}
	}
}

// life is the whole truth about a memory: its states, each from an instant on.
type life []struct {
	from int64
	m    Memory
}

// at is the vitality at an instant, before and after whatever happened then.
func (l life) vitalities(t *rapid.T, p Policy, at int64) (all []float64) {
	for i, s := range l {
		if s.from <= at && (i+1 == len(l) || l[i+1].from >= at) {
			v, err := Vitality(s.m, p, at)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	return all
}

// TestHistoryIsExactOrAbsent lives whole lives, forgets what the store forgets, and
// compares every point of the curve with what was true then.
func TestHistoryIsExactOrAbsent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPolicy(t)
		now := epoch
		m := Memory{Importance: rapid.IntRange(1, Levels).Draw(t, "importance"), CreatedAt: now - rapid.Int64Range(0, 300*DayMillis).Draw(t, "age"), Active: true}
		var uses []Use
		var changes []ImportanceChange
		horizon := now - 90*DayMillis
		if rapid.Bool().Draw(t, "came with uses") { // an import or a merge
			m.UseCount = rapid.Int64Range(0, 9).Draw(t, "baseline")
			m.LastUsedAt = m.CreatedAt - rapid.Int64Range(0, 50*DayMillis).Draw(t, "last before")
			if m.UseCount == 0 || rapid.Bool().Draw(t, "told") {
				uses = append(uses, Use{m.LastUsedAt, Reinforced})
			}
		}
		truth := life{{m.CreatedAt, m}}
		recalls, at := 0, m.CreatedAt
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			at += rapid.OneOf(rapid.Int64Range(0, 2), rapid.Int64Range(0, 20*DayMillis)).Draw(t, "pause")
			if at > now {
				break
			}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0, 1:
				m.UseCount++
				m.LastUsedAt = at
				if at >= horizon {
					uses = append(uses, Use{At: at})
					recalls++
				}
			case 2:
				m.LastUsedAt = at
				uses = append(uses, Use{at, Reinforced})
			case 3:
				next := rapid.IntRange(1, Levels).Draw(t, "next importance")
				changes = append(changes, ImportanceChange{at, m.Importance, next})
				m.Importance = next
			}
			truth = append(truth, struct {
				from int64
				m    Memory
			}{at, m})
		}
		days := rapid.SampledFrom([]int{1, 30, 90, 365}).Draw(t, "days")
		h, err := BuildHistory(m, p, uses, changes, now, days, now)
		if err != nil {
			t.Fatal(err)
		}
		if h.HistoryFrom < m.CreatedAt || h.HistoryFrom < now-int64(days)*DayMillis {
			t.Fatalf("begins at %d", h.HistoryFrom)
		}
		for i, q := range h.Points {
			near := slices.ContainsFunc(truth.vitalities(t, p, q.At), func(v float64) bool { return v == q.Vitality })
			// Events of one instant are sorted, recalls last, so a state in between may never have been.
			same := 0
			for _, s := range truth {
				if s.from == q.At {
					same++
				}
			}
			if !near && same < 2 {
				t.Fatalf("point %d, %+v, was %v", i, q, truth.vitalities(t, p, q.At))
			}
		}
		if v, _ := Vitality(m, p, now); h.Points[len(h.Points)-1] != (Point{now, v}) {
			t.Fatalf("ends with %+v, not %v", h.Points[len(h.Points)-1], v)
		}
		// Nothing is left out without a reason: all is known where every use is recorded.
		if told := int64(recalls) == m.UseCount; told && h.HistoryFrom != max(truth[0].from, now-int64(days)*DayMillis) {
			t.Fatalf("every use is recorded, but the curve begins at %d", h.HistoryFrom)
		}
	})
}

// TestTheLineBetweenThePointsIsTheCurve looks between the points.
func TestTheLineBetweenThePointsIsTheCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		m.LastUsedAt = 0
		days := rapid.IntRange(1, 365).Draw(t, "days")
		h, err := BuildHistory(m, p, nil, nil, epoch, days, epoch)
		if err != nil {
			t.Fatal(err)
		}
		for _, points := range [][]Point{h.Points, h.Forecast} {
			if len(points) > budget+evenly+2 {
				t.Fatalf("%d points", len(points))
			}
			span := points[len(points)-1].At - points[0].At
			for i := 1; i < len(points); i++ {
				a, b := points[i-1], points[i]
				if b.At-a.At > span/evenly+2 {
					t.Fatalf("nothing for %d of %d ms", b.At-a.At, span)
				}
				mid := a.At + (b.At-a.At)/2
				v, _ := Vitality(m, p, mid)
				share := float64(mid-a.At) / float64(max(b.At-a.At, 1))
				if line := a.Vitality + (b.Vitality-a.Vitality)*share; math.Abs(line-v) > 1.1*deviation {
					t.Fatalf("the line is %v off between %+v and %+v", line-v, a, b)
				}
			}
		}
	})
}

// TestManyJumpsStayWithinTheBudget recalls often and lets it fade fast.
func TestManyJumpsStayWithinTheBudget(t *testing.T) {
	p := DefaultPolicy()
	p.HalfLifeDays[0] = 0.1
	m, uses := recalled(400)
	m.Importance = 1
	h := build(t, m, p, uses, nil, epoch, 90)
	if n := len(h.Points) - 2*len(uses); n > budget+evenly+2 || n < budget {
		t.Errorf("%d points besides the jumps", n)
	}
	if len(h.Recalls) != len(uses) || len(jumps(h)) != len(uses) {
		t.Errorf("%d recalls, %d jumps", len(h.Recalls), len(jumps(h)))
	}
}

// recalled is a memory with n recalls over the last 89 days.
func recalled(n int) (Memory, []Use) {
	m := Memory{Importance: 5, CreatedAt: epoch - 200*DayMillis, UseCount: int64(n), Active: true}
	uses := make([]Use, n)
	for i := range uses {
		uses[i].At = epoch - 89*DayMillis + int64(i)*(88*DayMillis)/int64(n)
	}
	m.LastUsedAt = uses[n-1].At
	return m, uses
}
