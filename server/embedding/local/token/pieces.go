package token

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"elowen/shared/fault"
)

// Pieces is a vocabulary: a piece's number is its place.
type Pieces struct {
	// Text has the pieces one after the other.
	Text []byte
	// Offsets are little-endian uint32: where each piece begins in Text, and the end
	// of the last.
	Offsets []byte
}

// Count is the number of pieces.
func (p Pieces) Count() int { return max(len(p.Offsets)/4-1, 0) }

// Piece is the text of a number, which must be below Count.
func (p Pieces) Piece(id int32) []byte {
	o := p.Offsets[4*int(id):]
	return p.Text[binary.LittleEndian.Uint32(o):binary.LittleEndian.Uint32(o[4:])]
}

// add appends a piece.
func (p *Pieces) add(piece string) {
	if len(p.Offsets) == 0 {
		p.Offsets = make([]byte, 4)
	}
	p.Text = append(p.Text, piece...)
	p.Offsets = binary.LittleEndian.AppendUint32(p.Offsets, uint32(len(p.Text)))
}

// Bounds of a vocabulary. A trie's unit has 23 bits for a number.
const (
	maxPieces     = 1 << 21
	maxPieceBytes = 1 << 10
)

// check tells whether every piece can be read and is UTF-8.
func (p Pieces) check() error {
	n := p.Count()
	if n == 0 || n > maxPieces || len(p.Offsets) != 4*(n+1) {
		return corrupt("%d bytes of offsets", len(p.Offsets))
	}
	before := uint32(0)
	for i := 0; i <= n; i++ {
		at := binary.LittleEndian.Uint32(p.Offsets[4*i:])
		switch {
		case i == 0 && at != 0 || at < before || uint64(at) > uint64(len(p.Text)):
			return corrupt("offset %d of piece %d", at, i)
		case at-before > maxPieceBytes:
			return corrupt("piece %d has %d bytes", i-1, at-before)
		case i > 0 && !utf8.Valid(p.Text[before:at]):
			return corrupt("piece %d isn't UTF-8", i-1)
		}
		before = at
	}
	return nil
}

// corrupt is the error of a vocabulary that can't be used.
func corrupt(format string, args ...any) error {
	return fault.New(fault.Invalid, "tokenizer: "+fmt.Sprintf(format, args...))
}
