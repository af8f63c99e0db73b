package projection

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	browser "elowen/app/state"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/live"
)

type windowRow = row

// reader is the browser's side of a window: what it makes of the frames.
type reader struct {
	version uint64
	window  browser.Window[live.Row]
}

func (r *reader) apply(t interface{ Fatalf(string, ...any) }, frame []byte) browser.Outcome {
	var f live.Frame
	if err := json.Unmarshal(frame, &f); err != nil {
		t.Fatalf("%v: %s", err, frame)
	}
	next, outcome, err := r.window.Apply(f)
	if err != nil {
		t.Fatalf("%v: %s", err, frame)
	}
	r.window = next
	return outcome
}

// Whatever a window went through between two versions, one delta leads a reader
// from the one to the other; one that is too far behind is told everything.
func TestDeltasLeadToThePresent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWindow("w", &list{from: 3, limit: 10}, nil)
		c := &catalogue{head: db.Head{Seq: 1, Epoch: "e"}}
		revision := map[int64]int64{}
		now := int64(testNow)
		render := func(id int64) windowRow {
			return windowRow{id: id, json: marshal(live.Row{Memory: api.Memory{ID: id, Revision: revision[id], Body: fmt.Sprint("body <", id, ">")}})}
		}
		publish := func(ids []int64, changed []int64) {
			c.head.Seq++
			next := w.following(c, api.Time(now))
			next.total, next.from = len(ids)+3, 3
			was := map[int64]bool{}
			if prev := w.current.Load(); prev != nil {
				for i, id := range prev.ids {
					was[id] = true
					if slices.Contains(ids, id) && !slices.Contains(changed, id) {
						next.rows = append(next.rows, prev.rows[i])
					}
				}
			}
			rows := next.rows
			next.rows = nil
			for _, id := range ids {
				i := slices.IndexFunc(rows, func(r windowRow) bool { return r.id == id })
				if i >= 0 {
					next.rows = append(next.rows, rows[i])
					continue
				}
				if was[id] {
					revision[id]++
				}
				fresh := render(id)
				fresh.changed = next.version
				next.rows = append(next.rows, fresh)
			}
			next.ids = ids
			w.publish(next)
		}
		publish([]int64{1, 2, 3}, nil)
		readers := make([]*reader, 3)
		for i := range readers {
			readers[i] = &reader{}
		}
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, 14), 0, 10, rapid.ID).Draw(t, "ids")
				changed := rapid.SliceOf(rapid.Int64Range(1, 14)).Draw(t, "changed")
				publish(ids, changed)
			},
			"changeOften": func(t *rapid.T) {
				ids := rapid.SliceOfNDistinct(rapid.Int64Range(1, 14), 0, 10, rapid.ID).Draw(t, "ids")
				for range pastMost + rapid.IntRange(-2, 2).Draw(t, "around") {
					publish(ids, ids[:min(1, len(ids))])
				}
			},
			"read": func(t *rapid.T) {
				r := rapid.SampledFrom(readers).Draw(t, "reader")
				cur := w.current.Load()
				switch rest, known := cur.since(r.version); {
				case r.version == 0:
					r.apply(t, appendFrame(nil, live.TypeSnapshot, "w", cur.snapshot()))
				case r.version == cur.version:
					return
				case !known:
					if cur.version-r.version <= uint64(pastMost) {
						t.Fatalf("version %d of %d is forgotten", r.version, cur.version)
					}
					r.version = 0
					r.apply(t, appendFrame(nil, live.TypeSnapshot, "w", cur.snapshot()))
				default:
					if cur.version-r.version > uint64(pastMost) {
						t.Fatalf("version %d of %d is remembered", r.version, cur.version)
					}
					if got := r.apply(t, appendFrame(nil, live.TypeDelta, "w", rest)); got != browser.Changed {
						t.Fatalf("outcome %d", got)
					}
				}
				r.version = cur.version
				if !slices.Equal(r.window.IDs(), cur.ids) && len(cur.ids)+len(r.window.Rows) > 0 {
					t.Fatalf("ids %v, want %v", r.window.IDs(), cur.ids)
				}
				for _, m := range r.window.Rows {
					if m.Revision != revision[m.ID] {
						t.Fatalf("memory %d is at revision %d, want %d", m.ID, m.Revision, revision[m.ID])
					}
				}
				if r.window.Seq != cur.seq || r.window.Total != cur.total || len(cur.ids) > 0 && r.window.From != cur.from {
					t.Fatalf("%d %d %d, want %d %d %d", r.window.Seq, r.window.Total, r.window.From, cur.seq, cur.total, cur.from)
				}
			},
		})
	})
}

func TestFramesAreWhatTheWireSays(t *testing.T) {
	s := &state{epoch: `e"`, seq: 7, asOf: testNow, total: 0, from: 0, version: 1}
	var f live.Frame
	b := appendFrame(nil, live.TypeSnapshot, "a\"<\u2028", s.snapshot())
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	if f.Type != live.TypeSnapshot || f.ID != "a\"<\u2028" || f.Epoch != `e"` || f.Seq != 7 || f.AsOf != testNow || f.Rows == nil {
		t.Errorf("%+v", f)
	}
	if strings.Contains(string(b), "null") {
		t.Errorf("%s", b)
	}
}
