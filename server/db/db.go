package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"elowen/shared/fault"
)

// AccountID names an account: whose rows, whose change log. Every query carries
// one, so it is a type of its own.
type AccountID int64

// Clock tells the time in Unix milliseconds.
type Clock func() int64

// SystemClock is the machine's clock.
func SystemClock() int64 { return time.Now().UnixMilli() }

// Config says what to open.
type Config struct {
	Dir         string // data directory, for SQLite
	PostgresDSN string // instead of Dir, for PostgreSQL
	Clock       Clock  // SystemClock where nil
	Log         *slog.Logger
	Readers     int  // snapshots at a time; 0 takes a number that suits the machine
	NoMigrate   bool // refuse a store of another schema, instead of bringing it up to date
	NoCreate    bool // refuse a directory without a database, instead of making one
}

// DB is an open store. It is safe for concurrent use.
type DB struct {
	engine  engine
	pool    *sql.DB
	readers chan *conn
	clock   Clock
	log     *slog.Logger
	file    string

	requests  chan *request
	closing   chan struct{}
	written   chan struct{} // closed when the writer takes no request any more
	closeOnce sync.Once
	workers   sync.WaitGroup
	notify    atomic.Pointer[func([]AccountID)]
	audience  atomic.Pointer[Audience]
	groups    atomic.Int64 // engine commits
	decisions atomic.Int64 // acknowledged Updates
	tracer    atomic.Pointer[func(Statement)]
}

