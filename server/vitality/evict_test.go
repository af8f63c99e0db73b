package vitality

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestEvictableIsStrict(t *testing.T) {
	p := DefaultPolicy()
	m := Memory{Importance: 1, CreatedAt: epoch, Active: true}
	end := epoch + 14*DayMillis
	for _, c := range []struct {
		now  int64
		want bool
	}{{epoch - DayMillis, false}, {epoch, false}, {end, false}, {end + 1, true}} {
		if due, err := Evictable(m, p, c.now); err != nil || due != c.want {
			t.Errorf("%d ms past the grace period: %v %v", c.now-end, due, err)
		}
	}
	trashed := m
	trashed.Active = false
	if due, _ := Evictable(trashed, p, end+1); due {
		t.Error("a memory in the trash is evictable")
	}
	if _, ok, err := EvictableAt(trashed, p, end); ok || err != nil {
		t.Errorf("a memory in the trash has a date (%v)", err)
	}

	// Exactly at the floor it stays; a millisecond later it may go.
	p.GraceDays, p.Floor = 0, 25
	at := epoch + DayMillis // one half-life of level 1: 50 → 25
	if v, _ := Vitality(m, p, at); v != 25 {
		t.Fatal(v)
	}
	if due, _ := Evictable(m, p, at); due {
		t.Error("evictable at the floor")
	}
	if due, _ := Evictable(m, p, at+1); !due {
		t.Error("not evictable below the floor")
	}
	for _, f := range []func(Memory, Policy) (int64, error){FadesAt, CrossingAt} {
		if got, err := f(m, p); err != nil || got != at+1 {
			t.Errorf("%d ms off (%v)", got-at-1, err)
		}
	}
}

func TestEvictableAtOnTheGrid(t *testing.T) {
	p := DefaultPolicy()
	p.GraceDays, p.Floor = 0, 25
	m := Memory{Importance: 1, CreatedAt: epoch, Active: true}
	first := epoch + DayMillis + 1
	for _, c := range []struct{ next, want int64 }{
		{first, first}, {first - 1, first - 1 + DayMillis}, {first + 1, first + 1},
		{first - 3*DayMillis, first}, {first - 3*DayMillis - 1, first - 1 + DayMillis}, {first + 400*DayMillis, first + 400*DayMillis},
	} {
		if at, ok, err := EvictableAt(m, p, c.next); err != nil || !ok || at != c.want {
			t.Errorf("next sweep %+d: %+d %v %v, want %+d", c.next-first, at-first, ok, err, c.want-first)
		}
	}
	p.Enabled = false
	if _, ok, err := EvictableAt(m, p, first); ok || err != nil {
		t.Errorf("retention off: %v %v", ok, err)
	}
}

func TestMemoriesBelowTheFloorFromTheStart(t *testing.T) {
	p := DefaultPolicy()
	p.Floor = 60
	m := Memory{Importance: 10, CreatedAt: epoch, Active: true}
	if at, err := CrossingAt(m, p); err != nil || at != epoch {
		t.Errorf("crossing %+d (%v)", at-epoch, err)
	}
	if at, err := FadesAt(m, p); err != nil || at != epoch+14*DayMillis+1 {
		t.Errorf("fades %+d (%v)", at-epoch, err)
	}
}

