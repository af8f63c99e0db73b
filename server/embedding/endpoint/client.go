package endpoint

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Format is how a kind of endpoint is spoken to.
type Format interface {
	// Path is where requests go, below the endpoint's address.
	Path() string
	// Request is the body for texts, to be written as JSON.
	Request(s embedding.Space, texts []string) any
	// Parse reads the answer to n texts: one vector each, in their order. Any error
	// means that nothing of it is of use; one vector may be nil where only it is.
	Parse(answer []byte, n int) ([][]float32, error)
}

// Config is what a Client is made of.
type Config struct {
	Space   embedding.Space
	Width   int // of the vectors that the space has; 0: none yet
	Profile embedding.Profile
	Format  Format
	Key     string // empty: none is sent
	Headers map[string]string

	// Count is told of each request that was sent: what it took, in tokens, as far as the
	// endpoint says. nil is not told.
	Count func(ctx context.Context, tokens int)

	HTTP  *http.Client                               // nil takes NewHTTP
	Clock db.Clock                                   // nil is the machine's
	Sleep func(ctx context.Context, d time.Duration) // nil waits
	Share func() float64                             // from 0 to 1, by chance; nil takes the machine's
}

// Client asks one endpoint. It is safe for concurrent use.
type Client struct {
	c       Config
	url     string
	breaker breaker
	width   atomic.Int64 // of its vectors; 0 before the first
	body    atomic.Int64 // the longest body that the endpoint takes; 0: nothing known
}

var (
	_ embedding.Embedder = (*Client)(nil)
	_ embedding.Stater   = (*Client)(nil)
)

