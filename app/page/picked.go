package page

import (
	"sort"

	"elowen/shared/api"
)

// picked are the memories that a bulk action would change: rows that were picked
// one by one, as they were then, or everything that matches a query.
type picked struct {
	rows map[int64]api.Memory
	all  *api.MemoryQuery
	of   int // how many all stands for
}

func (p *picked) empty() bool { return len(p.rows) == 0 && p.all == nil }

func (p *picked) count() int {
	if p.all != nil {
		return p.of
	}
	return len(p.rows)
}

func (p *picked) has(id int64) bool {
	_, ok := p.rows[id]
	return ok || p.all != nil
}

func (p *picked) toggle(m api.Memory) {
	if _, ok := p.rows[m.ID]; ok && p.all == nil {
		delete(p.rows, m.ID)
		return
	}
	p.add(m)
}

func (p *picked) add(m api.Memory) {
	if p.rows == nil {
		p.rows = map[int64]api.Memory{}
	}
	p.rows[m.ID], p.all = m, nil
}

func (p *picked) everything(q api.MemoryQuery, n int) {
	p.rows, p.all, p.of = nil, &q, n
}

func (p *picked) clear() { *p = picked{} }

// memories are the picked rows, oldest id first.
func (p *picked) memories() []api.Memory {
	ms := make([]api.Memory, 0, len(p.rows))
	for _, m := range p.rows {
		ms = append(ms, m)
	}
	sort.Slice(ms, func(i, j int) bool { return ms[i].ID < ms[j].ID })
	return ms
}

func idsOf(ms []api.Memory) []int64 {
	ids := make([]int64, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}
