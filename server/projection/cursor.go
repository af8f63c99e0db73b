package projection

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// cursor is a place in the list of a query: the row after which the next page
// begins. It names the row's key, not its rank, so pages neither repeat nor skip
// a row that stays where it is, whatever comes and goes before it.
type cursor struct {
	place
	asOf int64 // the instant of the order, for vitality
}

// cursorForm is the first byte of every cursor; another one is another form.
const cursorForm = 1

// cursorSize is form, fingerprint, last, level, a, b, id and asOf.
const cursorSize = 1 + 8 + 1 + 1 + 4*8

// queryKey names a normalized query: equal ones are the same list.
func queryKey(q api.MemoryQuery) string {
	b, err := json.Marshal(q.Normal())
	if err != nil {
		panic(err) // a query holds nothing that JSON cannot
	}
	return string(b)
}

// fingerprint ties a cursor to its account and query.
func fingerprint(owner db.AccountID, query string) [8]byte {
	h := sha256.New()
	_ = binary.Write(h, binary.BigEndian, int64(owner))
	h.Write([]byte(query))
	return [8]byte(h.Sum(nil))
}

func (c cursor) encode(print [8]byte) string {
	b := make([]byte, 0, cursorSize)
	b = append(b, cursorForm)
	b = append(b, print[:]...)
	last := byte(0)
	if c.last {
		last = 1
	}
	b = append(b, last, byte(c.level))
	for _, n := range []int64{c.a, c.b, c.id, c.asOf} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// decodeCursor reads a cursor of the list with that fingerprint. Anything else is
// fault.Invalid.
func decodeCursor(text string, print [8]byte, byVitality bool) (cursor, error) {
	var c cursor
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorSize || b[0] != cursorForm {
		return c, errCursor
	}
	if [8]byte(b[1:9]) != print {
		return c, fault.BadField("cursor", "cursor", "", "The cursor belongs to another list. Begin again without it.")
	}
	if b[9] > 1 {
		return c, errCursor
	}
	c.last, c.level = b[9] == 1, int(b[10])
	for i, n := range []*int64{&c.a, &c.b, &c.id, &c.asOf} {
		*n = int64(binary.BigEndian.Uint64(b[11+8*i:]))
	}
	if byVitality {
		height := number(c.a)
		if c.level < 1 || c.level > vitality.Levels || height != height || c.last {
			return c, errCursor
		}
	} else if c.level != 0 {
		return c, errCursor
	}
	return c, nil
}

var errCursor = fault.BadField("cursor", "cursor", "", "This is not a cursor of this list. Begin again without it.")
