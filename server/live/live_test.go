package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db/dbtest"
	"elowen/server/live"
	"elowen/server/projection/projectiontest"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

func TestTwoWindowsFollowEachOther(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), nil)
	ann := d.Account("ann")
	token := d.token(t, ann)
	one, two := d.dial(t, token.Token), d.dial(t, token.Token)
	for _, b := range []*browser{one, two} {
		b.subscribe("list", api.MemoryQuery{}, 0, 10)
		b.until("a snapshot", func() bool { return b.windows["list"].Loaded })
	}
	m := d.Add(ann, "said once", 5)
	for _, b := range []*browser{one, two} {
		b.until("the memory", func() bool { _, _, ok := b.windows["list"].Find(m.ID); return ok })
	}
	if _, err := d.Memories.Trash(context.Background(), ann.Owner, audit.Actor{Name: "user:1"}, m.ID, 0, ""); err != nil {
		t.Fatal(err)
	}
	for _, b := range []*browser{one, two} {
		b.until("its end", func() bool { return b.windows["list"].Total == 0 })
	}
	one.send(wire.Request{Type: wire.TypeUnsubscribe, ID: "list"})
	one.ping()
	d.Add(ann, "said to one window", 5)
	two.until("the other", func() bool { return two.windows["list"].Total == 1 })
	one.ping()
	if one.windows["list"].Total != 0 {
		t.Error("a window that was closed is told")
	}
	if c := d.handler.Counts(); c.Sockets != 2 || c.Opened != 2 || c.Frames < 6 || c.Bytes == 0 || c.Slow != 0 {
		t.Errorf("%+v", c)
	}
}

// A second store on the same files is what another process is.
func TestForeignWritesArrive(t *testing.T) {
	dir := t.TempDir()
	d := serve(t, projectiontest.OpenIn(t, dir, nil), nil)
	ann := d.Account("ann")
	b := d.dial(t, d.token(t, ann).Token)
	b.subscribe("list", api.MemoryQuery{}, 0, 10)
	b.until("a snapshot", func() bool { return b.windows["list"].Loaded })
	other := projectiontest.OpenIn(t, dir, nil)
	for i := range 3 {
		m := other.Add(ann, fmt.Sprint("from the command line ", i), 5)
		b.until("the memory", func() bool { _, _, ok := b.windows["list"].Find(m.ID); return ok })
	}
}

func TestWhoMayNotConnect(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), func(o *live.Options) { o.Origins = []string{"https://memory.example.org/"} })
	ann := d.Account("ann")
	read, write := d.token(t, ann, api.ScopeRead), d.token(t, ann, api.ScopeWrite)
	host := strings.TrimPrefix(d.url, "ws://")
	for _, c := range []struct {
		name, secret, origin string
		status               int
	}{
		{"nobody", "", "", 401},
		{"a made up token", "elw_nothing", "", 401},
		{"may not read", write.Token, "", 403},
		{"another site", read.Token, "https://evil.example.org", 403},
		{"another scheme of the allowed one", read.Token, "http://memory.example.org", 403},
		{"a file", read.Token, "null", 403},
		{"the public address", read.Token, "https://memory.example.org", 101},
		{"in capitals", read.Token, "https://Memory.Example.org", 101},
		{"where the request went", read.Token, "http://" + host, 101},
		{"no browser", read.Token, "", 101},
	} {
		h := http.Header{}
		if c.secret != "" {
			h.Set("Authorization", "Bearer "+c.secret)
		}
		if c.origin != "" {
			h.Set("Origin", c.origin)
		}
		conn, resp, err := websocket.Dial(context.Background(), d.url, &websocket.DialOptions{HTTPHeader: h})
		if conn != nil {
			_ = conn.CloseNow()
		}
		if resp == nil || resp.StatusCode != c.status {
			t.Errorf("%s: %v %v, want %d", c.name, resp, err, c.status)
		}
	}
	// No websocket at all.
	req, err := http.NewRequest(http.MethodGet, "http://"+host, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+read.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a plain request: %d", resp.StatusCode)
	}
}

