package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestByMeaningAndByWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		dog := w.add("Rex is a hound who wants his promenade at seven.")
		coffee := w.add("Espresso keeps me awake, so none after lunch.")
		w.add("The invoice template is in the shared folder.")
		w.add("Tuesday's meeting was moved to the small room.")
		got := w.retrieve(api.RetrieveRequest{Query: "When do I walk the dog?"})
		same(t, "by meaning", idsOf(got), dog)
		if got.Path != api.PathSemantic || got.Note != "" || got.Considered != 4 {
			t.Errorf("path %s, note %q, %d considered", got.Path, got.Note, got.Considered)
		}
		same(t, "by meaning", w.ids("May I have caffeine with milk?"), coffee)
		got = w.retrieve(api.RetrieveRequest{Query: "where is the invoice template"})
		if len(got.Memories) != 1 || !strings.Contains(got.Memories[0].Body, "invoice") {
			t.Errorf("by words: %+v", got.Memories)
		}
		c := got.Candidates[0]
		if c.Reason != api.ReasonPicked || c.Similarity == nil || c.Keyword <= 0 || c.Late != nil || c.Vitality != 50 || c.Importance != 5 || c.Body == "" {
			t.Errorf("%+v", c)
		}
		for i, o := range got.Candidates[1:] {
			if o.Reason != api.ReasonFloor || o.Score > got.Candidates[i].Score {
				t.Errorf("after the picked one: %+v", o)
			}
		}
		same(t, "nonsense", w.ids("quarterly saxophone glacier permits"))
		m, err := w.memories.Get(ctx, w.ann, dog)
		if err != nil || m.UseCount != 0 || m.LastUsedAt != nil {
			t.Errorf("it was counted: %+v, %v", m, err)
		}
	})
}

// A question that asks for nothing makes no request.
func TestNothingIsAskedForNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		w.add("ok go on thanks: what Rex is told on a walk with the dog")
		for _, q := range []string{"", "  \n ", "?!", "ok", "OK.", "Go on!", "thanks", "ano", "はい", "👍", "ok, go on"} {
			got := w.retrieve(api.RetrieveRequest{Query: q})
			if len(got.Memories) > 0 || len(got.Candidates) > 0 || got.Considered != 0 || got.Candidates == nil || got.Memories == nil {
				t.Errorf("%q finds %+v", q, got)
			}
		}
		if n := w.model.questions(); n != 0 {
			t.Errorf("%d requests: %q", n, w.model.asked)
		}
		w.ids("walk the dog")
		w.ids("walk the dog")
		if n := w.model.questions(); n != 1 {
			t.Errorf("%d requests for the same question twice", n)
		}
	})
}

// Excluding the best two of a cap of two gives the third and the fourth; excluding all
// gives nothing.
func TestExclusionLeavesNoGap(t *testing.T) {
	for _, on := range []bool{true, false} {
		each(t, func(t *testing.T, w *world) {
			if on {
				w.on("m")
			}
			var ids []int64
			for i := range 6 {
				about := []string{"milk and dogs", "a car in the port", "her sister's birthday", "rent for a boat", "the doctor", "coffee on a walk"}[i]
				ids = append(ids, w.add("The violin lesson with Katarina Blomqvist was about "+about+".", importance(10-i)))
			}
			w.add("Nothing of that kind stands here.")
			q := api.RetrieveRequest{Query: "violin lesson with Katarina Blomqvist", Limit: api.Ptr(2)}
			first := idsOf(w.retrieve(q))
			all := idsOf(w.retrieve(api.RetrieveRequest{Query: q.Query}))
			if len(first) != 2 || len(all) < 4 || first[0] != all[0] || first[1] != all[1] {
				t.Fatalf("first %v of %v", first, all)
			}
			q.Exclude = all[:2]
			got := w.retrieve(q)
			same(t, "without the first two", idsOf(got), all[2], all[3])
			by := reasons(got)
			if by[all[0]] != api.ReasonExcluded || by[all[1]] != api.ReasonExcluded || by[all[2]] != api.ReasonPicked {
				t.Errorf("reasons %v", by)
			}
			q.Exclude = ids
			if got := w.retrieve(q); len(got.Memories) != 0 {
				t.Errorf("all are excluded, and %v is found", idsOf(got))
			}
		})
	}
}

// delivered is what a conversation has seen, by body.
type delivered map[int64]string