// Open opens the store, making and migrating it where that is allowed. A file
// that is newer than the program, broken, or not ours is refused with fault.Corrupt
// and left as it is.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Clock == nil {
		c.Clock = SystemClock
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Readers <= 0 {
		c.Readers = max(4, runtime.GOMAXPROCS(0))
	}
	d := &DB{
		clock: c.Clock, log: c.Log,
		readers:  make(chan *conn, c.Readers),
		requests: make(chan *request, groupMost),
		closing:  make(chan struct{}),
		written:  make(chan struct{}),
	}
	var err error
	if c.PostgresDSN != "" {
		d.engine, d.pool, err = openPostgres(c)
	} else {
		d.engine, d.pool, d.file, err = openSQLite(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	if err := d.start(ctx, c); err != nil {
		d.pool.Close()
		return nil, err
	}
	return d, nil
}

func (d *DB) start(ctx context.Context, c Config) error {
	writer, err := d.connect(ctx)
	if err != nil {
		return err
	}
	// What is refused is left as it is: this comes before the writer is made ready,
	// which gives a file that has none a write-ahead log.
	err = patiently(ctx, busyWait, func() error {
		_, err := d.known(ctx, writer, c.NoMigrate)
		return err
	})
	if err != nil {
		writer.close()
		return err
	}
	if err := d.engine.prepareWriter(ctx, writer); err != nil {
		writer.close()
		return err
	}
	if err := d.migrate(ctx, writer, c.NoMigrate); err != nil {
		writer.close()
		return err
	}
	for range c.Readers {
		r, err := d.connect(ctx)
		if err == nil {
			err = d.engine.prepareReader(ctx, r)
		}
		if err != nil {
			writer.close()
			return err
		}
		d.readers <- r
	}
	watcher, err := d.connect(ctx)
	if err != nil {
		writer.close()
		return err
	}
	d.workers.Add(2)
	go func() { defer d.workers.Done(); defer close(d.written); d.write(writer) }()
	go func() { defer d.workers.Done(); d.watch(watcher) }()
	return nil
}

// Close waits for the running group, then closes every connection. Later calls
// of View and Update answer fault.Unavailable.
func (d *DB) Close() error {
	var err error
	d.closeOnce.Do(func() {
		close(d.closing)
		d.workers.Wait()
		for range cap(d.readers) {
			(<-d.readers).close()
		}
		err = d.engine.translate(d.pool.Close())
	})
	return err
}

// File is the path of the SQLite file; empty on PostgreSQL.
func (d *DB) File() string { return d.file }

// Now is the store's clock, in Unix milliseconds. Inside a transaction use Tx.Now.
func (d *DB) Now() int64 { return d.clock() }

// Counts tells how many decisions were acknowledged, and in how many commits.
func (d *DB) Counts() (decisions, groups int64) { return d.decisions.Load(), d.groups.Load() }

// Notify sets the function that is hinted after commits: with the accounts whose
// log grew, or with nil where another process may have written. It is called on
// the store's own goroutines and must not wait.
func (d *DB) Notify(hint func(owners []AccountID)) { d.notify.Store(&hint) }

// Audience tells who else sees what some owners have, as it is in the transaction:
// those among the owners that are pools, each with its readers.
type Audience func(tx *Tx, owners []AccountID) (map[AccountID][]AccountID, error)

// SetAudience sets who is told of changes beside their owner: each of them finds
// the change in the log of their own. It is asked in every decision that changed
// something, so it is one quick query.
func (d *DB) SetAudience(a Audience) { d.audience.Store(&a) }

func (d *DB) hint(owners []AccountID) {
	if f := d.notify.Load(); f != nil {
		(*f)(owners)
	}
}

// View runs fn on a snapshot. fn may be interrupted when ctx ends.
func (d *DB) View(ctx context.Context, fn func(*Tx) error) error { return d.view(ctx, false, fn) }

// ViewAgain is View for a fn that may be run again from its beginning, on a later
// snapshot: where it meets something that another one is preparing (Tx.Wait), its reader
// is given back meanwhile. So however many wait for the same, they keep none of the few
// readers from others.
func (d *DB) ViewAgain(ctx context.Context, fn func(*Tx) error) error {
	for {
		err := d.view(ctx, true, fn)
		var w *waiting
		if !errors.As(err, &w) {
			return err
		}
		select {
		case <-w.ready:
		case <-ctx.Done():
			return cancelled(ctx)
		case <-d.closing:
			return errClosing
		}
	}
}

func (d *DB) view(ctx context.Context, again bool, fn func(*Tx) error) error {
	select {
	case <-d.closing:
		return errClosing
	default:
	}
	var c *conn
	select {
	case c = <-d.readers:
	case <-ctx.Done():
		return cancelled(ctx)
	case <-d.closing:
		return errClosing
	}
	defer func() { d.readers <- c }()
	if err := d.beginRead(ctx, c); err != nil {
		return d.failed(ctx, err)
	}
	// Reading changes nothing, so rolling back is the cheap way to end.
	defer func() {
		c.closeRows() // what fn forgot
		_ = c.exec(context.Background(), "ROLLBACK")
	}()
	tx := &Tx{Now: d.clock(), ctx: ctx, run: ctx, conn: c, db: d, again: again}
	return fn(tx)
}

// beginRead begins a snapshot on a reader. PostgreSQL's driver closes a connection
// whose statement was interrupted; such a reader gets a new one.
func (d *DB) beginRead(ctx context.Context, c *conn) error {
	err := c.exec(ctx, d.engine.beginRead())
	if !errors.Is(err, sql.ErrConnDone) && !errors.Is(err, driver.ErrBadConn) {
		return err
	}
	fresh, err := d.connect(ctx)
	if err != nil {
		return err
	}
	if err := d.engine.prepareReader(ctx, fresh); err != nil {
		fresh.close()
		return err
	}
	c.close()
	*c = *fresh
	return c.exec(ctx, d.engine.beginRead())
}

// failed translates an engine's error; one that came because ctx ended is Cancelled.
func (d *DB) failed(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return cancelled(ctx)
	}
	return d.engine.translate(err)
}

func cancelled(ctx context.Context) error {
	return fault.Wrap(fault.Cancelled, context.Cause(ctx), "The request was cancelled before it was done; nothing was changed.")
}

var errClosing = fault.New(fault.Unavailable, "The server is shutting down.")

// watch looks for writes of other processes and hints them.
func (d *DB) watch(c *conn) {
	defer c.close()
	tick := time.NewTicker(foreignPoll)
	defer tick.Stop()
	// The first look is hinted too: what was written since the store was opened
	// may be in it already.
	for last := int64(-1); ; {
		v, err := d.engine.version(context.Background(), c)
		switch {
		case err != nil && !errors.Is(err, sql.ErrConnDone):
			d.log.Warn("cannot look for writes of other processes", "error", err)
		case err == nil && v != last:
			last = v
			d.hint(nil)
		}
		select {
		case <-tick.C:
		case <-d.closing:
			return
		}
	}
}

// NewSecret is random text in an alphabet that is safe in URLs and names: 26
// characters of base 32, 130 bits.
func NewSecret() string { return rand.Text() }
