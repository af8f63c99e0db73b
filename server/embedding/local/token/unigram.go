package token

import (
	"encoding/binary"
	"math"
	"sync"
	"unicode/utf8"
)

// UnigramModel is what a model's file says of its pieces.
type UnigramModel struct {
	Pieces
	// Scores are little-endian float32: the natural logarithm of each piece's
	// probability.
	Scores []byte
	// Changes is the table of what characters become, see the package's file of that
	// name; the file of the model has it in this form.
	Changes []byte
	// Begin, End and Unknown are the numbers of the special pieces.
	Begin, End, Unknown int32
}

// Unigram is SentencePiece's tokenizer of that name.
type Unigram struct {
	model   UnigramModel
	changes *changes
	trie    *trie
	unknown float32 // score of a character that no piece has
	scratch sync.Pool
}

// metaspace stands for a space in pieces, and before each text.
const metaspace = "▁"

// unknownPenalty is how far below the worst piece an unknown character stands
// (SentencePiece's kUnkPenalty).
const unknownPenalty = 10

// NewUnigram makes the tokenizer of a model, whose bytes it keeps. What doesn't
// fit together is an error of kind Invalid.
func NewUnigram(m UnigramModel) (*Unigram, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	n := m.Count()
	if len(m.Scores) != 4*n {
		return nil, corrupt("%d bytes of scores for %d pieces", len(m.Scores), n)
	}
	for _, id := range []int32{m.Begin, m.End, m.Unknown} {
		if id < 0 || int(id) >= n {
			return nil, corrupt("special piece %d of %d", id, n)
		}
	}
	u := &Unigram{model: m, unknown: float32(math.Inf(1))}
	ids := make([]int32, 0, n)
	for id := range int32(n) {
		s := u.score(id)
		if !(s > -1e6 && s <= 0) {
			return nil, corrupt("piece %d has the score %v", id, s)
		}
		u.unknown = min(u.unknown, s)
		if id != m.Unknown {
			ids = append(ids, id)
		}
	}
	u.unknown -= unknownPenalty
	var err error
	if u.changes, err = readChanges(m.Changes); err != nil {
		return nil, err
	}
	if u.trie, err = newTrie(m.Pieces, ids); err != nil {
		return nil, err
	}
	u.scratch.New = func() any { return new(lattice) }
	return u, nil
}

func (u *Unigram) score(id int32) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(u.model.Scores[4*id:]))
}

// Count is the number of pieces.
func (u *Unigram) Count() int { return u.model.Count() }

// Frame are the pieces that a sequence begins and ends with.
func (u *Unigram) Frame() (begin, end int32) { return u.model.Begin, u.model.End }

// LogProbability is the natural logarithm of a piece's probability; 0 for the
// special ones, which have none.
func (u *Unigram) LogProbability(id int32) float32 {
	if id < 0 || int(id) >= u.Count() {
		return u.unknown
	}
	return u.score(id)
}

// WordLogProbability is the natural logarithm of the probability of a word, or of
// any text, that begins after a space: that of its likeliest pieces. A character
// that the model doesn't know counts as rarer than any piece.
func (u *Unigram) WordLogProbability(word string) float64 {
	l := u.scratch.Get().(*lattice)
	defer u.scratch.Put(l)
	return float64(u.solve(l, word))
}

// Append appends the numbers of a text's pieces, without those of Frame.
func (u *Unigram) Append(ids []int32, text string) []int32 {
	l := u.scratch.Get().(*lattice)
	defer u.scratch.Put(l)
	u.solve(l, text)
	// The way back from the end, then turned around.
	from := len(ids)
	for at := len(l.text); at > 0; {
		id := l.last[at]
		ids = append(ids, id)
		if id == u.model.Unknown {
			_, size := utf8.DecodeLastRune(l.text[:at])
			at -= size
		} else {
			at -= len(u.model.Piece(id))
		}
	}
	for i, j := from, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}

// lattice is what one text needs.
type lattice struct {
	text    []byte    // normalized
	best    []float32 // score of the best way to each byte, where one leads there
	last    []int32   // the last piece of that way
	matches []match
}

// unreached is a score below any way's.
const unreached = -1e30

// normalize writes the text as the pieces have it: characters changed, runs of
// spaces made one, and a metaspace for each and before the text.
func (u *Unigram) normalize(l *lattice, text string) {
	l.text = l.text[:0]
	space := false // the character before was one
	put := func(r rune) {
		switch {
		case r != ' ':
			if len(l.text) == 0 {
				l.text = append(l.text, metaspace...)
			}
			l.text = utf8.AppendRune(l.text, r)
		case !space:
			l.text = append(l.text, metaspace...)
		}
		space = r == ' '
	}
	for _, r := range text {
		to, changed := u.changes.of(r)
		if !changed {
			put(r)
			continue
		}
		for _, r := range to {
			put(r)
		}
	}
	if len(l.text) == 0 {
		l.text = append(l.text, metaspace...)
	}
}

// solve finds the likeliest pieces of a text and gives their score. Scores are
// added as float32 from the left, and of two ways with the same score the one
// found first stays, as in the programs that this must agree with.
func (u *Unigram) solve(l *lattice, text string) float32 {
	u.normalize(l, text)
	n := len(l.text)
	if cap(l.best) <= n {
		l.best, l.last = make([]float32, n+1, n+n/2+64), make([]int32, n+1, n+n/2+64)
	}
	l.best, l.last = l.best[:n+1], l.last[:n+1]
	for i := range l.best {
		l.best[i] = unreached
	}
	l.best[0] = 0
	for at := 0; at < n; {
		_, size := utf8.DecodeRune(l.text[at:])
		score := l.best[at]
		// A place is always reached, if only by unknown characters.
		l.matches = u.trie.matches(l.matches[:0], l.text[at:], u.trie.root, 0)
		for _, m := range l.matches {
			if s := score + u.score(m.id); s > l.best[at+m.length] {
				l.best[at+m.length], l.last[at+m.length] = s, m.id
			}
		}
		if s := score + u.unknown; s > l.best[at+size] {
			l.best[at+size], l.last[at+size] = s, u.model.Unknown
		}
		at += size
	}
	return l.best[n]
}
