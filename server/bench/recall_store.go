package main

import (
	"cmp"
	"context"
	"os"
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/server/fit/cache"
	"elowen/server/late"
	"elowen/server/recall"
	"elowen/server/vector"
	"elowen/server/words"
	"elowen/shared/api"
)

// recaller is a store that questions are asked of, with the built-in models.
type recaller struct {
	*store
	models  map[string]*cache.Model
	late    *late.Reranker
	words   words.Background
	service *embedding.Service
	recall  *recall.Store
}

// holder is somebody whose memories are texts.
type holder struct {
	id    db.AccountID
	texts []string
	ids   []int64
	place map[int64]int // of texts
}

func openRecall(ctx context.Context, kept string) (*recaller, error) {
	dir, err := os.MkdirTemp("", "elowen-recall-")
	if err != nil {
		return nil, err
	}
	s, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	w := &recaller{store: s, models: map[string]*cache.Model{}}
	models := local.New(weight.Files{})
	for _, name := range []string{local.Multilingual, local.English} {
		m, err := models.Open(name)
		if err != nil {
			return nil, err
		}
		w.models[name] = cache.Over(m, kept)
	}
	frequencies, err := models.Frequencies()
	if err != nil {
		return nil, err
	}
	w.words = recall.Background(frequencies)
	w.late, err = late.Known(w.models[local.English])
	return w, err
}

func (w *recaller) close() {
	for _, m := range w.models {
		_ = m.Close()
	}
	w.drop()
}

// account makes somebody with texts as memories, filed as an add files them.
func (w *recaller) account(ctx context.Context, name string, texts []string) (holder, error) {
	a := holder{texts: texts, place: map[int64]int{}}
	if _, err := w.accounts.Add(ctx, api.PersonAdd{Name: name, Password: password, Role: api.RoleMember}); err != nil {
		return a, err
	}
	var err error
	if a.id, err = w.named(ctx, name); err != nil {
		return a, err
	}
	for i, text := range texts {
		added, err := w.memories.Add(ctx, a.id, me, api.SourceUser, api.MemoryAdd{Body: text})
		if err != nil {
			return a, err
		}
		a.place[added.Memory.ID] = i
		a.ids = append(a.ids, added.Memory.ID)
	}
	return a, nil
}

// use recalls in one way from now on; what accounts lack is indexed.
func (w *recaller) use(ctx context.Context, one way, owners []holder) error {
	w.service = embedding.NewService()
	options := recall.Options{
		Memories: w.memories, Indexes: vector.New(w.memories, 0), Service: w.service, Background: func() words.Background { return w.words },
		Settings: w.retention.SettingsIn,
	}
	if one.late {
		options.Late = recall.Tokens(w.late, options.Background)
	}
	w.recall = recall.New(w.db, options)
	if one.model == "" {
		return w.db.Update(ctx, func(tx *db.Tx) error {
			_, err := embedding.Deactivate(tx)
			if err != nil {
				return err
			}
			return w.tokens(ctx, tx, one, owners)
		})
	}
	model := kept{w.models[one.model]}
	return w.db.Update(ctx, func(tx *db.Tx) error {
		space, _, err := embedding.Activate(tx, model.Space())
		if err != nil {
			return err
		}
		for _, a := range owners {
			bodies, err := w.memories.BodiesOf(tx, a.id, a.ids)
			if err != nil {
				return err
			}
			missing, err := embedding.MissingOf(tx, a.id, space, bodies)
			if err != nil || len(missing) == 0 {
				continue
			}
			var items []embedding.Item
			for _, b := range bodies {
				text := a.texts[a.place[b.Memory]]
				rows, err := model.Vectors(ctx, []string{text}, embedding.Passage)
				if err != nil {
					return err
				}
				var own [][]float32
				for _, row := range rows[0] {
					own = append(own, slices.Clone(row))
				}
				items = append(items, embedding.Item{Memory: b.Memory, BodyHash: b.Hash, Script: embedding.Group(text), Vectors: own})
			}
			if _, err := embedding.Put(tx, a.id, space.ID, items); err != nil {
				return err
			}
			if space, err = embedding.Current(tx); err != nil { // for its width
				return err
			}
		}
		w.service.Use(&embedding.Snapshot{Stored: space, Embedder: model, Profile: embedding.KnownProfile(space.Space)})
		return w.tokens(ctx, tx, one, owners)
	})
}

