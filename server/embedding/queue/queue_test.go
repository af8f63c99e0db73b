package queue_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/embedding/endpoint"
	"elowen/server/embedding/openai"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/schedule"
	"elowen/server/vector"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	ctx = context.Background()
	me  = audit.Actor{Name: "user:1"}
)

type house struct {
	t        testing.TB
	d        *db.DB
	clock    *dbtest.Clock
	memories *memory.Store
	service  *embedding.Service
	feed     *feed.Feed
	queue    *queue.Queue
	ann, bob db.AccountID
	indexes  *vector.Indexes
}

func newHouse(t testing.TB, d *db.DB, clock *dbtest.Clock) *house {
	h := &house{t: t, d: d, clock: clock, service: embedding.NewService()}
	categories := category.New(d, memory.CountByCategory)
	h.memories = memory.New(d, categories, retention.NewSettings())
	accounts := account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}, OnCreate: categories.Seed})
	for name, id := range map[string]*db.AccountID{"ann": &h.ann, "bob": &h.bob} {
		p, err := accounts.Add(ctx, api.PersonAdd{Name: name, Role: api.RoleMember})
		if err != nil {
			t.Fatal(err)
		}
		*id = db.AccountID(p.ID)
	}
	h.feed = feed.New(d)
	t.Cleanup(h.feed.Close)
	h.start()
	h.indexes = vector.New(h.memories, 0)
	return h
}

// start makes the queue anew, as a new start of the program does.
func (h *house) start() {
	h.queue = queue.New(queue.Options{
		DB: h.d, Memories: h.memories, Feed: h.feed, Service: h.service,
		Kinds: []queue.Kind{queue.NewVectors(h.service)}, Wake: schedule.Wake,
	})
}

// each runs a test on every engine.
func each(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) { test(t, newHouse(t, d, clock)) })
}

