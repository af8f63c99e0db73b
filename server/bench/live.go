package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"elowen/server/db"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// liveLine is how long a change takes to everyone who watches: real sockets over
// loopback to the real program. All of one account, where one commit is a thousand
// frames; and each of an account of its own, where a thousand accounts are followed.
func liveLine(ctx context.Context, b *bench) ([]figure, error) {
	n := b.size(1_000, 8)
	var list []figure
	for _, c := range []struct {
		what     string
		accounts int
		writes   int
		pause    time.Duration
	}{
		{"one account", 1, b.size(120, 4), 80 * time.Millisecond},
		{"each its own account", n, b.size(1_500, 16), 6 * time.Millisecond},
	} {
		var half, tail, worst, effort sample
		var lost int
		_, err := b.repeat(ctx, func() (float64, error) {
			r, err := b.broadcast(ctx, n, c.accounts, c.writes, c.pause, c.accounts == 1)
			if err != nil {
				return 0, err
			}
			half, tail, worst = append(half, r.delays.at(0.5)), append(tail, r.delays.at(0.99)), append(worst, r.delays.at(1))
			effort = append(effort, r.effort)
			lost += r.lost
			return 0, nil
		})
		if err != nil {
			return list, err
		}
		what := fmt.Sprintf("commit → frame, %s sockets, %s", short(float64(n)), c.what)
		note := fmt.Sprintf("%s commits a second, longest %s ms", short(float64(time.Second)/float64(c.pause)), short(worst.median()))
		if lost > 0 {
			note += fmt.Sprintf(", %d FRAMES LOST", lost)
		}
		list = append(list,
			of(what+", p50", "ms", half),
			of(what+", p99", "ms", tail).to(below(50)).noted("%s", note),
			of("of it, effort of the server for one frame", "µs CPU", effort))
	}
	return list, nil
}

// received is what the sockets saw.
type received struct {
	delays sample  // milliseconds from the decision's instant to a socket's frame
	lost   int     // frames that never came
	effort float64 // microseconds of the server's CPU for one frame, its part of the write included
}

