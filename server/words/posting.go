package words

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// ChunkSize is the number of consecutive memory ids whose postings of one term
// share a blob.
const ChunkSize = 1 << chunkBits

const chunkBits = 10

// ChunkOf gives the number of the chunk that a memory's postings are in.
func ChunkOf(id int64) int64 { return id >> chunkBits }

// Posting says that a term is in a memory: how often (TF, at least 1), and the
// memory's length as Terms counts it (at least 1; shorter is taken as 1).
type Posting struct {
	ID         int64
	TF, Length int
}

// ErrCorrupt is what a blob gives that this package didn't write.
var ErrCorrupt = errors.New("words: corrupt postings")

// ErrOrder is given by Append for an id that isn't after all in the blob, and by
// Merge for postings of several chunks.
var ErrOrder = errors.New("words: posting out of place")

// A blob is a header (format, number of postings, place of the last, both little
// endian) and the postings by ascending id. A posting is
//
//	uvarint (place − place of the one before) << 1 | (1 if TF > 1)
//	uvarint TF, if TF > 1
//	uvarint length
//
// where a place is the id's offset in its chunk and counts from −1, so that a
// step is never 0. The last place in the header lets Append work without reading
// the postings.
const (
	blobFormat = 1
	headerSize = 5
	maxCount   = 1 << 30 // of TF and Length
)

// Count gives the number of postings in a blob; an empty blob has none.
func Count(blob []byte) (int, error) {
	n, _, err := header(blob)
	return n, err
}

func header(blob []byte) (count, last int, err error) {
	if len(blob) == 0 {
		return 0, -1, nil
	}
	if len(blob) < headerSize || blob[0] != blobFormat {
		return 0, 0, ErrCorrupt
	}
	count, last = int(binary.LittleEndian.Uint16(blob[1:])), int(binary.LittleEndian.Uint16(blob[3:]))
	if count == 0 || count > ChunkSize || last >= ChunkSize || last < count-1 || len(blob) < headerSize+2*count {
		return 0, 0, ErrCorrupt
	}
	return count, last, nil
}

func setHeader(blob []byte, count, last int) {
	blob[0] = blobFormat
	binary.LittleEndian.PutUint16(blob[1:], uint16(count))
	binary.LittleEndian.PutUint16(blob[3:], uint16(last))
}

func placeOf(id int64) int { return int(id & (ChunkSize - 1)) }

// appendPosting encodes one posting step places after the one before.
func appendPosting(blob []byte, step, tf, length int) []byte {
	tf, length = min(max(tf, 1), maxCount), min(max(length, 1), maxCount)
	if tf == 1 {
		blob = binary.AppendUvarint(blob, uint64(step)<<1)
	} else {
		blob = binary.AppendUvarint(blob, uint64(step)<<1|1)
		blob = binary.AppendUvarint(blob, uint64(tf))
	}
	return binary.AppendUvarint(blob, uint64(length))
}

// Append adds a posting after all others of the blob (which may be empty) and
// gives the longer blob, as append does. It is ErrOrder if the blob has that
// memory or a later one.
func Append(blob []byte, p Posting) ([]byte, error) {
	count, last, err := header(blob)
	if err != nil {
		return blob, err
	}
	place := placeOf(p.ID)
	if place <= last {
		return blob, ErrOrder
	}
	if count == 0 {
		blob = append(blob, make([]byte, headerSize)...)
	}
	blob = appendPosting(blob, place-last, p.TF, p.Length)
	setHeader(blob, count+1, place)
	return blob, nil
}

// Merge puts postings, in any order, into a blob of their chunk and gives the new
// one. A posting replaces that of the same memory; of several for one memory the
// last stays. The blob given is left as it is, unless all ids come after it.
func Merge(blob []byte, postings ...Posting) ([]byte, error) {
	if len(postings) == 0 {
		return blob, nil
	}
	if !slices.IsSortedFunc(postings, byID) {
		postings = slices.Clone(postings)
		slices.SortStableFunc(postings, byID)
	}
	if ChunkOf(postings[0].ID) != ChunkOf(postings[len(postings)-1].ID) {
		return blob, ErrOrder
	}
	_, last, err := header(blob)
	if err != nil {
		return blob, err
	}
	var b builder
	if placeOf(postings[0].ID) > last {
		if b, err = extend(blob); err != nil {
			return blob, err
		}
	}
	chunk := ChunkOf(postings[0].ID)
	r := Decode(chunk, nil)
	if b.count == 0 {
		b.blob = make([]byte, 0, len(blob)+4*len(postings)+headerSize)
		r = Decode(chunk, blob)
	}
	more := r.Next()
	for i, p := range postings {
		if i+1 < len(postings) && postings[i+1].ID == p.ID {
			continue
		}
		for more && r.Posting().ID < p.ID {
			b.add(r.Posting())
			more = r.Next()
		}
		if more && r.Posting().ID == p.ID {
			more = r.Next()
		}
		b.add(p)
	}
	for more {
		b.add(r.Posting())
		more = r.Next()
	}
	if r.Err() != nil {
		return blob, r.Err()
	}
	return b.finish(), nil
}