// use makes an embedder's space the one in use; nil switches off.
func (h *house) use(e embedding.Embedder) *embedding.Snapshot {
	h.t.Helper()
	snapshot := &embedding.Snapshot{}
	err := h.d.Update(ctx, func(tx *db.Tx) error {
		if e == nil {
			_, err := embedding.Deactivate(tx)
			return err
		}
		stored, changed, err := embedding.Activate(tx, e.Space())
		snapshot = &embedding.Snapshot{Stored: stored, Embedder: e}
		if changed {
			tx.Emit(h.ann, db.NounMemory, 0)
			tx.Emit(h.bob, db.NounMemory, 0)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.service.Use(snapshot)
	return snapshot
}

func (h *house) add(owner db.AccountID, body string) int64 {
	h.t.Helper()
	m, err := h.memories.Add(ctx, owner, me, api.SourceUser, api.MemoryAdd{Body: body})
	if err != nil {
		h.t.Fatal(err)
	}
	return m.ID
}

// drain works until nothing is left to do at once.
func (h *house) drain() (at int64) {
	h.t.Helper()
	for range 1000 {
		more, next := h.queue.Pass(ctx)
		if !more {
			return next
		}
	}
	h.t.Fatal("the queue never ends")
	return 0
}

func (h *house) state(owner db.AccountID) api.IndexState {
	h.t.Helper()
	s, err := h.queue.State(ctx, owner)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *house) wants(owner db.AccountID, indexed, total int) {
	h.t.Helper()
	if s := h.state(owner); s.Indexed != indexed || s.Total != total {
		h.t.Errorf("%d of %d are indexed, want %d of %d: %+v", s.Indexed, s.Total, indexed, total, s)
	}
}

func space(model string) embedding.Space {
	return embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://" + model, Model: model}
}

func TestNewestFirstAndByThemselves(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		var seen []string
		e := &embeddingtest.Embedder{In: space("m"), Salt: "m", Width: 4, Hold: func(_ context.Context, texts []string, _ embedding.Kind) error {
			seen = append(seen, texts...)
			return nil
		}}
		var want []string
		for i := range 20 {
			h.add(h.ann, fmt.Sprintf("body %02d", i))
			want = append(want, fmt.Sprintf("body %02d", 19-i))
		}
		if at := h.drain(); at != 0 || e.Calls() != 0 {
			t.Error("something was done while off")
		}
		h.use(e)
		h.drain()
		if !slices.Equal(seen, want) {
			t.Errorf("embedded %v", seen)
		}
		h.wants(h.ann, 20, 20)
		h.wants(h.bob, 0, 0)
		calls := e.Calls()
		h.drain()
		h.start() // and from the rows alone
		h.drain()
		if e.Calls() != calls {
			t.Errorf("%d calls for what is done", e.Calls()-calls)
		}
		// What changes later.
		a := h.add(h.ann, "a new one")
		h.add(h.bob, "his")
		if _, err := h.memories.Patch(ctx, h.ann, me, a, 0, api.MemoryPatch{Body: api.Ptr("a new one, edited")}); err != nil {
			t.Fatal(err)
		}
		gone := h.add(h.ann, "to the trash")
		if _, err := h.memories.Trash(ctx, h.ann, me, gone, 0, ""); err != nil {
			t.Fatal(err)
		}
		seen = nil
		h.drain()
		slices.Sort(seen)
		if !slices.Equal(seen, []string{"a new one, edited", "his"}) {
			t.Errorf("embedded %v", seen)
		}
		if _, err := h.memories.Restore(ctx, h.ann, me, gone, 0, ""); err != nil {
			t.Fatal(err)
		}
		h.drain()
		h.wants(h.ann, 22, 22)
		h.wants(h.bob, 1, 1)
	})
}

func TestAccountsTakeTurns(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), nil)
	var seen []string
	e := &embeddingtest.Embedder{In: space("m"), Salt: "m", Width: 4, Hold: func(_ context.Context, texts []string, _ embedding.Kind) error {
		seen = append(seen, texts[0][:3])
		return nil
	}}
	for i := range 24 {
		h.add(h.ann, fmt.Sprintf("ann %d", i))
		h.add(h.bob, fmt.Sprintf("bob %d", i))
	}
	h.use(e)
	h.drain()
	if len(seen) != 6 || strings.Contains(strings.Join(seen, ""), "annann") || strings.Contains(strings.Join(seen, ""), "bobbob") {
		t.Errorf("turns: %v", seen)
	}
}

func TestOneBadMemoryNeverStopsTheRest(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := newHouse(t, d, clock)
		var mended atomic.Bool
		e := &embeddingtest.Embedder{In: space("m"), Salt: "m", Width: 4, Bad: func(text string) error {
			if strings.Contains(text, "bad") && !mended.Load() {
				return fault.New(fault.Corrupt, "The model refuses the text.")
			}
			return nil
		}}
		bad := h.add(h.ann, "a bad one")
		for i := range 10 {
			h.add(h.ann, fmt.Sprintf("good %d", i))
		}
		h.use(e)
		at := h.drain()
		h.wants(h.ann, 10, 11)
		if s := h.state(h.ann); s.Failed != 1 || at != clock.Now()+60_000 {
			t.Errorf("%+v, again in %d ms", s, at-clock.Now())
		}
		calls := e.Calls()
		h.drain()
		h.start() // it is remembered
		if at := h.drain(); e.Calls() != calls || at != clock.Now()+60_000 {
			t.Errorf("tried again at once, or at %d", at-clock.Now())
		}
		clock.Advance(60_000)
		if at := h.drain(); e.Calls() != calls+1 || at != clock.Now()+120_000 {
			t.Errorf("the second time: %d calls, again in %d ms", e.Calls()-calls, at-clock.Now())
		}
		// Another body is another matter.
		if _, err := h.memories.Patch(ctx, h.ann, me, bad, 0, api.MemoryPatch{Body: api.Ptr("a good one")}); err != nil {
			t.Fatal(err)
		}
		h.drain()
		h.wants(h.ann, 11, 11)
		h.drain()
		if s := h.state(h.ann); s.Failed != 0 {
			t.Errorf("%+v", s)
		}
		second := h.add(h.ann, "another bad one")
		h.drain()
		mended.Store(true)
		clock.Advance(60_000)
		h.drain()
		h.wants(h.ann, 12, 12)
		if s := h.state(h.ann); s.Failed != 0 {
			t.Errorf("after it was mended: %+v", s)
		}
		// A purged memory leaves no failure.
		mended.Store(false)
		third := h.add(h.ann, "a third bad one")
		h.drain()
		for _, id := range []int64{second, third} {
			if _, err := h.memories.Trash(ctx, h.ann, me, id, 0, ""); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.memories.Purge(ctx, h.ann, me, []int64{second, third}); err != nil {
			t.Fatal(err)
		}
		h.drain()
		if s := h.state(h.ann); s.Failed != 0 {
			t.Errorf("after a purge: %+v", s)
		}
	})
}

