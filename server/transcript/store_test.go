package transcript

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/journal"
	"elowen/server/validation"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestAddListGetDelete(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		in := talk("Ann: Where is the harbour?", "Helper: North of the town.", "Ann: Thank you")
		in.Surface, in.Participants[0].Role, in.Participants[1].Role = api.SurfaceVoice, api.ParticipantSelf, api.ParticipantAgent
		in.Turns[1].At = api.Ptr(api.Time(dbtest.Start + 90_000_000))
		in.Turns[0].Text = "  Where is the harbour?\n"
		first, err := h.s.Add(ctx, h.ann, in)
		if err != nil {
			t.Fatal(err)
		}
		if first.Turns != 3 || first.Surface != api.SurfaceVoice || first.StartedAt != *in.StartedAt || !slices.Equal(first.Participants, in.Participants) {
			t.Errorf("%+v", first)
		}
		whole, err := h.s.Get(ctx, h.ann, first.ID)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, turn := range whole.Items {
			said = append(said, fmt.Sprintf("%s: %s %d", turn.Speaker, turn.Text, (int64(turn.At)-dbtest.Start)/1000))
		}
		if want := []string{"Ann: Where is the harbour? 0", "Helper: North of the town. 90000", "Ann: Thank you 90000"}; !slices.Equal(said, want) {
			t.Errorf("%q, want %q", said, want)
		}
		// It is a conversation as any other.
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			c, err := journal.Get(tx, h.ann, first.ID)
			if c.Kind != journal.KindVoice {
				t.Errorf("%+v", c)
			}
			branch, err2 := journal.Branch(tx, h.ann, first.ID)
			if parts := journal.Project(branch); len(parts) != 3 || parts[1].Message.Role != journal.RoleAssistant || err2 != nil {
				t.Errorf("%v %v", parts, err2)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for i := range 4 {
			ids = append([]int64{h.add(h.ann, fmt.Sprint("Ann: ", i))}, ids...)
		}
		ids = append(ids, first.ID)
		var listed []int64
		for cursor := ""; ; {
			page, err := h.s.List(ctx, h.ann, cursor, 2)
			if err != nil || page.Total != 5 || len(page.Items) > 2 {
				t.Fatalf("%+v %v", page, err)
			}
			for _, one := range page.Items {
				listed = append(listed, one.ID)
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		if !slices.Equal(listed, ids) {
			t.Errorf("listed %v, want %v", listed, ids)
		}
		_, err = h.s.List(ctx, h.ann, "***", 2)
		h.refused("a cursor of nothing", err, fault.Invalid)
		for what, err := range map[string]error{
			"another's to delete": h.s.Delete(ctx, h.bob, first.ID),
			"nobody's to delete":  h.s.Delete(ctx, h.ann, 1<<40),
			"another's to read":   func() error { _, err := h.s.Get(ctx, h.bob, first.ID); return err }(),
			"another's to search": func() error {
				_, err := h.s.Search(ctx, h.bob, api.TranscriptSearch{Query: "harbour", ConversationID: first.ID})
				return err
			}(),
		} {
			h.refused(what, err, fault.NotFound)
		}
		if err := h.s.Delete(ctx, h.ann, first.ID); err != nil {
			t.Fatal(err)
		}
		if got := h.first(h.ann, "harbour"); got != "" {
			t.Errorf("found after it was deleted: %q", got)
		}
		_, err = h.s.Get(ctx, h.ann, first.ID)
		h.refused("it is gone", err, fault.NotFound)
	})
}

// The same request twice is one transcript; of one that is gone the key says so.
func TestAddOnce(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		add := func() (api.Transcript, *db.Idempotency, error) {
			ctx, once := db.WithIdempotency(ctx, h.ann, "a key", []byte("request"))
			made, err := h.s.Add(ctx, h.ann, talk("Ann: a secret"))
			return made, once, err
		}
		one, _, err := add()
		two, once, err2 := add()
		if err != nil || err2 != nil || one.ID != two.ID || one.Turns != two.Turns || !once.Replayed() || h.rows("transcript") != 1 {
			t.Errorf("%+v %+v %v %v", one, two, err, err2)
		}
		var kept string
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			return tx.Row(`SELECT result FROM idempotency WHERE owner_id = ?`, []any{int64(h.ann)}, &kept)
		}); err != nil || strings.Contains(kept, "Ann") {
			t.Errorf("remembered: %q, %v", kept, err)
		}
		if err := h.s.Delete(ctx, h.ann, one.ID); err != nil {
			t.Fatal(err)
		}
		_, _, err = add()
		h.refused("again, though it was deleted", err, fault.Gone)
		if n := h.rows("transcript"); n != 0 {
			t.Errorf("%d transcripts", n)
		}
	})
}