// tokens stores the token vectors that accounts lack.
func (w *recaller) tokens(ctx context.Context, tx *db.Tx, one way, owners []holder) error {
	if !one.late {
		return nil
	}
	for _, a := range owners {
		bodies, err := w.memories.BodiesOf(tx, a.id, a.ids)
		if err != nil {
			return err
		}
		missing, err := late.MissingOf(tx, a.id, w.late.Hash(), bodies)
		if err != nil {
			return err
		}
		var items []late.Item
		for _, b := range bodies {
			if !slices.Contains(missing, b.Memory) {
				continue
			}
			packed, err := w.late.Passage(ctx, a.texts[a.place[b.Memory]])
			if err != nil {
				return err
			}
			items = append(items, late.Item{Memory: b.Memory, BodyHash: b.Hash, Vectors: packed})
		}
		if _, err := late.Put(tx, a.id, w.late.Hash(), items); err != nil {
			return err
		}
	}
	return nil
}

// kept is a model whose results are kept, as an Embedder.
type kept struct{ *cache.Model }

func (k kept) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	list, err := k.Vectors(ctx, texts, kind)
	results := make([]embedding.Result, len(list))
	for i := range list {
		results[i].Vectors = list[i]
	}
	return results, err
}

func (k kept) Space() embedding.Space {
	return local.Embedder{Model: k.Model.Model}.Space()
}

func (k kept) Limits() embedding.Limits { return local.Embedder{Model: k.Model.Model}.Limits() }

// ranked is a candidate's place among the texts with a number.
type ranked struct {
	place    int
	value    float64
	admitted bool // by words alone
}

// answer is what a question came to.
type answer struct {
	picked            []int
	ranked            []ranked // by relevance
	byCosine, byWords []ranked
	of                map[int]api.Candidate // by place
}

// ask asks as /api/memory/retrieve does.
func (w *recaller) ask(ctx context.Context, a holder, question string) (answer, error) {
	got, err := w.recall.Retrieve(ctx, a.id, api.RetrieveRequest{Query: question})
	if err != nil {
		return answer{}, err
	}
	out := answer{of: map[int]api.Candidate{}}
	for _, m := range got.Memories {
		out.picked = append(out.picked, a.place[m.ID])
	}
	for _, c := range got.Candidates {
		if c.Reason == api.ReasonRank || c.Reason == api.ReasonExcluded {
			continue
		}
		place := a.place[c.ID]
		out.of[place] = c
		// What is below the floor and not out because of it was admitted by words.
		out.ranked = append(out.ranked, ranked{place, c.Relevance, c.Reason != api.ReasonFloor && c.Relevance < w.floor()})
		if c.Similarity != nil {
			out.byCosine = append(out.byCosine, ranked{place, *c.Similarity, false})
		}
		if c.Keyword > 0 {
			out.byWords = append(out.byWords, ranked{place, c.Keyword, false})
		}
	}
	for _, list := range [][]ranked{out.ranked, out.byCosine, out.byWords} {
		slices.SortStableFunc(list, func(x, y ranked) int { return cmp.Compare(y.value, x.value) })
	}
	return out, nil
}

// floor is the one in force.
func (w *recaller) floor() float64 {
	s := w.service.Snapshot()
	if !s.On() {
		return embedding.WordsAlone().Floor
	}
	return s.Profile.Floor
}

// above are the places of the best n that a floor lets through.
func (a *answer) above(floor float64, n int) (places []int) {
	for _, r := range a.ranked {
		if r.value < floor && !r.admitted {
			continue
		}
		if places = append(places, r.place); len(places) == n {
			break
		}
	}
	return places
}