func TestAnEndpointThatIsDown(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		h := newHouse(t, d, clock)
		server := embeddingtest.NewServer(t, "m", 8)
		e := endpoint.New(endpoint.Config{
			Space:  embedding.Space{Kind: api.ProviderOpenAI, Endpoint: server.URL + "/v1", Model: "m"},
			Format: openai.Format{}, Clock: clock.Now, Share: func() float64 { return 0 },
			Sleep: func(context.Context, time.Duration) {},
		})
		for i := range 90 {
			h.add(h.ann, fmt.Sprintf("body %d", i))
		}
		for _, fails := range []func(http.ResponseWriter, *http.Request, []string) bool{
			embeddingtest.Status(401), embeddingtest.Status(500), embeddingtest.Status(429, "Retry-After", "90"), embeddingtest.Cut,
			embeddingtest.Text("text/html", "<html>"), embeddingtest.Text("application/json", `{"data":[]}`),
		} {
			server.Fail(fails)
			h.use(e)
			for range 4 {
				at := h.drain()
				if at <= clock.Now() {
					t.Fatalf("asked again at once: %d", at-clock.Now())
				}
				before := server.Requests()
				h.drain()
				if server.Requests() != before {
					t.Error("asked before its time")
				}
				clock.Advance(at - clock.Now())
			}
			s := h.state(h.ann)
			if s.Problem == "" || s.RetryAt == nil || s.Failed != 0 || s.Indexed != 0 || s.Model != "m" {
				t.Errorf("%+v", s)
			}
		}
		server.Fail(nil)
		for range 3 {
			at := h.drain()
			if at == 0 {
				break
			}
			clock.Advance(at - clock.Now())
		}
		h.wants(h.ann, 90, 90)
		if s := h.state(h.ann); s.Problem != "" || s.RetryAt != nil {
			t.Errorf("after the recovery: %+v", s)
		}
		if texts := server.Texts(); len(texts) != 90 {
			t.Errorf("%d texts were embedded for 90", len(texts))
		}
	})
}

func TestSwitchingBackCostsNothing(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		a := &embeddingtest.Embedder{In: space("a"), Salt: "a", Width: 4}
		b := &embeddingtest.Embedder{In: space("b"), Salt: "b", Width: 6}
		for i := range 30 {
			h.add(h.ann, fmt.Sprintf("body %d", i))
		}
		h.use(a)
		h.drain()
		h.use(b)
		h.wants(h.ann, 0, 30)
		h.drain()
		h.wants(h.ann, 30, 30)
		calls := a.Calls()
		h.use(a)
		h.wants(h.ann, 30, 30)
		h.drain()
		if a.Calls() != calls {
			t.Errorf("switching back made %d calls", a.Calls()-calls)
		}
		h.use(nil)
		h.wants(h.ann, 0, 30)
	})
}

