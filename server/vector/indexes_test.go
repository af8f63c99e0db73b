package vector_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/vector"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	ctx = context.Background()
	me  = audit.Actor{Name: "user:1"}
)

const width = 5

type house struct {
	t        testing.TB
	d        *db.DB
	memories *memory.Store
	shelves  *category.Store
	snapshot *embedding.Snapshot
	ann, bob db.AccountID
}

func newHouse(t testing.TB, d *db.DB) *house {
	h := &house{t: t, d: d}
	h.shelves = category.New(d, memory.CountByCategory)
	h.memories = memory.New(d, h.shelves, retention.NewSettings())
	accounts := account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}, OnCreate: h.shelves.Seed})
	for name, id := range map[string]*db.AccountID{"ann": &h.ann, "bob": &h.bob} {
		p, err := accounts.Add(ctx, api.PersonAdd{Name: name, Role: api.RoleMember})
		if err != nil {
			t.Fatal(err)
		}
		*id = db.AccountID(p.ID)
	}
	h.use("m")
	return h
}

func each(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) { test(t, newHouse(t, d)) })
}

func (h *house) use(model string) {
	h.t.Helper()
	var s embedding.Stored
	if err := h.d.Update(ctx, func(tx *db.Tx) (err error) {
		s, _, err = embedding.Activate(tx, embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://e", Model: model})
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	h.snapshot = &embedding.Snapshot{Stored: s}
}

// add adds a memory; parts are what its vectors are of.
func (h *house) add(owner db.AccountID, category int64, parts ...string) int64 {
	h.t.Helper()
	in := api.MemoryAdd{Body: fmt.Sprint(parts)}
	if category > 0 {
		in.CategoryID = api.Some(category)
	} else if category < 0 {
		in.CategoryID = api.Null[int64]()
	}
	m, err := h.memories.Add(ctx, owner, me, api.SourceUser, in)
	if err != nil {
		h.t.Fatal(err)
	}
	h.embed(owner, m.ID, parts...)
	return m.ID
}

func (h *house) embed(owner db.AccountID, id int64, parts ...string) {
	h.t.Helper()
	err := h.d.Update(ctx, func(tx *db.Tx) error {
		bodies, err := h.memories.BodiesOf(tx, owner, []int64{id})
		if err != nil || len(bodies) == 0 {
			return err
		}
		it := embedding.Item{Memory: id, BodyHash: bodies[0].Hash, Script: "Latn"}
		for _, p := range parts {
			it.Vectors = append(it.Vectors, embeddingtest.Vector("m", p, width))
		}
		_, err = embedding.Put(tx, owner, h.snapshot.ID, []embedding.Item{it})
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// found are the memories that are found for a text, the nearest first.
func (h *house) found(x *vector.Indexes, owner db.AccountID, text string, f vector.Filter, k int) (ids []int64, hits []vector.Hit) {
	h.t.Helper()
	err := h.d.View(ctx, func(tx *db.Tx) (err error) {
		hits, _, err = x.Search(tx, owner, h.snapshot, embeddingtest.Vector("m", text, width), f, k)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, hit := range hits {
		ids = append(ids, hit.Memory)
	}
	return ids, hits
}

func TestSearchFollowsTheStore(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		x := vector.New(h.memories, 0)
		if ids, _ := h.found(x, h.ann, "one", vector.Filter{}, 5); len(ids) != 0 {
			t.Errorf("found %v in nothing", ids)
		}
		one, two := h.add(h.ann, 0, "one"), h.add(h.ann, 0, "two", "deux")
		h.add(h.bob, 0, "one")
		first := func(text string, want int64) {
			t.Helper()
			ids, hits := h.found(x, h.ann, text, vector.Filter{}, 5)
			if len(ids) == 0 || ids[0] != want || hits[0].Cosine < 0.9999 {
				t.Errorf("%s: found %+v, want %d first", text, hits, want)
			}
		}
		first("one", one)
		first("two", two)
		first("deux", two) // the best of its windows counts
		if ids, _ := h.found(x, h.ann, "one", vector.Filter{}, 5); len(ids) != 2 {
			t.Errorf("%v are ann's", ids)
		}
		// An edited body has no vector until it is embedded again.
		if _, err := h.memories.Patch(ctx, h.ann, me, one, 0, api.MemoryPatch{Body: api.Ptr("uno")}); err != nil {
			t.Fatal(err)
		}
		if ids, _ := h.found(x, h.ann, "one", vector.Filter{}, 5); slices.Contains(ids, one) {
			t.Error("an edited memory is found by its old body")
		}
		h.embed(h.ann, one, "uno")
		first("uno", one)
		// The trash is another place.
		if _, err := h.memories.Trash(ctx, h.ann, me, two, 0, ""); err != nil {
			t.Fatal(err)
		}
		if ids, _ := h.found(x, h.ann, "two", vector.Filter{}, 5); slices.Contains(ids, two) {
			t.Error("what is in the trash is found")
		}
		if ids, _ := h.found(x, h.ann, "two", vector.Filter{Status: memory.Deleted}, 5); !slices.Equal(ids, []int64{two}) {
			t.Errorf("the trash has %v", ids)
		}
		if _, err := h.memories.Purge(ctx, h.ann, me, []int64{two}); err != nil {
			t.Fatal(err)
		}
		if ids, _ := h.found(x, h.ann, "two", vector.Filter{Status: memory.Deleted}, 5); len(ids) != 0 {
			t.Errorf("a purged memory is found: %v", ids)
		}
		// Another space, and back.
		was := h.snapshot
		h.use("n")
		err := h.d.View(ctx, func(tx *db.Tx) error {
			_, _, err := x.Search(tx, h.ann, was, embeddingtest.Vector("m", "uno", width), vector.Filter{}, 5)
			return err
		})
		if !fault.Is(err, fault.Stale) {
			t.Errorf("compared across spaces: %v", err)
		}
		if ids, _ := h.found(x, h.ann, "uno", vector.Filter{}, 5); len(ids) != 0 {
			t.Errorf("found in another space: %v", ids)
		}
		h.use("m")
		first("uno", one)
		err = h.d.View(ctx, func(tx *db.Tx) error {
			_, _, err := x.Search(tx, h.ann, h.snapshot, []float32{1}, vector.Filter{}, 5)
			return err
		})
		if !fault.Is(err, fault.Corrupt) {
			t.Errorf("a question of another width: %v", err)
		}
	})
}

func TestFilters(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		x := vector.New(h.memories, 0)
		k, err := h.shelves.Add(ctx, h.ann, api.CategoryAdd{Name: "Garden"})
		if err != nil {
			t.Fatal(err)
		}
		garden, loose, other := h.add(h.ann, k.ID, "one"), h.add(h.ann, -1, "one"), h.add(h.ann, 0, "two")
		sees := func(what string, f vector.Filter, want ...int64) {
			t.Helper()
			ids, _ := h.found(x, h.ann, "one", f, 10)
			if !slices.Equal(ids, want) {
				t.Errorf("%s: %v, want %v", what, ids, want)
			}
		}
		sees("everything, the newer of equal ones first", vector.Filter{}, loose, garden, other)
		sees("one category", vector.Filter{Permitted: func(id int64) bool { return id == k.ID }}, garden)
		sees("none", vector.Filter{Permitted: func(id int64) bool { return id == 0 }}, loose)
		sees("nothing", vector.Filter{Permitted: func(int64) bool { return false }})
		sees("without one", vector.Filter{Excluded: []int64{loose, 4242}}, garden, other)
		if _, err := h.memories.SetCategory(ctx, h.ann, me, loose, 0, api.CategoryChoice{CategoryID: &k.ID}); err != nil {
			t.Fatal(err)
		}
		sees("filed meanwhile", vector.Filter{Permitted: func(id int64) bool { return id == k.ID }}, loose, garden)
		err = h.d.View(ctx, func(tx *db.Tx) error {
			like, err := x.Like(tx, h.ann, h.snapshot, garden, vector.Filter{}, 1)
			if err != nil || len(like) != 1 || like[0].Memory != loose {
				t.Errorf("like one: %v, %v", like, err)
			}
			none, err := x.Like(tx, h.ann, h.snapshot, 4242, vector.Filter{}, 1)
			if err != nil || len(none) != 0 {
				t.Errorf("like nothing: %v, %v", none, err)
			}
			vectors, err := x.Vectors(tx, h.ann, h.snapshot, []int64{garden, loose, other, 4242})
			if err != nil || len(vectors) != 3 || vector.Cosine(vectors[garden], vectors[loose]) < 0.9999 || vector.Cosine(vectors[garden], vectors[other]) > 0.99 {
				t.Errorf("vectors: %v, %v", vectors, err)
			}
			var all []int64
			if err := x.All(tx, h.ann, h.snapshot, vector.Filter{Excluded: []int64{other}}, func(id int64, v []float32) {
				if len(v) != width {
					t.Errorf("%d numbers", len(v))
				}
				all = append(all, id)
			}); err != nil {
				return err
			}
			slices.Sort(all)
			if !slices.Equal(all, []int64{garden, loose}) {
				t.Errorf("all: %v", all)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// With its background's mean taken off, what all vectors share tells nothing.
func TestMeansAreTakenOff(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	x := vector.New(h.memories, 0)
	id := h.add(h.ann, 0, "one")
	_, plain := h.found(x, h.ann, "two", vector.Filter{}, 1)
	means := embedding.Means{All: []float32{0.3, 0, 0, 0, -0.2}, Apart: [][]float32{{0, 0.6, 0.8, 0, 0}}}
	h.snapshot = &embedding.Snapshot{Stored: h.snapshot.Stored, Profile: embedding.Profile{
		Passages: means, Queries: means,
	}}
	_, centred := h.found(x, h.ann, "two", vector.Filter{}, 1)
	a, b := embeddingtest.Vector("m", "one", width), embeddingtest.Vector("m", "two", width)
	want := float64(vector.Dot(a, b))
	if math.Abs(plain[0].Cosine-want) > 1e-5 {
		t.Errorf("plain %v, want %v", plain[0].Cosine, want)
	}
	means.Centre(a)
	means.Centre(b)
	if apart := 0.6*a[1] + 0.8*a[2]; math.Abs(float64(apart)) > 1e-6 {
		t.Errorf("%v is left of what lies apart", apart)
	}
	if want := float64(vector.Dot(a, b)); math.Abs(centred[0].Cosine-want) > 1e-5 || centred[0].Memory != id {
		t.Errorf("centred %+v, want %v", centred[0], want)
	}
}

func TestTheLongestUnusedLeaves(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	h.add(h.ann, 0, "one")
	h.add(h.bob, 0, "one")
	x := vector.New(h.memories, 0)
	h.found(x, h.ann, "one", vector.Filter{}, 1)
	one, n := x.Bytes()
	if one == 0 || n != 1 {
		t.Fatalf("%d bytes of %d", one, n)
	}
	x = vector.New(h.memories, one+one/2)
	for range 3 {
		for _, owner := range []db.AccountID{h.ann, h.bob, h.bob} {
			if ids, _ := h.found(x, owner, "one", vector.Filter{}, 1); len(ids) != 1 {
				t.Errorf("found %v", ids)
			}
			if bytes, n := x.Bytes(); bytes > one+one/2 || n != 1 {
				t.Errorf("%d bytes of %d indexes, at most %d", bytes, n, one+one/2)
			}
		}
	}
}

// What is dropped takes no space, and is read again when it is asked for.
func TestDrop(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	h.add(h.ann, 0, "one")
	h.add(h.bob, 0, "one")
	x := vector.New(h.memories, 0)
	x.Drop(h.ann) // nothing is held yet
	h.found(x, h.ann, "one", vector.Filter{}, 1)
	one, _ := x.Bytes()
	h.found(x, h.bob, "one", vector.Filter{}, 1)
	x.Drop(h.bob)
	if bytes, n := x.Bytes(); bytes != one || n != 1 || one == 0 {
		t.Errorf("%d bytes of %d indexes, want %d of ann's", bytes, n, one)
	}
	if ids, _ := h.found(x, h.bob, "one", vector.Filter{}, 1); len(ids) != 1 {
		t.Errorf("found %v", ids)
	}
}

// After any changes, an index that followed them finds what one does that is read anew.
func TestFollowingIsReadingAnew(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		followed := vector.New(h.memories, 0)
		var ids []int64
		rapid.Check(t, func(t *rapid.T) {
			for range rapid.IntRange(1, 8).Draw(t, "steps") {
				part := func() string { return rapid.StringMatching(`[a-z]{4}`).Draw(t, "part") }
				kind := rapid.SampledFrom([]string{"add", "edit", "embed", "trash", "restore", "search"}).Draw(t, "kind")
				if kind == "add" || len(ids) == 0 {
					ids = append(ids, h.add(h.ann, int64(-rapid.IntRange(0, 1).Draw(t, "loose")), part(), part()))
					continue
				}
				id := rapid.SampledFrom(ids).Draw(t, "id")
				var err error
				switch kind {
				case "edit":
					_, err = h.memories.Patch(ctx, h.ann, me, id, 0, api.MemoryPatch{Body: api.Ptr(part())})
				case "embed":
					parts := []string{part(), part(), part()}
					h.embed(h.ann, id, parts[:rapid.IntRange(1, 3).Draw(t, "parts")]...)
				case "trash":
					if _, err = h.memories.Trash(ctx, h.ann, me, id, 0, ""); err == nil && rapid.Bool().Draw(t, "purge") {
						_, err = h.memories.Purge(ctx, h.ann, me, []int64{id})
						ids = slices.DeleteFunc(ids, func(x int64) bool { return x == id })
					}
				case "restore":
					_, err = h.memories.Restore(ctx, h.ann, me, id, 0, "")
				case "search":
					h.found(followed, h.ann, "abcd", vector.Filter{}, 3)
				}
				if err != nil && !fault.Is(err, fault.Invalid) {
					t.Fatal(err)
				}
			}
			f := vector.Filter{Status: memory.Status(rapid.IntRange(0, 1).Draw(t, "status"))}
			if rapid.Bool().Draw(t, "filed") {
				f.Permitted = func(id int64) bool { return id != 0 }
			}
			_, got := h.found(followed, h.ann, "abcd", f, 1000)
			_, want := h.found(vector.New(h.memories, 0), h.ann, "abcd", f, 1000)
			if !slices.Equal(got, want) {
				t.Fatalf("following %v, anew %v", got, want)
			}
		})
	})
}

// Searches and writes at the same time: nobody sees another's, and all ends well.
func TestTogether(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	x := vector.New(h.memories, 4096)
	var wg sync.WaitGroup
	for i, owner := range []db.AccountID{h.ann, h.bob, h.ann, h.bob} {
		wg.Go(func() {
			for n := range 15 {
				name := fmt.Sprint(i, " ", n)
				id := h.add(owner, 0, name)
				ids, hits := h.found(x, owner, name, vector.Filter{}, 1)
				if len(ids) != 1 || ids[0] != id || hits[0].Cosine < 0.9999 {
					t.Errorf("%s: %v, want %d", name, hits, id)
				}
			}
		})
	}
	wg.Wait()
}
