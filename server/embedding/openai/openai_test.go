package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/embedding/embeddingtest"
	"elowen/server/embedding/endpoint"
	"elowen/server/embedding/openai"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

const width = 8

type world struct {
	*embeddingtest.Server
	*endpoint.Client
	clock *dbtest.Clock
	slept []time.Duration
}

func newWorld(t *testing.T, change ...func(*endpoint.Config)) *world {
	w := &world{Server: embeddingtest.NewServer(t, "m", width), clock: dbtest.NewClock(dbtest.Start)}
	c := endpoint.Config{
		Space:  embedding.Space{Kind: api.ProviderOpenAI, Endpoint: w.URL + "/v1", Model: "m"},
		Format: openai.Format{}, Clock: w.clock.Now, Share: func() float64 { return 0 },
		Sleep: func(_ context.Context, d time.Duration) {
			w.slept = append(w.slept, d)
			w.clock.Advance(d.Milliseconds())
		},
	}
	for _, f := range change {
		f(&c)
	}
	w.Client = endpoint.New(c)
	return w
}

func (w *world) embed(t *testing.T, texts ...string) ([]embedding.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return w.Embed(ctx, texts, embedding.Passage)
}

func (w *world) right(t *testing.T, texts ...string) {
	t.Helper()
	list, err := w.embed(t, texts...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if r.Err != nil || len(r.Vectors) != 1 || !embeddingtest.Same(r.Vectors[0], "m", texts[i]) {
			t.Errorf("%q: %v, %v", texts[i], r.Vectors, r.Err)
		}
	}
}

func TestVectorsOfTexts(t *testing.T) {
	w := newWorld(t)
	if list, err := w.embed(t); err != nil || len(list) != 0 || w.Requests() != 0 {
		t.Error("nothing was not nothing", list, err)
	}
	w.right(t, "one", "two", "Zwölf Boxkämpfer", "日本語")
	many := make([]string, 100)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	before := w.Requests()
	w.right(t, many...)
	if got := w.Requests() - before; got != (100+setting.Int("embedding.texts")-1)/setting.Int("embedding.texts") {
		t.Errorf("%d requests for 100 texts", got)
	}
}

// What is wrong with an endpoint, what is said of it, and that it mends by itself.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault func(http.ResponseWriter, *http.Request, []string) bool
		says  string
	}{
		{"401", embeddingtest.Status(401), "wants a key"},
		{"403", embeddingtest.Status(403), "wants a key"},
		{"402", embeddingtest.Status(402), "paid"},
		{"404", embeddingtest.Status(404), "no model"},
		{"418", embeddingtest.Status(418), "418"},
		{"429", embeddingtest.Status(429), "fewer requests"},
		{"500", embeddingtest.Status(500), "failed (500)"},
		{"503", embeddingtest.Status(503), "failed (503)"},
		{"302", embeddingtest.Status(302, "Location", "http://127.0.0.1:1/"), "elsewhere"},
		{"400 always", embeddingtest.Status(400), "refuses the text"},
		{"cut", embeddingtest.Cut, "broke its answer off"},
		{"html", embeddingtest.Text("text/html; charset=utf-8", "<!DOCTYPE html><h1>Sign in</h1>"), "web page"},
		{"html without a type", embeddingtest.Text("", "<html>"), "web page"},
		{"text", embeddingtest.Text("text/plain", "OK"), "no JSON"},
		{"nothing", embeddingtest.Text("application/json", ""), "nothing"},
		{"other JSON", embeddingtest.Text("application/json", `{"ok":true}`), "something else"},
		{"NaN", embeddingtest.Text("application/json", `{"data":[{"index":0,"embedding":[NaN,1]}]}`), "something else"},
		{"twice one index", embeddingtest.Text("application/json", `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`), "something else"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.Fail(c.fault)
			list, err := w.embed(t, "one", "two", "three")
			if !fault.Is(err, fault.Unavailable) || list != nil {
				t.Fatalf("%v, %v", list, err)
			}
			for range 3 {
				_, _ = w.embed(t, "one")
			}
			s := w.State()
			if !strings.Contains(s.Problem, c.says) || s.RetryAt <= w.clock.Now() {
				t.Errorf("state %+v at %d", s, w.clock.Now())
			}
			if strings.Contains(s.Problem, "three") {
				t.Error("a text is in the state")
			}
			before := w.Requests()
			if _, err := w.embed(t, "one"); !fault.Is(err, fault.Unavailable) || w.Requests() != before {
				t.Error("an open breaker asked", err)
			}
			w.Fail(nil)
			w.clock.Advance(s.RetryAt - w.clock.Now())
			w.right(t, "one", "two")
			if s := w.State(); s != (embedding.State{}) {
				t.Errorf("after the recovery: %+v", s)
			}
		})
	}
}

