package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"elowen/app/state"
	"elowen/server/account"
	"elowen/server/live"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
)

// patience is how long a test waits for what should come soon.
const patience = 30 * time.Second

// door is a world with its websocket, served on a port of its own.
type door struct {
	*projectiontest.World
	handler *live.Handler
	url     string // ws://…
}

func serve(t testing.TB, w *projectiontest.World, change func(*live.Options)) *door {
	t.Helper()
	o := live.Options{
		Projector: w.Projector,
		Identify: func(_ http.ResponseWriter, r *http.Request) (account.Identity, error) {
			secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if !ok {
				return account.Identity{}, fault.New(fault.Unauthenticated, "Sign in first.")
			}
			return w.Accounts.Token(r.Context(), secret)
		},
		Check: w.Accounts.Check,
		Problem: func(w http.ResponseWriter, err error) {
			p := fault.ProblemOf(err)
			w.WriteHeader(p.Status)
			_ = json.NewEncoder(w).Encode(p)
		},
	}
	if change != nil {
		change(&o)
	}
	d := &door{World: w, handler: live.New(o)}
	server := httptest.NewServer(d.handler)
	d.url = "ws" + strings.TrimPrefix(server.URL, "http")
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = d.handler.Shutdown(ctx) // what hangs is cut off
		server.Close()
	})
	return d
}

// token makes a token for an account.
func (d *door) token(t testing.TB, who account.Identity, scopes ...string) api.Token {
	t.Helper()
	token, err := d.Accounts.AddToken(context.Background(), who.Owner, api.TokenAdd{Name: "test", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// sockets waits until so many are open.
func (d *door) sockets(t testing.TB, n int64) {
	t.Helper()
	for deadline := time.Now().Add(patience); d.handler.Counts().Sockets != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d sockets are open, not %d", d.handler.Counts().Sockets, n)
		}
	}
}

// browser is a client: a socket and the windows that its frames make.
type browser struct {
	t       testing.TB
	conn    *websocket.Conn
	ctx     context.Context
	windows map[string]state.Window[wire.Row]
	last    wire.Frame
	text    string // of the last frame
}

func (d *door) dial(t testing.TB, secret string) *browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, d.url, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + secret}}})
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &browser{t: t, conn: conn, ctx: ctx, windows: map[string]state.Window[wire.Row]{}}
}

func (b *browser) send(v any) {
	b.t.Helper()
	text, ok := v.(string)
	if !ok {
		j, err := json.Marshal(v)
		if err != nil {
			b.t.Fatal(err)
		}
		text = string(j)
	}
	if err := b.conn.Write(b.ctx, websocket.MessageText, []byte(text)); err != nil {
		b.t.Fatalf("write: %v", err)
	}
}

// read takes the next frame in and applies it; it answers the socket's error.
func (b *browser) read() error {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	_, text, err := b.conn.Read(ctx)
	if err != nil {
		return err
	}
	var f wire.Frame
	if err := json.Unmarshal(text, &f); err != nil {
		b.t.Errorf("%v: %s", err, text)
		return err
	}
	b.last, b.text = f, string(text)
	if f.Type == wire.TypePong || f.Type == wire.TypeError {
		return nil
	}
	was := b.windows[f.ID]
	next, outcome, err := was.Apply(f)
	if err != nil || outcome == state.Ignored || outcome == state.Gap && f.Type != wire.TypeGap {
		b.t.Errorf("frame %s at %d: outcome %d, %v", text, was.Seq, outcome, err)
	}
	b.windows[f.ID] = next
	return nil
}

// until reads frames until cond holds.
func (b *browser) until(what string, cond func() bool) {
	b.t.Helper()
	for !cond() {
		if err := b.read(); err != nil {
			b.t.Fatalf("waiting for %s: %v (last frame %s)", what, err, b.text)
		}
	}
}

// closed reads until the socket ends and gives the code.
func (b *browser) closed() websocket.StatusCode {
	b.t.Helper()
	for {
		if err := b.read(); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				b.t.Fatalf("the socket stays open")
			}
			return websocket.CloseStatus(err)
		}
	}
}

func (b *browser) subscribe(id string, q api.MemoryQuery, from, limit int) {
	b.t.Helper()
	req := wire.Request{Type: wire.TypeSubscribe, ID: id, View: wire.ViewMemories, Query: q, From: from, Limit: limit}
	if w := b.windows[id]; w.Loaded {
		req.Since, req.Epoch, req.AsOf, req.Have, req.From = w.Seq, w.Epoch, w.AsOf, w.IDs(), w.From
	}
	b.send(req)
}

func (b *browser) ping() {
	b.t.Helper()
	b.send(`{"type":"ping"}`)
	b.last = wire.Frame{}
	b.until("a pong", func() bool { return b.last.Type == wire.TypePong })
}
