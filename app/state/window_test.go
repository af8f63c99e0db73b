package state

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"elowen/shared/api"
	"elowen/shared/live"

	"pgregory.net/rapid"
)

type row struct {
	ID  int64 `json:"id"`
	Rev int   `json:"rev"`
}

func (r row) Key() int64 { return r.ID }

func raws(rows ...row) []json.RawMessage {
	out := make([]json.RawMessage, len(rows))
	for i, r := range rows {
		out[i], _ = json.Marshal(r)
	}
	return out
}

func ids(rows []row) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out
}

func snapshot(seq int64, total, from int, rows ...row) live.Frame {
	return live.Frame{Type: live.TypeSnapshot, Epoch: "e", Seq: seq, AsOf: api.Time(seq), Total: total, From: from, Rows: raws(rows...)}
}

func TestApply(t *testing.T) {
	three, _, _ := Window[row]{}.Apply(snapshot(5, 9, 2, row{1, 1}, row{2, 1}, row{3, 1}))
	delta := func(change func(f *live.Frame)) live.Frame {
		f := live.Frame{Type: live.TypeDelta, Seq: 6, AsOf: 6, Total: 9, From: 2}
		change(&f)
		return f
	}
	cases := []struct {
		name    string
		from    Window[row]
		frame   live.Frame
		outcome Outcome
		rows    []row
		at      int
	}{
		{"a snapshot replaces all", three, snapshot(7, 4, 0, row{8, 1}), Replaced, []row{{8, 1}}, 0},
		{"an empty snapshot", three, snapshot(7, 0, 0), Replaced, nil, 0},
		{"a doubled row is one row", three, snapshot(7, 2, 0, row{8, 1}, row{8, 2}), Replaced, []row{{8, 1}}, 0},
		{"an upsert keeps its place", three, delta(func(f *live.Frame) { f.Upsert = raws(row{2, 2}) }), Changed, []row{{1, 1}, {2, 2}, {3, 1}}, 2},
		{"a removal closes the gap", three, delta(func(f *live.Frame) { f.Remove = []int64{2}; f.Total = 8 }), Changed, []row{{1, 1}, {3, 1}}, 2},
		{"a new order moves rows", three, delta(func(f *live.Frame) { f.Order = []int64{3, 1, 2} }), Changed, []row{{3, 1}, {1, 1}, {2, 1}}, 2},
		{"a row comes in and one leaves", three, delta(func(f *live.Frame) {
			f.Upsert, f.Remove, f.Order = raws(row{7, 1}), []int64{3}, []int64{7, 1, 2}
		}), Changed, []row{{7, 1}, {1, 1}, {2, 1}}, 2},
		{"rows that the order leaves out are gone", three, delta(func(f *live.Frame) { f.Order = []int64{1} }), Changed, []row{{1, 1}}, 2},
		{"everything leaves", three, delta(func(f *live.Frame) { f.Remove = []int64{1, 2, 3}; f.Total, f.From = 0, 0 }), Changed, nil, 0},
		{"a removal of a stranger changes nothing", three, delta(func(f *live.Frame) { f.Remove = []int64{77} }), Changed, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"the clock alone", three, live.Frame{Type: live.TypeDelta, Seq: 5, AsOf: 9, Total: 9, From: 2, Upsert: raws(row{1, 5})}, Changed, []row{{1, 5}, {2, 1}, {3, 1}}, 2},
		{"an older delta is ignored", three, live.Frame{Type: live.TypeDelta, Seq: 4, AsOf: 9, Upsert: raws(row{1, 9})}, Ignored, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"a repeated delta is ignored", three, live.Frame{Type: live.TypeDelta, Seq: 5, AsOf: 4, Upsert: raws(row{1, 9})}, Ignored, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"an order of unknown rows is a gap", three, delta(func(f *live.Frame) { f.Order = []int64{1, 2, 44} }), Gap, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"a delta before any snapshot is a gap", Window[row]{}, delta(func(f *live.Frame) { f.Upsert = raws(row{1, 1}) }), Gap, nil, 0},
		{"a gap keeps what is shown", three, live.Frame{Type: live.TypeGap}, Gap, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"an error keeps what is shown", three, live.Frame{Type: live.TypeError}, Refused, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"a pong is nobody's", three, live.Frame{Type: live.TypePong}, Ignored, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"an unreadable row is a gap", three, delta(func(f *live.Frame) { f.Upsert = []json.RawMessage{[]byte(`{"id":"x"}`)} }), Gap, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
		{"an unreadable snapshot is a gap", three, live.Frame{Type: live.TypeSnapshot, Rows: []json.RawMessage{[]byte(`[]`)}}, Gap, []row{{1, 1}, {2, 1}, {3, 1}}, 2},
	}
	for _, c := range cases {
		before := slices.Clone(c.from.Rows)
		after, outcome, _ := c.from.Apply(c.frame)
		if outcome != c.outcome {
			t.Errorf("%s: outcome %d, want %d", c.name, outcome, c.outcome)
		}
		if !slices.Equal(after.Rows, c.rows) || after.From != c.at {
			t.Errorf("%s: %v at %d, want %v at %d", c.name, after.Rows, after.From, c.rows, c.at)
		}
		if !slices.Equal(before, c.from.Rows) {
			t.Errorf("%s: the window was changed in place", c.name)
		}
	}
}

// server is a list and what one client has of it, as the protocol describes.
type server struct {
	list  []row
	seq   int64
	next  int64
	from  int
	limit int
}

func (s *server) window() (from int, rows []row) {
	from = min(s.from, max(len(s.list)-1, 0))
	return from, s.list[from:min(from+s.limit, len(s.list))]
}

func (s *server) snapshot() live.Frame {
	from, rows := s.window()
	return snapshot(s.seq, len(s.list), from, rows...)
}

// delta is what leads from the rows of a client to the window as it is.
func (s *server) delta(have []row) live.Frame {
	from, rows := s.window()
	f := live.Frame{Type: live.TypeDelta, Seq: s.seq, AsOf: api.Time(s.seq), Total: len(s.list), From: from}
	old := map[int64]row{}
	for _, r := range have {
		old[r.ID] = r
	}
	for _, r := range rows {
		if was, ok := old[r.ID]; !ok || was != r {
			f.Upsert = append(f.Upsert, raws(r)...)
		}
		delete(old, r.ID)
	}
	for id := range old {
		f.Remove = append(f.Remove, id)
	}
	slices.Sort(f.Remove)
	if !slices.Equal(ids(have), ids(rows)) {
		f.Order = ids(rows)
	}
	return f
}

func (s *server) change(t *rapid.T) {
	s.seq++
	at := func() int { return rapid.IntRange(0, len(s.list)-1).Draw(t, "at") }
	kinds := []string{"insert"}
	if len(s.list) > 0 {
		kinds = append(kinds, "edit", "move", "remove", "trim")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "change") {
	case "insert":
		s.next++
		s.list = slices.Insert(s.list, rapid.IntRange(0, len(s.list)).Draw(t, "into"), row{s.next, 1})
	case "edit":
		s.list[at()].Rev++
	case "move":
		i := at()
		r := s.list[i]
		s.list = slices.Delete(s.list, i, i+1)
		s.list = slices.Insert(s.list, rapid.IntRange(0, len(s.list)).Draw(t, "to"), r)
	case "remove":
		i := at()
		s.list = slices.Delete(s.list, i, i+1)
	case "trim":
		s.list = s.list[:at()]
	}
}

// Whatever happens on the way, with frames lost to a broken connection, doubled and
// overtaken, the window ends as the newest snapshot would show it.
func TestAnySequenceEqualsTheFinalSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &server{seq: 1, limit: rapid.IntRange(1, 8).Draw(t, "limit"), from: rapid.IntRange(0, 6).Draw(t, "from")}
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			s.next++
			s.list = append(s.list, row{s.next, 1})
		}
		w, _, err := Window[row]{}.Apply(s.snapshot())
		if err != nil {
			t.Fatal(err)
		}
		var sent []live.Frame
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				s.change(t)
			}
			var f live.Frame
			switch rapid.SampledFrom([]string{"delta", "delta", "delta", "snapshot", "again", "gap"}).Draw(t, "frame") {
			case "delta":
				f = s.delta(w.Rows)
			case "snapshot":
				f = s.snapshot()
			case "again":
				if len(sent) == 0 {
					continue
				}
				f = sent[rapid.IntRange(0, len(sent)-1).Draw(t, "old")]
				if f.Type == live.TypeSnapshot || f.Seq >= w.Seq && f.AsOf >= w.AsOf {
					continue // only what was overtaken may come late
				}
			case "gap":
				after, outcome, _ := w.Apply(live.Frame{Type: live.TypeGap, Epoch: "e"})
				if outcome != Gap || !reflect.DeepEqual(after, w) {
					t.Fatalf("a gap changed the window: %v", outcome)
				}
				f = s.snapshot()
			}
			sent = append(sent, f)
			w, _, err = w.Apply(f)
			if err != nil {
				t.Fatal(err)
			}
		}
		w, outcome, _ := w.Apply(s.delta(w.Rows))
		if outcome != Changed && outcome != Ignored {
			t.Fatalf("the last delta: outcome %d", outcome)
		}
		want, _, _ := Window[row]{}.Apply(s.snapshot())
		if w.Total != want.Total || !slices.Equal(w.Rows, want.Rows) || w.From != want.From {
			t.Fatalf("got  %+v\nwant %+v", w, want)
		}
	})
}

