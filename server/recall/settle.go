package recall

import (
	"fmt"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/server/vector"
	"elowen/server/words"
	"elowen/shared/api"
)

// cut orders what was found by its blend. The best goOn that are still what the index
// took them for go on; the others are out by rank.
func (a *answering) cut() (going, out []*candidate, err error) {
	all := make([]*candidate, 0, len(a.found))
	for _, c := range a.found {
		c.blend = a.scale.blended(c)
		all = append(all, c)
	}
	slices.SortFunc(all, byBlend)
	for len(all) > 0 && len(going) < goOn {
		page := all[:min(len(all), goOn-len(going))]
		all = all[len(page):]
		if page, err = a.confirm(page); err != nil {
			return nil, nil, err
		}
		going = append(going, page...)
	}
	slices.SortFunc(going, byBlend)
	for _, c := range all {
		c.reason = api.ReasonRank
	}
	return going, all, nil
}

// confirm reads the rows of candidates again: those that are not permitted are dropped,
// and a vector of another body than the row has counts for nothing.
func (a *answering) confirm(list []*candidate) ([]*candidate, error) {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	if err := a.read(ids); err != nil {
		return nil, err
	}
	kept := make([]*candidate, 0, len(list))
	for _, c := range list {
		if !a.permitted(c.id) {
			continue
		}
		c.fact, c.owner = a.facts[c.id], a.whose[c.id]
		if c.near && !c.hit.Of(c.fact.Hash) {
			c.near, c.cosine = false, 0
			c.blend = a.scale.blended(c)
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// late gives candidates what late interaction says.
func (a *answering) late(list []*candidate) error {
	if a.q.late == nil || !a.set.runtime.LateInteraction || len(list) == 0 {
		return nil
	}
	bodies := make([]embedding.Body, len(list))
	for i, c := range list {
		bodies[i] = embedding.Body{Memory: c.id, Hash: c.fact.Hash}
	}
	scores, err := a.q.late.Score(a.tx, a.owners, a.words, bodies)
	if err != nil {
		return err
	}
	for _, c := range list {
		if v, ok := scores[c.id]; ok {
			c.late = &v
		}
	}
	return nil
}

// pack picks from what was judged.
func (a *answering) pack(list []*candidate) ([]*candidate, error) {
	texts, err := a.texts(list, func(c *candidate) bool { return c.reason == "" })
	if err != nil {
		return nil, err
	}
	count, bytes := a.r.Limit, a.r.Bytes
	if count == 0 {
		count = a.set.limits.RecallCount
	}
	if bytes == 0 {
		bytes = a.set.limits.RecallBytes
	}
	threshold := paraphraseOf(a.set.runtime, a.scale.profile)
	vectors := map[int64][][]float32{}
	contents := map[int64][]string{}
	p := packing{count: count, bytes: bytes,
		size: func(c *candidate) int { return len(texts[c.id]) },
		alike: func(x, y *candidate) bool {
			if x.fact.Hash == y.fact.Hash {
				return true
			}
			// A model that nothing is known of may find unlike things as alike.
			if x.near && y.near && a.scale.profile.Known() {
				return vector.Cosine(a.vectors(x, vectors), a.vectors(y, vectors)) >= threshold
			}
			return sameWords(contentOf(x.id, texts, contents), contentOf(y.id, texts, contents))
		},
	}
	return p.pack(list), nil
}

// texts are the bodies of those candidates that are wanted.
func (a *answering) texts(list []*candidate, wanted func(*candidate) bool) (map[int64]string, error) {
	by := map[db.AccountID][]int64{}
	for _, c := range list {
		if wanted(c) {
			by[c.owner] = append(by[c.owner], c.id)
		}
	}
	texts := make(map[int64]string, len(list))
	for _, owner := range a.owners {
		if len(by[owner]) == 0 {
			continue
		}
		found, err := a.s.o.Memories.Texts(a.tx, owner, by[owner])
		if err != nil {
			return nil, err
		}
		for _, t := range found {
			texts[t.Memory] = t.Text
		}
	}
	return texts, nil
}

func (a *answering) vectors(c *candidate, known map[int64][][]float32) [][]float32 {
	list, ok := known[c.id]
	if !ok {
		for i := range a.parts {
			if p := &a.parts[i]; p.owner == c.owner && p.view != nil {
				list = p.view.Vectors(c.id)
			}
		}
		known[c.id] = list
	}
	return list
}

func contentOf(id int64, texts map[int64]string, known map[int64][]string) []string {
	list, ok := known[id]
	if !ok {
		list = words.Content(texts[id])
		slices.Sort(list)
		known[id] = list
	}
	return list
}

// sameFrom is the share of the words of two texts that they have in common from which
// they are the same text, where nothing is known of their meaning. A number that
// differs is a difference.
const sameFrom = 0.9

func sameWords(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	common := 0
	for _, w := range a {
		if _, ok := slices.BinarySearch(b, w); ok {
			common++
		} else if strings.ContainsAny(w, "0123456789") {
			return false
		}
	}
	return float64(common) >= sameFrom*float64(len(a)+len(b)-common)
}

// rows are the picked memories as they are served.
func (a *answering) rows(picked []*candidate) ([]Recalled, error) {
	by := map[db.AccountID][]int64{}
	for _, c := range picked {
		by[c.owner] = append(by[c.owner], c.id)
	}
	memories := make(map[int64]api.Memory, len(picked))
	for i := range a.parts {
		owner := a.parts[i].owner
		if len(by[owner]) == 0 {
			continue
		}
		viewer := owner
		if a.parts[i].pool {
			viewer = a.account
		}
		rows, err := a.s.o.Memories.Rows(a.tx, viewer, by[owner])
		if err != nil {
			return nil, err
		}
		for _, m := range rows {
			memories[m.ID] = m
		}
	}
	list := make([]Recalled, 0, len(picked))
	for _, c := range picked {
		if m, ok := memories[c.id]; ok {
			one := Recalled{Memory: m, Owner: c.owner, BodyHash: c.fact.Hash, Relevance: c.relevance, Score: c.score}
			if c.near {
				one.Similarity = &c.cosine
			}
			list = append(list, one)
		}
	}
	return list, nil
}

// note is what people should know of how the answer was found.
func (a *answering) note() (string, error) {
	var said []string
	switch {
	case a.q.vector != nil:
	case a.q.problem != "":
		said = append(said, "Found by words alone. "+a.q.problem)
	case !a.set.space.On():
		said = append(said, "Found by words alone: no embedding model is set up.")
	}
	for i := range a.parts {
		p := &a.parts[i]
		if p.view == nil {
			continue
		}
		all, active := p.view.Size()
		texts, err := lexicon.StatsOf(a.tx, p.owner)
		if err != nil {
			return "", err
		}
		if all >= texts.Docs {
			continue
		}
		total, err := a.s.o.Memories.CountActive(a.tx, p.owner)
		if err != nil {
			return "", err
		}
		if active < total {
			said = append(said, fmt.Sprintf("%d of %d indexed for %s.", active, total, a.q.snapshot.Name()))
		}
	}
	if a.q.vector != nil && !a.scale.profile.Known() {
		said = append(said, fmt.Sprintf("Nothing is known yet of how %s measures likeness: words alone decide.", a.q.snapshot.Name()))
	}
	return strings.Join(said, " "), nil
}

// bodyShown is how much of a candidate's body is told, in characters.
const bodyShown = 160

// explain tells of the candidates: those that went on, then up to passedMost of those
// that are passed over or were out by rank.
func (a *answering) explain(going, out []*candidate) ([]api.Candidate, error) {
	beside := make([]*candidate, 0, len(a.beside))
	for _, c := range a.beside {
		c.blend = a.scale.blended(c)
		beside = append(beside, c)
	}
	slices.SortFunc(beside, byBlend)
	beside = beside[:min(len(beside), passedMost)]
	out = out[:min(len(out), passedMost-len(beside))]
	rest, err := a.confirm(append(beside[:len(beside):len(beside)], out...))
	if err != nil {
		return nil, err
	}
	for _, c := range rest {
		if c.relevance, c.score = a.scale.line(c), 0; c.reason == "" {
			c.reason = api.ReasonExcluded
		}
		c.score = a.scale.scored(c)
	}
	all := append(going[:len(going):len(going)], rest...)
	texts, err := a.texts(all, func(*candidate) bool { return true })
	if err != nil {
		return nil, err
	}
	list := make([]api.Candidate, 0, len(all))
	for _, c := range all {
		one := api.Candidate{
			ID: c.id, Body: beginning(texts[c.id]), Keyword: c.keyword, Late: c.late, Relevance: c.relevance, Importance: c.fact.Importance,
			Vitality: c.fact.Vitality, Score: c.score, Reason: c.reason, DuplicateOf: c.of,
		}
		if c.near {
			one.Similarity = &c.cosine
		}
		list = append(list, one)
	}
	return list, nil
}

// beginning is the first line of a body, cut.
func beginning(body string) string {
	body = strings.Join(strings.Fields(body[:min(len(body), 8*bodyShown)]), " ")
	n := 0
	for i := range body {
		if n++; n > bodyShown {
			return body[:i] + "…"
		}
	}
	return strings.ToValidUTF8(body, "")
}