// broadcast opens sockets, spread over accounts, and makes writes, one after a
// pause each. Delays are counted from the decision's own instant, which is before
// its commit and cut to the millisecond: never too short.
func (b *bench) broadcast(ctx context.Context, sockets, accounts, writes int, pause time.Duration, browser bool) (received, error) {
	var out received
	dir, tokens, session, err := b.crowd(ctx, accounts)
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	s, err := b.serve(ctx, dir)
	if err != nil {
		return out, err
	}
	defer s.kill()
	if browser {
		leave, err := b.watch(ctx, s, session)
		var lacking notMeasured
		if err != nil && !errors.As(err, &lacking) {
			return out, err
		}
		if err == nil {
			defer leave()
		}
	}
	var crowd listeners
	defer crowd.close()
	if err := crowd.open(ctx, s, tokens, sockets, writes); err != nil {
		return out, err
	}
	time.Sleep(time.Second) // nobody is greeted any more
	decided := make([]int64, writes)
	began := s.used()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	for i := range writes {
		<-tick.C
		wg.Go(func() {
			at, err := s.write(ctx, tokens[i%accounts], marker(i)+" is what this memory says.")
			if err != nil {
				failed.Store(&err)
			}
			decided[i] = at
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return out, *err
	}
	crowd.settle(writes * sockets / accounts)
	out.effort = (s.used() - began) * 1000 / float64(max(1, crowd.count.Load()))
	for _, l := range crowd.list {
		for i := range writes {
			if i%accounts != l.account {
				continue
			}
			at := l.at[i].Load()
			if at == 0 {
				out.lost++
				continue
			}
			out.delays = append(out.delays, float64(at-decided[i]*1e6)/1e6)
		}
	}
	if len(out.delays) == 0 {
		return out, errors.New("no frame came")
	}
	return out, nil
}

// marker names the write i in the text of its memory.
func marker(i int) string { return fmt.Sprintf("write-%06d", i) }

const markerStart = "write-"

// crowd makes a store with accounts, a few memories and a token each, and a
// session of the first.
func (b *bench) crowd(ctx context.Context, accounts int) (dir string, tokens []string, session string, err error) {
	s, err := b.freshStore(ctx, "crowd")
	if err != nil {
		return "", nil, "", err
	}
	defer s.close()
	session, first, err := s.signIn(ctx)
	if err != nil {
		return "", nil, "", err
	}
	tokens = []string{first}
	c := newCorpus(6)
	if err := s.fill(ctx, 200, c.carried); err != nil {
		return "", nil, "", err
	}
	for i := 1; i < accounts; i++ {
		p, err := s.accounts.Add(ctx, api.PersonAdd{Name: "p" + strconv.Itoa(i)})
		if err != nil {
			return "", nil, "", err
		}
		t, err := s.accounts.AddToken(ctx, db.AccountID(p.ID), api.TokenAdd{Name: "bench"})
		if err != nil {
			return "", nil, "", err
		}
		tokens = append(tokens, t.Token)
	}
	return s.dir, tokens, session, nil
}

// write adds a memory over REST and gives the instant of its decision.
func (s *server) write(ctx context.Context, token, body string) (int64, error) {
	text, err := json.Marshal(api.MemoryAdd{Body: body})
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url(api.PathMemory), bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(api.HeaderIdempotency, db.NewSecret())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(answer.Body); err != nil {
		return 0, err
	}
	var added api.MemoryAdded
	if answer.StatusCode != http.StatusCreated {
		return 0, fmt.Errorf("add: %s %s", answer.Status, got.String())
	}
	err = json.Unmarshal(got.Bytes(), &added)
	return int64(added.CreatedAt), err
}

// listeners are the sockets. They do as little as they can with a frame: on this
// machine they take the server's time.
type listeners struct {
	list  []*listener
	count atomic.Int64 // writes seen by all together
	done  sync.WaitGroup
	stop  context.CancelFunc
}

type listener struct {
	conn    *websocket.Conn
	account int            // which of the accounts
	at      []atomic.Int64 // by write, when its frame was there, in Unix nanoseconds
}

func (c *listeners) open(ctx context.Context, s *server, tokens []string, n, writes int) error {
	ctx, c.stop = context.WithCancel(ctx)
	c.list = make([]*listener, n)
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || failed.Load() != nil {
					return
				}
				l, err := dial(ctx, s, tokens[i%len(tokens)], writes)
				if err != nil {
					failed.Store(&err)
					return
				}
				l.account = i % len(tokens)
				c.list[i] = l
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	for _, l := range c.list {
		c.done.Go(func() { l.listen(ctx, &c.count) })
	}
	return nil
}

// dial opens a socket with a window and reads its snapshot.
func dial(ctx context.Context, s *server, token string, writes int) (*listener, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+s.address+api.PathLive, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(1 << 20)
	l := &listener{conn: conn, at: make([]atomic.Int64, writes)}
	ask, err := json.Marshal(wire.Request{Type: wire.TypeSubscribe, ID: "w", View: wire.ViewMemories, Limit: 40})
	if err == nil {
		err = conn.Write(ctx, websocket.MessageText, ask)
	}
	if err == nil {
		var first []byte
		if _, first, err = conn.Read(ctx); err == nil && !bytes.Contains(first, []byte(`"type":"snapshot"`)) {
			err = fmt.Errorf("the first frame is %.200s", first)
		}
	}
	if err != nil {
		_ = conn.CloseNow()
		return nil, err
	}
	return l, nil
}

// listen notes when each write's frame is there.
func (l *listener) listen(ctx context.Context, count *atomic.Int64) {
	buf := make([]byte, 64<<10)
	for {
		_, r, err := l.conn.Reader(ctx)
		if err != nil {
			return
		}
		n := 0
		for n < len(buf) {
			var k int
			k, err = r.Read(buf[n:])
			n += k
			if err != nil {
				break
			}
		}
		now := time.Now().UnixNano()
		for rest := buf[:n]; ; {
			i := bytes.Index(rest, []byte(markerStart))
			if i < 0 || len(rest) < i+len(markerStart)+6 {
				break
			}
			rest = rest[i+len(markerStart):]
			if w, err := strconv.Atoi(string(rest[:6])); err == nil && w < len(l.at) && l.at[w].CompareAndSwap(0, now) {
				count.Add(1)
			}
		}
	}
}

// settle waits until that many frames are there, or no more come.
func (c *listeners) settle(want int) {
	for seen, since := int64(-1), time.Now(); time.Since(since) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		now := c.count.Load()
		if now >= int64(want) {
			return
		}
		if now != seen {
			seen, since = now, time.Now()
		}
	}
}

func (c *listeners) close() {
	if c.stop == nil {
		return
	}
	c.stop()
	for _, l := range c.list {
		if l != nil {
			_ = l.conn.CloseNow()
		}
	}
	c.done.Wait()
}