func TestRowAndFind(t *testing.T) {
	w, _, _ := Window[row]{}.Apply(snapshot(1, 100, 40, row{7, 1}, row{9, 1}))
	if r, ok := w.Row(41); !ok || r.ID != 9 {
		t.Errorf("rank 41: %v %v", r, ok)
	}
	for _, rank := range []int{39, 42, -1} {
		if r, ok := w.Row(rank); ok {
			t.Errorf("rank %d: %v", rank, r)
		}
	}
	if _, rank, ok := w.Find(7); !ok || rank != 40 {
		t.Errorf("id 7 at %d, %v", rank, ok)
	}
	if _, _, ok := w.Find(8); ok {
		t.Error("found what isn't there")
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte(`{"type":"delta","seq":6,"total":3,"from":0,"upsert":[{"id":1}],"remove":[2],"order":[1]}`))
	f.Add([]byte(`{"type":"snapshot","rows":[{"id":1},{"id":1}]}`))
	f.Add([]byte(`{"type":"delta","order":[9,9]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var frame live.Frame
		if json.Unmarshal(b, &frame) != nil {
			return
		}
		w, _, _ := Window[row]{}.Apply(snapshot(5, 3, 0, row{1, 1}, row{2, 1}))
		after, _, _ := w.Apply(frame)
		seen := map[int64]bool{}
		for _, r := range after.Rows {
			if seen[r.ID] {
				t.Fatalf("id %d twice in %v", r.ID, after.Rows)
			}
			seen[r.ID] = true
		}
	})
}