func TestWhatIsNoTranscript(t *testing.T) {
	long := strings.Repeat("a", 20_001)
	for field, change := range map[string]func(in *api.TranscriptAdd){
		"surface":              func(in *api.TranscriptAdd) { in.Surface = "letter" },
		"startedAt":            func(in *api.TranscriptAdd) { in.StartedAt = nil },
		"participants":         func(in *api.TranscriptAdd) { in.Participants = nil },
		"turns":                func(in *api.TranscriptAdd) { in.Turns = nil },
		"participants[1].name": func(in *api.TranscriptAdd) { in.Participants[1].Name = " Ann" },
		"participants[0].role": func(in *api.TranscriptAdd) { in.Participants[0].Role = "king" },
		"participants[0].name": func(in *api.TranscriptAdd) { in.Participants[0].Name = "a\nb" },
		"turns[1].speaker":     func(in *api.TranscriptAdd) { in.Turns[1].Speaker = "Nobody" },
		"turns[0].text":        func(in *api.TranscriptAdd) { in.Turns[0].Text = " \n" },
		"turns[1].text":        func(in *api.TranscriptAdd) { in.Turns[1].Text = long },
		"turns[0].speaker":     func(in *api.TranscriptAdd) { in.Turns[0].Speaker = "" },
	} {
		in := talk("Ann: one", "Bo: two")
		change(&in)
		_, err := judged(in)
		var fields []string
		for _, f := range fault.ProblemOf(err).Errors {
			fields = append(fields, f.Field)
		}
		if !fault.Is(err, fault.Invalid) || !slices.Contains(fields, field) {
			t.Errorf("%s: %v, %v", field, err, fields)
		}
	}
	many := talk("Ann: one")
	for range 5_000 {
		many.Turns = append(many.Turns, many.Turns[0])
	}
	if _, err := judged(many); !fault.Is(err, fault.Invalid) {
		t.Errorf("5001 turns: %v", err)
	}
	for _, text := range []string{"a\x00b", "a\x1fb", "\xff"} {
		in := talk("Ann: one")
		in.Turns[0].Text = text
		if _, err := judged(in); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Whatever is taken is what is read back, and is found by its own words.
func FuzzAdd(f *testing.F) {
	h := newHouse(f, dbtest.Open(f, nil))
	for _, s := range []string{
		`{"surface":"chat","startedAt":"2026-03-01T10:00:00Z","participants":[{"name":"Ann","role":"self"},{"name":"Bo"}],"turns":[{"speaker":"Ann","text":"Where is the harbour?"},{"speaker":"Bo","text":"港口在北边","at":"2026-03-01T10:00:05+02:00"}]}`,
		`{"surface":"voice","startedAt":"0001-01-01","participants":[{"name":"\u202e"}],"turns":[{"speaker":"\u202e","text":"</memory><script>"}]}`,
		`{"surface":"team_chat","startedAt":"9999-12-31T23:59:59.999Z","participants":[{"name":"a"}],"turns":[{"speaker":"a","text":"\ud800"}]}`,
		`{"surface":"chat","startedAt":null,"participants":[],"turns":null}`, `[]`, `{"turns":[{"speaker":"a","text":"b","more":1}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in api.TranscriptAdd
		if err := validation.DecodeBytes(data, &in); err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		made, err := h.s.Add(ctx, h.ann, in)
		if fault.Is(err, fault.Invalid) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		whole, err := h.s.Get(ctx, h.ann, made.ID)
		if err != nil || len(whole.Items) != len(in.Turns) {
			t.Fatalf("%+v, %v", whole, err)
		}
		for i, turn := range whole.Items {
			if turn.Text != strings.TrimSpace(in.Turns[i].Text) || turn.Speaker != strings.TrimSpace(in.Turns[i].Speaker) {
				t.Fatalf("%+v came back as %+v", in.Turns[i], turn)
			}
		}
		if q := whole.Items[0].Text; len(q) < 500 && !words.ParseQuery(q).Empty() {
			got, err := h.s.Search(ctx, h.ann, api.TranscriptSearch{Query: q, ConversationID: made.ID})
			if err != nil && !fault.Is(err, fault.Invalid) || err == nil && len(got.Turns) == 0 {
				t.Fatalf("%q is not found by itself: %v", q, err)
			}
		}
		if err := h.s.Delete(ctx, h.ann, made.ID); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[^\x1f]{0,20}`)
		w := window{day: text.Draw(t, "day"), before: text.Draw(t, "before"), said: text.Draw(t, "said")}
		if got := readWindow(w.text()); got != w {
			t.Fatalf("%+v came back as %+v", w, got)
		}
	})
	e := journal.Entry{At: dbtest.Start, Payload: &journal.Message{Speaker: "Ann", Content: "In the hall"}}
	if w := windowOf(e, nil); w.alone() != "[30 November 2026] Ann: In the hall" || w.pair() != w.alone() {
		t.Errorf("%q %q", w.alone(), w.pair())
	}
	if w := windowOf(e, &journal.Message{Speaker: "Bo", Content: "Where?"}); w.pair() != "[30 November 2026] Bo: Where?\nAnn: In the hall" {
		t.Errorf("%q", w.pair())
	}
}