// New makes a client.
func New(c Config) *Client {
	if c.HTTP == nil {
		c.HTTP = NewHTTP()
	}
	if c.Clock == nil {
		c.Clock = db.SystemClock
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	if c.Share == nil {
		c.Share = rand.Float64
	}
	e := &Client{c: c, url: c.Space.Endpoint + c.Format.Path()}
	e.width.Store(int64(max(c.Space.Asked, c.Width)))
	return e
}

// NewHTTP is an HTTP client that follows no redirect: a key must not go where
// nobody sent it.
func NewHTTP() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    5 * time.Second,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        60 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Space implements embedding.Embedder.
func (e *Client) Space() embedding.Space { return e.c.Space }

// Limits implements embedding.Embedder.
func (e *Client) Limits() embedding.Limits {
	most := setting.Int("embedding.bytes")
	if learned := int(e.body.Load()); learned > 0 {
		most = min(most, learned)
	}
	return embedding.Limits{Texts: setting.Int("embedding.texts"), Bytes: most}
}

// State implements embedding.Stater.
func (e *Client) State() embedding.State { return e.breaker.state() }

// Embed implements embedding.Embedder. Errors: Unavailable, saying what is wrong
// with the endpoint; Cancelled where ctx was.
func (e *Client) Embed(ctx context.Context, texts []string, kind embedding.Kind) ([]embedding.Result, error) {
	if len(texts) == 0 {
		return []embedding.Result{}, nil
	}
	problem, ok := e.breaker.enter(e.c.Clock())
	if !ok {
		return nil, fault.New(fault.Unavailable, problem)
	}
	before := e.c.Profile.PassageBy
	if kind == embedding.Query {
		before = e.c.Profile.QueryBy
	}
	w := &work{e: e, ctx: ctx, before: before, out: make([]embedding.Result, len(texts)), texts: slices.Clone(texts)}
	for from := 0; from < len(texts) && w.failed == nil; {
		to := e.Limits().Take(texts, from)
		w.solve(from, to)
		from = to
	}
	if w.failed == nil && w.answered == 0 && w.width != nil {
		w.failed = w.width // of all of them
	}
	switch {
	case w.failed == nil:
		e.breaker.success()
		return w.out, nil
	case ctx.Err() != nil && context.Cause(ctx) != context.DeadlineExceeded:
		e.breaker.leave() // the caller's wish says nothing of the endpoint
		return nil, fault.Wrap(fault.Cancelled, ctx.Err(), "The request was cancelled.")
	}
	e.breaker.failure(e.c.Clock(), w.failed, e.c.Share())
	err := fault.Wrap(fault.Unavailable, w.failed, w.failed.text)
	if w.answered == 0 {
		return nil, err
	}
	for i := range w.out { // what was answered counts
		if w.out[i].Err == nil && w.out[i].Vectors == nil {
			w.out[i].Err = err
		}
	}
	return w.out, nil
}

// work is one call of Embed on its way.
type work struct {
	e        *Client
	ctx      context.Context
	before   string // each text
	texts    []string
	out      []embedding.Result
	answered int      // texts
	alive    bool     // the endpoint answers what nothing can be wrong with
	width    *problem // a vector of another width came
	failed   *problem // of the call
}

// solve asks for the texts from..to−1, in halves where that fails in a way that
// one of them may be to blame for.
func (w *work) solve(from, to int) {
	if w.failed != nil {
		return
	}
	p := w.request(from, to)
	switch {
	case p == nil:
	case !p.maybeText || !w.living():
		if w.failed == nil {
			w.failed = p
		}
	case to-from > 1:
		if p.status == http.StatusRequestEntityTooLarge {
			w.e.learn(w.size(from, to) / 2)
		}
		mid := from + (to-from)/2
		w.solve(from, mid)
		w.solve(mid, to)
	default:
		w.single(from, p)
	}
}

// probeText is what no model has a reason to refuse.
const probeText = "hello"

// living tells whether the endpoint answers at all, so that a failure may be a
// text's. It asks once a call.
func (w *work) living() bool {
	if w.answered > 0 || w.alive {
		return true
	}
	_, p := w.e.retried(w.ctx, []string{w.before + probeText})
	w.failed, w.alive = p, p == nil
	return w.alive
}

// The bounds of cutting a text: how often, and what is not worth asking any more.
const (
	cutsMost  = 10
	cutsLeast = 64 // bytes
)

// single is the end of a text that failed alone: it is cut as long as that may help.
func (w *work) single(i int, p *problem) {
	for range cutsMost {
		if !p.tooLong || len(w.texts[i]) <= cutsLeast {
			break
		}
		w.texts[i] = cut(w.texts[i], len(w.texts[i])*2/3)
		next := w.request(i, i+1)
		if next == nil {
			return
		}
		if p = next; !p.maybeText {
			w.failed = p
			return
		}
	}
	w.out[i] = embedding.Result{Err: fault.Wrap(fault.Corrupt, p, p.text)}
}

func (w *work) size(from, to int) int {
	n := 0
	for _, t := range w.texts[from:to] {
		n += len(t)
	}
	return n
}

// request makes one request, with its retries, and takes its answer.
func (w *work) request(from, to int) *problem {
	list := make([]string, to-from)
	for i := range list {
		list[i] = w.before + w.texts[from+i]
	}
	vectors, p := w.e.retried(w.ctx, list)
	if p != nil {
		return p
	}
	for i, v := range vectors {
		if err := w.e.judge(v); err != nil {
			w.out[from+i] = embedding.Result{Err: err}
			if len(v) > 0 && int64(len(v)) != w.e.width.Load() {
				w.width = &problem{text: fault.ProblemOf(err).Detail, settled: true}
			}
			continue
		}
		w.out[from+i] = embedding.Result{Vectors: [][]float32{v}}
		w.answered++
	}
	return nil
}

// judge makes a vector one of length 1, and refuses one of another width.
func (e *Client) judge(v []float32) error {
	if err := embedding.Normalize(v); err != nil {
		return err
	}
	e.width.CompareAndSwap(0, int64(len(v)))
	if want := int(e.width.Load()); len(v) != want {
		return fault.Newf(fault.Corrupt, "The model %s answers vectors of %d numbers where %d are expected. If it was replaced by another one, name it anew or index everything again.", e.c.Space.Model, len(v), want)
	}
	return nil
}

// learn notes that the endpoint takes no longer bodies.
func (e *Client) learn(bytes int) {
	if bytes >= 1<<10 {
		e.body.Store(int64(bytes))
	}
}

// cut is a text of at most n bytes, whole runes of it.
func cut(text string, n int) string {
	for n > 0 && n < len(text) && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:min(n, len(text))]
}
