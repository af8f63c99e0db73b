package projection

import (
	"encoding/json"
	"slices"
	"strconv"

	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
)

// A frame begins with its type and the reader's own name for the window; the rest
// is the same for all readers of the window and is written once.

// appendFrame puts a frame together.
func appendFrame(b []byte, kind, id string, rest []byte) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, kind...)
	b = append(b, `","id":`...)
	b = appendString(b, id)
	return append(b, rest...)
}

func appendString(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string has a JSON form
	}
	return append(b, text...)
}

// snapshot is the state as a whole.
func (s *state) snapshot() []byte {
	return s.frame(0, func() []byte {
		b := s.begin(s.size(func(row) bool { return true }))
		b = append(b, `,"rows":`...)
		b = appendRows(b, s.rows, func(row) bool { return true })
		return append(b, '}')
	})
}

// since leads from a version to the state, where it is remembered.
func (s *state) since(version uint64) (rest []byte, ok bool) {
	ids, ok := s.shown(version)
	if !ok {
		return nil, false
	}
	return s.frame(version, func() []byte {
		return s.delta(ids, func(r row) bool { return r.changed > version })
	}), true
}

// shown is what a version showed.
func (s *state) shown(version uint64) ([]int64, bool) {
	i := len(s.past) - int(s.version-version)
	if i < 0 || i >= len(s.past) || s.past[i].version != version {
		return nil, false
	}
	return s.past[i].ids, true
}

// delta leads from rows with these ids to the state: those that are new, and those
// that changed, are sent.
func (s *state) delta(have []int64, changed func(row) bool) []byte {
	had := make(map[int64]struct{}, len(have))
	for _, id := range have {
		had[id] = struct{}{}
	}
	upsert := func(r row) bool {
		_, known := had[r.id]
		return !known || changed(r)
	}
	has := make(map[int64]struct{}, len(s.ids))
	for _, id := range s.ids {
		has[id] = struct{}{}
	}
	// What the reader has after taking rows out and adding new ones at the end.
	var removed, order []int64
	for _, id := range have {
		if _, stays := has[id]; stays {
			order = append(order, id)
		} else {
			removed = append(removed, id)
		}
	}
	for _, id := range s.ids {
		if _, known := had[id]; !known {
			order = append(order, id)
		}
	}
	b := s.begin(s.size(upsert) + 24*len(s.ids))
	if slices.ContainsFunc(s.rows, upsert) {
		b = append(b, `,"upsert":`...)
		b = appendRows(b, s.rows, upsert)
	}
	if len(removed) > 0 {
		b = append(b, `,"remove":`...)
		b = appendIDs(b, removed)
	}
	if !slices.Equal(order, s.ids) {
		b = append(b, `,"order":`...)
		b = appendIDs(b, s.ids)
	}
	return append(b, '}')
}

// frame makes a frame once for each version that it leads from.
func (s *state) frame(from uint64, write func() []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.frames[from]; ok {
		return b
	}
	if s.frames == nil {
		s.frames = map[uint64][]byte{}
	}
	b := write()
	s.frames[from] = b
	return b
}

// size is about how long a frame with some of the rows is.
func (s *state) size(some func(row) bool) int {
	n := 256
	for _, r := range s.rows {
		if some(r) {
			n += len(r.json) + 1
		}
	}
	return n
}

// begin writes what every frame of a state says.
func (s *state) begin(size int) []byte {
	b := make([]byte, 0, size)
	b = append(b, `,"epoch":`...)
	b = appendString(b, s.epoch)
	b = append(b, `,"seq":`...)
	b = strconv.AppendInt(b, s.seq, 10)
	b = append(b, `,"asOf":"`...)
	b = append(b, s.asOf.String()...)
	b = append(b, `","total":`...)
	b = strconv.AppendInt(b, int64(s.total), 10)
	b = append(b, `,"from":`...)
	return strconv.AppendInt(b, int64(s.from), 10)
}

func appendRows(b []byte, rows []row, some func(row) bool) []byte {
	b = append(b, '[')
	first := true
	for _, r := range rows {
		if !some(r) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, r.json...)
	}
	return append(b, ']')
}

func appendIDs(b []byte, ids []int64) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return append(b, ']')
}

// gapFrame tells a reader to take a new snapshot.
func gapFrame(id, epoch string) []byte {
	return marshal(wire.Frame{Type: wire.TypeGap, ID: id, Epoch: epoch})
}

// ErrorFrame tells what is wrong with a window, in public words.
func ErrorFrame(id string, err error) []byte {
	return marshal(wire.Frame{Type: wire.TypeError, ID: id, Error: problemOf(err)})
}

// PongFrame answers a ping.
func (p *Projector) PongFrame() []byte {
	return marshal(wire.Frame{Type: wire.TypePong, AsOf: api.Time(p.c.DB.Now())})
}

func problemOf(err error) *wire.Problem {
	p := fault.ProblemOf(err)
	return &wire.Problem{Code: p.Code, Detail: p.Detail}
}
