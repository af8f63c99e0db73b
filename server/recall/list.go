package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// This file answers lists that are searched by meaning: whatever a person keeps, filed
// or not and in the trash too, in the order of relevance. Somebody who looks through a
// list wants to see what is near, so it is cut where the best of what has nothing to do
// with a question stands, not at the floor of recall.

// Ask makes a question of a list ready for Find, outside of any transaction. Errors:
// Unavailable where no embedding model is set up, or it cannot be asked.
func (s *Store) Ask(ctx context.Context, text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	if !s.o.Service.Snapshot().On() {
		return fault.New(fault.Unavailable, "Nothing is indexed by meaning: no embedding model is set up. Search by words.")
	}
	q := s.ask(ctx, text, false)
	if q.vector == nil {
		return fault.New(fault.Unavailable, "It cannot be searched by meaning now. "+q.problem)
	}
	return nil
}

// Find finds an owner's memories for a list that is searched by meaning, by ascending
// id, with their relevance as the score. Of the list's filters status and category are
// looked at. ready is false where the question was not asked of the model in use: Ask
// has to come before.
func (s *Store) Find(tx *db.Tx, owner db.AccountID, query api.MemoryQuery) (hits []words.Hit, parsed words.Query, ready bool, err error) {
	text := strings.TrimSpace(query.Q)
	parsed = words.ParseQuery(text)
	if text == "" {
		return nil, parsed, true, nil
	}
	q := &asked{text: text, script: embedding.Group(text), snapshot: s.o.Service.Snapshot()}
	if q.vector, ready = s.questions.get(q.snapshot.ID, text); !ready || !q.snapshot.On() {
		return nil, parsed, false, nil
	}
	a := &answering{s: s, tx: tx, account: owner, q: q, status: memory.Active}
	a.status, a.any = statusOf(query.Status)
	one := part{owner: owner}
	switch {
	case query.Uncategorized:
		one.permitted = map[int64]bool{0: true}
	case query.CategoryID != 0:
		one.permitted = map[int64]bool{query.CategoryID: true}
	}
	a.parts, a.owners = []part{one}, []db.AccountID{owner}
	err = a.prepare()
	if fault.Is(err, fault.Stale) {
		return nil, parsed, false, nil // another model is in use by now
	}
	if err != nil {
		return nil, parsed, false, err
	}
	defer a.close()
	if err := a.look(0); err != nil {
		return nil, parsed, false, err
	}
	all := make([]*candidate, 0, len(a.found))
	for _, c := range a.found {
		all = append(all, c)
	}
	if all, err = a.confirm(all); err != nil {
		return nil, parsed, false, err
	}
	hits = make([]words.Hit, 0, len(all))
	for _, c := range all {
		c.blend = a.scale.blended(c)
		c.relevance = a.scale.line(c)
		if !a.scale.profile.Known() {
			c.relevance = c.blend // good for the order
		}
		if c.relevance > 0 || c.evident() {
			hits = append(hits, words.Hit{ID: c.id, Score: c.relevance, Matched: float32(c.matched), Rarest: float32(c.rarest)})
		}
	}
	slices.SortFunc(hits, func(x, y words.Hit) int { return cmp.Compare(x.ID, y.ID) })
	return hits, parsed, true, nil
}

// statusOf is a list's status; any says that every one is meant.
func statusOf(text string) (status memory.Status, any bool) {
	switch text {
	case api.StatusDeleted:
		return memory.Deleted, false
	case api.StatusConsolidated:
		return memory.Consolidated, false
	case "all":
		return memory.Active, true
	}
	return memory.Active, false
}
