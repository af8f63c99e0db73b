package transcript

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/settings"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func texts(got api.TranscriptFound) (list []string) {
	for _, turn := range got.Turns {
		list = append(list, turn.Text)
	}
	return list
}

func TestByWords(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		one := h.add(h.ann, "Ann: Which colour did you paint the boathouse?", "Bo: Dark green", "Ann: And what did your mother say?", "Bo: She prefers red")
		two := h.add(h.ann, "Ann: The ferry leaves at noon", "Cy: Then we should hurry")
		h.add(h.bob, "Bob: My boathouse is blue", "Dee: I know")
		got := h.search(h.ann, api.TranscriptSearch{Query: "colour of the boathouse"})
		// The answer has none of the question's words; the turn before it has them.
		if list := texts(got); len(list) != 2 || !slices.Contains(list, "Dark green") || got.Path != api.PathKeyword || !strings.Contains(got.Note, "words alone") {
			t.Errorf("%q %s %q", list, got.Path, got.Note)
		}
		for _, turn := range got.Turns {
			if turn.ConversationID != one || turn.Surface != api.SurfaceTeamChat || turn.StartedAt != dbtest.Start || turn.At != dbtest.Start || turn.Keyword <= 0 || turn.Similarity != nil || turn.Late != nil || turn.Score <= 0 {
				t.Errorf("%+v", turn)
			}
		}
		if list := texts(h.search(h.ann, api.TranscriptSearch{Query: "ferry boathouse", ConversationID: two})); !slices.Equal(list, []string{"The ferry leaves at noon", "Then we should hurry"}) && !slices.Equal(list, []string{"Then we should hurry", "The ferry leaves at noon"}) {
			t.Errorf("in one conversation: %q", list)
		}
		if list := texts(h.search(h.ann, api.TranscriptSearch{Query: "boathouse ferry", Limit: api.Ptr(1)})); len(list) != 1 {
			t.Errorf("one: %q", list)
		}
		// The day on which it was said, and who said it.
		if list := texts(h.search(h.ann, api.TranscriptSearch{Query: "what did Cy say on 30 November 2026?"})); len(list) == 0 || list[0] != "Then we should hurry" {
			t.Errorf("by day and speaker: %q", list)
		}
		for _, q := range []string{"", "  ", "?!", "\u200d", "xylophone", `" OR (NEAR *`, strings.Repeat("boat ", 300)} {
			got := h.search(h.ann, api.TranscriptSearch{Query: q})
			if got.Turns == nil || len(got.Turns) > 0 {
				t.Errorf("%q finds %q", q, texts(got))
			}
		}
		for what, in := range map[string]api.TranscriptSearch{
			"too many": {Query: "a", Limit: api.Ptr(51)}, "none": {Query: "a", Limit: api.Ptr(0)}, "NUL": {Query: "a\x00"}, "an id of nothing": {Query: "a", ConversationID: -1},
		} {
			_, err := h.s.Search(ctx, h.ann, in)
			h.refused(what, err, fault.Invalid)
		}
		h.tallies()
	})
}

func TestByMeaning(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.use(&sense{name: "m"})
		h.add(h.ann, "Ann: We took the dog along for a walk", "Bo: Lovely weather today", "Ann: Later we had coffee by the port", strings.Replace("Bo: "+strings.Repeat("and so forth ", 12), "so", "espresso", 1))
		if got := h.search(h.ann, api.TranscriptSearch{Query: "hound stroll"}); len(got.Turns) != 0 || !strings.HasPrefix(got.Note, "0 of 4 turns indexed for m") {
			t.Errorf("before it is indexed: %q, %q", texts(got), got.Note)
		}
		h.drain()
		got := h.search(h.ann, api.TranscriptSearch{Query: "hound stroll"})
		if len(got.Turns) == 0 || got.Turns[0].Text != "We took the dog along for a walk" || got.Turns[0].Similarity == nil || got.Turns[0].Keyword != 0 || got.Path != api.PathSemantic || got.Note != "" {
			t.Errorf("%q %s %q", texts(got), got.Path, got.Note)
		}
		// A model that answers questions otherwise than it did turns.
		h.use(wide{&sense{name: "m"}})
		if got := h.search(h.ann, api.TranscriptSearch{Query: "dog"}); len(got.Turns) == 0 || !strings.Contains(got.Note, "numbers") || got.Path != api.PathKeyword {
			t.Errorf("%q %q", texts(got), got.Note)
		}
		h.use(nil)
		if got := h.search(h.ann, api.TranscriptSearch{Query: "dog"}); len(got.Turns) == 0 || got.Path != api.PathKeyword {
			t.Errorf("%q %q", texts(got), got.Note)
		}
	})
}

