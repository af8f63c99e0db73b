package vitality

import "math"

// OrderKey is the number, in milliseconds, by which the memories of one importance
// are ordered as their vitality orders them, lowest first, at every instant:
//
//	key      = reference + halfLife · log2(0.5 + 0.5 · usage)
//	vitality = 100 · 0.5 ^ ((now − key) / halfLife)
//
// so it is constant until the memory is used or its policy changes, and can be an
// indexed column. Levels with different half-lives cannot share one order; a list
// over all of them merges ten.
//
// Limits. A key of today's magnitude is a float64 with steps of 1/4096 ms, so
// memories whose keys lie within a KeyTolerance of each other may stand in either
// order; their vitalities then differ by less than one part in 10^9. Vitalities
// under 10^-290, where a float64 runs out of digits, may stand in either order too.
// And an instant before a reference (the clock was put back) counts as that
// reference in Vitality, which a key cannot know: until the clock has caught up, a
// memory used "in the future" stands higher than its vitality. FadesAt has none of
// these limits.
func OrderKey(m Memory, p Policy) (float64, error) {
	h, err := halfLifeMillis(p, m.Importance)
	if err != nil {
		return 0, err
	}
	return float64(m.Reference()) + h*math.Log2(amplitude(m.UseCount)), nil
}

// KeyTolerance is the difference of two keys, or of a key and a threshold, in
// milliseconds, below which floating point decides.
const KeyTolerance = 1.0 / 512

// KeyThreshold is the key below which a memory of the level has a vitality below v
// at now: OrderKey < KeyThreshold exactly where Vitality < v, give or take a
// KeyTolerance, for references not after now. No memory has a vitality below 0, so
// a v that is not positive gives −Inf.
func KeyThreshold(level int, p Policy, now int64, v float64) (float64, error) {
	h, err := halfLifeMillis(p, level)
	if err != nil {
		return 0, err
	}
	if !(v > 0) {
		return math.Inf(-1), nil
	}
	return float64(now) - h*(math.Log2(full)-math.Log2(v)), nil // full/v may overflow
}
