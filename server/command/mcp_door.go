package command

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"elowen/server/mcpd"
	"elowen/shared/fault"
)

// agentDoor answers an agent's messages by the data directory's server while there is
// one, and else by opening the store itself: as it is at each message.
type agentDoor struct {
	r           *run
	user, token string
	idle        time.Duration // 0: ownIdle

	mu    sync.Mutex
	relay *relay // nil: none
	own   *ownStore
	begun bool  // it has begun a server's work before
	due   int64 // when recurring work is due while the store is closed; 0: not known
}

// ownStore is the store opened for an agent.
type ownStore struct {
	st    *stores
	tends *attendance // nil: another program does a server's work
	via   mcpd.Exchange
	users int
	idle  *time.Timer
}

// ownIdle is how long the store stays open for an agent that says nothing: others may
// want to replace it, or to do maintenance.
const ownIdle = time.Minute

// watchEvery is how often a closed door looks whether recurring work is due.
const watchEvery = time.Minute

// exchange implements mcpd.Exchange.
func (d *agentDoor) exchange(ctx context.Context, header http.Header, body []byte) (int, []byte, error) {
	via, done, err := d.open()
	if err != nil {
		return 0, nil, err
	}
	defer done()
	return via(ctx, header, body)
}

// open finds who answers now. done is called after the answer.
func (d *agentDoor) open() (via mcpd.Exchange, done func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.relay != nil && d.relay.alive() {
		return d.relay.exchange, func() {}, nil
	}
	d.relay, d.due = nil, 0
	runs, err := serverRuns(d.r.data)
	if err != nil {
		return nil, nil, err
	}
	if !runs && d.own != nil {
		return d.use()
	}
	if runs && d.own != nil && d.own.users == 0 {
		d.shut()
	}
	if d.own != nil { // an answer is under way; the server takes over with the next one
		return d.use()
	}
	conn, runs, err := d.r.dial()
	if err != nil {
		return nil, nil, err
	}
	if runs {
		if d.relay, err = newRelay(d.r, conn, d.user, d.token); err != nil {
			return nil, nil, err
		}
		d.due = 0 // the server sees to it
		return d.relay.exchange, func() {}, nil
	}
	if d.own, err = d.openOwn(); err != nil {
		return nil, nil, err
	}
	return d.use()
}

// use takes the own store for one answer. mu must be held.
func (d *agentDoor) use() (mcpd.Exchange, func(), error) {
	own := d.own
	if own.users == 0 { // nobody reads what attending sets
		if err := d.attend(own); err != nil {
			return nil, nil, err
		}
	}
	own.users++
	own.idle.Stop()
	return own.via, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if own.users--; own.users == 0 {
			own.idle.Reset(d.patience())
		}
	}, nil
}

func (d *agentDoor) patience() time.Duration {
	if d.idle > 0 {
		return d.idle
	}
	return ownIdle
}

// openOwn opens the store.
func (d *agentDoor) openOwn() (*ownStore, error) {
	if d.r.absent() { // nobody asked for a new one
		return nil, noAccount(d.r.data)
	}
	log := slog.New(slog.NewTextHandler(d.r.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	tidy(d.r.data, log)
	st, err := openStores(d.r.ctx, d.r.System, d.r.data, log)
	if err != nil {
		return nil, err
	}
	own := &ownStore{st: st, via: mcpd.Within(st.ownAgents(d.user, d.token))}
	own.idle = time.AfterFunc(d.patience(), func() { d.rest(own) })
	return own, nil
}

// attend does what a server would do beside requests and on its own, unless somebody
// else does: whoever uses elowen through agents alone has no server that would. mu must
// be held.
func (d *agentDoor) attend(own *ownStore) error {
	if own.tends != nil {
		return nil
	}
	how := begun
	if d.begun {
		how = resumed
	}
	tends, err := d.r.attend(own.st, how)
	if fault.Is(err, fault.Unavailable) { // another program does
		return own.st.models.Apply(d.r.ctx)
	}
	own.tends, d.begun = tends, d.begun || err == nil
	return err
}

// rest closes the own store of an agent that says nothing, once nothing is left to index.
func (d *agentDoor) rest(own *ownStore) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.own != own || own.users > 0:
	case own.tends != nil && own.tends.busy(d.r.ctx):
		own.idle.Reset(d.patience())
	default:
		d.shut()
	}
}

// watch opens the store when recurring work is due, though the agent says nothing. It
// ends with ctx.
func (d *agentDoor) watch(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.r.Wake(d.r.Clock() + watchEvery.Milliseconds()):
		}
		d.mu.Lock()
		due := d.own == nil && d.due > 0 && d.due <= d.r.Clock()
		d.mu.Unlock()
		if !due {
			continue
		}
		if _, done, err := d.open(); err == nil { // where it cannot be opened the next message says why
			done()
		}
	}
}

// shut closes the own store. mu must be held, and nobody use it.
func (d *agentDoor) shut() {
	d.own.idle.Stop()
	if at, ok, err := d.own.st.retention.NextSweep(d.r.ctx); ok && err == nil {
		d.due = at
	}
	if d.own.tends != nil {
		d.own.tends.end()
	}
	if err := d.own.st.close(); err != nil {
		d.own.st.log.Warn("the store did not close well", "error", err)
	}
	d.own = nil
}

// close ends it; no answer is under way.
func (d *agentDoor) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.relay != nil {
		d.relay.close()
	}
	if d.own != nil {
		d.shut()
	}
}
