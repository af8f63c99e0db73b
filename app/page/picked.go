package page

import (
	"context"
	"encoding/json"
	"net/url"
	"sort"
	"strconv"

	"elowen/shared/api"
)

// knownMost is how many memories "all" may be for every one of them to be picked by
// itself, with its old values, so that what is done to them can be undone.
const knownMost = 200

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

// these picks just these rows.
func (p *picked) these(ms []api.Memory) {
	p.clear()
	for _, m := range ms {
		p.add(m)
	}
}

// pickEverything picks all that the list is about: row by row where they are few
// enough, else by the query.
func (l *rowWindow) pickEverything() {
	s, q, total := l.s, l.query(), l.window.Total
	if total > knownMost {
		s.picked.everything(q, total)
		return
	}
	ms := make([]api.Memory, 0, total)
	for rank := range total {
		if row := l.window.At(rank); row != nil {
			ms = append(ms, row.Memory)
		}
	}
	if len(ms) == total {
		s.picked.these(ms)
		return
	}
	var page api.Page[api.Memory]
	path := listPath(q, knownMost)
	s.async(path, func(ctx context.Context) error { return s.api.Get(ctx, path, &page) }, func(err error) {
		switch {
		case l.query() != q:
		case err != nil:
			s.fail(err)
		case page.NextCursor != "":
			s.picked.everything(q, l.window.Total)
		default:
			s.picked.these(page.Items)
		}
	})
}

// listPath is where the memories of a query are read.
func listPath(q api.MemoryQuery, limit int) string {
	v := queryValues(q)
	v.Set("limit", strconv.Itoa(limit))
	return api.PathMemory + "?" + v.Encode()
}

// rankPath is where is asked for the place of a memory among those of a query.
func rankPath(id int64, q api.MemoryQuery) string {
	return api.MemoryPath(id, "rank") + "?" + queryValues(q).Encode()
}

// queryValues are a query's fields as the server reads them from an address.
func queryValues(q api.MemoryQuery) url.Values {
	b, _ := json.Marshal(q) // a plain struct; can't fail
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(b, &fields)
	v := url.Values{}
	for name, raw := range fields {
		words := string(raw)
		_ = json.Unmarshal(raw, &words) // a number stays as it is written
		v.Set(name, words)
	}
	return v
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