func (d delivered) IDs() (ids []int64) {
	for id := range d {
		ids = append(ids, id)
	}
	return ids
}

func (d delivered) Has(id int64, hash string) bool { return d[id] == hash }

func TestAChangedBodyComesAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		id := w.add("The violin teacher is called Katarina Blomqvist.")
		got, err := w.Recall(ctx, w.ann, Request{Query: "who teaches the violin"})
		if err != nil || len(got.Memories) != 1 || got.Memories[0].Owner != w.ann || got.Memories[0].BodyHash == "" {
			t.Fatalf("%+v, %v", got, err)
		}
		seen := delivered{id: got.Memories[0].BodyHash}
		if got, err = w.Recall(ctx, w.ann, Request{Query: "who teaches the violin", Exclude: seen}); err != nil || len(got.Memories) != 0 {
			t.Errorf("what was delivered comes again: %+v, %v", got, err)
		}
		if _, err := w.memories.Patch(ctx, w.ann, me, id, 0, api.MemoryPatch{Body: api.Ptr("The violin teacher is called Ove Lind.")}); err != nil {
			t.Fatal(err)
		}
		w.index(w.ann, id)
		if got, err = w.Recall(ctx, w.ann, Request{Query: "who teaches the violin", Exclude: seen}); err != nil || len(got.Memories) != 1 {
			t.Errorf("the new body does not come: %+v, %v", got, err)
		}
	})
}

func TestOnlyWhatIsPermittedAndActive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		own := w.add("The violin is with the luthier Mertens until Friday.")
		filed := w.add("The violin case has the code 4711, says Mertens.", nowhere)
		gone := w.add("The violin strings of Mertens are too old.")
		if _, err := w.memories.Trash(ctx, w.ann, me, gone, 0, ""); err != nil {
			t.Fatal(err)
		}
		other := w.addTo(w.bob, "The violin of Mertens costs too much.")
		w.index(w.bob, other)
		got := w.retrieve(api.RetrieveRequest{Query: "violin Mertens", Exclude: []int64{filed, gone, other}})
		same(t, "found", idsOf(got), own)
		if len(got.Candidates) != 1 || got.Considered != 1 {
			t.Errorf("others are candidates: %+v", got.Candidates)
		}
		before := got.Candidates[0]
		// What others have moves nothing.
		for i := range 20 {
			w.index(w.bob, w.addTo(w.bob, fmt.Sprintf("Mertens and the violin, part %d", i)))
		}
		after := w.retrieve(api.RetrieveRequest{Query: "violin Mertens"}).Candidates[0]
		if before.Keyword != after.Keyword || before.Relevance != after.Relevance || before.Score != after.Score {
			t.Errorf("another account's memories moved %+v to %+v", before, after)
		}
		// One that is filed is recalled.
		if _, err := w.memories.SetCategory(ctx, w.ann, me, filed, 0, api.CategoryChoice{CategoryID: &w.shelf}); err != nil {
			t.Fatal(err)
		}
		if n := len(w.ids("violin Mertens")); n != 2 {
			t.Errorf("%d found after filing", n)
		}
		if _, err := w.Retrieve(ctx, w.ann, api.RetrieveRequest{Query: "violin", ProjectID: 7}); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}

// lent is a scope of shares.
func lent(list ...category.Share) Scope {
	return func(*db.Tx, db.AccountID, int64) ([]category.Share, error) { return slices.Clone(list), nil }
}

func TestTwoOwnersAreOne(t *testing.T) {
	for _, on := range []bool{true, false} {
		each(t, func(t *testing.T, w *world) {
			if on {
				w.on("m")
			}
			mine := w.add("The violin lesson of Mertens is on Friday.")
			shared := w.addTo(w.bob, "Lessons of Mertens on the violin cost forty.")
			w.index(w.bob, shared)
			alone := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})
			same(t, "alone", idsOf(alone), mine)
			own, other := category.Share{Owner: w.ann, Categories: []int64{w.shelf}}, category.Share{Owner: w.bob, Categories: w.shelves(w.bob)}
			w.scope = lent(other, own)
			got := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})
			if len(got.Memories) != 2 || reasons(got)[shared] != api.ReasonPicked {
				t.Errorf("both: %+v", got.Candidates)
			}
			if got.Candidates[0].Keyword == alone.Candidates[0].Keyword {
				t.Error("the figures of both are those of one")
			}
			w.scope = lent(category.Share{Owner: w.bob}, own)
			same(t, "without categories", idsOf(w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})), mine)
			w.scope = lent()
			same(t, "without parts", idsOf(w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})))
		})
	}
}

