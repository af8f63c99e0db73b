package vitality

import (
	"math"

	"elowen/shared/fault"
)

// DayMillis is a day in milliseconds: always 24 hours, never a calendar day.
const DayMillis = 86_400_000

// halfUses is the use count at which the usage term reaches one half.
const halfUses = 5

// full is the vitality of a memory used without end and just now.
const full = 100

// Memory is what vitality depends on; instants are Unix milliseconds.
type Memory struct {
	Importance int   // 1 to 10
	UseCount   int64 // recalls counted; under 0 counts as 0
	CreatedAt  int64
	LastUsedAt int64 // 0 where it was never used
	Active     bool  // neither in the trash nor consolidated
}

// Reference is the instant from which the memory fades: its last use, or its
// creation where it was never used.
func (m Memory) Reference() int64 {
	if m.LastUsedAt != 0 {
		return m.LastUsedAt
	}
	return m.CreatedAt
}

// Vitality is how alive m is at now, from 0 to 100, after the lifecycle rules:
//
//	age      = max(0, now − reference)
//	decay    = 0.5 ^ (age / halfLife)
//	usage    = useCount / (useCount + 5)
//	vitality = 100 · decay · (0.5 + 0.5 · usage)
//
// A memory that was never used starts at 50. An instant before the reference (the
// clock was put back) counts as the reference. An importance off the scale, or a
// policy without a positive finite half-life for it, is an error.
func Vitality(m Memory, p Policy, now int64) (float64, error) {
	c, err := curveOf(m, p)
	if err != nil {
		return 0, err
	}
	return c.at(now), nil
}

// Shown is the whole number that stands for a vitality where people read it: the
// nearest one, except that it is rounded down under 10 and wherever rounding up
// would lift a value below the floor onto or over it. So 9.7 is never shown as 10,
// and with a floor of 50 neither is 49.7 as 50: a memory whose number stands at a
// whole floor is not evictable.
func Shown(v, floor float64) int {
	down := math.Floor(v)
	near := math.Floor(v + 0.5)
	if v < 10 || v < floor && near >= floor {
		return int(down)
	}
	return int(near)
}

// Weight is the importance as ranking uses it, from 0 at level 1 to 1 at level 10.
func Weight(importance int) float64 {
	return float64(importance-1) / (Levels - 1)
}

// curve is a memory's vitality over time as long as nothing happens to it.
type curve struct {
	reference int64
	halfLife  float64 // ms
	amp       float64 // 0.5 to 1
}

func curveOf(m Memory, p Policy) (curve, error) {
	h, err := halfLifeMillis(p, m.Importance)
	if err != nil {
		return curve{}, err
	}
	return curve{m.Reference(), h, amplitude(m.UseCount)}, nil
}

// at is the vitality at an instant.
func (c curve) at(now int64) float64 {
	v := full * math.Exp2(-millisBetween(c.reference, now)/c.halfLife) * c.amp
	return min(max(v, 0), full)
}

// reaches is the instant, not rounded, at which the vitality is v; for a v that the
// curve does not exceed at its reference it lies before that.
func (c curve) reaches(v float64) float64 {
	return float64(c.reference) + c.halfLife*math.Log2(full*c.amp/v)
}

// millisBetween is max(0, to − from), also where the difference overflows an int64.
func millisBetween(from, to int64) float64 {
	if to <= from {
		return 0
	}
	return float64(uint64(to) - uint64(from))
}

func amplitude(useCount int64) float64 {
	u := float64(max(useCount, 0))
	return 0.5 + 0.5*(u/(u+halfUses))
}

func halfLifeMillis(p Policy, importance int) (float64, error) {
	if importance < 1 || importance > Levels {
		return 0, fault.Newf(fault.Internal, "vitality: importance %d is not on the scale of 1 to %d", importance, Levels)
	}
	h := p.HalfLifeDays[importance-1] * DayMillis
	if !(h > 0) || math.IsInf(h, 1) {
		return 0, fault.Newf(fault.Internal, "vitality: the policy has no positive finite half-life for importance %d: %v days",
			importance, p.HalfLifeDays[importance-1])
	}
	return h, nil
}
