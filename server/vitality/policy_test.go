package vitality

import (
	"errors"
	"math"
	"slices"
	"testing"

	"elowen/shared/fault"

	"pgregory.net/rapid"
)

func ptr[T any](v T) *T { return &v }

func TestDefaultPolicyIsTheDocuments(t *testing.T) {
	want := Policy{
		Enabled: true, GraceDays: 14, Floor: 10, DailyLimit: 5,
		HalfLifeDays: [Levels]float64{1, 3, 7, 14, 21, 30, 45, 60, 90, 180},
	}
	if got := DefaultPolicy(); got != want {
		t.Errorf("default policy %+v", got)
	}
	if got, err := FromRequest(Policy{}, want.Proposal()); err != nil || got != want {
		t.Errorf("the default is refused: %+v %v", got, err)
	}
}

func TestFromRequestRefuses(t *testing.T) {
	nine, eleven := make([]float64, 9), make([]float64, 11)
	withHalfLife := func(i int, v float64) []float64 {
		h := DefaultPolicy().HalfLifeDays
		h[i] = v
		return h[:]
	}
	for name, c := range map[string]struct {
		in                 Proposal
		field, rule, param string
	}{
		"floor 0":          {Proposal{VitalityFloor: ptr(0.0)}, "vitalityFloor", "min", "1"},
		"floor high":       {Proposal{VitalityFloor: ptr(90.01)}, "vitalityFloor", "max", "90"},
		"floor NaN":        {Proposal{VitalityFloor: ptr(math.NaN())}, "vitalityFloor", "finite", ""},
		"limit 0":          {Proposal{DailyDeletionLimit: ptr(0.0)}, "dailyDeletionLimit", "min", "1"},
		"limit high":       {Proposal{DailyDeletionLimit: ptr(201.0)}, "dailyDeletionLimit", "max", "200"},
		"limit fraction":   {Proposal{DailyDeletionLimit: ptr(5.5)}, "dailyDeletionLimit", "whole", ""},
		"limit infinite":   {Proposal{DailyDeletionLimit: ptr(math.Inf(1))}, "dailyDeletionLimit", "finite", ""},
		"half-life 0":      {Proposal{HalfLifeDays: withHalfLife(3, 0)}, "halfLifeDays[3]", "min", "0.1"},
		"half-life low":    {Proposal{HalfLifeDays: withHalfLife(0, 0.0999)}, "halfLifeDays[0]", "min", "0.1"},
		"half-life high":   {Proposal{HalfLifeDays: withHalfLife(9, 365.5)}, "halfLifeDays[9]", "max", "365"},
		"half-life −Inf":   {Proposal{HalfLifeDays: withHalfLife(9, math.Inf(-1))}, "halfLifeDays[9]", "finite", ""},
		"nine half-lives":  {Proposal{HalfLifeDays: nine}, "halfLifeDays", "len", "10"},
		"more half-lives":  {Proposal{HalfLifeDays: eleven}, "halfLifeDays", "len", "10"},
		"empty half-lives": {Proposal{HalfLifeDays: []float64{}}, "halfLifeDays", "len", "10"},
	} {
		got, err := FromRequest(DefaultPolicy(), c.in)
		var e *fault.Error
		if !errors.As(err, &e) || e.Kind != fault.Invalid || len(e.Fields) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f := e.Fields[0]
		if f.Field != c.field || f.Rule != c.rule || f.Param != c.param || f.Message == "" {
			t.Errorf("%s: %+v", name, f)
		}
		if got != DefaultPolicy() {
			t.Errorf("%s: refused, and yet changed to %+v", name, got)
		}
	}
}

func TestFromRequestNamesEveryBadField(t *testing.T) {
	half := DefaultPolicy().HalfLifeDays
	half[1], half[7] = -1, 1000
	_, err := FromRequest(DefaultPolicy(), Proposal{
		VitalityFloor: ptr(91.0), DailyDeletionLimit: ptr(0.5), HalfLifeDays: half[:],
	})
	var e *fault.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Field)
	}
	if want := []string{"vitalityFloor", "dailyDeletionLimit", "halfLifeDays[1]", "halfLifeDays[7]"}; !slices.Equal(names, want) {
		t.Errorf("fields %v", names)
	}
	if want := "Half-life of importance 2: 0.1 to 365 days"; e.Fields[2].Message != want {
		t.Errorf("message %q", e.Fields[2].Message)
	}
}