func TestNobodyListens(t *testing.T) {
	w := newWorld(t)
	w.Close()
	if _, err := w.embed(t, "one"); !fault.Is(err, fault.Unavailable) || !strings.Contains(w.State().Problem, "Nobody listens") {
		t.Errorf("%v, %+v", err, w.State())
	}
}

func TestAnEndpointThatHangs(t *testing.T) {
	w := newWorld(t)
	w.Fail(embeddingtest.Hang)
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := w.Embed(ctx, []string{"one"}, embedding.Query)
	if !fault.Is(err, fault.Unavailable) || ctx.Err() != nil {
		t.Errorf("%v; the caller's time is up: %v", err, ctx.Err())
	}
	if !strings.Contains(w.State().Problem, "in time") {
		t.Errorf("%+v", w.State())
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	problem := w.State()
	if _, err := w.Embed(ctx, []string{"one"}, embedding.Query); !fault.Is(err, fault.Cancelled) || w.State() != problem {
		t.Errorf("cancelled: %v, %+v", err, w.State())
	}
}

func TestRetryAfterIsHeeded(t *testing.T) {
	w := newWorld(t)
	left := 2
	w.Fail(func(rw http.ResponseWriter, r *http.Request, texts []string) bool {
		if left == 0 {
			return false
		}
		left--
		return embeddingtest.Status(429, "Retry-After", "2")(rw, r, texts)
	})
	w.right(t, "one")
	if !slices.Equal(w.slept, []time.Duration{2 * time.Second, 2 * time.Second}) {
		t.Errorf("slept %v", w.slept)
	}
	w.Fail(embeddingtest.Status(429, "Retry-After", "120"))
	before := w.Requests()
	if _, err := w.embed(t, "one"); err == nil || w.Requests() != before+1 {
		t.Errorf("%v after %d requests", err, w.Requests()-before)
	}
	if s := w.State(); s.RetryAt != w.clock.Now()+120_000 {
		t.Errorf("asked again at %+v, not in 120 s", s)
	}
	// 5xx is tried again with a growing pause.
	w = newWorld(t)
	w.Fail(embeddingtest.Status(502))
	_, _ = w.embed(t, "one")
	if w.Requests() != 3 || !slices.Equal(w.slept, []time.Duration{250 * time.Millisecond, 500 * time.Millisecond}) {
		t.Errorf("%d requests, slept %v", w.Requests(), w.slept)
	}
}

func TestTheBreakerGrowsAndHalfOpens(t *testing.T) {
	w := newWorld(t)
	w.Fail(embeddingtest.Status(401))
	last := int64(0)
	for i := range 12 {
		if _, err := w.embed(t, "one"); err == nil {
			t.Fatal("answered")
		}
		pause := w.State().RetryAt - w.clock.Now()
		if pause < last || pause > 300_000 {
			t.Errorf("pause %d after %d", pause, last)
		}
		if w.Requests() != i+1 {
			t.Errorf("%d requests in the %d. call", w.Requests(), i+1)
		}
		last = pause
		w.clock.Advance(pause)
	}
	if last != 300_000 {
		t.Errorf("the pause stays at %d", last)
	}
}

// One text that nobody can embed never keeps the others from being embedded.
func TestOneBadTextAmongMany(t *testing.T) {
	for name, fails := range map[string]func(http.ResponseWriter, *http.Request, []string) bool{
		"400": embeddingtest.Status(400), "500": embeddingtest.Status(500), "422": embeddingtest.Status(422),
		"cut": embeddingtest.Cut, "NaN": embeddingtest.Text("application/json", `{"data":[{"index":0,"embedding":[NaN]}]}`),
	} {
		for _, at := range []int{0, 5, 15} {
			w := newWorld(t)
			w.Fail(func(rw http.ResponseWriter, r *http.Request, texts []string) bool {
				return slices.Contains(texts, "bad") && fails(rw, r, texts)
			})
			texts := make([]string, 16)
			for i := range texts {
				texts[i] = strings.Repeat("x", i+1)
			}
			texts[at] = "bad"
			list, err := w.embed(t, texts...)
			if err != nil {
				t.Fatalf("%s at %d: %v", name, at, err)
			}
			for i, r := range list {
				if (i == at) != (r.Err != nil) || i != at && !embeddingtest.Same(r.Vectors[0], "m", texts[i]) {
					t.Errorf("%s at %d: text %d: %v", name, at, i, r.Err)
				}
			}
			if s := w.State(); s.Problem != "" {
				t.Errorf("%s: %+v", name, s)
			}
		}
	}
}

// A vector of nothing, or of nulls, is its text's failure alone.
func TestOneBadVector(t *testing.T) {
	w := newWorld(t)
	for _, bad := range []string{"[]", "null", "[0,0]", "[1,null]", `["1",2]`, "[[1]]", "1", "[1,2,3]", "[1e39,1]"} {
		w.Fail(embeddingtest.Text("application/json", `{"data":[{"index":1,"embedding":`+bad+`},{"index":0,"embedding":[0.6,0.8]}]}`))
		list, err := w.embed(t, "one", "two")
		if err != nil || list[0].Err != nil || list[1].Err == nil || list[1].Vectors != nil {
			t.Errorf("%s: %+v, %v", bad, list, err)
		}
	}
}

func TestOtherWidth(t *testing.T) {
	w := newWorld(t)
	w.right(t, "one")
	w.SetWidth(width + 1)
	for _, texts := range [][]string{{"one"}, {"one", "two"}} {
		if list, err := w.embed(t, texts...); err == nil {
			t.Errorf("taken: %v", list)
		}
		if s := w.State(); !strings.Contains(s.Problem, "vectors of 9 numbers where 8") || s.RetryAt == 0 {
			t.Errorf("%+v", s)
		}
		w.clock.Advance(300_000)
	}
	w.SetWidth(width)
	w.right(t, "one")
	asked := newWorld(t, func(c *endpoint.Config) { c.Space.Asked = 4 })
	if _, err := asked.embed(t, "one"); err == nil {
		t.Error("a width that was not asked for was taken")
	}
}

// Texts that are too long are cut, whatever the endpoint calls that.
func TestTooLongTexts(t *testing.T) {
	long := strings.Repeat("Ž and more of it. ", 3_000)
	for name, f := range map[string]func(http.ResponseWriter, *http.Request, []string) bool{
		"8 kB": embeddingtest.Longer(8<<10, 413, "too large"), "context": embeddingtest.Longer(2000, 400, "input exceeds the context length"),
		"tokens": embeddingtest.Longer(2000, 500, "too many tokens"),
	} {
		w := newWorld(t)
		w.Fail(f)
		list, err := w.embed(t, "one", long, "two")
		if err != nil {
			t.Fatal(name, err)
		}
		texts := w.Texts()
		for i, r := range list {
			if r.Err != nil {
				t.Errorf("%s: text %d: %v", name, i, r.Err)
			}
		}
		kept := ""
		for _, text := range texts {
			if strings.HasPrefix(long, text) {
				kept = text
			}
		}
		if len(kept) < 1000 || !embeddingtest.Same(list[1].Vectors[0], "m", kept) {
			t.Errorf("%s: %d bytes were kept", name, len(kept))
		}
		// Small ones that are too large only together stay as they are.
		var some []string
		for i := range 12 {
			some = append(some, strings.Repeat("y", 900+i))
		}
		w.right(t, some...)
	}
}

func TestKeyAndRedirect(t *testing.T) {
	var key atomic.Value
	var gone atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { gone.Add(1) }))
	defer other.Close()
	w := newWorld(t, func(c *endpoint.Config) { c.Key, c.Headers = "sk-secret", map[string]string{"X-Title": "elowen"} })
	w.Fail(func(_ http.ResponseWriter, r *http.Request, _ []string) bool {
		key.Store(r.Header.Get("Authorization") + r.Header.Get("X-Title"))
		return false
	})
	w.right(t, "one")
	if key.Load() != "Bearer sk-secretelowen" {
		t.Error("sent", key.Load())
	}
	w.Fail(embeddingtest.Status(307, "Location", other.URL))
	_, err := w.embed(t, "one")
	if err == nil || gone.Load() != 0 {
		t.Error("a redirect was followed", err)
	}
	if strings.Contains(err.Error()+w.State().Problem, "sk-secret") {
		t.Error("the key is in an error")
	}
	w = newWorld(t, func(c *endpoint.Config) { c.Key = "sk-secret" })
	w.Fail(embeddingtest.Status(401))
	_, _ = w.embed(t, "one")
	if !strings.Contains(w.State().Problem, "refuses the key (401)") {
		t.Error(w.State())
	}
}