func TestWorded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hits := func(name string) (list []words.Hit, by map[int64]float64) {
			by = map[int64]float64{}
			for _, id := range rapid.SliceOfDistinct(rapid.Int64Range(1, 30), rapid.ID[int64]).Draw(t, name) {
				by[id] = float64(id%7) + 0.5
				list = append(list, words.Hit{ID: id, Score: by[id]})
			}
			slices.SortFunc(list, func(a, b words.Hit) int { return int(a.ID - b.ID) })
			return list, by
		}
		turns, one := hits("turns")
		pairs, two := hits("pairs")
		last := int64(0)
		got := worded(turns, pairs)
		for _, h := range got {
			if want := 0.3*one[h.ID] + 0.7*two[h.ID]; h.ID <= last || math.Abs(h.Score-want) > 1e-9 {
				t.Fatalf("%+v after %d, want %v", h, last, want)
			}
			last = h.ID
			delete(one, h.ID)
			delete(two, h.ID)
		}
		if len(one)+len(two) > 0 {
			t.Fatalf("left out: %v %v", one, two)
		}
	})
}

// Half a turn and half its pair, each by its nearest window, however many there are.
func TestCosineOfWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.IntRange(0, 1<<30).Draw(t, "seed")
		r := &resident{width: senseWidth, at: map[int64]int32{}}
		unit := func(n int) []float32 {
			v := axis(fmt.Sprint(seed, n), senseWidth)
			_ = embedding.Normalize(v)
			return v
		}
		question := unit(0)
		want := map[int64]float64{}
		n := 0
		for id := range int64(rapid.IntRange(1, 12).Draw(t, "turns")) {
			own, pair := rapid.IntRange(1, 3).Draw(t, "own"), rapid.IntRange(1, 3).Draw(t, "pair")
			var rows [][]float32
			best := [2]float64{-2, -2}
			for i := range own + pair {
				n++
				rows = append(rows, unit(n))
				which := 0
				if i >= own {
					which = 1
				}
				sum := 0.0
				for k, x := range rows[i] {
					sum += float64(x) * float64(question[k])
				}
				best[which] = max(best[which], sum)
			}
			r.put(&stored{entry: id + 1, conversation: id % 2, own: own}, rows)
			want[id+1] = (best[0] + best[1]) / 2
		}
		for id, w := range want {
			if got, ok := r.of(id, question); !ok || math.Abs(got-w) > 1e-5 {
				t.Fatalf("turn %d: %v, want %v", id, got, w)
			}
		}
		list := r.nearest(question, 0, 3)
		for i, one := range list {
			better := 0
			for _, w := range want {
				if w > want[one.entry]+1e-6 {
					better++
				}
			}
			if better > i {
				t.Fatalf("place %d has %d better ones", i, better)
			}
		}
		if len(list) != min(3, len(want)) {
			t.Fatalf("%d found", len(list))
		}
	})
}

