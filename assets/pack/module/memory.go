package module

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// limit bounds the initial memory that is believed in: some ten times what the program has.
const limit = 64 << 20

// memory is the initial memory from its lowest to its highest segment.
type memory struct {
	from int64 // address of the first byte
	b    []byte
}

// readMemory puts the segments of a data section in their places.
func readMemory(section []byte) (*memory, error) {
	type segment struct {
		at   int64
		body []byte
	}
	var all []segment
	r := reader{b: section}
	m := memory{from: limit}
	to := int64(0)
	for n := r.uint(); n > 0 && !r.failed; n-- {
		if kind := r.uint(); kind != 0 {
			return nil, errors.New("a segment that isn't active in memory 0")
		}
		if r.byte() != i32Const {
			return nil, errors.New("an address that isn't a constant")
		}
		s := segment{at: r.int()}
		if r.byte() != end {
			return nil, errors.New("an address that isn't a constant")
		}
		s.body = r.take(r.uint())
		if s.at < 0 || s.at+int64(len(s.body)) > limit {
			return nil, fmt.Errorf("a segment of %d bytes at %d", len(s.body), s.at)
		}
		m.from, to = min(m.from, s.at), max(to, s.at+int64(len(s.body)))
		all = append(all, s)
	}
	if r.failed || r.at != len(section) || len(all) == 0 {
		return nil, errors.New("segments that are broken off")
	}
	m.b = make([]byte, to-m.from)
	for _, s := range all {
		copy(m.b[s.at-m.from:], s.body)
	}
	return &m, nil
}

// section writes the memory as a data section of one segment.
func (m *memory) section() []byte {
	b := []byte{1, 0, i32Const}
	b = append(appendInt(b, m.from), end)
	return append(binary.AppendUvarint(b, uint64(len(m.b))), m.b...)
}
