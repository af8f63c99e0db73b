package sync

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
)

// NewKey is a random UUID for an Idempotency-Key.
func NewKey() string {
	var b [16]byte
	rand.Read(b[:]) // never fails; it ends the program where there is no randomness
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// Intention remembers the key of what a person is trying to do, so that pressing
// Save again after a failure repeats the same write, and changing a word makes
// another one of it.
type Intention struct {
	key  string
	said string
}

// Key is the key for a write of body to path.
func (i *Intention) Key(path string, body any) string {
	b, _ := json.Marshal(body) // what can't be marshalled fails in Send
	if said := path + " " + string(b); i.key == "" || said != i.said {
		i.key, i.said = NewKey(), said
	}
	return i.key
}

// Done forgets the key: the next write is a new intention even with equal words.
func (i *Intention) Done() { i.key, i.said = "", "" }
