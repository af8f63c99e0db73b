package db

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

var foreignPoll = time.Duration(setting.Int("db.foreignMillis")) * time.Millisecond

// groupMost bounds how many decisions share one commit: enough that a full sync
// costs each little, few enough that one doesn't wait long for the others.
const groupMost = 128

// groupTime bounds how long a group may take before it is committed, for the
// same reason.
const groupTime = 20 * time.Millisecond

type request struct {
	ctx  context.Context
	fn   func(*Tx) error
	err  error
	done chan struct{}
}

// Update runs fn on the single writer and returns when its changes are durable.
// fn must not call View, Update or Do, nor wait for anything outside the store.
// If fn returns an error, nothing of it is kept.
func (d *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	r := &request{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case <-d.closing:
		return errClosing
	default:
	}
	select {
	case d.requests <- r:
	case <-ctx.Done():
		return cancelled(ctx)
	case <-d.closing:
		return errClosing
	}
	<-r.done
	return r.err
}

// write is the single writer's loop.
func (d *DB) write(c *conn) {
	defer c.close()
	for {
		select {
		case r := <-d.requests:
			d.group(c, r)
		case <-d.closing:
			for { // answer what slipped in
				select {
				case r := <-d.requests:
					r.err = errClosing
					close(r.done)
				default:
					return
				}
			}
		}
	}
}

// group runs first and whatever else is waiting in one engine transaction.
func (d *DB) group(c *conn, first *request) {
	var (
		done   []*request
		owners []AccountID
		erase  bool
		lost   error // the engine gave up the whole transaction
	)
	finish := func(r *request, err error) {
		r.err = err
		close(r.done)
	}
	if err := d.engine.begin(c); err != nil {
		finish(first, d.engine.translate(err))
		return
	}
	started := time.Now()
	for r := first; r != nil; {
		tx := &Tx{ctx: r.ctx, run: context.Background(), conn: c, db: d, writable: true}
		err := d.decide(tx, r.fn)
		if err != nil && !d.engine.inTransaction(c) {
			lost = err
			finish(r, err)
			break
		}
		if err != nil {
			finish(r, err)
		} else {
			done = append(done, r)
			erase = erase || tx.erase
			for o := range tx.heads {
				if !slices.Contains(owners, o) {
					owners = append(owners, o)
				}
			}
		}
		r = nil
		if len(done) < groupMost && time.Since(started) < groupTime {
			select {
			case r = <-d.requests:
			default:
			}
		}
	}
	if lost == nil {
		if err := c.exec(context.Background(), "COMMIT"); err != nil {
			lost = d.engine.translate(err)
		}
	}
	if lost != nil {
		_ = c.exec(context.Background(), "ROLLBACK") // it may be gone already
		for _, r := range done {
			finish(r, lost)
		}
		return
	}
	d.groups.Add(1)
	d.decisions.Add(int64(len(done)))
	if erase {
		d.engine.erase(c, d.log)
	}
	for _, r := range done {
		finish(r, nil)
	}
	if len(owners) > 0 {
		d.hint(owners)
	}
}

// decide runs one decision in its savepoint.
func (d *DB) decide(tx *Tx, fn func(*Tx) error) (err error) {
	if tx.ctx.Err() != nil {
		return cancelled(tx.ctx)
	}
	bg := context.Background()
	if err := tx.conn.exec(bg, "SAVEPOINT decision"); err != nil {
		return d.engine.translate(err)
	}
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("a decision panicked", "panic", p, "stack", string(debug.Stack()))
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
		tx.conn.closeRows() // what fn forgot; PostgreSQL can do nothing else meanwhile
		if err == nil {
			err = d.engine.translate(tx.conn.exec(bg, "RELEASE decision"))
		}
		if err != nil && d.engine.inTransaction(tx.conn) {
			if back := tx.conn.exec(bg, "ROLLBACK TO decision"); back == nil {
				_ = tx.conn.exec(bg, "RELEASE decision")
			}
		}
	}()
	tx.Now = d.clock()
	if err := fn(tx); err != nil {
		return err
	}
	tx.conn.closeRows()
	return tx.flush()
}
