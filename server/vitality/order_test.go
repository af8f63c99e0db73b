package vitality

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tiny is where a float64 runs out of digits, a thousand half-lives from full.
const tiny = 1e-290

// TestOrderKeyOrdersALevel sorts many memories of one level by key and looks at
// them at random instants, under two policies.
func TestOrderKeyOrdersALevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ties := 0
	for range 40 {
		_, before, _ := randomCase(r)
		_, after, _ := randomCase(r)
		level := 1 + r.IntN(Levels)
		rows := make([]Memory, 1000)
		for i := range rows {
			m, _, _ := randomCase(r)
			m.Importance, m.LastUsedAt = level, m.Reference()
			rows[i] = m
		}
		latest := slices.MaxFunc(rows, func(a, b Memory) int { return cmp.Compare(a.Reference(), b.Reference()) }).Reference()
		for _, p := range []Policy{before, after} { // the policy changes: keys are computed again
			key := func(m Memory) float64 {
				k, err := OrderKey(m, p)
				if err != nil {
					t.Fatal(err)
				}
				return k
			}
			// Neighbours as close as whole milliseconds allow.
			for i := 1; i < len(rows); i += 2 {
				rows[i].LastUsedAt += int64(math.Round(key(rows[i-1]) - key(rows[i])))
				latest = max(latest, rows[i].Reference())
			}
			slices.SortFunc(rows, func(a, b Memory) int { return cmp.Compare(key(a), key(b)) })
			for range 5 {
				now := latest + r.Int64N(int64(20*p.HalfLifeDays[level-1]*DayMillis))
				for i := 1; i < len(rows); i++ {
					va, _ := Vitality(rows[i-1], p, now)
					vb, _ := Vitality(rows[i], p, now)
					if va <= vb || va < tiny {
						continue
					}
					ties++
					if apart := key(rows[i]) - key(rows[i-1]); apart > KeyTolerance {
						t.Fatalf("vitality %v stands before %v with keys %v ms apart", va, vb, apart)
					}
					if va-vb > 1e-9*va {
						t.Fatalf("a tie of keys, but the vitalities are %v and %v", va, vb)
					}
				}
			}
		}
	}
	t.Logf("%d ties decided by floating point", ties)
}

func TestKeyGivesTheVitality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		now := m.Reference() + rapid.Int64Range(0, 2000*DayMillis).Draw(t, "age")
		key, err := OrderKey(m, p)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := Vitality(m, p, now)
		want := 100 * math.Exp2((key-float64(now))/(p.HalfLifeDays[m.Importance-1]*DayMillis))
		if math.Abs(v-want) > 1e-9*v+1e-300 {
			t.Fatalf("vitality %v, by the key %v", v, want)
		}
	})
}

func TestKeyThresholdAgreesWithVitality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		now := m.Reference() + rapid.Int64Range(0, 2000*DayMillis).Draw(t, "age")
		v, _ := Vitality(m, p, now)
		limit := rapid.OneOf(rapid.Float64Range(0, 100), rapid.Just(v), rapid.Float64Range(v*0.999999, v*1.000001), rapid.Just(p.Floor)).Draw(t, "limit")
		key, _ := OrderKey(m, p)
		threshold, err := KeyThreshold(m.Importance, p, now, limit)
		if err != nil {
			t.Fatal(err)
		}
		if limit > tiny && math.Abs(key-threshold) > KeyTolerance && (key < threshold) != (v < limit) {
			t.Fatalf("vitality %v, limit %v, but the key is %v ms from the threshold", v, limit, key-threshold)
		}
	})
	if k, err := KeyThreshold(3, DefaultPolicy(), epoch, math.SmallestNonzeroFloat64); err != nil || math.IsInf(k, 0) {
		t.Errorf("threshold of the smallest number: %v %v", k, err)
	}
	for _, v := range []float64{0, -1, math.NaN()} {
		if k, err := KeyThreshold(3, DefaultPolicy(), epoch, v); err != nil || !math.IsInf(k, -1) {
			t.Errorf("threshold of %v: %v %v", v, k, err)
		}
	}
}

// TestADueRowIsFoundByEitherColumn compares the two ways to scan for what is due.
func TestADueRowIsFoundByEitherColumn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, p := anyMemory(t), anyPolicy(t)
		now := max(m.Reference(), m.CreatedAt) + rapid.Int64Range(0, 2000*DayMillis).Draw(t, "age")
		key, _ := OrderKey(m, p)
		threshold, _ := KeyThreshold(m.Importance, p, now, p.Floor)
		fades, _ := FadesAt(m, p)
		due, err := Evictable(m, p, now)
		if err != nil {
			t.Fatal(err)
		}
		if due && key > threshold+KeyTolerance {
			t.Fatalf("due, but its key lies %v ms over the threshold", key-threshold)
		}
		if due != (fades <= now) {
			t.Fatalf("due %v, fades %d ms ago", due, now-fades)
		}
	})
}
