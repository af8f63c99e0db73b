package recall

import (
	"context"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// judge is late interaction that knows what it will say of which body.
type judge struct {
	says  map[string]float64 // by the hash of a body
	asked int
	seen  [][]embedding.Body
	fails bool
	panic bool
}

func (j *judge) Ready() bool { return true }

func (j *judge) Question(context.Context, string) (LateQuestion, error) {
	j.asked++
	if j.panic {
		panic("late interaction broke")
	}
	if j.fails {
		return nil, fault.New(fault.Unavailable, "No weights.")
	}
	return j, nil
}

func (j *judge) Score(_ *db.Tx, _ []db.AccountID, _ lexicon.Found, bodies []embedding.Body) (map[int64]float64, error) {
	j.seen = append(j.seen, bodies)
	out := map[int64]float64{}
	for _, b := range bodies {
		if v, ok := j.says[b.Hash]; ok {
			out[b.Memory] = v
		}
	}
	return out, nil
}

func TestLateInteraction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		p := senseProfile
		p.Relevance, p.Late = embedding.Line{Zero: 0.2, One: 0.6}, embedding.Guess{Base: 0.02, Slope: 0.3}
		w.snapshot.Profile = p
		j := &judge{says: map[string]float64{}}
		w.Store.o.Late = j
		near := w.add("The hound sleeps near the dock.")
		better := w.add("It is at seven that he wants out.")
		got := w.retrieve(api.RetrieveRequest{Query: "walk the dog"})
		for _, c := range got.Candidates {
			if c.Late != nil {
				t.Errorf("without token vectors: %+v", c)
			}
			// What has no late of its own has what its blend lets expect.
			blend := 0.0
			if c.Similarity != nil {
				blend = (1 - p.Words) * cosineScale * *c.Similarity
			}
			blend += p.Words * c.Keyword / (c.Keyword + wordsHalf)
			if want := p.Relevance.At(p.Late.At(blend) + lateBlend*blend); c.Relevance < want-1e-9 || c.Relevance > want+1e-9 {
				t.Errorf("relevance %v, want %v", c.Relevance, want)
			}
		}
		w.view(func(tx *db.Tx) error {
			facts, err := w.memories.Facts(tx, w.ann, []int64{near, better})
			j.says[facts[better].Hash], j.says[facts[near].Hash] = 0.9, 0.01
			return err
		})
		got = w.retrieve(api.RetrieveRequest{Query: "walk the dog"})
		if len(got.Memories) == 0 || got.Memories[0].ID != better || got.Candidates[0].Late == nil || *got.Candidates[0].Late != 0.9 {
			t.Errorf("late decides nothing: %+v", got.Candidates)
		}
		if last := j.seen[len(j.seen)-1]; len(last) != 2 || last[0].Hash == "" {
			t.Errorf("it was asked of %+v", last)
		}
		// Nobody is asked for a question that asks for nothing, nor where it is off.
		before := j.asked
		w.ids("ok")
		if _, err := w.SaveRuntime(ctx, api.RuntimeChange{Revision: 1, LateInteraction: api.Some(false)}); err != nil {
			t.Fatal(err)
		}
		if got := w.retrieve(api.RetrieveRequest{Query: "walk the dog"}); got.Candidates[0].Late != nil || j.asked != before {
			t.Errorf("off: %+v, asked %d times", got.Candidates, j.asked-before)
		}
		if _, err := w.SaveRuntime(ctx, api.RuntimeChange{Revision: 2, LateInteraction: api.Null[bool]()}); err != nil {
			t.Fatal(err)
		}
		j.fails = true
		if got := w.retrieve(api.RetrieveRequest{Query: "walk the dog"}); got.Candidates[0].Late != nil {
			t.Errorf("it fails: %+v", got.Candidates)
		}
	})
}

// Of a model that nothing is known of, words alone admit, and the answer says so.
func TestAnUnknownModel(t *testing.T) {
	w := open(t)
	w.on("m")
	w.snapshot.Profile = embedding.Profile{}
	id := w.add("The boathouse key hangs behind the barometer, where the hound sleeps.")
	w.add("Espresso after lunch.")
	same(t, "by meaning", w.ids("walk with a puppy"))
	got := w.retrieve(api.RetrieveRequest{Query: "boathouse barometer"})
	same(t, "by words", idsOf(got), id)
	if got.Path != api.PathKeyword || !strings.Contains(got.Note, "Nothing is known yet of how m") || got.Candidates[0].Similarity == nil {
		t.Errorf("%s, %q, %+v", got.Path, got.Note, got.Candidates)
	}
}

// Late interaction that panics is as one that there is not.
func TestLateOutlivesAPanic(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		j := &judge{panic: true}
		w.Store.o.Late = j
		w.add("The hound sleeps near the dock.")
		if got := w.retrieve(api.RetrieveRequest{Query: "walk the dog"}); len(got.Candidates) != 1 || j.asked == 0 {
			t.Errorf("%+v after %d questions", got, j.asked)
		}
	})
}