func TestOneMemoryIsFoundByItsWords(t *testing.T) {
	w := open(t)
	id := w.add("The boathouse key hangs behind the barometer.")
	got := w.retrieve(api.RetrieveRequest{Query: "boathouse key"})
	same(t, "found", idsOf(got), id)
	if got.Path != api.PathKeyword || !strings.Contains(got.Note, "no embedding model") {
		t.Errorf("%s %q", got.Path, got.Note)
	}
	same(t, "another question", w.ids("which key signature has three sharps"))
}

func TestAModelThatFailsIsSaid(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		id := w.add("The violin lesson of Mertens is on Friday.")
		w.model.hold = func(context.Context) error { return fault.New(fault.Unavailable, "http://m refused the connection.") }
		got := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})
		same(t, "by words", idsOf(got), id)
		if got.Path != api.PathKeyword || !strings.Contains(got.Note, "refused the connection") || got.Candidates[0].Similarity != nil {
			t.Errorf("%s %q %+v", got.Path, got.Note, got.Candidates)
		}
		// One that hangs is given up before the caller's own deadline.
		w.model.hold = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		hurried, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		got, err := w.Retrieve(hurried, w.ann, api.RetrieveRequest{Query: "lesson with Mertens"})
		if err != nil || len(got.Memories) != 1 || got.Note == "" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// A model that answers vectors of another width than it did is as one that is down.
func TestAnotherWidth(t *testing.T) {
	w := open(t)
	w.on("m")
	id := w.add("The violin lesson of Mertens is on Friday.")
	w.questions.put(w.snapshot.ID, "violin lesson Mertens", make([]float32, 7))
	got := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})
	same(t, "by words", idsOf(got), id)
	if got.Path != api.PathKeyword || !strings.Contains(got.Note, "7 numbers") {
		t.Errorf("%s, %q", got.Path, got.Note)
	}
}

// A memory without a fresh vector competes by words, and the answer says how far the
// index is.
func TestHalfAnIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		a := w.add("The violin lesson of Mertens is on Friday.")
		b := w.addTo(w.ann, "Mertens gives the violin lesson at his place.")
		got := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"})
		if by := reasons(got); by[a] != api.ReasonPicked || by[b] != api.ReasonPicked || got.Note != "1 of 2 indexed for m." {
			t.Errorf("%v, %q", by, got.Note)
		}
		for _, c := range got.Candidates {
			if (c.Similarity == nil) != (c.ID == b) {
				t.Errorf("%+v", c)
			}
		}
		// The same after an edit: its vector is of another body.
		w.index(w.ann, b)
		if _, err := w.memories.Patch(ctx, w.ann, me, b, 0, api.MemoryPatch{Body: api.Ptr("Mertens gave the violin lesson up.")}); err != nil {
			t.Fatal(err)
		}
		for _, c := range w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens"}).Candidates {
			if c.ID == b && c.Similarity != nil {
				t.Errorf("the vector of an older body counts: %+v", c)
			}
		}
	})
}

// A model that is changed between the question and its answer is asked again; nothing
// is compared across spaces.
func TestTheModelIsChangedMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("a")
		id := w.add("The violin lesson of Mertens is on Friday.")
		first, next := w.model, &sense{in: embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://b", Model: "b"}}
		first.hold = func(context.Context) error { first.hold = nil; w.use(next); return nil }
		got := w.retrieve(api.RetrieveRequest{Query: "fiddle lessons by Mertens"})
		if len(next.asked) != 1 || got.Candidates[0].Similarity != nil || got.Note != "0 of 1 indexed for b." {
			t.Errorf("b was asked %v; %q %+v", next.asked, got.Note, got.Candidates)
		}
		w.use(first)
		if got := w.retrieve(api.RetrieveRequest{Query: "fiddle lessons by Mertens"}); got.Candidates[0].Similarity == nil || got.Candidates[0].ID != id || first.questions() != 1 {
			t.Errorf("back at a: %+v, asked %v", got.Candidates, first.asked)
		}
	})
}