func TestSignedOut(t *testing.T) {
	ctx := context.Background()
	for name, end := range map[string]func(*door, account.Identity, api.Token) error{
		"revoked": func(d *door, who account.Identity, token api.Token) error {
			return d.Accounts.RevokeToken(ctx, who.Owner, token.ID)
		},
		"disabled": func(d *door, who account.Identity, _ api.Token) error {
			_, err := d.Accounts.Patch(ctx, account.Identity{Owner: who.Owner + 1000, Role: api.RoleAdmin}, who.Name, 0, api.PersonPatch{Disabled: api.Ptr(true)})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := serve(t, projectiontest.Open(t, nil), nil)
			ann, bob := d.Account("ann"), d.Account("bob")
			token := d.token(t, ann)
			b, other, same := d.dial(t, token.Token), d.dial(t, d.token(t, bob).Token), d.dial(t, d.token(t, ann).Token)
			for _, b := range []*browser{b, other, same} {
				b.subscribe("list", api.MemoryQuery{}, 0, 10)
				b.until("a snapshot", func() bool { return b.windows["list"].Loaded })
			}
			if err := end(d, ann, token); err != nil {
				t.Fatal(err)
			}
			if got := b.closed(); got != wire.CloseSignedOut {
				t.Errorf("closed with %d", got)
			}
			other.ping()
			if name == "revoked" {
				same.ping()
			} else if got := same.closed(); got != wire.CloseSignedOut {
				t.Errorf("the other socket of the account: %d", got)
			}
		})
	}
}

// What ends without a change in the log, such as an expiry, is seen at a heartbeat.
func TestExpiry(t *testing.T) {
	var over atomic.Bool
	d := serve(t, projectiontest.Open(t, nil), func(o *live.Options) {
		o.Heartbeat = 20 * time.Millisecond
		o.Check = func(context.Context, account.Identity) error {
			if over.Load() {
				return fault.New(fault.Unauthenticated, "expired")
			}
			return nil
		}
	})
	b := d.dial(t, d.token(t, d.Account("ann")).Token)
	b.ping()
	over.Store(true)
	if got := b.closed(); got != wire.CloseSignedOut {
		t.Errorf("closed with %d", got)
	}
}

func TestRestart(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), nil)
	token := d.token(t, d.Account("ann")).Token
	var all []*browser
	for range 5 {
		b := d.dial(t, token)
		b.ping()
		all = append(all, b)
	}
	var closing sync.WaitGroup
	closing.Add(1)
	go func() {
		defer closing.Done()
		if err := d.handler.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, b := range all {
		if got := b.closed(); got != wire.CloseRestart {
			t.Errorf("closed with %d", got)
		}
	}
	closing.Wait()
	_, resp, err := websocket.Dial(context.Background(), d.url, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err == nil || resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the shutdown: %v %v", resp, err)
	}
	if n := d.handler.Counts().Sockets; n != 0 {
		t.Errorf("%d sockets are left", n)
	}
}

// A client that stops reading while much happens comes to the present as soon as it
// reads again, and the others get theirs all the while.
func TestSlowClient(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), func(o *live.Options) { o.Patience = time.Hour })
	ann := d.Account("ann")
	large := strings.Repeat("a long story ", 7000)
	d.Fill(ann, 150, func(i int) string { return fmt.Sprint(i, large) })
	token := d.token(t, ann).Token
	quick, slow := d.dial(t, token), d.dial(t, token)
	quick.subscribe("list", api.MemoryQuery{}, 0, 3)
	quick.until("a snapshot", func() bool { return quick.windows["list"].Loaded })
	// Its snapshot alone is more than a socket's buffers hold.
	slow.subscribe("list", api.MemoryQuery{}, 0, 200)
	var last api.Memory
	for i := range setting.Int("live.queue") + 20 {
		last = d.Add(ann, fmt.Sprint("small one ", i), 5)
		quick.until("the memory", func() bool { _, _, ok := quick.windows["list"].Find(last.ID); return ok })
	}
	frames := 0
	slow.until("the present", func() bool {
		frames++
		_, _, ok := slow.windows["list"].Find(last.ID)
		return ok
	})
	if frames > 3 {
		t.Errorf("%d frames for one that reads again", frames)
	}
	next := d.Add(ann, "after that", 5)
	for _, b := range []*browser{quick, slow} {
		b.until("the next one", func() bool { _, _, ok := b.windows["list"].Find(next.ID); return ok })
	}
	if c := d.handler.Counts(); c.Slow != 0 || c.Sockets != 2 {
		t.Errorf("%+v", c)
	}
}

// A client that takes nothing of a frame for too long is cut off, and only that one.
func TestStuckClient(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), func(o *live.Options) { o.Patience = 500 * time.Millisecond })
	ann := d.Account("ann")
	large := strings.Repeat("a long story ", 7000)
	d.Fill(ann, 150, func(i int) string { return fmt.Sprint(i, large) })
	token := d.token(t, ann).Token
	quick, stuck := d.dial(t, token), d.dial(t, token)
	quick.subscribe("list", api.MemoryQuery{}, 0, 3)
	quick.until("a snapshot", func() bool { return quick.windows["list"].Loaded })
	stuck.subscribe("list", api.MemoryQuery{}, 0, 200) // and reads nothing
	d.sockets(t, 1)
	quick.ping()
	if c := d.handler.Counts(); c.Slow != 1 {
		t.Errorf("%+v", c)
	}
}

