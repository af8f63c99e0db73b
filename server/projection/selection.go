package projection

import (
	"slices"
	"sort"

	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/server/words"
	"elowen/shared/api"
)

// selection is what a query selects from a catalogue, in its order.
type selection struct {
	key    string // queryKey
	query  api.MemoryQuery
	filter memory.Filter
	seq    sequence

	// Of a query with words:
	hits       []words.Hit // by ascending id
	parsed     words.Query
	stale      bool  // memories changed since the words were searched
	unasked    bool  // of one by meaning: its question has to be asked again
	searchedAt int64 // when they were, in milliseconds of the projector's own time

	// Of a query for what fades soon, whose answer moves with the clock:
	filteredAt int64 // the instant that filter is made for
	until      int64 // the first instant at which another memory may come in

	windows int   // that show a part of it
	usedAt  int64 // when it was last asked for, in milliseconds of the projector's own time
}

func newSelection(q api.MemoryQuery) *selection {
	q = q.Normal()
	return &selection{key: queryKey(q), query: q, stale: q.Q != ""}
}

// build fills the selection from the catalogue, all of it.
func (s *selection) build(c *catalogue, now int64) {
	s.filter = memory.PredicateIn(s.query, c.where, c.terms, now)
	s.filteredAt = now
	s.seq = newSequence(ordering{sort: sortings[s.query.Sort], desc: s.query.Order == "desc", hits: s.hits}, c.terms.Policy)
	var slots []int32
	if s.query.Q != "" {
		slots = make([]int32, 0, len(s.hits))
		for _, h := range s.hits {
			if slot, ok := c.slots[h.ID]; ok && s.filter.Match(&c.rows[slot]) {
				slots = append(slots, slot)
			}
		}
	} else {
		slots = make([]int32, 0, len(c.slots))
		for slot := range c.rows {
			if m := &c.rows[slot]; m.ID != 0 && s.filter.Match(m) {
				slots = append(slots, int32(slot))
			}
		}
	}
	s.seq.insertAll(c.rows, slots)
	s.until = vitality.Never
	if s.query.FadesWithin > 0 {
		horizon := now + int64(s.query.FadesWithin)*vitality.DayMillis
		for slot := range c.rows {
			if m := &c.rows[slot]; m.ID != 0 && m.FadesAt > horizon && m.FadesAt != vitality.Never {
				s.until = min(s.until, m.FadesAt-(horizon-now))
			}
		}
	}
}

// search finds the words again and builds the selection from what it found.
func (s *selection) search(tx *db.Tx, from *Config, owner db.AccountID, c *catalogue, clock int64) error {
	if owner = c.where.Home(s.query); owner == 0 {
		owner = -1 // nobody's words
	}
	var hits []words.Hit
	var parsed words.Query
	var err error
	if s.byMeaning() {
		var ready bool
		if hits, parsed, ready, err = from.Meaning.Find(tx, owner, s.query); err == nil && !ready {
			// It stays as it was until the question was asked again.
			s.unasked, s.searchedAt = true, clock
			if s.seq == nil {
				s.build(c, tx.Now)
			}
			return nil
		}
	} else {
		hits, parsed, err = from.Memories.Search(tx, owner, s.query.Q, true)
	}
	if err != nil {
		return err
	}
	s.hits, s.parsed, s.stale, s.unasked, s.searchedAt = hits, parsed, false, false, clock
	s.build(c, tx.Now)
	return nil
}

// byMeaning tells whether its text is searched by meaning.
func (s *selection) byMeaning() bool { return s.query.Match == api.MatchMeaning }

// timely makes a selection that moves with the clock right at now.
func (s *selection) timely(c *catalogue, now int64) {
	if s.query.FadesWithin > 0 && (now >= s.until || now < s.filteredAt) {
		s.build(c, now)
	}
}

// holds tells whether a memory belongs to the selection.
func (s *selection) holds(m *brief) bool {
	if s.query.Q != "" {
		i := sort.Search(len(s.hits), func(i int) bool { return s.hits[i].ID >= m.ID })
		if i == len(s.hits) || s.hits[i].ID != m.ID {
			return false
		}
	}
	return s.filter.Match(m)
}

// few is how many rows are moved one by one; more are taken out and put back in
// one pass over all.
const few = 64

// out takes the rows in the slots out, as they are before they change.
func (s *selection) out(rows []brief, slots []int32) {
	if len(slots) <= few {
		for _, slot := range slots {
			s.seq.remove(rows, slot)
		}
		return
	}
	gone := make([]bool, len(rows))
	for _, slot := range slots {
		gone[slot] = true
	}
	s.seq.removeAll(rows, func(slot int32) bool { return gone[slot] })
}

// in puts the rows in the slots in, as they are now, those that belong.
func (s *selection) in(rows []brief, slots []int32) {
	kept := slices.Clone(slots)
	kept = slices.DeleteFunc(kept, func(slot int32) bool { return !s.holds(&rows[slot]) })
	if len(kept) <= few {
		for _, slot := range kept {
			s.seq.insert(rows, slot)
		}
	} else {
		s.seq.insertAll(rows, kept)
	}
	if s.query.FadesWithin > 0 {
		horizon := int64(s.query.FadesWithin) * vitality.DayMillis
		for _, slot := range slots {
			if m := &rows[slot]; m.FadesAt > s.filteredAt+horizon && m.FadesAt != vitality.Never {
				s.until = min(s.until, m.FadesAt-horizon)
			}
		}
	}
}

func (s *selection) bytes() int64 {
	n := int64(len(s.key)) + 512 + int64(cap(s.hits))*32
	if s.seq != nil {
		n += s.seq.bytes()
	}
	return n
}

// scoreOf is the score of a hit, 0 for what is none.
func scoreOf(hits []words.Hit, id int64) float64 {
	i := sort.Search(len(hits), func(i int) bool { return hits[i].ID >= id })
	if i == len(hits) || hits[i].ID != id {
		return 0
	}
	return hits[i].Score
}