func TestPackingAndDates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("m")
		long := w.add("The violin lesson of Mertens on Friday. "+strings.Repeat("And so on and so forth. ", 40), importance(10))
		twin := w.add("The fiddle lesson of Mertens on Friday!")
		short := w.add("The violin lesson of Mertens on Friday!", importance(9))
		w.clock.Advance(24 * 3600_000)
		later := w.add("A violin lesson of Mertens in Hamburg costs forty.")
		got := w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens", Bytes: api.Ptr(200)})
		by := reasons(got)
		if by[long] != api.ReasonBytes || by[short] != api.ReasonPicked || by[twin] != api.ReasonDuplicate || by[later] != api.ReasonPicked {
			t.Errorf("reasons %v of %d, %d, %d, %d", by, long, twin, short, later)
		}
		for _, c := range got.Candidates {
			if c.ID == twin && c.DuplicateOf != short {
				t.Errorf("a duplicate of %d", c.DuplicateOf)
			}
		}
		got = w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens", Limit: api.Ptr(1)})
		if by := reasons(got); len(got.Memories) != 1 || by[later] != api.ReasonCount {
			t.Errorf("reasons %v", by)
		}
		noon := api.Time(w.clock.Now() - 3600_000)
		same(t, "after", idsOf(w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens", After: &noon})), later)
		for _, id := range idsOf(w.retrieve(api.RetrieveRequest{Query: "violin lesson Mertens", Before: &noon})) {
			if id == later {
				t.Error("before, and there it is")
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	w := open(t)
	for name, in := range map[string]api.RetrieveRequest{
		"limit 0": {Query: "x", Limit: api.Ptr(0)}, "limit 101": {Query: "x", Limit: api.Ptr(101)},
		"bytes 0": {Query: "x", Bytes: api.Ptr(0)}, "bytes 200001": {Query: "x", Bytes: api.Ptr(200_001)},
		"too many": {Query: "x", Exclude: many(5_001)}, "long": {Query: strings.Repeat("x", 20_001)},
	} {
		if _, err := w.Retrieve(ctx, w.ann, in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.Retrieve(ctx, w.ann, api.RetrieveRequest{Query: "x", Exclude: many(5_000), Limit: api.Ptr(100), Bytes: api.Ptr(200_000)}); err != nil {
		t.Error(err)
	}
}

func many(n int) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i + 1)
	}
	return ids
}

func TestSettings(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.on("a")
		now, err := w.SaveRuntime(ctx, api.RuntimeChange{Revision: 1, RelevanceFloor: api.Some(800), ImportanceWeight: api.Some(0)})
		if err != nil || *now.Runtime.RelevanceFloor != 800 || now.Runtime.ImportanceWeight != 0 || now.Runtime.VitalityWeight != 100 || !now.Runtime.LateInteraction {
			t.Fatalf("%+v, %v", now, err)
		}
		if _, err := w.SaveLimits(ctx, api.LimitsChange{Revision: 1, RecallCount: api.Some(3)}); !fault.Is(err, fault.Stale) {
			t.Error(err)
		}
		if _, err := w.SaveLimits(ctx, api.LimitsChange{Revision: now.Revision, RecallCount: api.Some(0)}); !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
		now, err = w.SaveLimits(ctx, api.LimitsChange{Revision: now.Revision, RecallCount: api.Some(1)})
		if err != nil || now.Limits != (api.Limits{RecallCount: 1, RecallBytes: 20_000, RecallWaitMs: 5_000, LiveSearches: 10, LivePerSearch: 2, LiveBytes: 20_000}) {
			t.Fatalf("%+v, %v", now, err)
		}
		w.add("The violin lesson of Mertens is on Friday.")
		w.add("Mertens gives another violin lesson in Hamburg.")
		if got := w.ids("violin lesson Mertens"); len(got) != 1 {
			t.Errorf("%v with a limit of one", got)
		}
		same(t, "above a high floor", w.ids("walk"))
		// The floor was of that model.
		w.on("b")
		w.view(func(tx *db.Tx) error {
			set, err := readSet(tx)
			if set.runtime.RelevanceFloor != nil || set.runtime.ImportanceWeight != 0 {
				t.Errorf("under another model: %+v", set.runtime)
			}
			return err
		})
		w.use(&sense{in: embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://a", Model: "a"}})
		now, err = w.SaveRuntime(ctx, api.RuntimeChange{Revision: now.Revision, RelevanceFloor: api.Null[int]()})
		if err != nil || now.Runtime.RelevanceFloor != nil {
			t.Errorf("%+v, %v", now.Runtime, err)
		}
	})
}
