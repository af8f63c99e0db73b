package retention

import (
	"cmp"
	"fmt"
	"slices"

	"elowen/server/vitality"
	"elowen/shared/setting"
)

// Verdict is what a plan says of a memory.
type Verdict uint8

// The verdicts.
const (
	Keep  Verdict = iota // not eligible
	Trash                // this sweep takes it
	Wait                 // eligible, but the daily limit is used up before its turn
)

// String is the verdict's word.
func (v Verdict) String() string { return [...]string{"keep", "trash", "wait"}[v] }

// Candidate is a memory before a plan.
type Candidate struct {
	ID int64
	vitality.Memory
}

// Decision is a plan's word on one memory, with the reason in words for people.
type Decision struct {
	Candidate
	Verdict  Verdict
	Vitality float64 // at the plan's instant
	Reason   string
}

// turn is the decision's place among those that are eligible.
func (d *Decision) turn() vitality.Turn {
	return vitality.Turn{Vitality: d.Vitality, CreatedAt: d.CreatedAt, ID: d.ID}
}

// Plan decides for each memory whether a sweep at now takes it: under the policy,
// with left of the daily limit still to give. Which go first when more are
// eligible than that: the lowest vitality, then the oldest, then the lowest id.
// The decisions come in that order, those that are kept last. It is pure: the
// same memories give the same plan, whoever asks, and a policy that cannot be
// computed with is an error and no plan.
//
// A caller with many memories gives them page by page, each page after the other
// in the same order, with what the pages before have left of the limit.
func Plan(memories []Candidate, p vitality.Policy, now int64, left int) ([]Decision, error) {
	plan := make([]Decision, 0, len(memories))
	for _, m := range memories {
		d := Decision{Candidate: m}
		due, err := vitality.Evictable(m.Memory, p, now)
		if err != nil {
			return nil, err
		}
		if d.Vitality, err = vitality.Vitality(m.Memory, p, now); err != nil {
			return nil, err
		}
		if due {
			d.Verdict = Wait
		}
		plan = append(plan, d)
	}
	slices.SortFunc(plan, func(a, b Decision) int {
		return cmp.Or(-cmp.Compare(a.Verdict, b.Verdict), a.turn().Compare(b.turn()))
	})
	for i := range plan {
		d := &plan[i]
		if d.Verdict == Wait && left > 0 {
			d.Verdict = Trash
			left--
		}
		d.Reason = reason(*d, p, now)
	}
	return plan, nil
}

// reason says why, in terms of the policy.
func reason(d Decision, p vitality.Policy, now int64) string {
	floor := setting.Format(p.Floor)
	switch {
	case d.Verdict == Trash:
		return vitality.Below(d.Vitality, p)
	case d.Verdict == Wait:
		return fmt.Sprintf("%s; waits, the limit of %d in 24 hours is used up", vitality.Below(d.Vitality, p), p.DailyLimit)
	case !d.Active:
		return "not active"
	case !p.Enabled:
		return "automatic removal is off"
	case float64(now-d.CreatedAt) <= p.GraceDays*vitality.DayMillis:
		return "younger than the grace period of " + setting.Format(p.GraceDays) + " days"
	}
	return fmt.Sprintf("vitality %.1f, not below %s", d.Vitality, floor)
}
