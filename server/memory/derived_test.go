package memory

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/shared/api"
)

// inSpace makes a space the one in use.
func (f *fixture) inSpace(model string) (s embedding.Stored) {
	f.t.Helper()
	f.update(func(tx *db.Tx) (err error) {
		s, _, err = embedding.Activate(tx, embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://a", Model: model})
		return err
	})
	return s
}

// embed gives memories of ann's vectors for their present bodies.
func (f *fixture) embed(s embedding.Stored, ids ...int64) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error {
		bodies, err := f.BodiesOf(tx, f.ann, ids)
		if err != nil {
			return err
		}
		var items []embedding.Item
		for _, b := range bodies {
			items = append(items, embedding.Item{Memory: b.Memory, BodyHash: b.Hash, Vectors: [][]float32{{1, 2}}})
		}
		_, err = embedding.Put(tx, f.ann, s.ID, items)
		return err
	})
}

func (f *fixture) shownIndexed(id int64) bool {
	f.t.Helper()
	m, err := f.Get(ctx, f.ann, id)
	if err != nil {
		f.t.Fatal(err)
	}
	return m.Indexed
}

func TestIndexedIsWhatHasAFreshVector(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("the first body"), f.add("the second body")
		s := f.inSpace("m")
		if f.shownIndexed(a.ID) {
			t.Error("indexed before anything was")
		}
		seq := f.seq(f.ann)
		f.embed(s, a.ID, b.ID)
		if !f.shownIndexed(a.ID) || f.seq(f.ann) != seq+2 {
			t.Errorf("indexed: %v, log moved by %d", f.shownIndexed(a.ID), f.seq(f.ann)-seq)
		}
		edited, err := f.Patch(ctx, f.ann, me, a.ID, 0, api.MemoryPatch{Body: api.Ptr("another body")})
		if err != nil || edited.Indexed || f.shownIndexed(a.ID) {
			t.Errorf("an edited body is indexed: %+v, %v", edited.Indexed, err)
		}
		back, err := f.Patch(ctx, f.ann, me, a.ID, 0, api.MemoryPatch{Body: api.Ptr("the first body")})
		if err != nil || !back.Indexed {
			t.Errorf("the body that the vector is of is not indexed: %v", err)
		}
		st, err := f.Stats(ctx, f.ann)
		if err != nil || st.NotIndexed != 0 {
			t.Errorf("%d not indexed, %v", st.NotIndexed, err)
		}
		merged, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: "the first body"})
		if err != nil || merged.Indexed {
			t.Errorf("a merged memory took over a vector: %v", err)
		}
		if st, _ := f.Stats(ctx, f.ann); st.NotIndexed != 1 || st.Active != 1 {
			t.Errorf("%+v", st)
		}
		f.inSpace("n")
		if f.shownIndexed(a.ID) {
			t.Error("indexed in another space")
		}
		f.inSpace("m")
		if !f.shownIndexed(a.ID) {
			t.Error("going back to the space lost a vector")
		}
		if _, err := f.Purge(ctx, f.ann, me, []int64{a.ID}); err != nil {
			t.Fatal(err)
		}
		if n := f.vectors(); n != 1 {
			t.Errorf("%d vectors after a purge of one of two", n)
		}
	})
}

func (f *fixture) vectors() (n int) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		return tx.Row(`SELECT COUNT(*) FROM embedding_vector WHERE owner_id = ?`, []any{int64(f.ann)}, &n)
	})
	return n
}

// Whatever was embedded, edited and switched: what Go, SQL and the catalogue call
// indexed is the same.
func TestIndexedIsOneDecision(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		rapid.Check(t, func(t *rapid.T) {
			models := []string{"m", "n"}
			space := f.inSpace(models[0])
			var ids []int64
			for i := range 4 {
				ids = append(ids, f.add(rapid.StringMatching(`[a-z]{12}`).Draw(t, "body")+string(rune('a'+i))).ID)
			}
			for range rapid.IntRange(1, 10).Draw(t, "steps") {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				switch rapid.IntRange(0, 3).Draw(t, "step") {
				case 0:
					space = f.inSpace(rapid.SampledFrom(models).Draw(t, "model"))
				case 1, 2:
					f.embed(space, id)
				case 3:
					if _, err := f.Patch(ctx, f.ann, me, id, 0, api.MemoryPatch{Body: api.Ptr(rapid.StringMatching(`[a-z]{12}`).Draw(t, "body"))}); err != nil {
						t.Fatal(err)
					}
				}
			}
			var byBrief, bySQL, byRow, missing []int64
			f.view(func(tx *db.Tx) error {
				for b, err := range f.Briefs(tx, f.ann, nil) {
					if err != nil {
						return err
					}
					if b.Status == Active && !b.Indexed {
						byBrief = append(byBrief, b.ID)
					}
				}
				where, args := Predicate(api.MemoryQuery{NotIndexed: true}, f.rules.terms, 0).SQL()
				rows := tx.Query(`SELECT id FROM memory WHERE owner_id = ? AND `+where+` ORDER BY id`, append([]any{int64(f.ann)}, args...)...)
				defer rows.Close()
				for rows.Next() {
					var id int64
					if err := rows.Scan(&id); err != nil {
						return err
					}
					bySQL = append(bySQL, id)
				}
				if err := rows.Err(); err != nil {
					return err
				}
				rows.Close()
				now, err := embedding.Current(tx)
				if err != nil {
					return err
				}
				bodies, err := f.Bodies(tx, f.ann, 0, 10_000)
				if err != nil {
					return err
				}
				slices.Reverse(bodies)
				if missing, err = embedding.MissingOf(tx, f.ann, now, bodies); err != nil {
					return err
				}
				var all []int64
				for _, b := range bodies {
					all = append(all, b.Memory)
				}
				list, err := f.Rows(tx, f.ann, all)
				for _, m := range list {
					if !m.Indexed {
						byRow = append(byRow, m.ID)
					}
				}
				return err
			})
			if !slices.Equal(byBrief, bySQL) || !slices.Equal(byBrief, byRow) || !slices.Equal(byBrief, missing) {
				t.Fatalf("briefs %v, SQL %v, rows %v, missing %v", byBrief, bySQL, byRow, missing)
			}
			indexed, total := 0, 0
			f.view(func(tx *db.Tx) (err error) { indexed, total, err = f.CountIndexed(tx, f.ann); return err })
			if total-indexed != len(byBrief) {
				t.Fatalf("%d of %d are indexed, %d are not", indexed, total, len(byBrief))
			}
		})
	})
}

