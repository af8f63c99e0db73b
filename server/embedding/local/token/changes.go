package token

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// changes is what a model's file replaces characters by: the compatibility forms
// of NFKC, and control characters by nothing or a space.
type changes struct {
	ascii [utf8.RuneSelf]int16 // place in from, or -1
	from  []rune               // sorted
	to    []string
}

// readChanges reads a file's table: for each character its code point as a
// little-endian uint32, a byte with the number of characters that it becomes, and
// those in the same form.
func readChanges(table []byte) (*changes, error) {
	c := &changes{}
	next := func() (rune, bool) {
		if len(table) < 4 {
			return 0, false
		}
		v := binary.LittleEndian.Uint32(table)
		table = table[4:]
		return rune(v), v <= utf8.MaxRune && utf8.ValidRune(rune(v))
	}
	for len(table) > 0 {
		from, ok := next()
		if !ok || len(table) == 0 || len(c.from) > 0 && from <= c.from[len(c.from)-1] {
			return nil, corrupt("change %d can't be read", len(c.from))
		}
		n := int(table[0])
		table = table[1:]
		var to []byte
		for range n {
			r, ok := next()
			if !ok {
				return nil, corrupt("what %U becomes can't be read", from)
			}
			to = utf8.AppendRune(to, r)
		}
		c.from, c.to = append(c.from, from), append(c.to, string(to))
	}
	for r := range c.ascii {
		c.ascii[r] = -1
		if i, ok := slices.BinarySearch(c.from, rune(r)); ok {
			c.ascii[r] = int16(i)
		}
	}
	return c, nil
}

// of is what a character becomes, and whether it changes at all.
func (c *changes) of(r rune) (string, bool) {
	if r < utf8.RuneSelf {
		if i := c.ascii[r]; i >= 0 {
			return c.to[i], true
		}
		return "", r == 0
	}
	if i, ok := slices.BinarySearch(c.from, r); ok {
		return c.to[i], true
	}
	return "", false
}