// wide asks questions in more numbers than passages.
type wide struct{ *sense }

func (w wide) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	out, err := w.sense.Embed(ctx, texts, kind)
	if kind == embedding.Query {
		for i := range out {
			out[i].Vectors = [][]float32{append(out[i].Vectors[0], 1)}
		}
	}
	return out, err
}

// Late interaction looks at the turns on both sides, and orders those that words leave
// alike.
func TestLateLooksBeside(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, "Ann: The lighthouse keeper owns it", "Bo: Cats like sardines and sun", "Ann: Nobody has seen the parrot")
		h.add(h.ann, "Ann: Nothing of interest today", "Bo: Cats like sardines and sun", "Ann: Nothing else to tell you")
		h.add(h.ann, "Ann: Ich habe keine Zeit und du hast auch nicht", "Bo: Das ist aber nicht mein Problem mit den Cats")
		h.drain()
		got := h.search(h.ann, api.TranscriptSearch{Query: "which cats saw a parrot ?"})
		first := got.Turns[0].ConversationID
		var beside, plain *float64
		for _, turn := range got.Turns {
			switch {
			case turn.Text != "Cats like sardines and sun":
			case turn.ConversationID == first:
				beside = turn.Late
			default:
				plain = turn.Late
			}
		}
		if beside == nil || plain == nil || *beside <= *plain {
			t.Errorf("%v beside the answer, %v elsewhere: %+v", beside, plain, got.Turns)
		}
		for _, turn := range got.Turns {
			if strings.HasPrefix(turn.Text, "Das ist") && turn.Late != nil {
				t.Error("late interaction in a language that it doesn't know")
			}
		}
	})
}

// Where late interaction panics it takes no part.
func TestLateOutlivesAPanic(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, "Ann: The lighthouse keeper owns a parrot", "Bo: Cats like sardines and sun")
		h.drain()
		asked := 0
		h.s.o.Background = func() words.Background {
			if asked++; asked == 1 { // on the goroutine; later ones are the request's own
				panic("the words broke")
			}
			return nil
		}
		got := h.search(h.ann, api.TranscriptSearch{Query: "who has a parrot ?"})
		if asked == 0 || len(got.Turns) == 0 || got.Turns[0].Late != nil {
			t.Errorf("asked %d times: %+v", asked, got.Turns)
		}
	})
}

// Where late interaction is switched off it takes no part, and the setting is looked at
// for each question.
func TestLateOff(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, "Ann: The lighthouse keeper owns a parrot", "Bo: Cats like sardines and sun")
		h.drain()
		for _, on := range []bool{true, false, true} {
			if err := h.d.Update(ctx, func(tx *db.Tx) error {
				return settings.ChangeRuntime(tx, 0, api.RuntimeChange{LateInteraction: api.Some(on)})
			}); err != nil {
				t.Fatal(err)
			}
			got := h.search(h.ann, api.TranscriptSearch{Query: "who has a parrot ?"})
			if len(got.Turns) == 0 || (got.Turns[0].Late != nil) != on {
				t.Errorf("late interaction %v: %+v", on, got.Turns)
			}
		}
	})
}

