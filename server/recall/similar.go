package recall

import (
	"context"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/settings"
	"elowen/server/vector"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

var _ memory.Meaning = (*Store)(nil)

// What is similar enough to be mentioned: a part of what makes a paraphrase, or where
// nothing is known of the model, a cosine that few have for unlike things.
const (
	mentionPart    = 0.8
	mentionUnknown = 0.88
)

// Embed implements memory.Meaning: it waits no longer than similar.waitMillis, and at
// most similar.waiting adds do so at a time. A model that isn't loaded yet is left to
// the queue.
func (s *Store) Embed(ctx context.Context, body string) (v memory.Vectors, pending bool) {
	snapshot := s.o.Service.Snapshot()
	if !snapshot.On() {
		return v, false
	}
	if !snapshot.Prompt() {
		return v, true
	}
	select {
	case s.adds <- struct{}{}:
		defer func() { <-s.adds }()
	default:
		return v, true
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("similar.waitMillis"))*time.Millisecond)
	defer cancel()
	// A model that doesn't look at the clock must not keep the add waiting.
	done := make(chan memory.Vectors, 1)
	go func() {
		var v memory.Vectors
		if panicked := fault.Guarded(func() { v = embedBody(ctx, snapshot, body) }); panicked != nil {
			s.o.Log.Error("embedding a body that is added panicked", "error", panicked)
		}
		done <- v
	}()
	select {
	case v = <-done:
	case <-ctx.Done():
	}
	return v, v.Space == 0
}

func embedBody(ctx context.Context, snapshot *embedding.Snapshot, body string) (v memory.Vectors) {
	list, err := snapshot.Embedder.Embed(ctx, []string{body}, embedding.Passage)
	if err != nil || len(list) != 1 || list[0].Err != nil || len(list[0].Vectors) == 0 {
		return v
	}
	for _, part := range list[0].Vectors {
		if embedding.Normalize(part) != nil {
			return v
		}
	}
	return memory.Vectors{Space: snapshot.ID, Script: embedding.Group(body), Parts: list[0].Vectors}
}

// Near implements memory.Meaning.
func (s *Store) Near(tx *db.Tx, owner db.AccountID, v memory.Vectors, limit int) ([]memory.Near, error) {
	snapshot := s.o.Service.Snapshot()
	if snapshot.ID != v.Space {
		return nil, nil
	}
	return s.near(tx, owner, snapshot, limit, func(view *vector.View) ([][]float32, error) {
		list := make([][]float32, len(v.Parts))
		for i, part := range v.Parts {
			var err error
			if list[i], err = view.Passage(part); err != nil {
				return nil, err
			}
		}
		return list, nil
	}, nil)
}

// Like implements memory.Meaning.
func (s *Store) Like(tx *db.Tx, owner db.AccountID, id int64, limit int) ([]memory.Near, error) {
	snapshot := s.o.Service.Snapshot()
	if !snapshot.On() {
		return nil, nil
	}
	return s.near(tx, owner, snapshot, limit, func(view *vector.View) ([][]float32, error) { return view.Vectors(id), nil }, []int64{id})
}

// near finds what is near enough to vectors to be mentioned, as the rows are now.
func (s *Store) near(tx *db.Tx, owner db.AccountID, snapshot *embedding.Snapshot, limit int, of func(*vector.View) ([][]float32, error), not []int64) ([]memory.Near, error) {
	r, err := settings.ReadRuntime(tx, int64(snapshot.ID))
	if err != nil {
		return nil, err
	}
	from := mentionUnknown
	if snapshot.Profile.Known() || r.ParaphraseThreshold != nil {
		from = mentionPart * paraphraseOf(r, snapshot.Profile)
	}
	view, err := s.o.Indexes.Open(tx, owner, snapshot)
	if err != nil {
		return nil, err
	}
	defer view.Close()
	question, err := of(view)
	if err != nil || len(question) == 0 {
		return nil, err
	}
	hits, _ := view.Nearest(question, vector.Filter{Excluded: not}, limit, 0)
	ids := make([]int64, 0, len(hits))
	for _, h := range hits {
		ids = append(ids, h.Memory)
	}
	facts, err := s.o.Memories.Facts(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	list := make([]memory.Near, 0, len(hits))
	for _, h := range hits {
		if f, ok := facts[h.Memory]; ok && h.Cosine >= from && f.Status == memory.Active && h.Of(f.Hash) {
			list = append(list, memory.Near{ID: h.Memory, Cosine: h.Cosine})
		}
	}
	return list, nil
}