// Whatever is edited, trashed, purged, switched and answered late, in whatever order:
// each stored vector is the one of its space's model and of the body whose hash it
// has; what is called indexed has the vector of its body; a search compares in one
// space only; and when everything is quiet, all is indexed.
func TestNoVectorHasAWrongLabel(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		models := map[string]int{"a": 4, "b": 4, "c": 6}
		names := []string{"a", "b", "c"}
		bodies := map[string]string{} // by hash
		rapid.Check(t, func(t *rapid.T) {
			var during func() // what happens while a model is asked
			embedders := map[string]*embeddingtest.Embedder{}
			for _, name := range names {
				embedders[name] = &embeddingtest.Embedder{In: space(name), Salt: name, Width: models[name], Hold: func(context.Context, []string, embedding.Kind) error {
					if during != nil {
						f := during
						during = nil
						f()
					}
					return nil
				}}
			}
			var ids []int64
			using := "a"
			snapshots := map[string]*embedding.Snapshot{}
			step := func(t *rapid.T, what string) {
				switch kind := rapid.SampledFrom([]string{"add", "add", "edit", "edit", "trash", "switch", "pass", "restart"}).Draw(t, what); kind {
				case "add":
					ids = append(ids, h.add(h.ann, rapid.StringMatching(`[a-z]{3} [a-z]{10}`).Draw(t, "body")))
				case "edit", "trash":
					if len(ids) == 0 {
						return
					}
					id := rapid.SampledFrom(ids).Draw(t, "id")
					var err error
					if kind == "edit" {
						_, err = h.memories.Patch(ctx, h.ann, me, id, 0, api.MemoryPatch{Body: api.Ptr(rapid.StringMatching(`[a-z]{3} [a-z]{10}`).Draw(t, "body"))})
					} else if _, err = h.memories.Trash(ctx, h.ann, me, id, 0, ""); err == nil && rapid.Bool().Draw(t, "purge") {
						_, err = h.memories.Purge(ctx, h.ann, me, []int64{id})
						ids = slices.DeleteFunc(ids, func(x int64) bool { return x == id })
					}
					if err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) {
						t.Fatal(err)
					}
				case "switch":
					using = rapid.SampledFrom(names).Draw(t, "model")
					snapshots[using] = h.use(embedders[using])
				case "restart":
					h.start()
				}
			}
			snapshots[using] = h.use(embedders[using])
			for range rapid.IntRange(3, 12).Draw(t, "steps") {
				during = func() {
					for range rapid.IntRange(0, 2).Draw(t, "meanwhile") {
						step(t, "meanwhile")
					}
				}
				step(t, "step")
				h.queue.Pass(ctx)
				h.check(t, names, bodies)
			}
			during = nil
			for range 20 {
				if more, _ := h.queue.Pass(ctx); !more {
					break
				}
			}
			h.check(t, names, bodies)
			if s := h.state(h.ann); s.Indexed != s.Total {
				t.Fatalf("all is quiet, and %d of %d are indexed", s.Indexed, s.Total)
			}
			h.checkSearch(t, snapshots, using)
			h.clear() // so that the next one begins with little
		})
	})
}

