package late

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/server/words"
)

// letters is a model whose states are of words: the same word has the same state.
type letters struct{ hash string }

func (letters) Available() bool { return true }
func (l letters) Hash() string  { return l.hash }
func (letters) Pieces(text string) ([]int32, error) {
	var ids []int32
	for range strings.Fields(text) {
		ids = append(ids, 1)
	}
	return ids, nil
}
func (letters) Tokens(_ context.Context, text string, _ bool) (ids []int32, states []float32, err error) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		var seed uint64
		for _, c := range w {
			seed = seed*131 + uint64(c)
		}
		r := rand.New(rand.NewPCG(seed, 7))
		ids = append(ids, int32(len(w)))
		for range stateWidth {
			states = append(states, float32(r.NormFloat64()))
		}
	}
	return ids, states, nil
}

// plain are axes that keep the first numbers of a state.
func plain(t testing.TB) *Axes {
	rows := make([][]float32, Width)
	for i := range rows {
		rows[i] = make([]float32, stateWidth)
		rows[i][i] = 1
	}
	a, err := NewAxes(make([]float32, stateWidth), rows)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func reranker(t testing.TB, hash string) *Reranker {
	m, a := letters{hash}, plain(t)
	_, states, _ := m.Tokens(t.Context(), "nothing of the kind at all", false)
	return New(m, a, [][]byte{a.Pack(states)})
}

func owners(t *testing.T, d *db.DB) (ann, bob db.AccountID) {
	t.Helper()
	err := d.Update(t.Context(), func(tx *db.Tx) error {
		for _, o := range []struct {
			id   *db.AccountID
			name string
		}{{&ann, "ann"}, {&bob, "bob"}} {
			if err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at) VALUES (?, ?, '', 'member', '', ?) RETURNING id`, []any{o.name, o.name, tx.Now}, (*int64)(o.id)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ann, bob
}

func body(id int64, hash string) embedding.Body { return embedding.Body{Memory: id, Hash: hash} }

// What is stored is found for the body that it is of, by the Reranker that made it, in
// the account it belongs to, until it is removed.
func TestOnlyFreshTokenVectorsCount(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		ann, bob := owners(t, d)
		r, other := reranker(t, "one"), reranker(t, "two")
		if r.Hash() == other.Hash() {
			t.Fatal("two models of one hash")
		}
		texts := map[int64]string{1: "The harbour is closed on Mondays", 2: "The lighthouse keeper has three cats", 3: "Hamnen är stängd och båten kan inte komma in"}
		update := func(fn func(tx *db.Tx) error) {
			t.Helper()
			if err := d.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		update(func(tx *db.Tx) error {
			var items []Item
			for id, text := range texts {
				packed, err := r.Passage(t.Context(), text)
				if err != nil {
					return err
				}
				items = append(items, Item{id, "h", packed})
			}
			n, err := Put(tx, ann, r.Hash(), items)
			if n != 3 {
				t.Errorf("%d stored", n)
			}
			return err
		})
		bodies := []embedding.Body{body(1, "h"), body(2, "h"), body(3, "h"), body(4, "h")}
		score := func(r *Reranker, who []db.AccountID, bodies ...embedding.Body) (found []int64) {
			t.Helper()
			q, err := r.Question(t.Context(), "When is the harbour closed ?", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.View(t.Context(), func(tx *db.Tx) error {
				scores, err := q.Score(tx, who, lexicon.Found{}, bodies)
				for id := range scores {
					found = append(found, id)
				}
				if len(scores) == 2 && scores[1] <= scores[2] {
					t.Errorf("the answer has %v, the other %v", scores[1], scores[2])
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(found)
			return found
		}
		state := func() string {
			var s string
			if err := d.View(t.Context(), func(tx *db.Tx) error {
				missing, err := MissingOf(tx, ann, r.Hash(), bodies)
				if err != nil {
					return err
				}
				indexed, err := Indexed(tx, ann, r.Hash(), bodies)
				if err != nil {
					return err
				}
				seen, have, err := Count(tx, ann, r.Hash())
				if err != nil {
					return err
				}
				size, err := Size(tx)
				s = fmt.Sprint(missing, indexed, seen, have, size/TokenBytes)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		ids := []db.AccountID{ann, bob}
		for what, c := range map[string]struct{ got, want string }{
			"both, not the Swedish one": {fmt.Sprint(score(r, ids, bodies...)), "[1 2]"},
			"of another body":           {fmt.Sprint(score(r, ids, body(1, "other"), body(2, "h"))), "[2]"},
			"by another model":          {fmt.Sprint(score(other, ids, bodies...)), "[]"},
			"of another account":        {fmt.Sprint(score(r, ids[1:], bodies...)), "[]"},
			"what is there":             {state(), "[4] map[1:true 2:true] 3 2 12"},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s, want %s", what, c.got, c.want)
			}
		}
		// An edit into another language takes the vectors along; a removal, all.
		update(func(tx *db.Tx) error { _, err := Put(tx, ann, r.Hash(), []Item{{2, "h2", nil}}); return err })
		if got := score(r, ids, body(1, "h"), body(2, "h2")); !slices.Equal(got, []int64{1}) {
			t.Errorf("after an edit: %v", got)
		}
		update(func(tx *db.Tx) error { return Remove(tx, bob, []int64{1}) })
		if got := score(r, ids, body(1, "h")); len(got) != 1 {
			t.Error("another account removed it")
		}
		update(func(tx *db.Tx) error { return Remove(tx, ann, []int64{1, 7}) })
		if got := state(); got != "[1 2 4] map[] 2 0 0" {
			t.Errorf("after a removal: %s", got)
		}
		update(func(tx *db.Tx) error { return EraseAccount(tx, ann) })
		left := 0
		if err := d.View(t.Context(), func(tx *db.Tx) error {
			for _, table := range Tables() {
				var n int
				if err := tx.Row(`SELECT COUNT(*) FROM `+table, nil, &n); err != nil {
					return err
				}
				left += n
			}
			return nil
		}); err != nil || left != 0 {
			t.Errorf("%d rows left, %v", left, err)
		}
	})
}

// A question in another language, or without words, asks nothing of token vectors.
func TestQuestionsThatAreNotEnglish(t *testing.T) {
	r := reranker(t, "x")
	packed, _ := r.Passage(t.Context(), "The harbour is closed on Mondays")
	for text, want := range map[string]bool{"Wann ist der Hafen geschlossen?": false, "港口什么时候关闭": false, "": false, "harbour": true, "When is the harbour closed?": true} {
		q, err := r.Question(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := q.Of(lexicon.Found{}, packed); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}

// Weights add up to 1, rare words have more than frequent ones, those more than small
// ones, and of a long question only the best are left.
func TestWeights(t *testing.T) {
	r := reranker(t, "x")
	background := func(word string, _ bool) float64 { return 0.001 }
	q, err := r.Question(t.Context(), "Where did the harbour keeper go ?", background)
	if err != nil {
		t.Fatal(err)
	}
	found := lexicon.Found{Stats: words.Stats{Docs: 500, TotalLength: 5000}, Docs: map[string]int{"harbour": 3, "keeper": 200}}
	w := q.weights(found)
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	if sum < 0.999 || sum > 1.001 || !(w[3] > w[4] && w[4] > w[2]) {
		t.Errorf("weights %.3f, sum %v", w, sum)
	}
	long, err := r.Question(t.Context(), strings.Repeat("harbour keeper of the lighthouse ", 20), background)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, x := range long.weights(found) {
		if x > 0 {
			kept++
		}
	}
	if s := long.scorer(found); kept != tokensMost || s.asked.tokens != tokensMost {
		t.Errorf("%d tokens kept", kept)
	}
}

// The files that are shipped can be read; damaged ones are refused.
func TestKnownFiles(t *testing.T) {
	r, err := Known(letters{"x"})
	if err != nil || len(r.background) < 50 {
		t.Fatalf("%v", err)
	}
	if err := new(Axes).UnmarshalBinary(knownAxes[1:]); err == nil {
		t.Error("axes that are cut off")
	}
	if _, err := readBackground(knownBackground[:len(knownBackground)-1]); err == nil {
		t.Error("a background that is cut off")
	}
	list, err := readBackground(WriteBackground(r.background))
	if err != nil || len(list) != len(r.background) || !slices.Equal(list[3], r.background[3]) {
		t.Errorf("written and read: %v", err)
	}
	// Axes are of length 1 and stand on each other.
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if p := product(r.axes.rows[i*stateWidth:(i+1)*stateWidth], r.axes.rows[j*stateWidth:(j+1)*stateWidth]); p < want-1e-3 || p > want+1e-3 {
				t.Errorf("axes %d and %d: %v", i, j, p)
			}
		}
	}
}

func FuzzRuns(f *testing.F) {
	for _, s := range []string{"", "don't", "wi-fi/v2", "日本", "\xff\xfe", "a\u0301.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Join(runs(s), "") != s {
			t.Errorf("%q becomes %q", s, runs(s))
		}
	})
}

// 100 candidates of 45 tokens, with the reads.
func BenchmarkScore(b *testing.B) {
	d := dbtest.Open(b, nil)
	r := reranker(b, "x")
	rnd := rand.New(rand.NewPCG(1, 2))
	var ann db.AccountID
	var bodies []embedding.Body
	err := d.Update(b.Context(), func(tx *db.Tx) error {
		if err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at) VALUES ('ann', 'ann', '', 'member', '', ?) RETURNING id`, []any{tx.Now}, (*int64)(&ann)); err != nil {
			return err
		}
		var items []Item
		for id := range int64(2000) {
			items = append(items, Item{id + 1, "h", pack(nil, spread(rnd, 45))})
			if id%20 == 0 {
				bodies = append(bodies, body(id+1, "h"))
			}
		}
		_, err := Put(tx, ann, r.Hash(), items)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	q, err := r.Question(b.Context(), "when did the harbour keeper close the gate of the old lighthouse and where was he going then", nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := d.View(b.Context(), func(tx *db.Tx) error {
			scores, err := q.Score(tx, []db.AccountID{ann}, lexicon.Found{}, bodies)
			if len(scores) != len(bodies) {
				b.Fatal(len(scores))
			}
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}
