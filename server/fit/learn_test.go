package fit

import (
	"context"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/background"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// bag is a model of texts as their words, all of which have something in common.
type bag struct {
	space embedding.Space
	down  bool
	calls int
}

const bagWidth = 96

func (b *bag) Space() embedding.Space   { return b.space }
func (b *bag) Limits() embedding.Limits { return embedding.Limits{Texts: 50, Bytes: 1 << 20} }
func (b *bag) Embed(_ context.Context, texts []string, _ embedding.Kind) ([]embedding.Result, error) {
	b.calls++
	if b.down {
		return nil, fault.New(fault.Unavailable, "down")
	}
	list := make([]embedding.Result, len(texts))
	for i, text := range texts {
		v := make([]float32, bagWidth)
		for j := range v {
			v[j] = 0.5
		}
		for _, w := range words.Content(text) {
			h := fnv.New64a()
			h.Write([]byte(w))
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			for j := range v {
				v[j] += float32(r.NormFloat64())
			}
		}
		if err := embedding.Normalize(v); err != nil {
			return nil, err
		}
		list[i].Vectors = [][]float32{v}
	}
	return list, nil
}

// A model that nothing is known of has a profile once it was asked, kept with its
// space; going back to the space asks nobody. One that is down has none.
func TestAnUnknownModelIsGotToKnow(t *testing.T) {
	d := dbtest.Open(t, nil)
	service := embedding.NewService()
	model := &bag{space: embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://a", Model: "unheard-of"}}
	applied := 0
	apply := func(ctx context.Context) error {
		applied++
		return d.Update(ctx, func(tx *db.Tx) error {
			s, _, err := embedding.Activate(tx, model.space)
			if err != nil {
				return err
			}
			p, err := embedding.ProfileOf(tx, s)
			service.Use(&embedding.Snapshot{Stored: s, Embedder: model, Profile: p})
			return err
		})
	}
	l := &Learner{DB: d, Service: service, Background: func() words.Background { return nil }, Apply: apply, Log: slog.New(slog.DiscardHandler),
		Wake: func(int64) <-chan time.Time { return nil }}
	if learnt, err := l.Learn(t.Context()); learnt || err != nil {
		t.Fatalf("without a model: %v %v", learnt, err)
	}
	if err := apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	model.down = true
	if learnt, err := l.Learn(t.Context()); learnt || !fault.Is(err, fault.Unavailable) || service.Snapshot().Profile.Known() {
		t.Fatalf("while it is down: %v %v", learnt, err)
	}
	model.down = false
	if learnt, err := l.Learn(t.Context()); !learnt || err != nil || applied != 2 {
		t.Fatalf("%v %v, applied %d times", learnt, err, applied)
	}
	p := service.Snapshot().Profile
	if !p.Known() || len(p.Passages.All) != bagWidth || p.Queries.Tongues["en"] == nil || p.Blend.Zero >= p.Blend.One || p.Floor != Floor || p.Thresholds.Paraphrase == 0 {
		t.Errorf("%+v", p.Blend)
	}
	var kinds [2]float64 // of questions about people's own, and of the others, in the mean
	for i, texts := range [][]background.Text{background.Queries(), background.Foreign()} {
		for _, q := range texts {
			v, err := centred(t.Context(), l.vectors(service.Snapshot()), p.Queries, []string{q.Text}, embedding.Query)
			if err != nil {
				t.Fatal(err)
			}
			kinds[i] += p.Foreign.Of(v[0]) / float64(len(texts))
		}
	}
	if kinds[0] >= 0 || kinds[1] <= 0 {
		t.Errorf("questions of two kinds lie at %v", kinds)
	}
	if p.Relevance != (embedding.Line{}) {
		t.Error("a line of late interaction without any")
	}
	calls := model.calls
	if learnt, err := l.Learn(t.Context()); learnt || err != nil || model.calls != calls {
		t.Errorf("again: %v %v, %d calls more", learnt, err, model.calls-calls)
	}
	// Own pairs share words and strangers few: what a question is about stands above.
	texts, pairs := storeOf(english)
	store, err := NewStore(t.Context(), Tools{Vectors: l.vectors(service.Snapshot())}, p, texts)
	if err != nil {
		t.Fatal(err)
	}
	above := 0
	for i, pair := range pairs {
		figures, err := store.Ask(t.Context(), pair.Question)
		if err != nil {
			t.Fatal(err)
		}
		best := 0
		for j := range figures {
			if figures[j].Blend > figures[best].Blend {
				best = j
			}
		}
		if best == i {
			above++
		}
	}
	if above*5 < len(pairs) {
		t.Errorf("%d of %d questions find what they are about", above, len(pairs))
	}
}
