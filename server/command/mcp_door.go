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

	mu    sync.Mutex
	relay *relay // nil: none
	own   *ownStore
}

// ownStore is the store opened for an agent.
type ownStore struct {
	st    *stores
	end   func() // of what runs beside it
	via   mcpd.Exchange
	users int
	idle  *time.Timer
}

// ownIdle is how long the store stays open for an agent that says nothing: others may
// want to replace it, or to do maintenance.
const ownIdle = time.Minute

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
	d.relay = nil
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
	own.users++
	own.idle.Stop()
	return own.via, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if own.users--; own.users == 0 {
			own.idle.Reset(ownIdle)
		}
	}, nil
}

// openOwn opens the store, and does what a server would do beside requests, unless
// somebody else does.
func (d *agentDoor) openOwn() (*ownStore, error) {
	log := slog.New(slog.NewTextHandler(d.r.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	st, err := openStores(d.r.ctx, d.r.System, d.r.data, log)
	if err != nil {
		return nil, err
	}
	own := &ownStore{st: st, end: func() {}}
	end, err := d.r.beside(st)
	switch {
	case err == nil:
		own.end = end
	case fault.Is(err, fault.Unavailable): // another program does it
		err = st.models.Apply(d.r.ctx)
	}
	if err != nil {
		st.close()
		return nil, err
	}
	own.via = mcpd.Within(st.ownAgents(d.user, d.token))
	own.idle = time.AfterFunc(ownIdle, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.own == own && own.users == 0 {
			d.shut()
		}
	})
	return own, nil
}

// shut closes the own store. mu must be held, and nobody use it.
func (d *agentDoor) shut() {
	d.own.idle.Stop()
	d.own.end()
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