// A client that is gone without a word is noticed by its silence.
func TestSilentClient(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), func(o *live.Options) { o.Heartbeat, o.Patience = 20*time.Millisecond, 100*time.Millisecond })
	d.dial(t, d.token(t, d.Account("ann")).Token) // never reads, so it answers no ping
	d.sockets(t, 0)
}

// Frames that make no sense are answered with an error and change nothing.
func TestHostileFrames(t *testing.T) {
	d := serve(t, projectiontest.Open(t, nil), nil)
	ann, bob := d.Account("ann"), d.Account("bob")
	foreign := d.Add(bob, "bob's secret", 5)
	b := d.dial(t, d.token(t, ann).Token)
	b.subscribe("list", api.MemoryQuery{}, 0, 10)
	b.until("a snapshot", func() bool { return b.windows["list"].Loaded })
	for _, c := range []struct{ frame, code, id string }{
		{``, "invalid", ""},
		{`{`, "invalid", ""},
		{`[]`, "invalid", ""},
		{`null`, "invalid", ""},
		{`{}`, "invalid", ""},
		{`{"type":"shout"}`, "invalid", ""},
		{`{"type":"subscribe"}`, "invalid", ""},
		{`{"type":"subscribe","id":"x"}`, "invalid", "x"},
		{`{"type":"subscribe","id":"x","view":"secrets"}`, "invalid", "x"},
		{`{"type":"subscribe","id":"x","view":"memories","limit":100000}`, "invalid", "x"},
		{`{"type":"subscribe","id":"x","view":"memories","from":-1}`, "invalid", "x"},
		{`{"type":"subscribe","id":"x","view":"memories","query":{"sort":"body"}}`, "invalid", "x"},
		{`{"type":"subscribe","id":"x","view":"memories","query":{"owner":1}}`, "invalid", ""},
		{`{"type":"ping","type":"ping"}`, "invalid", ""},
		{`{"TYPE":"ping"}`, "invalid", ""},
		{`{"type":"subscribe","id":"x","view":"memories","since":"1"}`, "invalid", ""},
		{fmt.Sprintf(`{"type":"subscribe","id":"x","view":"memory","memory":%d}`, foreign.ID), "not_found", "x"},
		{`{"type":"subscribe","id":"x","view":"memory","memory":424242}`, "not_found", "x"},
		{`{"type":"subscribe","id":"` + strings.Repeat("i", 65) + `","view":"stats"}`, "invalid", ""},
		{"{\"type\":\"ping\xff\"}", "invalid", ""},
	} {
		b.send(c.frame)
		if err := b.read(); err != nil {
			t.Fatalf("%q ended the socket: %v", c.frame, err)
		}
		// Where the frame could not be read its id may or may not be known.
		if b.last.Type != wire.TypeError || b.last.Error == nil || b.last.Error.Code != c.code || c.id != "" && b.last.ID != c.id || b.last.Error.Detail == "" {
			t.Errorf("%q: %s", c.frame, b.text)
		}
		if strings.Contains(b.text, "secret") {
			t.Errorf("%q: %s", c.frame, b.text)
		}
	}
	if err := b.conn.Write(b.ctx, websocket.MessageBinary, []byte(`{"type":"ping"}`)); err != nil {
		t.Fatal(err)
	}
	b.until("an error", func() bool { return b.last.Type == wire.TypeError })
	b.ping()
	m := d.Add(ann, "still here", 5)
	b.until("the memory", func() bool { _, _, ok := b.windows["list"].Find(m.ID); return ok })
	b.send(`{"type":"ping","id":"` + strings.Repeat("x", 70_000) + `"}`)
	if got := b.closed(); got != websocket.StatusMessageTooBig {
		t.Errorf("closed with %d", got)
	}
}