func TestBodiesComeNewestFirst(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var ids []int64
		for _, body := range []string{"one", "two", "three"} {
			ids = append(ids, f.add(body).ID)
		}
		f.trash(ids[1])
		f.view(func(tx *db.Tx) error {
			list, err := f.Bodies(tx, f.ann, 0, 1)
			if err != nil || len(list) != 1 || list[0].Memory != ids[2] {
				t.Errorf("%v %v", list, err)
			}
			list, err = f.Bodies(tx, f.ann, ids[2], 5)
			if err != nil || len(list) != 1 || list[0].Memory != ids[0] || list[0].Hash != audit.Hash("one") {
				t.Errorf("%v %v", list, err)
			}
			texts, err := f.Texts(tx, f.ann, ids)
			if err != nil || len(texts) != 2 || texts[0].Text != "three" || texts[1].Revision != 1 {
				t.Errorf("%v %v", texts, err)
			}
			return nil
		})
	})
}

// Token vectors are told of as vectors are: those of the body as it is, by the Reranker
// in use, in whatever space or none; a body in another language has none.
func TestLateIndexedIsWhatHasFreshTokenVectors(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.SetTokens("now")
		a, b := f.add("the first body"), f.add("druhý text")
		put := func(source string, id int64, packed []byte) {
			t.Helper()
			f.update(func(tx *db.Tx) error {
				bodies, err := f.BodiesOf(tx, f.ann, []int64{id})
				if err != nil {
					return err
				}
				_, err = late.Put(tx, f.ann, source, []late.Item{{Memory: id, BodyHash: bodies[0].Hash, Vectors: packed}})
				return err
			})
		}
		shown := func(want bool, what string) {
			t.Helper()
			one, err := f.Get(ctx, f.ann, a.ID)
			if err != nil || one.LateIndexed != want {
				t.Errorf("%s: alone %v, %v", what, one.LateIndexed, err)
			}
			f.view(func(tx *db.Tx) error {
				detail, err := f.Detail(tx, f.ann, a.ID, 30)
				if err != nil || detail.Memory.LateIndexed != want {
					t.Errorf("%s: in the detail %v, %v", what, detail.Memory.LateIndexed, err)
				}
				rows, err := f.Rows(tx, f.ann, []int64{a.ID})
				if err == nil && rows[0].LateIndexed != want {
					t.Errorf("%s: in a list %v", what, rows[0].LateIndexed)
				}
				return err
			})
		}
		shown(false, "before")
		put("older", a.ID, make([]byte, late.TokenBytes))
		shown(false, "by another Reranker")
		put("now", a.ID, make([]byte, late.TokenBytes))
		put("now", b.ID, nil)
		shown(true, "without a space")
		f.inSpace("m")
		shown(true, "in a space")
		if m, _ := f.Get(ctx, f.ann, b.ID); m.LateIndexed {
			t.Error("a body in another language has token vectors")
		}
		if _, err := f.Patch(ctx, f.ann, me, a.ID, 0, api.MemoryPatch{Body: api.Ptr("another body")}); err != nil {
			t.Fatal(err)
		}
		shown(false, "after an edit")
		if _, err := f.Patch(ctx, f.ann, me, a.ID, 0, api.MemoryPatch{Body: api.Ptr("the first body")}); err != nil {
			t.Fatal(err)
		}
		shown(true, "as it was")
		merged, err := f.Merge(ctx, f.ann, me, api.MemoryMerge{IDs: []int64{a.ID, b.ID}, Body: "the first body"})
		if err != nil || merged.LateIndexed {
			t.Errorf("a merged memory took over token vectors: %v", err)
		}
	})
}
