package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/words"
	"elowen/shared/api"
)

// How a memory came to be called similar.
const (
	byBody  = "body"  // the identical text
	byWords = "words" // much of its words
)

const (
	similarFrom = 0.4 // likeness from which a memory is worth mentioning
	similarMost = 5   // how many are mentioned with an add
	// likeMost is the likeness of texts that have the same words and are not the
	// same: only the identical body is 1.
	likeMost = 0.99
	// keyShare is the share of a text's rarity whose terms similar ones are looked
	// for by: who has similarFrom of it all has some of these.
	keyShare = 1 - similarFrom
	// keyTermsMost and keyRowsMost bound what is read for that, in a store of any
	// size; only in texts of hundreds of words, or of nothing but common ones, more
	// would matter.
	keyTermsMost = 24
	keyRowsMost  = 256
	// keyTermsEnough and keyRowsEnough end it where the text has rare terms: what is
	// like it has hardly ever none of so many, and a common term costs a row for each
	// thousand memories.
	keyTermsEnough = 4
	keyRowsEnough  = 64
	// background is how many memories without any of the words are added to the
	// account's, so that in a store of three a word of one isn't a common one.
	background = 50
	// candidatesMost bounds the memories whose likeness is computed. Of those that are
	// known by some terms only, they are the ones that seem to have candidateFrom.
	candidatesMost = 8
	candidateFrom  = 0.25
)

// Similar lists the active memories that resemble one of the account's, the
// most alike first. Errors: NotFound.
//
// The likeness of two texts by their words is the share of rarity that they have
// in common:
//
//	Σ idf(terms of both) / Σ idf(terms of either)
//
// with the idf of BM25 (package words) in a sample of the account's own memories.
// It is 0 to 1 and nearly the same from both sides: rare words shared count for
// much, common ones for little, and a short text is not like a long one that
// happens to contain it.
func (s *Store) Similar(ctx context.Context, owner db.AccountID, id int64, limit int) ([]api.Similar, error) {
	var list []api.Similar
	err := s.db.ViewAgain(ctx, func(tx *db.Tx) error {
		r, err := reach(tx, owner, id)
		if err != nil {
			return err
		}
		list, err = s.alike(tx, db.AccountID(r.owner), r.body, id, limit)
		return err
	})
	return list, err
}

// resembling is what an add of the body reports by words.
func (s *Store) resembling(ctx context.Context, owner db.AccountID, in api.MemoryAdd, body string) ([]api.Similar, error) {
	var list []api.Similar
	err := s.db.View(ctx, func(tx *db.Tx) error {
		list = []api.Similar{}
		place, err := home(tx, owner, in)
		if err != nil || place == 0 {
			return err
		}
		list, err = similarTo(tx, place, body, 0, similarMost)
		return err
	})
	return list, err
}

// similarTo finds active memories like a body, other than the one with the id self.
func similarTo(tx *db.Tx, owner db.AccountID, body string, self int64, limit int) ([]api.Similar, error) {
	list := []api.Similar{}
	var l likeness
	if err := l.weigh(tx, owner, body); err != nil || len(l.terms) == 0 {
		return list, err
	}
	ids, err := l.candidates(tx, owner, self)
	if err != nil || len(ids) == 0 {
		return list, err
	}
	found, err := activeBodies(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	for id, other := range found {
		like := api.Similar{ID: id, Similarity: 1, Body: other, By: byBody}
		if other != body {
			like.Similarity, like.By = min(l.of(other), likeMost), byWords
		}
		if like.Similarity >= similarFrom {
			list = append(list, like)
		}
	}
	slices.SortFunc(list, func(a, b api.Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.ID, a.ID))
	})
	return list[:min(len(list), limit)], nil
}

// likeness compares texts with one.
type likeness struct {
	sample *lexicon.Sample
	terms  []weighted         // of the text, the rarest first
	idf    map[string]float64 // the same by term
	total  float64            // the sum
}

type weighted struct {
	term    string
	idf     float64
	sampled int // in how many memories of the sample
}

