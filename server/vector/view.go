package vector

import (
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/shared/fault"
)

// View is an account's index as one transaction may use it, brought up to it. It holds
// the index as it is until Close, so it is not kept for long, and whoever opens several
// opens them by ascending account.
type View struct {
	indexes *Indexes
	r       *resident
	profile embedding.Profile
}

// Open is the account's index in a snapshot's space. Errors: Stale where that space is
// not the one in use, so that nothing is compared across spaces.
func (s *Indexes) Open(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot) (*View, error) {
	r, err := s.hold(tx, owner, snapshot)
	if err != nil {
		return nil, err
	}
	return &View{indexes: s, r: r, profile: snapshot.Profile}, nil
}

// Close gives the index back.
func (v *View) Close() {
	v.r.mu.RUnlock()
	v.indexes.settle(v.r)
}

// Question makes a question comparable with the index: what all have in common is taken
// off a copy of it. It tells the question's group too (see embedding.Means.Centre).
// Errors: Corrupt for one of another width.
func (v *View) Question(question []float32) (comparable []float32, group string, err error) {
	q := append([]float32(nil), question...)
	group = v.profile.Queries.Centre(q)
	return q, group, v.fits(q)
}

// Passage is Question for a text that is compared as a memory is with others.
func (v *View) Passage(passage []float32) ([]float32, error) {
	p := append([]float32(nil), passage...)
	v.profile.Passages.Centre(p)
	return p, v.fits(p)
}

func (v *View) fits(q []float32) error {
	if v.r.x.rows > 0 && len(q) != v.r.x.width {
		return fault.Newf(fault.Corrupt, "A question of %d numbers cannot be compared with vectors of %d.", len(q), v.r.x.width)
	}
	return nil
}

// Nearest finds the k memories that pass the filter and are nearest to any of
// questions, the nearest first; and of those that only f.Excluded keeps out, the
// nearest most.
func (v *View) Nearest(questions [][]float32, f Filter, k, most int) (hits, excluded []Hit) {
	hits, excluded, _ = v.r.x.search(questions, f, k, most)
	return hits, excluded
}

// Passes tells whether a memory is in the index, and whether its category and status
// pass the filter; its exclusions are not looked at.
func (v *View) Passes(id int64, f *Filter) (known, passes bool) {
	x := v.r.x
	slot, ok := x.slots[id]
	if !ok {
		return false, false
	}
	e := &x.entries[slot]
	return true, (f.Any || e.status == f.Status) && (f.Permitted == nil || f.Permitted(x.categories[e.category]))
}

// Cosine is how near a memory is to a question, of whatever status and category. ok is
// false where it has no fresh vector.
func (v *View) Cosine(id int64, question []float32) (hit Hit, ok bool) {
	x := v.r.x
	slot, ok := x.slots[id]
	if !ok || len(question) != x.width {
		return Hit{}, false
	}
	e := &x.entries[slot]
	return Hit{Memory: id, Cosine: float64(x.cosine(e, [][]float32{question}, question)), mark: e.mark, group: e.group}, true
}

// Vectors are a memory's, as they are compared; none where it has no fresh one. They are
// valid until Close.
func (v *View) Vectors(id int64) [][]float32 {
	x := v.r.x
	slot, ok := x.slots[id]
	if !ok {
		return nil
	}
	e := &x.entries[slot]
	list := make([][]float32, e.parts)
	for part := range list {
		list[part] = x.vector(int(e.row) + part)
	}
	return list
}

// Spoken is how many memories of the index are of a group (embedding.Group) of texts.
func (v *View) Spoken(group string) (n int) {
	place := placeOf(group)
	for i := range v.r.x.entries {
		if e := &v.r.x.entries[i]; e.id != 0 && e.group == place {
			n++
		}
	}
	return n
}

// Size is how many memories are in the index, and how many of them are active.
func (v *View) Size() (all, active int) {
	for i := range v.r.x.entries {
		if e := &v.r.x.entries[i]; e.id != 0 {
			all++
			if e.status == memory.Active {
				active++
			}
		}
	}
	return all, active
}
