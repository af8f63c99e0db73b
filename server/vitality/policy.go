package vitality

import (
	"fmt"
	"math"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Levels is the number of steps of the importance scale; see setting.Levels for
// their words.
const Levels = 10

// Policy says how fast each level fades and when the sweep may take a memory.
// The zero Policy is not usable; start from DefaultPolicy.
type Policy struct {
	Enabled      bool            // off pauses the sweep; vitality falls all the same
	GraceDays    float64         // a memory this young or younger is never evictable
	Floor        float64         // below this vitality a memory is evictable
	DailyLimit   int             // most memories a person loses in any 24 hours
	HalfLifeDays [Levels]float64 // of importance 1 to 10, at index importance − 1
}

// Proposal is a policy as a request or the stored settings have it, before any
// rule. What is nil or missing is left as it is.
type Proposal struct {
	Enabled            *bool
	GraceDays          *float64
	VitalityFloor      *float64
	DailyDeletionLimit *float64  // a number, so that a fraction can be told apart
	HalfLifeDays       []float64 // of importance 1, 2, …; nil leaves all
}

// DefaultPolicy is the policy of a fresh instance.
func DefaultPolicy() Policy {
	p := Policy{
		Enabled:    setting.Get("retention.enabled").Default != 0,
		GraceDays:  graceRow().Default,
		Floor:      floorRow().Default,
		DailyLimit: int(limitRow().Default),
	}
	for i := range p.HalfLifeDays {
		p.HalfLifeDays[i] = halfLifeRow(i).Default
	}
	return p
}

// Proposal is p as a proposal that names every part.
func (p Policy) Proposal() Proposal {
	limit := float64(p.DailyLimit)
	return Proposal{
		Enabled: &p.Enabled, GraceDays: &p.GraceDays, VitalityFloor: &p.Floor,
		DailyDeletionLimit: &limit, HalfLifeDays: append([]float64(nil), p.HalfLifeDays[:]...),
	}
}

// FromRequest is the strict door: current as changed by a request. It refuses a
// half-life, floor or limit out of bounds or not finite, a limit with a fraction,
// and a list of half-lives that is not of all ten levels, with one error of
// fault.Invalid that names each bad field by its JSON path (halfLifeDays[3] is the
// half-life of importance 4). The grace period is never refused: it is moved into
// its bound, and left as it is where it is no number at all.
func FromRequest(current Policy, in Proposal) (Policy, error) {
	next := current
	var bad []fault.Field
	check := func(name string, row setting.Setting, v float64) bool {
		f, ok := violation(name, row, v)
		if !ok {
			bad = append(bad, f)
		}
		return ok
	}

	if in.Enabled != nil {
		next.Enabled = *in.Enabled
	}
	if in.GraceDays != nil {
		next.GraceDays = settleGrace(current.GraceDays, *in.GraceDays)
	}
	if v := in.VitalityFloor; v != nil && check("vitalityFloor", floorRow(), *v) {
		next.Floor = *v
	}
	if v := in.DailyDeletionLimit; v != nil && check("dailyDeletionLimit", limitRow(), *v) {
		next.DailyLimit = int(*v)
	}
	switch n := len(in.HalfLifeDays); {
	case in.HalfLifeDays == nil:
	case n != Levels:
		bad = append(bad, fault.Field{
			Field: "halfLifeDays", Rule: "len", Param: fmt.Sprint(Levels),
			Message: fmt.Sprintf("Give the half-lives of all %d levels of importance, not %d", Levels, n),
		})
	default:
		for i, v := range in.HalfLifeDays {
			if check(fmt.Sprintf("halfLifeDays[%d]", i), halfLifeRow(i), v) {
				next.HalfLifeDays[i] = v
			}
		}
	}
	if len(bad) > 0 {
		return current, &fault.Error{Kind: fault.Invalid, Detail: bad[0].Message, Fields: bad}
	}
	return next, nil
}

// violation tells which rule of its row v breaks, if any.
func violation(name string, row setting.Setting, v float64) (fault.Field, bool) {
	f := fault.Field{Field: name}
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		f.Rule = "finite"
	case v < row.Min:
		f.Rule, f.Param = "min", setting.Format(row.Min)
	case v > row.Max:
		f.Rule, f.Param = "max", setting.Format(row.Max)
	case row.Kind == setting.Whole && v != math.Trunc(v):
		f.Rule = "whole"
	default:
		return f, true
	}
	whole := ""
	if row.Kind == setting.Whole {
		whole = ", whole"
	}
	f.Message = fmt.Sprintf("%s: %s %s%s", row.Label, row.Range(), row.Unit, whole)
	if row.Unit == "" {
		f.Message = fmt.Sprintf("%s: %s%s", row.Label, row.Range(), whole)
	}
	return f, false
}

// Settle is the lenient door, for settings that are already stored: it never
// fails. A positive half-life, floor or limit is moved into its bound and the limit
// rounded to a whole number; a zero, negative or non-finite one leaves the current
// value; half-lives that are missing stay and surplus ones are ignored. A grace
// period is moved into its bound, and stays where it is no finite number. A current
// value that is itself unusable gives way to the default first, so what comes out
// is always a valid policy, and settling it again changes nothing.
func Settle(current Policy, in Proposal) Policy {
	p := settle(DefaultPolicy(), current.Proposal())
	return settle(p, in)
}

func settle(p Policy, in Proposal) Policy {
	if in.Enabled != nil {
		p.Enabled = *in.Enabled
	}
	if in.GraceDays != nil {
		p.GraceDays = settleGrace(p.GraceDays, *in.GraceDays)
	}
	if in.VitalityFloor != nil {
		p.Floor = settlePositive(floorRow(), p.Floor, *in.VitalityFloor)
	}
	if in.DailyDeletionLimit != nil {
		p.DailyLimit = int(math.Round(settlePositive(limitRow(), float64(p.DailyLimit), *in.DailyDeletionLimit)))
	}
	for i, v := range in.HalfLifeDays {
		if i == Levels {
			break
		}
		p.HalfLifeDays[i] = settlePositive(halfLifeRow(i), p.HalfLifeDays[i], v)
	}
	return p
}

func settlePositive(row setting.Setting, current, v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return current
	}
	return row.Clamp(v)
}

func settleGrace(current, v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return current
	}
	return graceRow().Clamp(v) + 0 // + 0 turns −0 into 0
}

func graceRow() setting.Setting { return setting.Get("retention.graceDays") }
func floorRow() setting.Setting { return setting.Get("retention.vitalityFloor") }
func limitRow() setting.Setting { return setting.Get("retention.dailyDeletionLimit") }

func halfLifeRow(i int) setting.Setting { return setting.Get(setting.HalfLifeKey(i + 1)) }
