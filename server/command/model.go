package command

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"elowen/server/db"
	"elowen/server/doctor"
	"elowen/server/embedding"
	encoders "elowen/server/embedding/local"
	"elowen/server/embedding/local/kernel"
	"elowen/server/embedding/local/weight"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/fit"
	"elowen/server/late"
	"elowen/server/model"
	"elowen/server/recall"
	"elowen/server/settings"
	"elowen/server/transcript"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// builtIn are the models that the program brings, or that a data directory has the
// weights of.
func (s *System) builtIn(dir string) model.Local {
	if s.Local != nil {
		return s.Local
	}
	return builtIn{encoders.New(weight.Files{Dir: filepath.Join(dir, weight.Folder)})}
}

// builtIn makes package local's models those of package model.
type builtIn struct{ *encoders.Models }

// Space implements model.Local.
func (b builtIn) Space(name string) (embedding.Space, error) {
	m, err := b.Open(name)
	if fault.Is(err, fault.NotFound) {
		return embedding.Space{}, err
	}
	return encoders.Embedder{Model: m}.Space(), nil // its weights may come later
}

// Embedder implements model.Local.
func (b builtIn) Embedder(name string) (embedding.Embedder, error) {
	m, err := b.Open(name)
	if err != nil {
		return nil, err
	}
	return encoders.Embedder{Model: m}, nil
}

// background is how rare words are, as the multilingual model's pieces tell: it is read
// when it is first asked for. A program without that model knows no words.
func background(local model.Local, log *slog.Logger) func() words.Background {
	return sync.OnceValue(func() words.Background {
		if b, ok := local.(builtIn); ok {
			f, err := b.Frequencies()
			if err == nil {
				return recall.Background(f)
			}
			if !fault.Is(err, fault.Unavailable) {
				log.Warn("how rare words are cannot be read from the built-in model", "error", err)
			}
		}
		return recall.Background(nil)
	})
}

// reranker is late interaction by the built-in English model; nil where other models
// are in its place.
func reranker(local model.Local, log *slog.Logger) *late.Reranker {
	b, ok := local.(builtIn)
	if !ok {
		return nil
	}
	for _, m := range b.List() {
		if m.Name() == encoders.English { // its weights may come later
			r, err := late.Known(m)
			if err != nil {
				log.Error("late interaction is off", "error", err)
				return nil
			}
			return r
		}
	}
	return nil
}

// learner gives the embedding in use a profile where nothing is known of its model.
func (st *stores) learner(s *System) *fit.Learner {
	return &fit.Learner{
		DB: st.db, Service: st.embedding, Late: st.late, Background: st.frequent, Apply: st.models.Apply, Wake: s.Wake, Log: st.log,
	}
}

// lateOn tells whether late interaction is on.
func (st *stores) lateOn() bool {
	on := false
	err := st.db.View(context.Background(), func(tx *db.Tx) error {
		r, err := settings.ReadRuntime(tx, 0)
		on = r.LateInteraction
		return err
	})
	return err == nil && on
}

// queue makes the queue that indexes memories and turns in the background.
func (st *stores) queue(s *System, changes *feed.Feed) *queue.Queue {
	// Those of memories go first: turns are many, and wait for none of them.
	kinds := []queue.Kind{queue.NewVectors(st.embedding), transcript.NewVectors(st.embedding)}
	if st.late != nil {
		news, _ := changes.Any() // for as long as the server runs: the settings are in the log
		more, _ := changes.Any()
		kinds = []queue.Kind{kinds[0], queue.NewTokens(st.late, st.lateOn, news), kinds[1], transcript.NewTokens(st.late, st.lateOn, more)}
	}
	return queue.New(queue.Options{
		DB: st.db, Memories: st.memories, Feed: changes, Service: st.embedding, Kinds: kinds,
		Refresh: st.models.Apply, Wake: s.Wake, Log: st.log,
	})
}

// checkRecall tells what this program can recall by, with the weights that it and the
// data directory have. It loads none.
func (r *run) checkRecall() api.Finding {
	if r.Local != nil {
		return doctor.Fine("by words, and by models of another's")
	}
	files := weight.Files{Dir: filepath.Join(r.data, weight.Folder)}
	models := encoders.New(files)
	can := map[string]bool{}
	for _, m := range models.List() {
		can[m.Name()] = m.Available()
	}
	embedded := 0
	for _, p := range weight.Pins() {
		if (weight.Files{}).Has(p) {
			embedded++
		}
	}
	from := "the weights are part of this build"
	if embedded < len(weight.Pins()) {
		from = "weights were added to the data directory"
	}
	const mend = "Add them with elowen setup --memory local --weights FILE."
	switch {
	case can[encoders.Multilingual] && can[encoders.English]:
		return doctor.Fine("by words, by meaning in any language, and by late interaction in English; kernel %s; %s", kernel.Name(), from)
	case can[encoders.Multilingual]:
		return doctor.Warn(fmt.Sprintf("by words and by meaning in any language; kernel %s; without late interaction: the weights of %s are not here", kernel.Name(), encoders.English), mend)
	case can[encoders.English]:
		return doctor.Warn(fmt.Sprintf("by words, and in English by meaning and late interaction; kernel %s; the weights of %s are not here", kernel.Name(), encoders.Multilingual), mend)
	}
	return doctor.Warn("by words alone: this build has no weights of built-in models", mend)
}

// checkEmbedding looks at the embedding model and at how far its index is. It asks
// no model.
func (st *stores) checkEmbedding(ctx context.Context) api.Finding {
	failed := func(err error) api.Finding { return doctor.Failed(fault.ProblemOf(err).Detail, "") }
	var now embedding.Stored
	indexed, total := 0, 0
	people, err := st.accounts.People(ctx)
	if err != nil {
		return failed(err)
	}
	err = st.db.View(ctx, func(tx *db.Tx) (err error) {
		if now, err = embedding.Current(tx); err != nil {
			return err
		}
		for _, p := range people {
			i, t, err := st.memories.CountIndexed(tx, db.AccountID(p.ID))
			if err != nil {
				return err
			}
			indexed, total = indexed+i, total+t
		}
		return nil
	})
	if err != nil {
		return failed(err)
	}
	s, err := st.models.Settings(ctx, true)
	if err != nil {
		return failed(err)
	}
	for _, p := range s.Models.Providers {
		if p.KeyLost {
			return doctor.Warn(fmt.Sprintf("the stored key of the provider %s cannot be read any more", p.ID), "Give it again in the settings of models.")
		}
	}
	role := s.Models.Roles.Embedding
	if role == nil {
		return doctor.Fine("no model is set up: memories are found by their words")
	}
	how := fmt.Sprintf("%d of %d memories are indexed for %s", indexed, total, role.Model)
	if !now.On() || now.Model != role.Model {
		how = role.Model + ", from the next start of the server on"
	}
	if state := st.embedding.State(); state.Problem != "" {
		return doctor.Warn(how+"; "+state.Problem, "Memories are found by their words meanwhile; it is tried again.")
	}
	if role.Provider == api.ProviderLocal {
		if _, err := st.models.Embedder(role.Model); err != nil {
			return doctor.Warn(how+"; "+fault.ProblemOf(err).Detail, "Memories are found by their words until then.")
		}
		how += ", with the kernel " + kernel.Name()
	}
	return doctor.Fine("%s", how)
}
