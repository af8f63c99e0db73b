package transfer

import (
	"slices"
	"strconv"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
)

// match is the memory that a line is about already.
type match struct {
	memory int64
	edited bool // it is not what the line says any more, or was purged
}

// known finds the lines whose memories are there: brought in by an import before,
// or the account's own that the line was once exported from. In one file a line
// that comes twice is two memories if it says when each was made, as an export
// does; lines without that are one.
func (i *importing) known(tx *db.Tx, t *target, lines []*parsed) (map[*parsed]match, error) {
	found := map[*parsed]match{}
	var open []*parsed
	var names, bodies []string
	for _, p := range lines {
		m := markOf(p.identity)
		n := int(t.seen[m])
		t.seen[m]++
		if n > 0 && !p.dated {
			found[p] = match{}
			continue
		}
		if n > 0 {
			p.identity += "#" + strconv.Itoa(n+1)
		}
		open = append(open, p)
		names = append(names, p.identity)
		if p.kind == api.LineMemory {
			bodies = append(bodies, p.memory.Body)
		}
	}
	if t.owner == 0 {
		return found, nil
	}
	before, err := recall(tx, t.owner, i.source, names)
	if err != nil {
		return nil, err
	}
	var twins map[string][]memory.Twin
	if !t.empty {
		if twins, err = i.Memories.Twins(tx, t.owner, bodies); err != nil {
			return nil, err
		}
	}
	if err := i.findPurged(tx, t, open); err != nil {
		return nil, err
	}
	var also []origin
	for _, p := range open {
		id, there := before[p.identity]
		if !there {
			if id = t.twin(p, twins[p.memory.Body]); id != 0 {
				also = append(also, origin{p.identity, id})
				there = true
			}
		}
		if there {
			t.claimed[id] = true
			found[p] = match{memory: id}
		}
	}
	if err := i.compare(tx, t, found); err != nil {
		return nil, err
	}
	if i.o.DryRun {
		return found, nil
	}
	return found, remember(tx, t.owner, i.source, also)
}

// findPurged reads what is left of the account's purged memories, once, if a line
// is about one.
func (i *importing) findPurged(tx *db.Tx, t *target, lines []*parsed) error {
	if t.purged != nil || !slices.ContainsFunc(lines, func(p *parsed) bool { return p.kind == api.LinePurged }) {
		return nil
	}
	names, err := i.Categories.Names(tx, t.owner)
	if err != nil {
		return err
	}
	t.purged = map[string]int64{}
	o := &outward{tx: tx, memories: i.Memories, owner: t.owner, self: t.owner, categories: names}
	for gone, err := range i.Memories.ExportPurged(tx, t.owner) {
		if err != nil {
			return err
		}
		if err := o.events(gone.Events); err != nil {
			return err
		}
		t.purged[purgedIdentity(gone.Events)] = gone.ID
	}
	return nil
}

// twin is the memory that was there before this import and is what the line says;
// 0 where there is none.
func (t *target) twin(p *parsed, twins []memory.Twin) int64 {
	if p.kind == api.LinePurged {
		return t.purged[p.identity]
	}
	shelf, ok := t.shelves[category.Key(p.category)]
	ok = ok || p.category == ""
	for _, w := range twins {
		if t.claimed[w.ID] {
			continue
		}
		if p.foreign {
			if w.Status == api.StatusActive {
				return w.ID
			}
			continue
		}
		if p.dated && w.CreatedAt == p.memory.CreatedAt {
			return w.ID
		}
		if !p.dated && w.Status == p.memory.Status && (p.unnamed || ok && w.CategoryID == shelf) {
			return w.ID
		}
	}
	return 0
}

// compare notes which of the found memories are not what their lines say any more.
func (i *importing) compare(tx *db.Tx, t *target, found map[*parsed]match) error {
	ids := make([]int64, 0, len(found))
	for p, m := range found {
		if m.memory != 0 && p.kind == api.LineMemory {
			ids = append(ids, m.memory)
		}
	}
	now := map[int64]*api.Memory{}
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		rows, err := i.Memories.Rows(tx, t.owner, ids[:n])
		if err != nil {
			return err
		}
		ids = ids[n:]
		for k := range rows {
			now[rows[k].ID] = &rows[k]
		}
	}
	for p, m := range found {
		if m.memory == 0 || p.kind != api.LineMemory {
			continue
		}
		m.edited = !t.same(p, now[m.memory])
		found[p] = m
	}
	return nil
}

// same tells whether a memory is what a line says, uses aside.
func (t *target) same(p *parsed, m *api.Memory) bool {
	if m == nil {
		return false
	}
	shelf := int64(0)
	if m.CategoryID != nil {
		shelf = *m.CategoryID
	}
	c := &p.memory
	if p.foreign { // whatever it was filed as
		return m.Body == c.Body && m.Status == api.StatusActive
	}
	return m.Body == c.Body && m.Kind == c.Kind && m.Importance == c.Importance && m.Confidence == c.Confidence &&
		m.Subject == c.Subject && m.Status == c.Status && (p.unnamed || shelf == t.shelves[category.Key(p.category)])
}
