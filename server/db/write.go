package db

import (
	"context"
	"errors"
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

// eraseEvery is how often the writer tries again to empty what still holds
// erased text; a reader's old snapshot may need it.
const eraseEvery = 25 * time.Millisecond

// eraseLater is the same where nobody waits for it.
const eraseLater = time.Second

// eraseMost bounds how long a decision that erases waits for that. What it
// deleted is gone from the tables by then, and the writer goes on trying.
const eraseMost = 30 * time.Second

type request struct {
	ctx   context.Context
	fn    func(*Tx) error
	err   error
	done  chan struct{}
	since time.Time // of a decision that erases: when it was committed
}

func (r *request) finish(err error) {
	r.err = err
	close(r.done)
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
	select {
	case <-r.done:
		return r.err
	case <-d.written:
	}
	select {
	case <-r.done:
		return r.err
	default: // it came into the queue when nobody looked there any more
		return errClosing
	}
}

// write is the single writer's loop. Decisions that erase are answered once
// their text is out of every file; nobody else waits for that.
func (d *DB) write(c *conn) {
	defer c.close()
	var (
		erasing []*request // committed, not yet answered
		// unclean: erased text may be in the log. At the start it may be so too: a
		// program that was killed between the commit and the emptying left it there.
		unclean = true
	)
	try := time.NewTimer(0)
	for {
		select {
		case r := <-d.requests:
			if more := d.group(c, r); len(more) > 0 {
				erasing, unclean = append(erasing, more...), true
			}
		case <-try.C:
		case <-d.closing:
			if unclean {
				unclean = !d.engine.erase(c, d.log)
			}
			for _, r := range erasing {
				r.finish(erased(!unclean))
			}
			for { // answer what slipped in
				select {
				case r := <-d.requests:
					r.finish(errClosing)
				default:
					return
				}
			}
		}
		if !unclean {
			continue
		}
		unclean = !d.engine.erase(c, d.log)
		keep := erasing[:0]
		for _, r := range erasing {
			if unclean && time.Since(r.since) < eraseMost {
				keep = append(keep, r)
				continue
			}
			r.finish(erased(!unclean))
		}
		clear(erasing[len(keep):])
		erasing = keep
		switch {
		case unclean && len(erasing) > 0:
			try.Reset(eraseEvery)
		case unclean:
			try.Reset(eraseLater)
		}
	}
}

func erased(clean bool) error {
	if clean {
		return nil
	}
	return fault.New(fault.Unavailable, "It was deleted for good. A long read still holds the write-ahead log, where the text stays until that read ends; it is removed then by itself.")
}

// group runs first and whatever else is waiting in one engine transaction. It
// answers all of them but those that erase, which it returns once committed.
func (d *DB) group(c *conn, first *request) (erasing []*request) {
	var (
		done   []*request
		owners []AccountID
		lost   error // the whole transaction is given up
	)
	if err := d.engine.begin(c); err != nil {
		first.finish(d.engine.translate(err))
		return nil
	}
	started := time.Now()
	for r := first; r != nil; {
		tx := &Tx{ctx: r.ctx, run: context.Background(), conn: c, db: d, writable: true}
		alone := len(done)+len(erasing) == 0 // nothing else is in the transaction
		err, spoiled := d.decide(tx, r.fn, alone)
		if err != nil && alone {
			_ = c.exec(context.Background(), "ROLLBACK") // it may be gone already
			r.finish(err)
			return nil
		}
		if err != nil && spoiled == nil && !d.engine.inTransaction(c) {
			spoiled = err
		}
		if spoiled != nil {
			lost = spoiled
			r.finish(err)
			break
		}
		if err != nil {
			r.finish(err)
		} else {
			if tx.erase {
				erasing = append(erasing, r)
			} else {
				done = append(done, r)
			}
			for o := range tx.heads {
				if !slices.Contains(owners, o) {
					owners = append(owners, o)
				}
			}
		}
		r = nil
		if len(done)+len(erasing) < groupMost && time.Since(started) < groupTime {
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
		for _, r := range append(done, erasing...) {
			r.finish(lost)
		}
		return nil
	}
	d.groups.Add(1)
	d.decisions.Add(int64(len(done) + len(erasing)))
	for _, r := range done {
		r.finish(nil)
	}
	if len(owners) > 0 {
		d.hint(owners)
	}
	for _, r := range erasing {
		r.since = time.Now()
	}
	return erasing
}

// decide runs one decision: in a savepoint of its own after others, or alone. What
// is alone has none, since a savepoint keeps a copy of each page that changes:
// where it fails, the whole transaction is to be rolled back. So it is where spoiled
// says that a refused decision could not be taken back alone.
func (d *DB) decide(tx *Tx, fn func(*Tx) error, alone bool) (err, spoiled error) {
	if tx.ctx.Err() != nil {
		return cancelled(tx.ctx), nil
	}
	bg := context.Background()
	if !alone {
		if err := tx.conn.exec(bg, "SAVEPOINT decision"); err != nil {
			return d.engine.translate(err), nil
		}
	}
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("a decision panicked", "panic", p, "stack", string(debug.Stack()))
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v", p), "")
		}
		tx.conn.closeRows() // what fn forgot; PostgreSQL can do nothing else meanwhile
		switch {
		case alone && err == nil && !d.engine.sound(tx.conn): // where fn kept an error to itself
			err = fault.Wrap(fault.Internal, errors.New("a decision went on after the end of its transaction"), "")
		case alone:
			return
		case err == nil:
			err = d.engine.translate(tx.conn.exec(bg, "RELEASE decision"))
		}
		if err != nil && !alone && d.engine.inTransaction(tx.conn) {
			if spoiled = d.engine.translate(tx.conn.exec(bg, "ROLLBACK TO decision")); spoiled == nil {
				_ = tx.conn.exec(bg, "RELEASE decision") // it holds nothing by now
			}
		}
	}()
	tx.Now = d.clock()
	if err := fn(tx); err != nil {
		return err, nil
	}
	tx.conn.closeRows()
	return tx.flush(), nil
}
