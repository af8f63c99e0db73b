package fit

import (
	"context"
	"log/slog"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/server/words"
	"elowen/shared/fault"
)

// Learner gives the model in use a profile where nothing is known of it. Run does it
// in the background.
type Learner struct {
	DB         *db.DB
	Service    *embedding.Service
	Late       *late.Reranker // nil: there is none
	Background func() words.Background
	Apply      func(ctx context.Context) error // makes the snapshot anew, with the profile
	Wake       func(at int64) <-chan time.Time // fires when the clock shows an instant, in Unix milliseconds
	Log        *slog.Logger
}

// again is how long a model that could not be asked is left alone.
const again = 5 * time.Minute

// Run works until ctx ends.
func (l *Learner) Run(ctx context.Context) {
	news := l.Service.News()
	for ctx.Err() == nil {
		var later <-chan time.Time
		if learnt, err := l.Learn(ctx); err != nil && ctx.Err() == nil {
			l.Log.Warn("the embedding model could not be got to know; until it is, words alone admit", "error", err)
			later = l.Wake(l.DB.Now() + again.Milliseconds())
		} else if learnt {
			l.Log.Info("the embedding model has a profile")
		}
		select {
		case <-news:
		case <-later:
		case <-ctx.Done():
		}
	}
}

// Learn fits a profile to the model in use and keeps it with its space, if nothing is
// known of that model. It tells whether it did.
func (l *Learner) Learn(ctx context.Context) (bool, error) {
	snapshot := l.Service.Snapshot()
	if !snapshot.Ready() || snapshot.Profile.Known() {
		return false, nil
	}
	tools := Tools{Vectors: l.vectors(snapshot), Background: l.Background()}
	if l.Late != nil && l.Late.Ready() {
		tools.Late = l.Late
	}
	p := snapshot.Profile
	if p.Words == 0 {
		p.Words = embedding.WordsAlone().Words
	}
	p, _, err := Profile(ctx, tools, p)
	if err != nil {
		return false, err
	}
	saved := false
	err = l.DB.Update(ctx, func(tx *db.Tx) error {
		now, err := embedding.Current(tx)
		if err != nil || now.ID != snapshot.ID {
			return err // another model is in use by now
		}
		saved = true
		return embedding.SaveProfile(tx, now.ID, p)
	})
	if err != nil || !saved {
		return false, err
	}
	return true, l.Apply(ctx)
}

// vectors asks the model of a snapshot, in calls as it wants them. Questions of people
// go first.
func (l *Learner) vectors(s *embedding.Snapshot) Vectors {
	return func(ctx context.Context, texts []string, kind embedding.Kind) ([][]float32, error) {
		list := make([][]float32, 0, len(texts))
		for from := 0; from < len(texts); {
			to := s.Embedder.Limits().Take(texts, from)
			l.Service.Quiet(ctx, quietMost)
			results, err := s.Embedder.Embed(ctx, texts[from:to], kind)
			if err != nil {
				return nil, err
			}
			if len(results) != to-from {
				return nil, fault.New(fault.Unavailable, "The embedding model did not answer to each text.")
			}
			for _, r := range results {
				if r.Err != nil {
					return nil, r.Err
				}
				if len(r.Vectors) == 0 || len(r.Vectors[0]) == 0 || len(list) > 0 && len(r.Vectors[0]) != len(list[0]) {
					return nil, fault.New(fault.Unavailable, "The embedding model did not answer to each text.")
				}
				list = append(list, r.Vectors[0])
			}
			from = to
		}
		return list, nil
	}
}

// quietMost bounds how long a call waits for people's questions.
const quietMost = 2 * time.Second
