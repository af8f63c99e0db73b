package vitality

import (
	"math"

	"elowen/shared/fault"
)

// Never stands for an instant that does not come: later than the last one that a
// date on the wire can name (the end of the year 9999). Half-lives within the
// accepted bounds never lead there.
const Never int64 = math.MaxInt64

// lastInstant is 9999-12-31T23:59:59.999Z, beyond which RFC 3339 has no year.
const lastInstant int64 = 253_402_300_799_999

// Evictable tells whether the sweep may take m at now: retention is on, m is
// active, it is older than the grace period, and its vitality is below the floor,
// the last two strictly. The grace period is looked at first, so a malformed
// half-life or floor is an error only for a memory past it.
func Evictable(m Memory, p Policy, now int64) (bool, error) {
	if !p.Enabled || !m.Active {
		return false, nil
	}
	end, err := graceEnd(m, p)
	if err != nil || now <= end {
		return false, err
	}
	floor, err := floorOf(p)
	if err != nil {
		return false, err
	}
	v, err := Vitality(m, p, now)
	return err == nil && v < floor, err
}

// EvictableAt is the first sweep that may take m: the first instant on the grid
// nextSweepAt + k·24 h (k ≥ 0) at which Evictable holds, however far ahead. ok is
// false where retention is off, m is not active, or the instant is Never.
//
// It is found in closed form and then confirmed against Evictable at k and k − 1,
// so that floating point cannot move it by a day.
func EvictableAt(m Memory, p Policy, nextSweepAt int64) (at int64, ok bool, err error) {
	if !p.Enabled || !m.Active {
		return 0, false, nil
	}
	first, err := FadesAt(m, p)
	if err != nil || first == Never {
		return 0, false, err
	}
	at = nextSweepAt
	if first > nextSweepAt {
		days := (uint64(first) - uint64(nextSweepAt) + DayMillis - 1) / DayMillis
		at += int64(days) * DayMillis
	}
	for ; at <= lastInstant; at += DayMillis {
		due, err := Evictable(m, p, at)
		if err != nil {
			return 0, false, err
		}
		if due {
			break
		}
	}
	if at > lastInstant {
		return 0, false, nil
	}
	for at > nextSweepAt {
		due, err := Evictable(m, p, at-DayMillis)
		if err != nil {
			return 0, false, err
		}
		if !due {
			break
		}
		at -= DayMillis
	}
	return at, true, nil
}

// CrossingAt is the instant at which m falls through the floor if it is not used:
// the first millisecond with a vitality below it; m's reference where it is below
// from there on already; or Never. It may lie in the past. It looks neither at the
// grace period nor at whether retention is on.
func CrossingAt(m Memory, p Policy) (int64, error) {
	at, err := crossing(m, p)
	if err == nil && at == always {
		at = m.Reference()
	}
	return at, err
}

// FadesAt is the first millisecond at which m is evictable while retention is on
// and m is active; both are left to the caller, so that the number can be stored
// with the row and changes only with the row or the policy. It is exact: Evictable
// holds from FadesAt on and at no instant before. Rows ordered by it are ordered by
// eviction, those due at now are FadesAt ≤ now, those that fade within n days are
// FadesAt ≤ now + n·DayMillis. Never sorts last.
func FadesAt(m Memory, p Policy) (int64, error) {
	end, err := graceEnd(m, p)
	if err != nil {
		return 0, err
	}
	at, err := crossing(m, p)
	if err != nil {
		return 0, err
	}
	if end == Never {
		return Never, nil
	}
	return max(end+1, at), nil
}

// always is the crossing of a curve that starts below the value already.
const always int64 = math.MinInt64

func crossing(m Memory, p Policy) (int64, error) {
	c, err := curveOf(m, p)
	if err != nil {
		return 0, err
	}
	floor, err := floorOf(p)
	if err != nil {
		return 0, err
	}
	return c.firstBelow(floor), nil
}

// firstBelow is the first millisecond with a vitality strictly below v: always,
// Never, or exact. The closed form errs by less than a millisecond for all accepted
// half-lives; the search around it ends at once then, and makes any other exact too.
func (c curve) firstBelow(v float64) int64 {
	if c.at(c.reference) < v {
		return always
	}
	guess := math.Floor(c.reaches(v)) + 1
	if !(guess <= float64(lastInstant)) {
		return Never
	}
	high := max(int64(guess), c.reference+1)
	low := high - 1
	for step := int64(1); c.at(high) >= v; step *= 2 {
		if high > lastInstant {
			return Never
		}
		low, high = high, high+step
	}
	for step := int64(1); low > c.reference && c.at(low) < v; step *= 2 {
		low, high = max(low-step, c.reference), low
	}
	for high-low > 1 {
		if mid := low + (high-low)/2; c.at(mid) < v {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// graceEnd is the last millisecond of the grace period.
func graceEnd(m Memory, p Policy) (int64, error) {
	grace := p.GraceDays * DayMillis
	if !(grace >= 0) || math.IsInf(p.GraceDays, 1) {
		return 0, fault.Newf(fault.Internal, "vitality: the policy's grace period is not a number of days: %v", p.GraceDays)
	}
	// In float64 first: a sum out of an int64's range is Never, not a wrapped number.
	if float64(m.CreatedAt)+grace >= float64(lastInstant) {
		return Never, nil
	}
	return m.CreatedAt + int64(grace), nil
}

func floorOf(p Policy) (float64, error) {
	if !(p.Floor > 0) || math.IsInf(p.Floor, 1) {
		return 0, fault.Newf(fault.Internal, "vitality: the policy's floor is not a positive number: %v", p.Floor)
	}
	return p.Floor, nil
}