// weigh finds the text's terms and about how rare each is, from one recent chunk
// of the index: to read all postings of common words would take the longest, and
// they decide the least. It finds none where there is nothing to compare with.
func (l *likeness) weigh(tx *db.Tx, owner db.AccountID, text string) error {
	terms := words.Content(text)
	if len(terms) == 0 {
		return nil
	}
	var newest int64
	if err := tx.Row(`SELECT COALESCE(MAX(id), 0) FROM memory WHERE owner_id = ?`, []any{int64(owner)}, &newest); err != nil {
		return err
	}
	chunk := words.ChunkOf(newest)
	if newest-chunk*words.ChunkSize < words.ChunkSize/4 {
		chunk-- // the newest has just begun
	}
	var err error
	if l.sample, err = lexicon.SampleOf(tx, owner, chunk, terms); err != nil || l.sample.Stats.Docs == 0 {
		return err
	}
	counts := l.sample.Counts
	most := max(1, slices.Max(counts))
	sample := words.Stats{Docs: max(min(l.sample.Stats.Docs, words.ChunkSize), most) + background}
	l.idf = make(map[string]float64, len(terms))
	l.terms = make([]weighted, len(terms))
	for i, t := range terms {
		idf := sample.IDF(counts[i])
		l.terms[i] = weighted{t, idf, counts[i]}
		l.idf[t] = idf
		l.total += idf
	}
	slices.SortFunc(l.terms, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(b.idf, a.idf), cmp.Compare(a.term, b.term))
	})
	return nil
}

// keys are the rarest terms, by which memories outside the sample are looked for,
// and the sum of their rarity.
func (l *likeness) keys() (keys []string, sum float64) {
	rows := 0
	for _, t := range l.terms {
		rows += l.sample.Rows(t.sampled)
		if len(keys) > 0 && (sum > keyShare*l.total || len(keys) == keyTermsMost || rows > keyRowsMost ||
			len(keys) >= keyTermsEnough && rows > keyRowsEnough) {
			break
		}
		keys = append(keys, t.term)
		sum += t.idf
	}
	return keys, sum
}

// candidates are the memories that may be alike, the most promising first.
func (l *likeness) candidates(tx *db.Tx, owner db.AccountID, self int64) ([]int64, error) {
	keys, sum := l.keys()
	found, err := l.sample.Overlaps(tx, owner, keys, l.idf, keyRowsMost)
	if err != nil {
		return nil, err
	}
	promising := found[:0]
	for _, o := range found {
		switch {
		case o.ID == self:
			continue
		case o.Whole:
			if o.Weight < similarFrom*l.total {
				continue
			}
		case o.Weight+l.total-sum < similarFrom*l.total: // with all the rest in common it wouldn't do
			continue
		default: // it may have as much of the rest as of the keys
			if o.Weight *= l.total / sum; o.Weight < candidateFrom*l.total {
				continue
			}
		}
		promising = append(promising, o)
	}
	slices.SortFunc(promising, func(a, b lexicon.Overlap) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(b.ID, a.ID))
	})
	ids := make([]int64, min(len(promising), candidatesMost))
	for i := range ids {
		ids[i] = promising[i].ID
	}
	return ids, nil
}

// activeBodies reads the bodies of those memories that are active. Their status is
// looked at here: asked for beside the ids, it makes SQLite go through all active
// memories instead of the few that are named.
func activeBodies(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]string, error) {
	in, args := db.In(ids)
	rows := tx.Query(`SELECT id, status, body FROM memory WHERE id IN (`+in+`) AND owner_id = ?`, append(args, int64(owner))...)
	defer rows.Close()
	found := make(map[int64]string, len(ids))
	for rows.Next() {
		var id int64
		var status, body string
		if err := rows.Scan(&id, &status, &body); err != nil {
			return nil, err
		}
		if status == api.StatusActive {
			found[id] = body
		}
	}
	return found, rows.Err()
}

// of is the likeness of another text. A term that the first doesn't have counts as
// much as its own do on average.
func (l *likeness) of(text string) float64 {
	terms := words.Content(text)
	both, only := 0.0, 0
	for _, t := range terms {
		if idf, ok := l.idf[t]; ok {
			both += idf
		} else {
			only++
		}
	}
	either := l.total + float64(only)*l.total/float64(len(l.terms))
	if either == 0 || math.IsNaN(either) {
		return 0
	}
	return both / either
}