// Turns are indexed after memories, the newest first, and from the rows alone.
func TestIndexedInTheBackground(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, lines(20)...)
		h.add(h.bob, "Bob: mine")
		e := &sense{name: "m"}
		noted := false
		e.hold = func([]string) {
			if !noted { // while a turn is being embedded
				noted = true
				if _, err := h.memories.Add(ctx, h.ann, me, api.SourceUser, api.MemoryAdd{Body: "a new memory"}); err != nil {
					t.Error(err)
				}
			}
		}
		h.use(e)
		h.drain()
		told := e.embedded()
		at := slices.Index(told, "a new memory")
		if at < 0 || at > 6 {
			t.Errorf("the memory is number %d of %d", at, len(told))
		}
		var own []string
		for _, text := range told {
			if strings.Contains(text, "Ann: turn number") && !strings.Contains(text, "\n") {
				own = append(own, text)
			}
		}
		if len(own) != 20 || !strings.Contains(own[0], "number 19 ") || !strings.Contains(own[19], "number 0 ") {
			t.Errorf("%q", own)
		}
		if n := h.rows("turn_embedding"); n != 21 {
			t.Errorf("%d turns have vectors", n)
		}
		h.start()
		h.drain()
		if again := e.embedded(); len(again) > 0 {
			t.Errorf("embedded again: %q", again)
		}
		// Another model, and back: what there is stays, and is used again.
		other := &sense{name: "n"}
		h.use(other)
		h.drain()
		if n := len(other.embedded()); n != 21*2-2+1 {
			t.Errorf("%d texts for the other model", n)
		}
		h.use(e)
		h.drain()
		if again := e.embedded(); len(again) > 0 {
			t.Errorf("embedded again: %q", again)
		}
	})
}

// A transcript is few lines of the account's log however long it is, so that nobody who
// follows the log has to begin anew for it; its turns are indexed all the same, and what
// is deleted before it was indexed, or could not be, is waited for no longer.
func TestLongTranscriptIsFewLines(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		seq := func() (head db.Head) {
			err := h.d.View(ctx, func(tx *db.Tx) (err error) { head, err = tx.Head(h.ann); return err })
			if err != nil {
				t.Fatal(err)
			}
			return head
		}
		before := seq().Seq
		long := h.add(h.ann, lines(5000)...)
		if n := seq().Seq - before; n > 3 {
			t.Errorf("5000 turns are %d lines", n)
		}
		before = seq().Seq
		if err := h.s.Delete(ctx, h.ann, long); err != nil {
			t.Fatal(err)
		}
		if n := seq().Seq - before; n > 3 {
			t.Errorf("without them are %d lines", n)
		}
		e := &sense{name: "m", bad: func(text string) error {
			if strings.Contains(text, "broken") {
				return fault.New(fault.Invalid, "no")
			}
			return nil
		}}
		h.use(e)
		h.drain() // from here on the log is followed
		h.add(h.ann, lines(40)...)
		bad := h.add(h.ann, "Ann: broken", "Ann: fine")
		h.drain()
		if n := h.rows("turn_embedding"); n != 40 {
			t.Errorf("%d turns have vectors, want 40", n)
		}
		if n := h.rows("turn_late_label"); n != 42 {
			t.Errorf("%d turns have token vectors, want 42", n)
		}
		if n := h.rows("derivation_failure"); n == 0 {
			t.Error("no failure is kept of what could not be embedded")
		}
		if err := h.s.Delete(ctx, h.ann, bad); err != nil {
			t.Fatal(err)
		}
		gone := h.add(h.ann, "Ann: said and taken back")
		h.queue.Pass(ctx)
		if err := h.s.Delete(ctx, h.ann, gone); err != nil {
			t.Fatal(err)
		}
		h.drain()
		if n := h.rows("derivation_failure"); n != 0 {
			t.Errorf("%d failures of what is gone are kept", n)
		}
	})
}