func TestGraceIsClampedNeverRefused(t *testing.T) {
	for in, want := range map[float64]float64{
		-1: 0, 0: 0, 0.5: 0.5, 365: 365, 366: 365, 1e300: 365, math.Inf(1): 14, math.Inf(-1): 14, math.NaN(): 14,
	} {
		got, err := FromRequest(DefaultPolicy(), Proposal{GraceDays: &in})
		if err != nil || got.GraceDays != want {
			t.Errorf("request %v: %v %v", in, got.GraceDays, err)
		}
		if got := Settle(DefaultPolicy(), Proposal{GraceDays: &in}).GraceDays; got != want {
			t.Errorf("settle %v: %v", in, got)
		}
	}
}

func TestWhatIsAbsentStays(t *testing.T) {
	p := Policy{Enabled: false, GraceDays: 3, Floor: 20, DailyLimit: 7, HalfLifeDays: [Levels]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}
	if got, err := FromRequest(p, Proposal{}); err != nil || got != p {
		t.Errorf("request: %+v %v", got, err)
	}
	if got := Settle(p, Proposal{}); got != p {
		t.Errorf("settle: %+v", got)
	}
	got := Settle(p, Proposal{HalfLifeDays: []float64{50}})
	if p.HalfLifeDays[0] = 50; got != p {
		t.Errorf("one half-life: %+v", got)
	}
}

func TestSettle(t *testing.T) {
	current := DefaultPolicy()
	current.Floor, current.DailyLimit, current.HalfLifeDays[4] = 33, 9, 44
	for _, c := range []struct{ in, floor, limit, half float64 }{
		{0, 33, 9, 44}, {-5, 33, 9, 44}, {math.NaN(), 33, 9, 44}, {math.Inf(1), 33, 9, 44}, {math.Inf(-1), 33, 9, 44},
		{0.01, 1, 1, 0.1}, {0.6, 1, 1, 0.6}, {2.5, 2.5, 3, 2.5}, {2.4, 2.4, 2, 2.4}, {199.6, 90, 200, 199.6}, {1e300, 90, 200, 365},
	} {
		half := current.HalfLifeDays
		half[4] = c.in
		got := Settle(current, Proposal{VitalityFloor: &c.in, DailyDeletionLimit: &c.in, HalfLifeDays: half[:]})
		if got.Floor != c.floor || float64(got.DailyLimit) != c.limit || got.HalfLifeDays[4] != c.half {
			t.Errorf("%v: floor %v limit %v half-life %v", c.in, got.Floor, got.DailyLimit, got.HalfLifeDays[4])
		}
	}
	if got := Settle(Policy{Floor: math.NaN(), GraceDays: math.Inf(1)}, Proposal{Enabled: ptr(true)}); got != DefaultPolicy() {
		t.Errorf("an unusable current policy: %+v", got)
	}
}

// anyNumber draws numbers as broken settings may hold them.
func anyNumber() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1, 400),
		rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 0.1, 1, 90, 200, 365, math.NaN(), math.Inf(1), math.Inf(-1)}))
}

func anyProposal(t *rapid.T) Proposal {
	number := func(label string) *float64 {
		return rapid.Ptr(anyNumber(), true).Draw(t, label)
	}
	return Proposal{
		Enabled:   rapid.Ptr(rapid.Bool(), true).Draw(t, "enabled"),
		GraceDays: number("grace"), VitalityFloor: number("floor"), DailyDeletionLimit: number("limit"),
		HalfLifeDays: rapid.SliceOfN(anyNumber(), 0, 12).Draw(t, "halfLives"),
	}
}

func TestSettleIsIdempotentAndAcceptable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyProposal(t)
		current := Settle(Policy{}, anyProposal(t))
		p := Settle(current, in)
		if again := Settle(p, in); again != p {
			t.Fatalf("settled twice: %+v, then %+v", p, again)
		}
		if again := Settle(p, p.Proposal()); again != p {
			t.Fatalf("settled itself: %+v, then %+v", p, again)
		}
		if strict, err := FromRequest(DefaultPolicy(), p.Proposal()); err != nil || strict != p {
			t.Fatalf("the strict door changes or refuses %+v: %+v %v", p, strict, err)
		}
		// What the strict door lets through, the lenient one takes as it is.
		if strict, err := FromRequest(current, in); err == nil && len(in.HalfLifeDays) <= Levels && Settle(current, in) != strict {
			t.Fatalf("doors differ: strict %+v, lenient %+v", strict, p)
		}
	})
}
