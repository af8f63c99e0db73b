// Package setting is the one table of the product's limits, defaults, bounds and
// units, and of who may change each. Settings, forms, validation, command line
// flags and documentation all read it; a number that stands here stands nowhere
// else.
//
// Keys are dotted paths: the first part is the group ("retention", "memory",
// "serve" …). A bound belongs to the value as it is stored, in the stated unit.
// The package is pure data: no I/O and no clock, so both sides can link it.
package setting

import (
	"fmt"
	"strconv"
)

// Kind is the type of a setting's value.
type Kind uint8

// The kinds of value.
const (
	Bool   Kind = iota // 0 or 1 in Default
	Whole              // an integer
	Number             // any finite number
	Text               // a string; Default is DefaultText
	Secret             // a string that is never served or logged
)

// Who may change a setting.
type Who uint8

// Who may change a setting.
const (
	Nobody Who = iota // fixed by the program
	Member            // each account for itself
	Admin             // an administrator, for the instance
	Host              // whoever starts the program: a flag, variable or config file
)

// Setting is one row of the table.
type Setting struct {
	Key         string
	Label       string
	Help        string
	Unit        string // "days", "bytes", "a day" …; empty for a bare number
	Kind        Kind
	Default     float64
	DefaultText string
	Min, Max    float64 // inclusive; both 0 where a bound makes no sense
	Who         Who
}

// Bounded tells whether the setting has bounds.
func (s Setting) Bounded() bool { return s.Min != 0 || s.Max != 0 }

// Range is the bound in words, e.g. "1 to 90".
func (s Setting) Range() string { return Format(s.Min) + " to " + Format(s.Max) }

// Contains tells whether v is finite and within the bounds.
func (s Setting) Contains(v float64) bool {
	return v == v && (!s.Bounded() || v >= s.Min && v <= s.Max)
}

// Clamp moves v into the bounds. NaN becomes the default.
func (s Setting) Clamp(v float64) float64 {
	switch {
	case v != v:
		return s.Default
	case s.Bounded() && v < s.Min:
		return s.Min
	case s.Bounded() && v > s.Max:
		return s.Max
	}
	return v
}

// Format writes a number the shortest way, without an exponent.
func Format(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Get is the row of a key. An unknown key is a defect in the program, so it panics.
func Get(key string) Setting {
	s, ok := Lookup(key)
	if !ok {
		panic(fmt.Sprintf("setting: no row %q", key))
	}
	return s
}

// Lookup is the row of a key, and whether there is one.
func Lookup(key string) (Setting, bool) {
	i, ok := byKey[key]
	if !ok {
		return Setting{}, false
	}
	return table[i], true
}

// All is a copy of the table, in the order in which forms show it.
func All() []Setting { return append([]Setting(nil), table...) }

// Int is the default of a whole-number row.
func Int(key string) int { return int(Get(key).Default) }

var byKey = func() map[string]int {
	m := make(map[string]int, len(table))
	for i, s := range table {
		if _, twice := m[s.Key]; twice {
			panic("setting: two rows " + s.Key)
		}
		m[s.Key] = i
	}
	return m
}()