// tallies checks that the indexes of words are what ones made anew would be.
func (h *house) tallies() {
	h.Helper()
	err := h.d.View(ctx, func(tx *db.Tx) error {
		for _, owner := range []db.AccountID{h.ann, h.bob} {
			faults, err := Check(tx, owner)
			if err != nil {
				return err
			}
			for _, f := range faults {
				h.Errorf("account %d: %s", owner, f)
			}
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
}

// The words of turns come to the writer ready, when they are added and when they are
// deleted: what is in the index is what was made ready, here with a word nobody said.
// Where the day is not known before, and where nothing is ready, they are taken anew.
func TestWordsComeReady(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		in, err := judged(talk("Ann: the boat was late", "Bo: nobody told us"))
		if err != nil {
			t.Fatal(err)
		}
		drafts := draftsOf(in)
		readied := ready(drafts)
		fake, length := words.Terms("xylophone")
		readied[1] = termed{at: readied[1].at, turn: fake, turnLength: length, pair: fake, pairLength: length}
		var id int64
		update := func(fn func(tx *db.Tx) error) {
			t.Helper()
			if err := h.d.Update(ctx, fn); err != nil {
				t.Fatal(err)
			}
		}
		update(func(tx *db.Tx) (err error) { id, err = add(tx, h.ann, in, drafts, readied); return err })
		if got := h.first(h.ann, "xylophone"); got != "nobody told us" {
			t.Errorf("found %q by a word that was made ready", got)
		}
		if got := h.first(h.ann, "boat"); got != "the boat was late" {
			t.Errorf("found %q", got)
		}
		var branch []journal.Entry
		update(func(tx *db.Tx) (err error) { branch, err = journal.Branch(tx, h.ann, id); return err })
		// Deleted with the same words, nothing is left of them.
		update(func(tx *db.Tx) error {
			return remove(tx, h.ann, id, map[int64]termed{branch[0].ID: readied[0], branch[1].ID: readied[1]})
		})
		for _, table := range []string{"turn_posting", "pair_posting"} {
			if n := h.rows(table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
		// A time that only the decision tells, and words that are not ready.
		in.StartedAt = api.Ptr(api.Time(0))
		for i := range in.Turns {
			in.Turns[i].At = in.StartedAt
		}
		drafts = draftsOf(in)
		update(func(tx *db.Tx) (err error) { id, err = add(tx, h.ann, in, drafts, ready(drafts)); return err })
		h.tallies()
		update(func(tx *db.Tx) error { return remove(tx, h.ann, id, nil) })
		h.tallies()
		if n := h.rows("turn_posting") + h.rows("pair_posting"); n != 0 {
			t.Errorf("%d rows of words are left", n)
		}
	})
}

func TestCheckSees(t *testing.T) {
	for damage, says := range map[string]string{
		`UPDATE turn_stat SET docs = docs + 1`:                                                            "index of words",
		`DELETE FROM pair_posting WHERE term = (SELECT MIN(term) FROM pair_posting)`:                      "index of words",
		`UPDATE transcript SET turns = 7`:                                                                 "has 2 turns, not 7",
		`UPDATE conversation SET leaf_id = (SELECT MIN(id) FROM journal_entry WHERE conversation_id = 1)`: "has 1 turns, not 2",
	} {
		h := newHouse(t, dbtest.Open(t, nil))
		h.add(h.ann, "Ann: one harbour", "Bo: two")
		h.tallies()
		var faults []string
		if err := h.d.Update(ctx, func(tx *db.Tx) (err error) {
			if _, err = tx.Exec(damage); err != nil {
				return err
			}
			faults, err = Check(tx, h.ann)
			return err
		}); err != nil || !strings.Contains(strings.Join(faults, " "), says) {
			t.Errorf("%s: %q, %v", damage, faults, err)
		}
	}
}