// Connections that break at random instants under a stream of writes: nobody
// misses a change or is told one that does not fit, and nobody needs to begin anew.
func TestBrokenConnections(t *testing.T) {
	// The order of vitality moves by itself: at the end the clock stands still.
	clock := dbtest.NewClock(dbtest.Start)
	d := serve(t, projectiontest.Open(t, clock), nil)
	ann := d.Account("ann")
	d.Fill(ann, 30, func(i int) string { return fmt.Sprint("old one ", i) })
	token := d.token(t, ann).Token
	const clients, cuts = 4, 12
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Add(1)
	go func() {
		defer writers.Done()
		random := rand.New(rand.NewPCG(1, 2))
		ctx, by := context.Background(), audit.Actor{Name: ann.Actor()}
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			clock.Advance(1000)
			m := d.Add(ann, fmt.Sprint("new one ", i), 1+i%10)
			var err error
			switch random.IntN(3) {
			case 0:
				_, err = d.Memories.MarkRecalled(ctx, ann.Owner, []int64{1 + random.Int64N(m.ID)})
			case 1:
				_, err = d.Memories.Trash(ctx, ann.Owner, by, m.ID, 0, "")
			case 2:
				_, err = d.Memories.Patch(ctx, ann.Owner, by, m.ID, 0, api.MemoryPatch{Importance: api.Ptr(1 + random.IntN(10))})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	queries := []api.MemoryQuery{{}, {Sort: api.SortVitality}, {Q: "one"}, {Status: "all", Sort: api.SortUsed}}
	browsers := make([]*browser, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			random := rand.New(rand.NewPCG(3, uint64(i)))
			b := d.dial(t, token)
			for range cuts {
				b.subscribe("w", queries[i], 0, 20)
				for range 1 + random.IntN(6) {
					if err := b.read(); err != nil {
						t.Error(err)
						return
					}
					if b.last.Type == wire.TypeGap || b.last.Type == wire.TypeError {
						t.Errorf("%s", b.text)
					}
				}
				_ = b.conn.CloseNow()
				next := d.dial(t, token)
				next.windows = b.windows
				b = next
			}
			b.subscribe("w", queries[i], 0, 20)
			browsers[i] = b
		}()
	}
	all.Wait()
	close(stop)
	writers.Wait()
	for i, b := range browsers {
		if b == nil {
			continue
		}
		page, err := d.Projector.List(context.Background(), ann.Owner, queries[i], "", 20)
		if err != nil {
			t.Fatal(err)
		}
		b.until("the present", func() bool {
			w := b.windows["w"]
			if w.Total != page.Total || len(w.Rows) != len(page.Items) {
				return false
			}
			for j, m := range page.Items {
				if w.Rows[j].ID != m.ID || w.Rows[j].Revision != m.Revision || w.Rows[j].UseCount != m.UseCount {
					return false
				}
			}
			return true
		})
	}
}

// FuzzFrame sends whatever it is through a real session: the socket answers a ping
// afterwards, or was closed by a code, and another account's socket goes on.
func FuzzFrame(f *testing.F) {
	for _, frame := range []string{
		`{"type":"ping"}`, `{"type":"subscribe","id":"a","view":"memories","query":{"q":"boiler \u0000"},"from":3,"limit":20}`,
		`{"type":"subscribe","id":"a","view":"memory","memory":1,"days":365}`, `{"type":"unsubscribe","id":"a"}`,
		`{"type":"subscribe","id":"a","view":"stats","since":5,"epoch":"x","have":[1,2,2,-1],"asOf":"2026-11-29T00:00:00Z"}`,
		`{"type":"subscribe","id":"a","view":"trash","query":{"sort":"vitality","fadesWithin":3650,"after":"0001-01-01T00:00:00Z"}}`, `{`, "\x00", `[[[[`,
	} {
		f.Add(frame)
	}
	w := projectiontest.Open(f, nil)
	d := serve(f, w, nil)
	ann, bob := d.Account("ann"), d.Account("bob")
	d.Fill(ann, 30, func(i int) string { return fmt.Sprint("boiler ", i) })
	token := d.token(f, ann).Token
	other := d.dial(f, d.token(f, bob).Token)
	f.Fuzz(func(t *testing.T, frame string) {
		b := d.dial(t, token)
		if err := b.conn.Write(b.ctx, websocket.MessageText, []byte(frame)); err != nil {
			t.Fatal(err)
		}
		if err := b.conn.Write(b.ctx, websocket.MessageText, []byte(`{"type":"ping"}`)); err != nil && len(frame) < 64<<10 {
			t.Fatal(err)
		}
		for {
			_, text, err := b.conn.Read(b.ctx)
			if err != nil {
				if code := websocket.CloseStatus(err); code == -1 || code == websocket.StatusInternalError {
					t.Fatalf("%q: %v", frame, err)
				}
				break
			}
			var answer wire.Frame
			if err := json.Unmarshal(text, &answer); err != nil {
				t.Fatalf("%q: %s", frame, text)
			}
			if answer.Type == wire.TypeError && answer.Error.Code == fault.Internal.Code() {
				t.Fatalf("%q: %s", frame, text)
			}
			if answer.Type == wire.TypePong {
				break
			}
		}
		_ = b.conn.CloseNow()
		other.t = t
		other.ctx = b.ctx
		other.ping()
	})
}
