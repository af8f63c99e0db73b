package vitality

import (
	"cmp"
	"fmt"
	"math"

	"elowen/shared/setting"
)

// Turn is a memory's place in the line for the trash.
type Turn struct {
	Vitality  float64 // at the asked instant
	CreatedAt int64   // Unix milliseconds
	ID        int64
}

// Compare is negative where t comes before o when more memories are evictable than
// a sweep may take: the lowest vitality first, then the oldest, then the lowest id.
func (t Turn) Compare(o Turn) int {
	return cmp.Or(cmp.Compare(t.Vitality, o.Vitality), cmp.Compare(t.CreatedAt, o.CreatedAt), cmp.Compare(t.ID, o.ID))
}

// Below is the reason of an eviction, "vitality V < F", with V rounded down to a
// tenth so that it never reads as the floor F.
func Below(v float64, p Policy) string {
	return fmt.Sprintf("vitality %.1f < %s", math.Floor(v*10)/10, setting.Format(p.Floor))
}