// clear purges all that ann has.
func (h *house) clear() {
	h.t.Helper()
	if _, err := h.memories.Bulk(ctx, h.ann, me, api.MemoryBulk{All: &api.MemoryQuery{}, Action: api.BulkTrash}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.memories.EmptyTrash(ctx, h.ann, me, api.EmptyTrash{}); err != nil {
		h.t.Fatal(err)
	}
}

// check looks at every stored vector.
func (h *house) check(t *rapid.T, names []string, bodies map[string]string) {
	err := h.d.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT body_hash, body FROM memory WHERE owner_id = ?`, int64(h.ann))
		for rows.Next() {
			var hash, body string
			if err := rows.Scan(&hash, &body); err != nil {
				return err
			}
			bodies[hash] = body
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return err
		}
		rows = tx.Query(`SELECT e.memory_id, s.model, e.body_hash, e.width, v.vector FROM embedding e JOIN embedding_space s ON s.id = e.space_id
			JOIN embedding_vector v ON v.owner_id = e.owner_id AND v.space_id = e.space_id AND v.memory_id = e.memory_id WHERE e.owner_id = ?`, int64(h.ann))
		defer rows.Close()
		for rows.Next() {
			var id int64
			var model, hash string
			var width int
			var raw []byte
			if err := rows.Scan(&id, &model, &hash, &width, &raw); err != nil {
				return err
			}
			v := make([]float32, width)
			body, known := bodies[hash]
			if known && (!embedding.Decode(v, raw) || !embeddingtest.Same(v, model, body)) {
				t.Fatalf("memory %d: the vector in %s is not that of %q", id, model, body)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkSearch asks for each memory by its own text.
func (h *house) checkSearch(t *rapid.T, snapshots map[string]*embedding.Snapshot, using string) {
	err := h.d.View(ctx, func(tx *db.Tx) error {
		list, err := h.memories.Bodies(tx, h.ann, 0, 1000)
		if err != nil {
			return err
		}
		var ids []int64
		for _, b := range list {
			ids = append(ids, b.Memory)
		}
		texts, err := h.memories.Texts(tx, h.ann, ids)
		if err != nil {
			return err
		}
		for name, s := range snapshots {
			question := embeddingtest.Vector(name, "x", 4)
			_, _, err := h.indexes.Search(tx, h.ann, s, question, vector.Filter{}, 3)
			if name != using && !fault.Is(err, fault.Stale) {
				t.Fatalf("a question in %s was compared in %s: %v", name, using, err)
			}
		}
		for _, text := range texts {
			s := snapshots[using]
			list, err := s.Embedder.Embed(ctx, []string{text.Text}, embedding.Query)
			if err != nil {
				return err
			}
			hits, compared, err := h.indexes.Search(tx, h.ann, s, list[0].Vectors[0], vector.Filter{}, 1000)
			if err != nil {
				return err
			}
			if compared != len(texts) || len(hits) != len(texts) || hits[0].Cosine < 0.9999 {
				t.Fatalf("%d of %d compared, best %+v", compared, len(texts), hits[:1])
			}
			i := slices.IndexFunc(hits, func(x vector.Hit) bool { return x.Memory == text.Memory })
			if hits[i].Cosine < 0.9999 || !hits[i].Of(text.Hash) {
				t.Fatalf("memory %d is found with %v by its own text", text.Memory, hits[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The running queue notices by itself what there is to do, and ends when it is told.
func TestRun(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), nil)
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); h.queue.Run(running) }()
	e := &embeddingtest.Embedder{In: space("m"), Salt: "m", Width: 4}
	h.add(h.ann, "before")
	h.use(e)
	h.add(h.ann, "after")
	deadline := time.Now().Add(20 * time.Second)
	for h.state(h.ann).Indexed < 2 {
		if time.Now().After(deadline) {
			t.Fatal("nothing was indexed")
		}
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	<-ended
}

func TestQuestionsGoFirst(t *testing.T) {
	h := newHouse(t, dbtest.Open(t, nil), nil)
	asked, answer := make(chan struct{}), make(chan struct{})
	var order []string
	e := &embeddingtest.Embedder{In: space("m"), Salt: "m", Width: 4, Hold: func(_ context.Context, texts []string, kind embedding.Kind) error {
		if kind == embedding.Query {
			close(asked)
			<-answer
		}
		order = append(order, texts[0])
		return nil
	}}
	h.add(h.ann, "a body")
	h.use(e)
	done := make(chan error)
	go func() { _, _, err := h.service.Query(ctx, "a question"); done <- err }()
	<-asked
	passed := make(chan struct{})
	go func() { h.queue.Pass(ctx); close(passed) }()
	time.Sleep(50 * time.Millisecond) // long enough for the pass to come to its request
	close(answer)
	if err := <-done; err != nil {
		t.Error(err)
	}
	<-passed
	if !slices.Equal(order, []string{"a question", "a body"}) {
		t.Error(order)
	}
}