// What comes late is refused: of a model that is no longer in use, and of a turn that is
// no longer there.
func TestLateVectorsAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		id := h.add(h.ann, "Ann: one", "Bo: two")
		e := &sense{name: "m"}
		e.hold = func([]string) {
			e.hold = nil
			h.use(&sense{name: "n"})
		}
		h.use(e)
		h.drain()
		spaces := 0
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			return tx.Row(`SELECT COUNT(DISTINCT space_id) FROM turn_embedding`, nil, &spaces)
		}); err != nil || spaces != 1 || h.rows("turn_embedding") != 2 {
			t.Errorf("vectors of %d models, %v", spaces, err)
		}
		e = &sense{name: "o"}
		e.hold = func([]string) {
			e.hold = nil
			if err := h.s.Delete(ctx, h.ann, id); err != nil {
				t.Error(err)
			}
		}
		h.use(e)
		h.drain()
		for _, table := range []string{"transcript", "journal_entry", "turn_embedding", "turn_vector", "turn_late_label", "turn_late_vector", "turn_posting", "pair_posting"} {
			if n := h.rows(table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
	})
}

// One turn that a model refuses stops no other.
func TestOneBadTurn(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, "Ann: good", "Bo: bad", "Ann: good too", "Bo: well")
		h.use(&sense{name: "m", bad: func(text string) error {
			if strings.HasSuffix(text, "bad") { // the turn alone, and as the end of a pair
				return fault.New(fault.Corrupt, "The model refuses the text.")
			}
			return nil
		}})
		h.drain()
		if n, failed := h.rows("turn_embedding"), h.rows("derivation_failure"); n != 3 || failed != 1 {
			t.Errorf("%d indexed, %d failed", n, failed)
		}
	})
}

// However things come and go, what is resident answers as what is read anew does.
func TestResidentIsWhatIsStored(t *testing.T) {
	subjects := []string{"dog", "coffee", "port", "violin", "walk", "rent", "boat", "milk"}
	rapid.Check(t, func(rt *rapid.T) {
		dir := dbtest.Open(t, nil)
		h := newHouse(t, dir)
		models := []*sense{{name: "m"}, {name: "n"}}
		h.use(models[0])
		var ids []int64
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1:
				var said []string
				for range rapid.IntRange(1, 6).Draw(rt, "turns") {
					who, about := rapid.SampledFrom([]string{"Ann", "Bo"}).Draw(rt, "who"), rapid.SampledFrom(subjects).Draw(rt, "about")
					said = append(said, fmt.Sprintf("%s: %s", who, strings.Repeat(about+" and ", rapid.IntRange(1, 9).Draw(rt, "long"))))
				}
				ids = append(ids, h.add(h.ann, said...))
			case 2:
				if len(ids) > 0 {
					i := rapid.IntRange(0, len(ids)-1).Draw(rt, "gone")
					if err := h.s.Delete(ctx, h.ann, ids[i]); err != nil {
						rt.Fatal(err)
					}
					ids = slices.Delete(ids, i, i+1)
				}
			case 3:
				h.drain()
			case 4:
				h.use(models[rapid.IntRange(0, 1).Draw(rt, "model")])
			}
			q := api.TranscriptSearch{Query: rapid.SampledFrom([]string{"hound", "espresso and harbour", "violin", "dog walk"}).Draw(rt, "query"), Limit: api.Ptr(50)}
			got, err := h.s.Search(ctx, h.ann, q)
			fresh, err2 := New(h.d, h.s.o).Search(ctx, h.ann, q)
			if err := errors.Join(err, err2); err != nil {
				rt.Fatal(err)
			}
			if !reflect.DeepEqual(got, fresh) {
				rt.Fatalf("resident %+v\nanew     %+v", got, fresh)
			}
			h.tallies()
		}
	})
}