func byID(a, b Posting) int {
	switch {
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}

// Remove takes the postings of memories out of a blob of their chunk and gives
// the new one, nil if none is left. Ids that aren't there don't matter.
func Remove(blob []byte, ids ...int64) ([]byte, error) {
	if len(blob) == 0 {
		return nil, nil
	}
	var gone [ChunkSize / 64]uint64
	for _, id := range ids {
		place := placeOf(id)
		gone[place/64] |= 1 << (place % 64)
	}
	b := builder{last: -1, blob: make([]byte, 0, len(blob))}
	r := Decode(0, blob)
	for r.Next() {
		p := r.Posting()
		if place := placeOf(p.ID); gone[place/64]&(1<<(place%64)) == 0 {
			b.add(p)
		}
	}
	if r.Err() != nil {
		return blob, r.Err()
	}
	return b.finish(), nil
}

// builder writes a blob.
type builder struct {
	blob        []byte
	count, last int
}

func extend(blob []byte) (builder, error) {
	count, last, err := header(blob)
	return builder{blob, count, last}, err
}

func (b *builder) add(p Posting) {
	if b.count == 0 {
		b.blob = append(b.blob[:0], make([]byte, headerSize)...)
		b.last = -1
	}
	place := placeOf(p.ID)
	b.blob = appendPosting(b.blob, place-b.last, p.TF, p.Length)
	b.count, b.last = b.count+1, place
}

func (b *builder) finish() []byte {
	if b.count == 0 {
		return nil
	}
	setHeader(b.blob, b.count, b.last)
	return b.blob
}

// Postings reads a blob without allocating:
//
//	r := Decode(chunk, blob)
//	for r.Next() {
//		p := r.Posting()
//	}
//	err := r.Err()
type Postings struct {
	rest    []byte
	base    int64
	place   int
	left    int
	last    int
	current Posting
	err     error
}

// Decode starts reading a blob of the chunk with the given number. An empty blob
// has no postings. What isn't a blob ends the reading with ErrCorrupt, maybe
// after some postings.
func Decode(chunk int64, blob []byte) Postings {
	count, last, err := header(blob)
	r := Postings{base: chunk << chunkBits, place: -1, left: count, last: last, err: err}
	if err == nil && count > 0 {
		r.rest = blob[headerSize:]
	}
	return r
}

// Next goes to the next posting; false at the end or when the blob is corrupt.
func (r *Postings) Next() bool {
	if r.err != nil || r.left == 0 {
		return false
	}
	step, tf, length, rest, ok := readPosting(r.rest)
	r.place += step
	r.left--
	if !ok || r.place >= ChunkSize || r.left == 0 && (len(rest) > 0 || r.place != r.last) {
		r.err = fmt.Errorf("%w: entry %d from the end", ErrCorrupt, r.left)
		return false
	}
	r.rest = rest
	r.current = Posting{r.base + int64(r.place), tf, length}
	return true
}

// Posting is the one that Next went to.
func (r *Postings) Posting() Posting { return r.current }

// Err tells whether the reading ended because the blob is corrupt.
func (r *Postings) Err() error { return r.err }

// readPosting takes one posting off. Nearly all numbers are single bytes.
func readPosting(b []byte) (step, tf, length int, rest []byte, ok bool) {
	if len(b) >= 2 && b[0] < 0x80 && b[0] >= 2 && b[0]&1 == 0 && b[1] < 0x80 && b[1] > 0 {
		return int(b[0] >> 1), 1, int(b[1]), b[2:], true
	}
	head, n := binary.Uvarint(b)
	if n <= 0 || head < 2 || head>>1 > ChunkSize {
		return 0, 0, 0, nil, false
	}
	b = b[n:]
	tf = 1
	if head&1 == 1 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v < 2 || v > maxCount {
			return 0, 0, 0, nil, false
		}
		tf, b = int(v), b[n:]
	}
	v, n := binary.Uvarint(b)
	if n <= 0 || v == 0 || v > maxCount {
		return 0, 0, 0, nil, false
	}
	return int(head >> 1), tf, int(v), b[n:], true
}
