package memory

import (
	"cmp"
	"context"
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// byMeaning is how a memory came to be called similar whose vector is near.
const byMeaning = "meaning"

// Meaning finds memories by what they mean: the matrix of vectors is above this
// package.
type Meaning interface {
	// Embed embeds a body that is about to be added. pending says that a model is in use
	// but did not answer as soon as an add may wait.
	Embed(ctx context.Context, body string) (v Vectors, pending bool)
	// Near finds active memories of the owner that mean nearly what v does, the nearest
	// first.
	Near(tx *db.Tx, owner db.AccountID, v Vectors, limit int) ([]Near, error)
	// Like finds those that mean nearly what one of the owner's memories does; none where
	// it isn't indexed.
	Like(tx *db.Tx, owner db.AccountID, id int64, limit int) ([]Near, error)
}

// Vectors are a body's, as a model made them. The zero value is none.
type Vectors struct {
	Space  embedding.SpaceID
	Script string
	Parts  [][]float32
}

// Near is a memory that means nearly the same.
type Near struct {
	ID     int64
	Cosine float64
}

// SetMeaning lets what is similar be found by meaning too. It comes before any use.
func (s *Store) SetMeaning(m Meaning) { s.meaning = m }

// embedded begins to embed a body, and gives what waits for it. Its error is Internal:
// something panicked.
func (s *Store) embedded(ctx context.Context, body string) (wait func() (v Vectors, pending bool, err error)) {
	if s.meaning == nil {
		return func() (Vectors, bool, error) { return Vectors{}, false, nil }
	}
	type result struct {
		v       Vectors
		pending bool
		err     error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		r.err = fault.Guarded(func() { r.v, r.pending = s.meaning.Embed(ctx, body) })
		done <- r
	}()
	return func() (Vectors, bool, error) {
		r := <-done
		return r.v, r.pending, r.err
	}
}

// home is where an add goes, as far as what it resembles is there; 0 is nowhere yet.
func home(tx *db.Tx, owner db.AccountID, in api.MemoryAdd) (db.AccountID, error) {
	if !in.Shared {
		return owner, nil
	}
	pool, _, err := project.Readable(tx, owner, in.ProjectID)
	return pool.Owner, err
}

// nearer adds to what a body resembles by its words what it resembles by meaning.
func (s *Store) nearer(ctx context.Context, owner db.AccountID, in api.MemoryAdd, list []api.Similar, v Vectors) ([]api.Similar, error) {
	if v.Space == 0 {
		return list, nil
	}
	err := s.db.ViewAgain(ctx, func(tx *db.Tx) error {
		place, err := home(tx, owner, in)
		if err != nil || place == 0 {
			return err
		}
		near, err := s.meaning.Near(tx, place, v, similarMost)
		if err != nil {
			return otherwise(err)
		}
		list, err = joined(tx, place, list, near, similarMost)
		return err
	})
	return list, err
}

// alike is what one of the owner's memories resembles, by words and by meaning.
func (s *Store) alike(tx *db.Tx, owner db.AccountID, body string, id int64, limit int) ([]api.Similar, error) {
	list, err := similarTo(tx, owner, body, id, limit)
	if err != nil || s.meaning == nil {
		return list, err
	}
	near, err := s.meaning.Like(tx, owner, id, limit)
	if err != nil {
		return list, otherwise(err)
	}
	return joined(tx, owner, list, near, limit)
}

// otherwise lets a model that was changed at this moment be as one that is not there:
// words have found what they found.
func otherwise(err error) error {
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Corrupt) {
		return nil
	}
	return err
}

// joined is what is similar by words or by meaning, each by that which says more.
func joined(tx *db.Tx, owner db.AccountID, list []api.Similar, near []Near, limit int) ([]api.Similar, error) {
	var more []int64
	cosines := map[int64]float64{}
	for _, n := range near {
		like := min(n.Cosine, likeMost)
		if i := slices.IndexFunc(list, func(s api.Similar) bool { return s.ID == n.ID }); i < 0 {
			more = append(more, n.ID)
			cosines[n.ID] = like
		} else if list[i].By == byWords && like > list[i].Similarity {
			list[i].Similarity, list[i].By = like, byMeaning
		}
	}
	if len(more) > 0 {
		bodies, err := activeBodies(tx, owner, more)
		if err != nil {
			return list, err
		}
		for id, body := range bodies {
			list = append(list, api.Similar{ID: id, Similarity: cosines[id], Body: body, By: byMeaning})
		}
	}
	slices.SortFunc(list, func(a, b api.Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.ID, a.ID))
	})
	return list[:min(len(list), limit)], nil
}

// keep stores the vectors of a memory that was just added, so that it is found at once.
// Of a model that is no longer in use, none are.
func (v Vectors) keep(tx *db.Tx, owner db.AccountID, r *row) error {
	if v.Space == 0 {
		return nil
	}
	_, err := embedding.Put(tx, owner, v.Space, []embedding.Item{{Memory: r.id, BodyHash: r.hash, Script: v.Script, Vectors: v.Parts}})
	if fault.Is(err, fault.Corrupt) {
		return nil // of another width than the space's: the queue says so
	}
	if err != nil {
		return err
	}
	return labelled(tx, owner, r)
}
