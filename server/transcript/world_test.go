package transcript

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/late"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/schedule"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	ctx = context.Background()
	me  = audit.Actor{Name: "user:1"}
)

// axis is a direction of a word's own.
func axis(word string, width int) []float32 {
	h := fnv.New64a()
	h.Write([]byte(word))
	r := rand.New(rand.NewPCG(h.Sum64(), 9))
	v := make([]float32, width)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// meanings are words that mean the same.
var meanings = map[string]string{"hound": "dog", "stroll": "walk", "espresso": "coffee", "harbour": "port"}

// sense is a model whose vectors are of what words mean: one for each window of eight
// words. It tells what it embedded.
type sense struct {
	name string
	hold func(texts []string) // before each answer to passages; nil: nothing
	bad  func(text string) error

	mu   sync.Mutex
	told []string
}

const senseWidth = 48

func (s *sense) Space() embedding.Space {
	return embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://" + s.name, Model: s.name}
}

func (s *sense) Limits() embedding.Limits { return embedding.Limits{Texts: 6, Bytes: 1 << 16} }

func (s *sense) Embed(_ context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	if kind == embedding.Passage {
		s.mu.Lock()
		s.told = append(s.told, texts...)
		s.mu.Unlock()
		if s.hold != nil {
			s.hold(texts)
		}
	}
	out := make([]embedding.Result, len(texts))
	for i, text := range texts {
		if s.bad != nil {
			if out[i].Err = s.bad(text); out[i].Err != nil {
				continue
			}
		}
		list := strings.Fields(strings.ToLower(text))
		for from := 0; from == 0 || from < len(list) && kind == embedding.Passage; from += 8 {
			v := axis("everything of "+s.name, senseWidth)
			for _, w := range list[min(from, len(list)):min(from+8, len(list))] {
				w = strings.Trim(w, ".,?![]:")
				if m, ok := meanings[w]; ok {
					w = m
				}
				for k, x := range axis(s.name+w, senseWidth) {
					v[k] += x
				}
			}
			if err := embedding.Normalize(v); err != nil {
				return nil, err
			}
			out[i].Vectors = append(out[i].Vectors, v)
		}
	}
	return out, nil
}

func (s *sense) embedded() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.told
	s.told = nil
	return list
}

// letters is a model of late interaction: the same word has the same state.
type letters struct{}

const stateWidth = 384

func (letters) Available() bool { return true }
func (letters) Hash() string    { return "letters" }
func (letters) Pieces(text string) ([]int32, error) {
	return make([]int32, len(strings.Fields(text))), nil
}
func (letters) Tokens(_ context.Context, text string, _ bool) (ids []int32, states []float32, err error) {
	for _, w := range strings.Fields(strings.ToLower(text)) {
		ids = append(ids, 1)
		states = append(states, axis(strings.Trim(w, ".,?![]:"), stateWidth)...)
	}
	return ids, states, nil
}

func reranker(t testing.TB) *late.Reranker {
	rows := make([][]float32, late.Width)
	for i := range rows {
		rows[i] = make([]float32, stateWidth)
		rows[i][i] = 1
	}
	a, err := late.NewAxes(make([]float32, stateWidth), rows)
	if err != nil {
		t.Fatal(err)
	}
	_, states, _ := letters{}.Tokens(ctx, "nothing of the kind at all", false)
	return late.New(letters{}, a, [][]byte{a.Pack(states)})
}

// house is a store with two accounts, and a queue that a test runs.
type house struct {
	testing.TB
	d        *db.DB
	s        *Store
	memories *memory.Store
	service  *embedding.Service
	late     *late.Reranker
	queue    *queue.Queue
	feed     *feed.Feed
	ann, bob db.AccountID
}

func newHouse(t testing.TB, d *db.DB) *house {
	h := &house{TB: t, d: d, service: embedding.NewService(), late: reranker(t)}
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
	return h
}

// start is a new start of the program.
func (h *house) start() {
	h.s = New(h.d, Options{Service: h.service, Late: h.late, Background: func() words.Background { return nil }})
	h.queue = queue.New(queue.Options{
		DB: h.d, Memories: h.memories, Feed: h.feed, Service: h.service, Wake: schedule.Wake,
		Kinds: []queue.Kind{queue.NewVectors(h.service), NewVectors(h.service), NewTokens(h.late, func() bool { return true }, nil)},
	})
}

func onEach(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) { test(t, newHouse(t, d)) })
}

// use makes a model the one in use; nil switches off.
func (h *house) use(e embedding.Embedder) {
	h.Helper()
	snapshot := &embedding.Snapshot{}
	err := h.d.Update(ctx, func(tx *db.Tx) error {
		if e == nil {
			_, err := embedding.Deactivate(tx)
			return err
		}
		stored, _, err := embedding.Activate(tx, e.Space())
		snapshot = &embedding.Snapshot{Stored: stored, Embedder: e}
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
	h.service.Use(snapshot)
}

// drain works until nothing is left to do at once.
func (h *house) drain() {
	h.Helper()
	for range 1000 {
		if more, _ := h.queue.Pass(ctx); !more {
			return
		}
	}
	h.Fatal("the queue never ends")
}

// talk is a transcript of lines "speaker: text".
func talk(lines ...string) api.TranscriptAdd {
	in := api.TranscriptAdd{Surface: api.SurfaceTeamChat, StartedAt: api.Ptr(api.Time(dbtest.Start))}
	known := map[string]bool{}
	for _, line := range lines {
		who, text, _ := strings.Cut(line, ": ")
		if !known[who] {
			known[who] = true
			in.Participants = append(in.Participants, api.Participant{Name: who})
		}
		in.Turns = append(in.Turns, api.TurnAdd{Speaker: who, Text: text})
	}
	return in
}

func (h *house) add(owner db.AccountID, lines ...string) int64 {
	h.Helper()
	t, err := h.s.Add(ctx, owner, talk(lines...))
	if err != nil {
		h.Fatal(err)
	}
	return t.ID
}

func (h *house) search(owner db.AccountID, in api.TranscriptSearch) api.TranscriptFound {
	h.Helper()
	got, err := h.s.Search(ctx, owner, in)
	if err != nil {
		h.Fatal(err)
	}
	return got
}

func (h *house) first(owner db.AccountID, query string) string {
	h.Helper()
	if got := h.search(owner, api.TranscriptSearch{Query: query}); len(got.Turns) > 0 {
		return got.Turns[0].Text
	}
	return ""
}

// rows counts rows of a table.
func (h *house) rows(table string) (n int) {
	h.Helper()
	if err := h.d.View(ctx, func(tx *db.Tx) error { return tx.Row(`SELECT COUNT(*) FROM `+table, nil, &n) }); err != nil {
		h.Fatal(err)
	}
	return n
}

func (h *house) refused(what string, err error, kind fault.Kind) {
	h.Helper()
	if !fault.Is(err, kind) {
		h.Errorf("%s: %v, want %v", what, err, kind)
	}
}

func lines(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("Ann: turn number %d of many", i))
	}
	return list
}
