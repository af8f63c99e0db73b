package api

import (
	"encoding/json"
	"fmt"
	"time"
)

// Time is an instant in integer Unix milliseconds. On the wire it is RFC 3339 in
// UTC with exactly three decimals; null is the pointer's business.
type Time int64

// Layout is the wire form of a Time.
const Layout = "2006-01-02T15:04:05.000Z"

// The years that a Time can be written with.
const (
	minTime = Time(-62135596800000) // 0001-01-01
	maxTime = Time(253402300799999) // 9999-12-31T23:59:59.999Z
)

// String is the wire form. Instants beyond the year 9999 are shown as its last.
func (t Time) String() string {
	return time.UnixMilli(int64(min(max(t, minTime), maxTime))).UTC().Format(Layout)
}

// MarshalJSON writes the wire form.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads RFC 3339 with any zone and at most millisecond precision kept.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a time is a string in RFC 3339, such as %q", Layout)
	}
	parsed, err := ParseTime(s)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// ParseTime reads RFC 3339 with any zone, or a date alone (its first instant in
// UTC). Digits past the millisecond are dropped.
func ParseTime(s string) (Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if parsed, err := time.Parse(layout, s); err == nil {
			t := Time(parsed.UnixMilli())
			if t < minTime || t > maxTime {
				break
			}
			return t, nil
		}
	}
	return 0, fmt.Errorf("%q is not a time in RFC 3339", s)
}

// Ptr is a pointer to a copy of v, for optional wire fields.
func Ptr[T any](v T) *T { return &v }

// Optional is a field of a change that may be absent, null, or a value.
// Absent leaves the stored value, null clears it.
type Optional[T any] struct {
	Set   bool // the field was there
	Value *T   // nil where it was null
}

// Some is a present value.
func Some[T any](v T) Optional[T] { return Optional[T]{Set: true, Value: &v} }

// Null is a present null.
func Null[T any]() Optional[T] { return Optional[T]{Set: true} }

// IsZero tells encoders to leave an absent field out.
func (o Optional[T]) IsZero() bool { return !o.Set }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// UnmarshalJSON reads the value or null.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	o.Value = nil
	if string(b) == "null" {
		return nil
	}
	o.Value = new(T)
	return json.Unmarshal(b, o.Value)
}
