package recall

import (
	"cmp"
	"slices"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/server/memory"
	"elowen/server/vector"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// answering is one question in one transaction.
type answering struct {
	s       *Store
	tx      *db.Tx
	account db.AccountID
	r       Request
	q       *asked
	set     set
	scale   scale

	parts  []part
	owners []db.AccountID
	status memory.Status // of what is looked for
	any    bool          // whatever its status is
	passed map[int64]bool
	only   bool // dates bound what is looked for

	words  lexicon.Found
	facts  map[int64]memory.Fact
	whose  map[int64]db.AccountID // of facts
	found  map[int64]*candidate
	beside map[int64]*candidate // what is passed over
}

// part is what one owner lends to the question, with its index.
type part struct {
	owner     db.AccountID
	pool      bool
	permitted map[int64]bool // categories; nil: all, also none
	filter    vector.Filter
	view      *vector.View // nil: by words alone
	question  []float32    // as the view compares it
}

// answer finds what belongs to the question.
func (s *Store) answer(tx *db.Tx, account db.AccountID, r Request, q *asked, explained bool) (found, error) {
	out := found{Result: Result{Memories: []Recalled{}, Path: api.PathKeyword}}
	a := &answering{s: s, tx: tx, account: account, r: r, q: q, only: r.After != 0 || r.Before != 0}
	parts, err := s.o.Scope(tx, account, r.Project)
	if err != nil {
		return out, err
	}
	if err := a.begin(parts); err != nil {
		return out, err
	}
	defer a.close()
	if len(a.parts) == 0 {
		out.Path = a.scale.path(nil)
		return out, nil
	}
	most := 0
	if explained {
		most = passedMost
	}
	if err := a.look(most); err != nil {
		return out, err
	}
	out.considered = len(a.found)
	going, out2, err := a.cut()
	if err != nil {
		return out, err
	}
	if err := a.late(going); err != nil {
		return out, err
	}
	a.scale.judge(going)
	picked, err := a.pack(going)
	if err != nil {
		return out, err
	}
	out.Path = a.scale.path(picked)
	if out.Memories, err = a.rows(picked); err != nil {
		return out, err
	}
	if out.Note, err = a.note(); err != nil {
		return out, err
	}
	if explained {
		out.candidates, err = a.explain(going, out2)
	}
	return out, err
}

// begin reads what the question depends on, and opens the indexes of shares.
func (a *answering) begin(parts []category.Share) error {
	slices.SortFunc(parts, func(x, y category.Share) int { return cmp.Compare(x.Owner, y.Owner) }) // as indexes are opened
	for _, p := range parts {
		if len(p.Categories) == 0 {
			continue
		}
		one := part{owner: p.Owner, pool: p.Pool, permitted: make(map[int64]bool, len(p.Categories))}
		for _, id := range p.Categories {
			one.permitted[id] = id != 0
		}
		a.parts = append(a.parts, one)
		a.owners = append(a.owners, p.Owner)
	}
	return a.prepare()
}

// prepare reads what the question depends on, and opens the indexes of the parts.
func (a *answering) prepare() (err error) {
	if a.set, err = readSet(a.tx); err != nil {
		return err
	}
	a.measures()
	a.facts, a.whose = map[int64]memory.Fact{}, map[int64]db.AccountID{}
	a.found, a.beside = map[int64]*candidate{}, map[int64]*candidate{}
	if err := a.exclude(); err != nil {
		return err
	}
	return a.open()
}

// measures decides by what numbers are read: by the model's profile, or as words alone.
func (a *answering) measures() {
	a.scale = scale{
		profile: embedding.WordsAlone(), now: a.tx.Now,
		importance: perMille(a.set.runtime.ImportanceWeight), vitality: perMille(a.set.runtime.VitalityWeight),
	}
	if a.q.vector != nil {
		a.scale.meaning, a.scale.profile, a.scale.group = true, a.q.snapshot.Profile, a.q.script
	}
	a.scale.floor = floorOf(a.set.runtime, a.scale.profile)
	if !a.scale.profile.Known() {
		a.scale.floor = embedding.WordsAlone().Floor
	}
}

// open opens the indexes of the parts.
func (a *answering) open() error {
	passed := make([]int64, 0, len(a.passed))
	for id := range a.passed {
		passed = append(passed, id)
	}
	for i := range a.parts {
		p := &a.parts[i]
		p.filter = vector.Filter{Permitted: p.permits, Excluded: passed, Status: a.status, Any: a.any}
		if a.q.vector == nil {
			continue
		}
		var err error
		if p.view, err = a.s.o.Indexes.Open(a.tx, p.owner, a.q.snapshot); err != nil {
			a.close()
			return err
		}
		var group string
		if p.question, group, err = p.view.Question(a.q.vector); group != "" {
			a.scale.group = group // the vector tells better than the text
		}
		a.scale.doubt = Doubt(a.scale.weight(), a.scale.profile.Foreign.Of(p.question))
		if err != nil {
			// A model that answers otherwise than it did when memories were indexed.
			a.close()
			plain := *a.q
			plain.vector, plain.problem = nil, fault.ProblemOf(err).Detail
			a.q = &plain
			a.measures()
			return nil
		}
	}
	return nil
}

func (p *part) permits(category int64) bool { return p.permitted == nil || p.permitted[category] }

func (a *answering) close() {
	for i := range a.parts {
		if v := a.parts[i].view; v != nil {
			v.Close()
			a.parts[i].view = nil
		}
	}
}

func perMille(n int) float64 { return float64(n) / 1000 }

// floorOf is the relevance from which a memory is recalled.
func floorOf(r api.Runtime, p embedding.Profile) float64 {
	switch {
	case r.RelevanceFloor != nil:
		return perMille(*r.RelevanceFloor)
	case p.Floor > 0:
		return p.Floor
	}
	return perMille(setting.Int("runtime.relevanceFloor"))
}

// paraphraseOf is the cosine from which two memories say the same in other words.
func paraphraseOf(r api.Runtime, p embedding.Profile) float64 {
	switch {
	case r.ParaphraseThreshold != nil:
		return perMille(*r.ParaphraseThreshold)
	case p.Thresholds.Paraphrase > 0:
		return p.Thresholds.Paraphrase
	}
	return perMille(setting.Int("runtime.paraphraseThreshold"))
}

// exclude finds out which memories are passed over.
func (a *answering) exclude() error {
	a.passed = map[int64]bool{}
	if a.r.Exclude == nil {
		return nil
	}
	ids := a.r.Exclude.IDs()
	if _, any := a.r.Exclude.(IDs); any {
		for _, id := range ids {
			a.passed[id] = true
		}
		return nil
	}
	for _, p := range a.parts {
		bodies, err := a.s.o.Memories.BodiesOf(a.tx, p.owner, ids)
		if err != nil {
			return err
		}
		for _, b := range bodies {
			if a.r.Exclude.Has(b.Memory, b.Hash) {
				a.passed[b.Memory] = true
			}
		}
	}
	return nil
}

// read reads the facts of memories that are not known yet.
func (a *answering) read(ids []int64) error {
	missing := ids[:0:0]
	for _, id := range ids {
		if _, ok := a.whose[id]; !ok {
			missing = append(missing, id)
		}
	}
	for _, p := range a.parts {
		if len(missing) == 0 {
			return nil
		}
		facts, err := a.s.o.Memories.Facts(a.tx, p.owner, missing)
		if err != nil {
			return err
		}
		rest := missing[:0]
		for _, id := range missing {
			if f, ok := facts[id]; ok {
				a.facts[id], a.whose[id] = f, p.owner
			} else {
				rest = append(rest, id)
			}
		}
		missing = rest
	}
	for _, id := range missing {
		a.whose[id] = 0 // nobody's whose parts these are
	}
	return nil
}

// permitted judges a memory by its row, which decides whatever an index says.
func (a *answering) permitted(id int64) bool {
	f, ok := a.facts[id]
	if !ok || f.Status != a.status && !a.any {
		return false
	}
	for i := range a.parts {
		if p := &a.parts[i]; p.owner == a.whose[id] {
			return p.permits(f.CategoryID) && (!a.only || a.within(f))
		}
	}
	return false
}

// within tells whether a memory was noted or last changed in the period asked for.
func (a *answering) within(f memory.Fact) bool {
	in := func(at int64) bool { return at >= a.r.After && (a.r.Before == 0 || at < a.r.Before) }
	return in(f.CreatedAt) || in(f.UpdatedAt)
}

// look finds the best by cosine and the best by words. most is how many of those that
// are passed over are looked for too.
func (a *answering) look(most int) error {
	if err := a.byCosine(most); err != nil {
		return err
	}
	var err error
	if a.words, err = lexicon.Find(a.tx, a.owners, a.q.text, a.s.o.Background()); err != nil {
		return err
	}
	a.scale.own, a.scale.texts = a.crowd()
	return a.byWords(a.words.Hits, most)
}

// crowd is how many memories there are that may be taken for what the question is
// about: those in its language, and all.
func (a *answering) crowd() (own, all int) {
	all = a.words.Stats.Docs
	spoken, seen := 0, 0
	for i := range a.parts {
		if p := &a.parts[i]; p.view != nil {
			n, _ := p.view.Size()
			seen += n
			spoken += p.view.Spoken(a.scale.group)
		}
	}
	all = max(all, seen)
	if seen == 0 {
		return all, all
	}
	return spoken + all - seen, all
}

// byCosine takes in the best pool by cosine.
func (a *answering) byCosine(most int) error {
	type near struct {
		vector.Hit
		part int
	}
	var hits, beside []near
	for i := range a.parts {
		p := &a.parts[i]
		if p.view == nil {
			continue
		}
		for k := pool; ; k *= 4 {
			list, out := p.view.Nearest([][]float32{p.question}, p.filter, k, most)
			kept := list
			if a.only { // the index knows no dates
				ids := make([]int64, len(list))
				for j, h := range list {
					ids[j] = h.Memory
				}
				if err := a.read(ids); err != nil {
					return err
				}
				kept = slices.DeleteFunc(slices.Clone(list), func(h vector.Hit) bool { return !a.permitted(h.Memory) })
			}
			if len(kept) < pool && len(list) == k {
				continue
			}
			for _, h := range kept[:min(len(kept), pool)] {
				hits = append(hits, near{h, i})
			}
			for _, h := range out {
				beside = append(beside, near{h, i})
			}
			break
		}
	}
	farther := func(x, y near) int {
		return cmp.Or(cmp.Compare(y.Cosine, x.Cosine), cmp.Compare(y.Memory, x.Memory))
	}
	if len(a.parts) > 1 {
		slices.SortFunc(hits, farther)
		slices.SortFunc(beside, farther)
	}
	for _, h := range hits[:min(len(hits), pool)] {
		a.found[h.Memory] = &candidate{id: h.Memory, owner: a.parts[h.part].owner, near: true, cosine: h.Cosine, hit: h.Hit}
	}
	for _, h := range beside[:min(len(beside), most)] {
		a.beside[h.Memory] = &candidate{id: h.Memory, owner: a.parts[h.part].owner, near: true, cosine: h.Cosine, hit: h.Hit}
	}
	return nil
}

// byWords takes in the best pool by words, page by page as far as others of those found
// are not permitted.
func (a *answering) byWords(hits []words.Hit, most int) error {
	// What was near already has words too, whatever its rank by them. Hits are by id yet.
	for _, near := range []map[int64]*candidate{a.found, a.beside} {
		for id, c := range near {
			if i, ok := slices.BinarySearchFunc(hits, id, func(h words.Hit, id int64) int { return cmp.Compare(h.ID, id) }); ok {
				c.worded(hits[i])
			}
		}
	}
	taken, beside := 0, 0
	for size := pool; len(hits) > 0 && taken < pool; size *= 2 {
		page := words.Top(hits, size)
		hits = hits[len(page):]
		if err := a.unknown(page); err != nil {
			return err
		}
		for _, h := range page {
			if taken == pool {
				break
			}
			owner, ok := a.may(h.ID)
			if !ok {
				continue
			}
			into := a.found
			if a.passed[h.ID] {
				if beside++; beside > most {
					continue
				}
				into = a.beside
			} else {
				taken++
			}
			if into[h.ID] != nil {
				continue
			}
			c := &candidate{id: h.ID, owner: owner}
			c.worded(h)
			a.measure(c)
			into[h.ID] = c
		}
	}
	return nil
}

// worded notes how many of the question's words a memory has.
func (c *candidate) worded(h words.Hit) {
	c.keyword, c.matched, c.rarest = Keyword(h), float64(h.Matched), float64(h.Rarest)
}

// measure gives a candidate that words found its cosine.
func (a *answering) measure(c *candidate) {
	for i := range a.parts {
		if p := &a.parts[i]; p.owner == c.owner && p.view != nil {
			if h, ok := p.view.Cosine(c.id, p.question); ok {
				c.near, c.cosine, c.hit = true, h.Cosine, h
			}
			return
		}
	}
}

// unknown reads the rows of those hits that no index tells of.
func (a *answering) unknown(page []words.Hit) error {
	var ids []int64
	for _, h := range page {
		if known, _, _ := a.indexed(h.ID); !known || a.only {
			ids = append(ids, h.ID)
		}
	}
	return a.read(ids)
}

// indexed tells what an index knows of a memory.
func (a *answering) indexed(id int64) (known, passes bool, owner db.AccountID) {
	for i := range a.parts {
		p := &a.parts[i]
		if p.view == nil {
			continue
		}
		if known, passes := p.view.Passes(id, &p.filter); known {
			return true, passes, p.owner
		}
	}
	return false, false, 0
}

// may tells whether a memory that words found takes part, and whose it is.
func (a *answering) may(id int64) (db.AccountID, bool) {
	if owner, ok := a.whose[id]; ok {
		return owner, a.permitted(id)
	}
	_, passes, owner := a.indexed(id)
	return owner, passes
}
