package embedding

import (
	"encoding/base64"
	"math"
	"strings"

	"elowen/shared/fault"
)

// Means is what vectors of texts have in common whatever they say, as background texts
// tell: the mean of English ones, and the directions in which languages lie apart from
// it. Both are taken off, so that what is left is of what a text says, in any language.
// Nobody has to know a text's language for that; from where it lay before, it shows.
type Means struct {
	All     []float32            // nil: nothing is taken off
	Apart   [][]float32          // of length 1 and at right angles to each other
	Tongues map[string][]float32 // where the middle of each group (see Group) lies along Apart
}

// Centre takes what is common off a vector of length 1 and makes it of length 1 again,
// in place. It tells the group that the vector lay nearest to; "" where none is known.
// What is of another width than the means is none of their model's and stays as it is.
// What was nothing but common becomes 0: it is like nothing.
func (m Means) Centre(v []float32) (group string) {
	if len(m.All) != len(v) {
		return ""
	}
	for i := range v {
		v[i] -= m.All[i]
	}
	at := make([]float32, len(m.Apart))
	for j, axis := range m.Apart {
		var sum float64
		for i, x := range axis {
			sum += float64(x) * float64(v[i])
		}
		at[j] = float32(sum)
	}
	for j, axis := range m.Apart {
		for i, x := range axis {
			v[i] -= at[j] * x
		}
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum < 1e-12 {
		clear(v)
		return m.nearest(at)
	}
	by := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= by
	}
	return m.nearest(at)
}

// nearest is the group whose middle is nearest to a place along Apart, of equally near
// ones the first by its code.
func (m Means) nearest(at []float32) (best string) {
	least := math.Inf(1)
	for group, middle := range m.Tongues {
		sum := 0.0
		for j := range min(len(at), len(middle)) {
			d := float64(at[j] - middle[j])
			sum += d * d
		}
		if sum < least || sum == least && group < best {
			best, least = group, sum
		}
	}
	return best
}

// The keys of means as they are stored: of the mean, of the directions one
// after the other, and before a group's code.
const (
	allKey    = "all"
	apartKey  = "apart"
	tongueKey = "in "
)

// texts are the means as they are stored: base64 of what Encode writes.
func (m Means) texts() map[string]string {
	texts := map[string]string{}
	put := func(key string, v []float32) { texts[key] = base64.StdEncoding.EncodeToString(Encode(v)) }
	if len(m.All) > 0 {
		put(allKey, m.All)
	}
	var rows []float32
	for _, axis := range m.Apart {
		rows = append(rows, axis...)
	}
	if len(rows) > 0 {
		put(apartKey, rows)
	}
	for group, v := range m.Tongues {
		put(tongueKey+group, v)
	}
	return texts
}

// meansOf reads what texts writes. older tells that they are of the kind that was kept
// before: a mean of each language.
func meansOf(texts map[string]string) (m Means, older bool, err error) {
	corrupt := fault.New(fault.Corrupt, "The stored profile of a model cannot be read.")
	vectors := make(map[string][]float32, len(texts))
	for key, text := range texts {
		raw, err := base64.StdEncoding.DecodeString(text)
		v := make([]float32, len(raw)/4)
		if err != nil || len(v) == 0 || !Decode(v, raw) {
			return m, false, corrupt
		}
		vectors[key] = v
	}
	m.All = vectors[allKey]
	if rows := vectors[apartKey]; len(rows) > 0 {
		if len(m.All) == 0 || len(rows)%len(m.All) != 0 {
			return Means{}, false, corrupt
		}
		for ; len(rows) > 0; rows = rows[len(m.All):] {
			m.Apart = append(m.Apart, rows[:len(m.All):len(m.All)])
		}
	}
	for key, v := range vectors {
		group, ok := strings.CutPrefix(key, tongueKey)
		switch {
		case ok && len(v) != len(m.Apart):
			return Means{}, false, corrupt
		case ok:
			if m.Tongues == nil {
				m.Tongues = map[string][]float32{}
			}
			m.Tongues[group] = v
		case key != allKey && key != apartKey:
			older = true
		}
	}
	return m, older, nil
}
