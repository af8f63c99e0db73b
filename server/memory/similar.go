package memory

import (
	"cmp"
	"context"
	"math"
	"slices"

	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/api"
)

// How a memory came to be called similar.
const (
	byBody  = "body"  // the identical text
	byWords = "words" // much of its words
)

const (
	similarFrom = 0.5 // likeness from which a memory is worth mentioning
	similarMost = 5   // how many are mentioned with an add
	// likeMost is the likeness of texts that have the same words and are not the
	// same: only the identical body is 1.
	likeMost = 0.99
)

// Similar lists the active memories that resemble one of the account's, the
// most alike first. Errors: NotFound.
//
// The likeness of two texts by their words is
//
//	BM25(other, asked for the text) / BM25(text, asked for itself) · √(shorter / longer)
//
// with the account's own statistics and lengths in words: shared rare words count
// for much, shared common ones for little, and a short text is not like a long one
// that happens to contain it. It is 0 to 1; 1 is the identical body.
func (s *Store) Similar(ctx context.Context, owner db.AccountID, id int64, limit int) ([]api.Similar, error) {
	var list []api.Similar
	err := s.db.View(ctx, func(tx *db.Tx) error {
		r, err := read(tx, owner, id)
		if err != nil {
			return err
		}
		list, err = similarTo(tx, owner, r.body, id, limit)
		return err
	})
	return list, err
}

// resembling is what an add of the body reports.
func (s *Store) resembling(ctx context.Context, owner db.AccountID, body string) ([]api.Similar, error) {
	var list []api.Similar
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		list, err = similarTo(tx, owner, body, 0, similarMost)
		return err
	})
	return list, err
}

// similarTo finds memories like a body, other than the one with the id self.
func similarTo(tx *db.Tx, owner db.AccountID, body string, self int64, limit int) ([]api.Similar, error) {
	list := []api.Similar{}
	query := words.ParseQuery(body)
	stats, err := wordStats(tx, owner)
	if err != nil || query.Empty() || stats.Docs == 0 {
		return list, err
	}
	var lists postings
	if err := lists.read(tx, owner, query.Terms); err != nil {
		return nil, err
	}
	length, err := lists.addText(body)
	if err != nil {
		return nil, corrupt(err)
	}
	hits, err := words.Score(stats, query, lists.list)
	if err != nil {
		return nil, corrupt(err)
	}
	if len(hits) == 0 || hits[0].ID != textID {
		return list, nil
	}
	own := hits[0].Score
	hits = slices.DeleteFunc(hits[1:], func(h words.Hit) bool { return h.ID == self || h.Score < similarFrom*own })
	// Some of the best are in the trash, or fall back for their length.
	hits = words.Top(hits, 4*limit+16)
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	found, err := readMany(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		r, ok := found[h.ID]
		if !ok || r.status != api.StatusActive {
			continue
		}
		like := api.Similar{ID: r.id, Similarity: 1, Body: r.body, By: byBody}
		if r.body != body {
			short, long := float64(min(length, int(r.words))), float64(max(length, int(r.words), 1))
			like.Similarity, like.By = min(h.Score/own*math.Sqrt(short/long), likeMost), byWords
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

// textID is what a text that isn't stored is called among hits: before all ids.
const textID = -words.ChunkSize

// addText adds a text to the postings as if it were a memory.
func (p *postings) addText(text string) (length int, err error) {
	terms, length := words.Terms(text)
	for _, t := range terms {
		blob, err := words.Append(nil, words.Posting{ID: textID, TF: t.Count, Length: length})
		if err != nil {
			return 0, err
		}
		c := words.Chunk{Number: words.ChunkOf(textID), Blob: blob}
		if i, ok := p.at[t.Text]; ok {
			p.list[i].Chunks = append(p.list[i].Chunks, c)
		} else {
			p.list = append(p.list, words.TermPostings{Term: t.Text, Chunks: []words.Chunk{c}})
		}
	}
	return length, nil
}