func TestAnswersAreBounded(t *testing.T) {
	w := newWorld(t)
	w.Fail(func(rw http.ResponseWriter, _ *http.Request, _ []string) bool {
		block := []byte(strings.Repeat(" ", 1<<20))
		for range 33 {
			if _, err := rw.Write(block); err != nil {
				return true
			}
		}
		return true
	})
	if _, err := w.embed(t, "one"); err == nil || !strings.Contains(w.State().Problem, "more than") {
		t.Errorf("%v, %+v", err, w.State())
	}
}

func TestPrefixes(t *testing.T) {
	w := newWorld(t, func(c *endpoint.Config) { c.Profile = embedding.Profile{PassageBy: "passage: ", QueryBy: "query: "} })
	if _, err := w.Embed(context.Background(), []string{"a"}, embedding.Passage); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Embed(context.Background(), []string{"b"}, embedding.Query); err != nil {
		t.Fatal(err)
	}
	if got := w.Texts(); !slices.Equal(got, []string{"passage: a", "query: b"}) {
		t.Error(got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"index":0,"embedding":[0.1,-2e-3]}]}`, `{"data":[{"embedding":[1]},{"embedding":[2,3]}]}`, `{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":null}]}`,
		`{"data":[{"index":-1,"embedding":[]}]}`, `{"data":null}`, `[]`, ``, `{"data":[{"index":0,"embedding":[1,]}]}`, `{"data":[{"index":0,"embedding":"AAAA"}]}`,
	} {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		n = max(1, min(n, 8))
		list, err := openai.Format{}.Parse(data, n)
		if err != nil {
			return
		}
		if len(list) != n {
			t.Fatalf("%d vectors for %d texts", len(list), n)
		}
		if !json.Valid(data) {
			t.Errorf("read from what is no JSON: %q", data)
		}
		var plain struct {
			Data []struct {
				Embedding any `json:"embedding"`
			} `json:"data"`
		}
		if err := json.Unmarshal(data, &plain); err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, d := range plain.Data {
			if numbers, ok := d.Embedding.([]any); ok {
				total += len(numbers)
			}
		}
		for _, v := range list {
			total -= len(v)
		}
		if total < 0 {
			t.Errorf("more numbers than there are in %q", data)
		}
	})
}
