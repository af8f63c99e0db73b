package token

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// trie finds the pieces that a text begins with. It is a double array (Aoe 1989):
// the child of a node by byte c is the unit at base XOR c, if that unit has c as
// its label; no two nodes have the same base, so a label is proof enough. A piece
// that alone goes on from some byte ends the walk there: the unit names it, and the
// rest is compared with its text. The multilingual model's 250,000 pieces take
// half a million units of four bytes.
//
// A unit is, from the top: one bit that tells a leaf, 23 bits of value (the base of
// its children, or a leaf's piece), eight bits of label.
type trie struct {
	pieces Pieces
	units  []uint32
	root   uint32 // base of the root's children
}

// Labels that aren't in UTF-8.
const (
	labelNone = 0xfe // a free unit
	labelEnd  = 0xff // leads to the piece that ends at its parent
)

const (
	unitLeaf = 1 << 31
	maxValue = 1<<23 - 1
)

// newTrie makes a trie of some of the pieces, which must differ and not be empty.
func newTrie(p Pieces, ids []int32) (*trie, error) {
	if err := sortPieces(p, ids); err != nil {
		return nil, err
	}
	b := builder{t: &trie{pieces: p}, ids: ids}
	var err error
	if b.t.root, err = b.node(0, len(ids), 0); err != nil {
		return nil, err
	}
	b.t.units = slices.Clip(b.t.units)
	return b.t, nil
}

// sortPieces sorts numbers by the bytes of their pieces.
func sortPieces(p Pieces, ids []int32) error {
	type key struct {
		head uint64 // the first eight bytes decide nearly always
		id   int32
	}
	keys := make([]key, len(ids))
	for i, id := range ids {
		piece := p.Piece(id)
		if len(piece) == 0 {
			return corrupt("piece %d is empty", id)
		}
		var head [8]byte
		copy(head[:], piece)
		keys[i] = key{binary.BigEndian.Uint64(head[:]), id}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := cmp.Compare(a.head, b.head); c != 0 {
			return c
		}
		return bytes.Compare(p.Piece(a.id), p.Piece(b.id))
	})
	for i, k := range keys {
		ids[i] = k.id
		if i > 0 && bytes.Equal(p.Piece(ids[i-1]), p.Piece(k.id)) {
			return corrupt("pieces %d and %d are the same", ids[i-1], k.id)
		}
	}
	return nil
}

// builder lays nodes into a trie.
type builder struct {
	t    *trie
	ids  []int32  // sorted by piece
	free []uint64 // a bit each unit
	used []uint64 // a bit each base
	from int      // word of free from which to look for room
}

// node lays the node that ids[lo:hi] share their first depth bytes at, and all
// below it, and gives its base.
func (b *builder) node(lo, hi, depth int) (uint32, error) {
	var labels [256]byte
	var starts [257]int
	n := 0
	for i := lo; i < hi; i++ {
		c := byte(labelEnd)
		if piece := b.t.pieces.Piece(b.ids[i]); len(piece) > depth {
			c = piece[depth]
		}
		if n == 0 || labels[n-1] != c {
			labels[n], starts[n] = c, i
			n++
		}
	}
	starts[n] = hi
	at, err := b.place(labels[:n])
	if err != nil {
		return 0, err
	}
	for i, c := range labels[:n] {
		unit := at ^ uint32(c)
		if starts[i+1]-starts[i] == 1 {
			b.t.units[unit] = unitLeaf | uint32(b.ids[starts[i]])<<8 | uint32(c)
			continue
		}
		below, err := b.node(starts[i], starts[i+1], depth+1)
		if err != nil {
			return 0, err
		}
		b.t.units[unit] = below<<8 | uint32(c)
	}
	return at, nil
}

// patience is how many words and units are looked at before the start of the search
// moves up: more make the trie smaller by little and slower to build by much.
const patience = 256

// place finds a base that no node has and whose units for the labels are free, and
// takes them.
func (b *builder) place(labels []byte) (uint32, error) {
	for tries, w := 0, b.from; ; w++ {
		if tries++; tries > patience {
			b.from = w // what is before is too full to be looked through each time
		}
		if w == len(b.free) {
			if len(b.t.units)+256 > maxValue {
				return 0, corrupt("too many pieces")
			}
			for range 256 {
				b.t.units = append(b.t.units, labelNone)
			}
			b.free = append(b.free, ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0))
			b.used = append(b.used, 0, 0, 0, 0)
		}
		for word := b.free[w]; word != 0; word &= word - 1 {
			at := uint32(w*64+bits.TrailingZeros64(word)) ^ uint32(labels[0])
			tries++
			if b.used[at/64]>>(at%64)&1 == 0 && b.fits(at, labels[1:]) {
				b.used[at/64] |= 1 << (at % 64)
				for _, c := range labels {
					u := at ^ uint32(c)
					b.free[u/64] &^= 1 << (u % 64)
				}
				return at, nil
			}
		}
	}
}

func (b *builder) fits(at uint32, labels []byte) bool {
	for _, c := range labels {
		if u := at ^ uint32(c); b.free[u/64]>>(u%64)&1 == 0 {
			return false
		}
	}
	return true
}

// match is a piece that a text begins with.
type match struct {
	id     int32
	length int // of the text
}

// under is the base below a prefix that many pieces share.
func (t *trie) under(prefix string) (uint32, bool) {
	base := t.root
	for i := range len(prefix) {
		unit := t.units[base^uint32(prefix[i])]
		if unit&0xff != uint32(prefix[i]) || unit&unitLeaf != 0 {
			return 0, false
		}
		base = unit >> 8 & maxValue
	}
	return base, true
}

// matches appends the pieces that text begins with, the shortest first. The walk
// begins at a base, to which the first skip bytes of the pieces led.
func (t *trie) matches(into []match, text []byte, base uint32, skip int) []match {
	for i := 0; ; i++ {
		if unit := t.units[base^labelEnd]; unit&0xff == labelEnd {
			into = append(into, match{int32(unit >> 8 & maxValue), i})
		}
		if i == len(text) {
			return into
		}
		unit := t.units[base^uint32(text[i])]
		if unit&0xff != uint32(text[i]) {
			return into
		}
		base = unit >> 8 & maxValue
		if unit&unitLeaf != 0 {
			id := int32(base)
			rest := t.pieces.Piece(id)[skip+i+1:]
			if bytes.HasPrefix(text[i+1:], rest) {
				into = append(into, match{id, i + 1 + len(rest)})
			}
			return into
		}
	}
}