// Accounts whose turns are searched seldom leave memory; they come back.
func TestResidentIsBounded(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	h.use(&sense{name: "m"})
	h.add(h.ann, lines(30)...)
	h.add(h.bob, lines(30)...)
	h.drain()
	h.s.indexes = newIndexes(1 << 10)
	for range 3 {
		for _, owner := range []db.AccountID{h.ann, h.bob} {
			if got := h.search(owner, api.TranscriptSearch{Query: "number 7"}); len(got.Turns) == 0 || got.Turns[0].Similarity == nil {
				t.Errorf("%q", texts(got))
			}
			if n := len(h.s.indexes.of); n != 1 || h.s.indexes.bytes <= 0 {
				t.Errorf("%d indexes of %d bytes", n, h.s.indexes.bytes)
			}
		}
	}
}

// An index of words of another version of the tokenizer is told, and made anew.
func TestReindex(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.add(h.ann, "Ann: one harbour", "Bo: two")
		outdated := func() (old bool) {
			if err := h.d.View(ctx, func(tx *db.Tx) (err error) { old, err = h.s.IndexOutdated(tx, h.ann); return err }); err != nil {
				t.Fatal(err)
			}
			return old
		}
		if outdated() {
			t.Error("a new index is outdated")
		}
		if err := h.d.Update(ctx, func(tx *db.Tx) error {
			if _, err := tx.Exec(`UPDATE pair_stat SET version = 0`); err != nil {
				return err
			}
			_, err := tx.Exec(`DELETE FROM pair_posting`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if !outdated() {
			t.Error("it is not told")
		}
		if n, err := h.s.Reindex(ctx, h.ann); err != nil || n != 2 || outdated() {
			t.Errorf("%d turns, %v", n, err)
		}
		h.tallies()
		if got := h.search(h.ann, api.TranscriptSearch{Query: "harbour"}); len(got.Turns) != 2 {
			t.Errorf("%q", texts(got))
		}
	})
}

// What is derived is made anew when it is to be forgotten, and found as before.
func TestForget(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		e := &sense{name: "m"}
		h.use(e)
		h.add(h.ann, lines(3)...)
		h.drain()
		q := api.TranscriptSearch{Query: "turn number 1"}
		before, had := h.search(h.ann, q), len(e.embedded())
		if err := h.d.Update(ctx, func(tx *db.Tx) error { return Forget(tx, h.ann, true) }); err != nil {
			t.Fatal(err)
		}
		if got := h.search(h.ann, q); len(got.Turns) == 0 || got.Turns[0].Similarity != nil || got.Turns[0].Late != nil {
			t.Errorf("%+v", got)
		}
		h.drain()
		if again := len(e.embedded()); again != had || had == 0 {
			t.Errorf("%d texts, then %d", had, again)
		}
		if after := h.search(h.ann, q); !reflect.DeepEqual(before, after) {
			t.Errorf("%+v, then %+v", before, after)
		}
		if err := h.d.Update(ctx, func(tx *db.Tx) error { return Forget(tx, h.ann, false) }); err != nil {
			t.Fatal(err)
		}
		if got := h.search(h.ann, q); got.Turns[0].Similarity == nil || got.Turns[0].Late != nil {
			t.Errorf("%+v", got)
		}
	})
}

// Many ask while things change.
func TestManyAtOnce(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil))
	h.use(&sense{name: "m"})
	h.add(h.ann, lines(10)...)
	done := make(chan error, 6)
	for range 4 {
		go func() {
			for range 20 {
				if _, err := h.s.Search(ctx, h.ann, api.TranscriptSearch{Query: "number 7 of many"}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	go func() {
		for range 5 {
			made, err := h.s.Add(ctx, h.ann, talk(lines(5)...))
			if err == nil {
				err = h.s.Delete(ctx, h.ann, made.ID)
			}
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	go func() {
		for range 10 {
			h.queue.Pass(ctx)
		}
		done <- nil
	}()
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	h.drain()
	h.tallies()
}
