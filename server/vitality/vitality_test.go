package vitality

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"elowen/shared/fault"

	"pgregory.net/rapid"
)

type golden struct {
	Memory struct {
		Importance int        `json:"importance"`
		UseCount   int64      `json:"useCount"`
		CreatedAt  time.Time  `json:"createdAt"`
		LastUsedAt *time.Time `json:"lastUsedAt"`
	} `json:"memory"`
	Policy struct {
		Enabled            bool            `json:"enabled"`
		GraceDays          float64         `json:"graceDays"`
		VitalityFloor      float64         `json:"vitalityFloor"`
		DailyDeletionLimit int             `json:"dailyDeletionLimit"`
		HalfLifeDays       [Levels]float64 `json:"halfLifeDays"`
	} `json:"policy"`
	Now         time.Time `json:"now"`
	NextSweepAt time.Time `json:"nextSweepAt"`
	Want        struct {
		Vitality    float64    `json:"vitality"`
		Evictable   bool       `json:"evictable"`
		EvictableAt *time.Time `json:"evictableAt"`
	} `json:"want"`
}

func (g golden) memory() Memory {
	m := Memory{Importance: g.Memory.Importance, UseCount: g.Memory.UseCount, CreatedAt: g.Memory.CreatedAt.UnixMilli(), Active: true}
	if g.Memory.LastUsedAt != nil {
		m.LastUsedAt = g.Memory.LastUsedAt.UnixMilli()
	}
	return m
}

func (g golden) policy() Policy {
	return Policy{g.Policy.Enabled, g.Policy.GraceDays, g.Policy.VitalityFloor, g.Policy.DailyDeletionLimit, g.Policy.HalfLifeDays}
}

func TestGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/vitality.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []golden `json:"cases"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != 240 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	held := 0
	for i, g := range file.Cases {
		m, p, now := g.memory(), g.policy(), g.Now.UnixMilli()
		v, err := Vitality(m, p, now)
		if err != nil || math.Abs(v-g.Want.Vitality) > 1e-9 {
			t.Errorf("case %d: vitality %v (%v), want %v", i, v, err, g.Want.Vitality)
			continue
		}
		if due, err := Evictable(m, p, now); err != nil || due != g.Want.Evictable {
			t.Errorf("case %d: evictable %v (%v)", i, due, err)
			continue
		}
		at, ok, err := EvictableAt(m, p, g.NextSweepAt.UnixMilli())
		if err != nil || ok != (g.Want.EvictableAt != nil) || ok && at != g.Want.EvictableAt.UnixMilli() {
			t.Errorf("case %d: evictable at %v %v (%v), want %v", i, time.UnixMilli(at).UTC(), ok, err, g.Want.EvictableAt)
			continue
		}
		held++
	}
	t.Logf("%d of %d hold", held, len(file.Cases))
}

func TestVitalityOfTheDocuments(t *testing.T) {
	const at = int64(1_700_000_000_000)
	fresh := Memory{Importance: 10, CreatedAt: at, Active: true}
	p := DefaultPolicy()
	if v, _ := Vitality(fresh, p, at); v != 50 {
		t.Errorf("never used, it starts at %v", v)
	}
	if v, _ := Vitality(fresh, p, at-DayMillis); v != 50 {
		t.Errorf("before its creation: %v", v)
	}
	if v, _ := Vitality(fresh, p, at+180*DayMillis); v != 25 {
		t.Errorf("after a half-life: %v", v)
	}
	used := fresh
	used.UseCount, used.LastUsedAt = 5, at+DayMillis
	if v, _ := Vitality(used, p, at+DayMillis); v != 75 {
		t.Errorf("five uses: %v", v)
	}
	crossing, err := CrossingAt(fresh, p)
	if days := float64(crossing-at) / DayMillis; err != nil || days < 417.5 || days > 418.5 {
		t.Errorf("level 10 crosses after %v days (%v)", days, err)
	}
	if huge := (Memory{Importance: 1, UseCount: math.MaxInt64, CreatedAt: at}); true {
		if v, _ := Vitality(huge, p, at); v != 100 {
			t.Errorf("the highest count: %v", v)
		}
	}
	// Differences that an int64 cannot hold.
	if v, _ := Vitality(Memory{Importance: 10, CreatedAt: math.MinInt64 + 1}, p, math.MaxInt64); v != 0 {
		t.Errorf("the oldest memory: %v", v)
	}
}

func TestAMalformedHalfLifeIsAnError(t *testing.T) {
	const at = int64(1_700_000_000_000)
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		p := DefaultPolicy()
		p.HalfLifeDays[4] = bad
		m := Memory{Importance: 5, CreatedAt: at, Active: true}
		other := m
		other.Importance = 6
		_, err := Vitality(m, p, at)
		wantInternal(t, "Vitality", err)
		_, err = OrderKey(m, p)
		wantInternal(t, "OrderKey", err)
		_, err = KeyThreshold(5, p, at, 10)
		wantInternal(t, "KeyThreshold", err)
		_, err = FadesAt(m, p)
		wantInternal(t, "FadesAt", err)
		_, err = CrossingAt(m, p)
		wantInternal(t, "CrossingAt", err)
		_, _, err = EvictableAt(m, p, at)
		wantInternal(t, "EvictableAt", err)
		_, err = BuildHistory(m, p, nil, nil, at, 30, at)
		wantInternal(t, "BuildHistory", err)
		if _, err := Vitality(other, p, at); err != nil {
			t.Errorf("another level: %v", err)
		}
		// The grace period is looked at first.
		end := at + int64(p.GraceDays*DayMillis)
		if due, err := Evictable(m, p, end); due || err != nil {
			t.Errorf("within the grace period: %v %v", due, err)
		}
		_, err = Evictable(m, p, end+1)
		wantInternal(t, "Evictable past the grace period", err)
		p.Enabled = false
		if due, err := Evictable(m, p, end+1); due || err != nil {
			t.Errorf("retention off: %v %v", due, err)
		}
	}
	for _, level := range []int{-1, 0, 11, math.MaxInt} {
		_, err := Vitality(Memory{Importance: level}, DefaultPolicy(), at)
		wantInternal(t, "off the scale", err)
	}
}

func wantInternal(t *testing.T, what string, err error) {
	t.Helper()
	if !fault.Is(err, fault.Internal) {
		t.Errorf("%s: error %v", what, err)
	}
}

func TestShown(t *testing.T) {
	for _, c := range []struct {
		v, floor float64
		want     int
	}{
		{0, 10, 0}, {0.9, 10, 0}, {9.7, 10, 9}, {9.999999, 10, 9}, {10, 10, 10}, {10.4, 10, 10}, {10.5, 10, 11},
		{50, 10, 50}, {49.9999, 10, 50}, {99.6, 10, 100}, {100, 10, 100},
		{49.7, 50, 49}, {50, 50, 50}, {89.5, 90, 89}, {89.4, 90, 89}, {90.5, 90, 91}, {49.45, 49.5, 49}, {49.5, 49.5, 50},
		{9.7, 5, 9}, {4.9, 5, 4}, {9.7, 1, 9}, {0.7, 1, 0},
	} {
		if got := Shown(c.v, c.floor); got != c.want {
			t.Errorf("Shown(%v, %v) = %d, want %d", c.v, c.floor, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(0, 100).Draw(t, "v")
		floor := rapid.OneOf(rapid.Float64Range(1, 90), rapid.Map(rapid.IntRange(1, 90), func(i int) float64 { return float64(i) })).Draw(t, "floor")
		n := float64(Shown(v, floor))
		if math.Abs(n-v) >= 1 || v < floor && n >= floor || v < 10 && n > v || n < 0 || n > 100 {
			t.Fatalf("Shown(%v, %v) = %v", v, floor, n)
		}
	})
}

func TestWeight(t *testing.T) {
	if Weight(1) != 0 || Weight(10) != 1 || Weight(5) != 4.0/9 {
		t.Error(Weight(1), Weight(5), Weight(10))
	}
}

const epoch = int64(1_790_000_000_000) // some instant of 2026

// anyPolicy draws a policy within the accepted bounds.
func anyPolicy(t *rapid.T) Policy {
	p := Policy{Enabled: true, DailyLimit: 5}
	p.GraceDays = rapid.OneOf(rapid.SampledFrom([]float64{0, 14, 365}), rapid.Float64Range(0, 365)).Draw(t, "grace")
	p.Floor = rapid.OneOf(rapid.SampledFrom([]float64{1, 10, 50, 90}), rapid.Float64Range(1, 90)).Draw(t, "floor")
	for i := range p.HalfLifeDays {
		p.HalfLifeDays[i] = rapid.OneOf(rapid.Just(DefaultPolicy().HalfLifeDays[i]), rapid.SampledFrom([]float64{0.1, 365}),
			rapid.Float64Range(0.1, 365)).Draw(t, "halfLife")
	}
	return p
}

// anyMemory draws an active memory that may have been used before its creation (a
// merge) or after now (a clock put back).
func anyMemory(t *rapid.T) Memory {
	m := Memory{
		Importance: rapid.IntRange(1, Levels).Draw(t, "importance"),
		UseCount:   rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, 1e6)).Draw(t, "useCount"),
		CreatedAt:  epoch + rapid.Int64Range(-800*DayMillis, 0).Draw(t, "createdAt"),
		Active:     true,
	}
	if rapid.Bool().Draw(t, "used") {
		m.LastUsedAt = m.CreatedAt + rapid.Int64Range(-100*DayMillis, 800*DayMillis).Draw(t, "lastUse")
	}
	return m
}

func TestVitalityNeverRisesWithoutAUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		a := m.CreatedAt + rapid.Int64Range(-10*DayMillis, 3000*DayMillis).Draw(t, "a")
		b := a + rapid.OneOf(rapid.Int64Range(1, 10), rapid.Int64Range(1, 3000*DayMillis)).Draw(t, "later")
		va, err := Vitality(m, p, a)
		if err != nil {
			t.Fatal(err)
		}
		vb, err := Vitality(m, p, b)
		if err != nil {
			t.Fatal(err)
		}
		if va < 0 || va > 100 || vb < 0 {
			t.Fatalf("out of range: %v %v", va, vb)
		}
		if vb > va {
			t.Fatalf("rises from %v to %v", va, vb)
		}
		// From the reference on it falls at every millisecond, as long as a float64 can tell.
		if a >= m.Reference() && va > tiny && vb == va {
			t.Fatalf("stands still at %v from %d to %d", va, a, b)
		}
		// A use never lowers it.
		used := m
		used.UseCount++
		used.LastUsedAt = max(a, m.LastUsedAt)
		if v, _ := Vitality(used, p, a); v < va {
			t.Fatalf("a use lowers it from %v to %v", va, v)
		}
	})
}

// TestVitalityAgainstThePlainFormula compares with the rules as they are written, in
// days and powers of one half.
func TestVitalityAgainstThePlainFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := DefaultPolicy()
	for range 100_000 {
		m := Memory{Importance: 1 + r.IntN(Levels), UseCount: r.Int64N(50), CreatedAt: epoch, Active: true}
		if r.IntN(2) == 0 {
			m.LastUsedAt = epoch + r.Int64N(100*DayMillis)
		}
		now := epoch + r.Int64N(1000*DayMillis)
		from := m.CreatedAt
		if m.LastUsedAt != 0 {
			from = m.LastUsedAt
		}
		age := math.Max(0, float64(now-from)/86_400_000)
		decay := math.Pow(0.5, age/p.HalfLifeDays[m.Importance-1])
		usage := float64(m.UseCount) / (float64(m.UseCount) + 5)
		want := 100 * decay * (0.5 + 0.5*usage)
		if v, err := Vitality(m, p, now); err != nil || math.Abs(v-want) > 1e-11 {
			t.Fatalf("%+v at %d: %v (%v), want %v", m, now, v, err, want)
		}
	}
}