func TestWhatNeverComes(t *testing.T) {
	p := DefaultPolicy()
	p.HalfLifeDays[9] = 1e12 // no door lets this through
	m := Memory{Importance: 10, CreatedAt: epoch, Active: true}
	if at, err := CrossingAt(m, p); err != nil || at != Never {
		t.Errorf("crossing %d (%v)", at, err)
	}
	if at, err := FadesAt(m, p); err != nil || at != Never {
		t.Errorf("fades %d (%v)", at, err)
	}
	if _, ok, err := EvictableAt(m, p, epoch); ok || err != nil {
		t.Errorf("date %v %v", ok, err)
	}
	p = DefaultPolicy()
	p.GraceDays = 1e15
	if at, err := FadesAt(m, p); err != nil || at != Never {
		t.Errorf("endless grace %d (%v)", at, err)
	}
	if due, err := Evictable(m, p, lastInstant); err != nil || due {
		t.Errorf("endless grace: %v (%v)", due, err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1} {
		p = DefaultPolicy()
		p.GraceDays = bad
		_, err := FadesAt(m, p)
		wantInternal(t, "grace", err)
		_, err = Evictable(m, p, epoch)
		wantInternal(t, "grace", err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0, -1} {
		p = DefaultPolicy()
		p.Floor = bad
		_, err := CrossingAt(m, p)
		wantInternal(t, "floor", err)
		_, err = Evictable(m, p, epoch+DayMillis)
		if err != nil {
			t.Errorf("floor %v within the grace period: %v", bad, err)
		}
		_, err = Evictable(m, p, epoch+15*DayMillis)
		wantInternal(t, "floor", err)
	}
}

// randomCase draws a memory and a policy quickly, over the whole accepted range.
func randomCase(r *rand.Rand) (m Memory, p Policy, next int64) {
	p = Policy{Enabled: true, DailyLimit: 5}
	p.GraceDays = [...]float64{0, 14, 365, r.Float64() * 365, float64(r.IntN(366))}[r.IntN(5)]
	p.Floor = [...]float64{1, 10, 50, 90, 1 + 89*r.Float64()}[r.IntN(5)]
	for i := range p.HalfLifeDays {
		p.HalfLifeDays[i] = 0.1 * math.Pow(3650, r.Float64())
	}
	if r.IntN(8) == 0 {
		p.HalfLifeDays = DefaultPolicy().HalfLifeDays
	}
	m = Memory{Importance: 1 + r.IntN(Levels), UseCount: int64(math.Pow(10, 5*r.Float64())) - 1, CreatedAt: epoch - r.Int64N(400*DayMillis), Active: true}
	if r.IntN(3) > 0 {
		m.LastUsedAt = m.CreatedAt + r.Int64N(500*DayMillis)
	}
	next = epoch + r.Int64N(2*DayMillis)
	if r.IntN(4) == 0 { // a sweep at the very instant of the crossing, or beside it
		if at, err := FadesAt(m, p); err == nil && at > next {
			next = at - at/DayMillis*DayMillis + next/DayMillis*DayMillis + int64(r.IntN(3)) - 1
		}
	}
	return m, p, next
}

// TestEvictableAtAgreesWithAScan looks day by day, however far ahead.
func TestEvictableAtAgreesWithAScan(t *testing.T) {
	cases := 100_000
	if testing.Short() {
		cases = 10_000
	}
	r := rand.New(rand.NewPCG(3, 4))
	farthest, looked := int64(0), 0
	for n := range cases {
		m, p, next := randomCase(r)
		want := next
		for {
			due, err := Evictable(m, p, want)
			if err != nil {
				t.Fatal(err)
			}
			looked++
			if due {
				break
			}
			want += DayMillis
		}
		at, ok, err := EvictableAt(m, p, next)
		if err != nil || !ok || at != want {
			t.Fatalf("case %d: %+v %+v next %d: %d %v %v, want %d", n, m, p, next, at, ok, err, want)
		}
		farthest = max(farthest, (want-next)/DayMillis)
	}
	t.Logf("%d cases, %d days looked at, the farthest %d days ahead", cases, looked, farthest)
	if farthest < 1500 {
		t.Error("no case lies far ahead")
	}
}

func TestFadesAtIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			p.HalfLifeDays[m.Importance-1] = rapid.Float64Range(1e-6, 1e4).Draw(t, "half-life out of bounds")
		}
		at, err := FadesAt(m, p)
		if err != nil {
			t.Fatal(err)
		}
		if at == Never {
			t.Fatal("never, within two centuries")
		}
		if due, err := Evictable(m, p, at); err != nil || !due {
			t.Fatalf("late: not yet evictable at it (%v)", err)
		}
		if due, err := Evictable(m, p, at-1); err != nil || due {
			t.Fatalf("early: evictable before it (%v)", err)
		}
		now := at + rapid.Int64Range(-3000*DayMillis, 3000*DayMillis).Draw(t, "now")
		if due, _ := Evictable(m, p, now); due != (at <= now) {
			t.Fatalf("evictable %v, %d ms after it", due, now-at)
		}
		// The crossing is where the vitality falls through the floor.
		cross, err := CrossingAt(m, p)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := Vitality(m, p, cross); v >= p.Floor {
			t.Fatalf("vitality %v at the crossing of %v", v, p.Floor)
		}
		if v, _ := Vitality(m, p, cross-1); v < p.Floor && cross != m.Reference() {
			t.Fatalf("vitality %v before the crossing of %v", v, p.Floor)
		}
	})
}
