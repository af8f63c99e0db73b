package db

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"github.com/ncruces/go-sqlite3/driver"

	"elowen/shared/fault"
)

// CopyTo writes the store as it is at one instant into a new file, without
// holding up readers or the writer; the write-ahead log grows until it is done. The
// copy has no free pages, so nothing that was deleted travels along, and the tables
// without are empty in it. file must be absent or empty; on an error what was written
// of it stays. PostgreSQL has its own tools for that: there it is fault.Unavailable.
func (d *DB) CopyTo(ctx context.Context, file string, without ...string) error {
	if err := d.alone(ctx, "VACUUM INTO ?", file); err != nil {
		return err
	}
	if len(without) == 0 {
		return nil
	}
	return emptied(ctx, file, without)
}

// emptied takes the rows of tables out of a file that nobody else uses yet.
func emptied(ctx context.Context, file string, tables []string) error {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	// Until the copy is done nobody relies on it, so it needs no journal.
	q := url.Values{"mode": {"rw"}, "_pragma": {"journal_mode(off)", "synchronous(off)"}}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: q.Encode()}
	pool, err := driver.Open(u.String(), nil)
	if err != nil {
		return sqliteEngine{}.translate(err)
	}
	defer pool.Close()
	gone := int64(0)
	for _, table := range tables {
		done, err := pool.ExecContext(ctx, `DELETE FROM "`+table+`"`)
		if err != nil {
			return sqliteEngine{}.translate(err)
		}
		n, err := done.RowsAffected()
		if err != nil {
			return sqliteEngine{}.translate(err)
		}
		gone += n
	}
	if gone == 0 {
		return nil
	}
	if _, err := pool.ExecContext(ctx, "VACUUM"); err != nil {
		return sqliteEngine{}.translate(err)
	}
	return nil
}

// Vacuum rewrites the file without its free pages. Nobody else may use it meanwhile.
func (d *DB) Vacuum(ctx context.Context) error { return d.alone(ctx, "VACUUM") }

// alone runs a statement of SQLite that cannot stand in a transaction, on a
// connection of its own.
func (d *DB) alone(ctx context.Context, query string, args ...any) error {
	if d.file == "" {
		return fault.New(fault.Unavailable, "A PostgreSQL store is copied and compacted with PostgreSQL's own tools.")
	}
	c, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	_, err = c.sql.ExecContext(ctx, query, args...)
	return d.failed(ctx, err)
}

// NewEpoch tells every reader of a change log that what it has seen may not have
// happened: the store was brought back from a backup.
func (tx *Tx) NewEpoch() error { return tx.SetMeta("epoch", NewSecret()) }

// Schema is the version of the store's schema.
func (tx *Tx) Schema() (int, error) { return tx.db.engine.schemaVersion(tx.run, tx.conn) }

// integrityMost is how many faults of a file are worth listing.
const integrityMost = 20

// Integrity asks the engine whether the file is whole: pages, indexes,
// constraints and references, and looks whether every part of the schema is there. It answers one line a fault; none is well. quick
// leaves the comparison of tables with their indexes out.
func (tx *Tx) Integrity(quick bool) ([]string, error) {
	if tx.Engine() != (sqliteEngine{}).name() {
		return nil, nil // PostgreSQL checks its pages itself
	}
	check := "PRAGMA integrity_check"
	if quick {
		check = "PRAGMA quick_check"
	}
	var found []string
	rows := tx.Query(check)
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return found, err
		}
		if line != "ok" && len(found) < integrityMost {
			found = append(found, line)
		}
	}
	if err := rows.Err(); err != nil {
		return found, err
	}
	if lacks, err := tx.checkSchema(); err != nil || len(lacks) > 0 {
		return append(found, lacks...), err // references to what is missing say nothing more
	}
	refs := tx.Query("PRAGMA foreign_key_check")
	defer refs.Close()
	for refs.Next() {
		var table, parent string
		var row sql.NullInt64
		var key int64
		if err := refs.Scan(&table, &row, &parent, &key); err != nil {
			return found, err
		}
		if len(found) < integrityMost {
			found = append(found, "a row of "+table+" refers to a missing one of "+parent)
		}
	}
	return found, refs.Err()
}

// CheckChanges compares every account's change log with its counter: the entries
// above the floor are there, each once, up to the counter. One line a fault.
func (tx *Tx) CheckChanges() ([]string, error) {
	var found []string
	for _, q := range []struct{ query, text string }{
		{`SELECT COUNT(*) FROM change_head h WHERE h.seq - h.floor <> (SELECT COUNT(*) FROM change c WHERE c.owner_id = h.owner_id AND c.seq > h.floor AND c.seq <= h.seq)`,
			"a change log has gaps"},
		{`SELECT COUNT(*) FROM change c WHERE NOT EXISTS (SELECT 1 FROM change_head h WHERE h.owner_id = c.owner_id AND c.seq <= h.seq AND c.seq > h.floor)`,
			"a change log has entries that its counter doesn't know"},
	} {
		var n int64
		if err := tx.Row(q.query, nil, &n); err != nil {
			return found, err
		}
		if n > 0 {
			found = append(found, q.text)
		}
	}
	epoch, err := tx.Meta("epoch")
	if err == nil && epoch == "" {
		found = append(found, "the store has no epoch")
	}
	return found, err
}

// OpenCopy opens a file of ours that nobody is writing, such as a backup, for
// reading only. It is not migrated. Nothing is written beside it, unless its log is
// there: then SQLite needs an index of that, and makes it. A file that is not ours,
// is cut off, or is newer than the program is fault.Corrupt.
func OpenCopy(ctx context.Context, file string, clock Clock) (*DB, error) {
	fresh, err := inspect(file, ofCopy)
	if err != nil {
		return nil, err
	}
	if fresh {
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return nil, fault.Newf(fault.NotFound, "There is no file %s.", file)
		}
		return nil, fault.Newf(fault.Corrupt, "%s is empty.", file)
	}
	if clock == nil {
		clock = SystemClock
	}
	pool, err := driver.Open(readOnlyDSN(file, sizeOf(file+"-wal") == 0), nil)
	if err != nil {
		return nil, sqliteEngine{}.translate(err)
	}
	pool.SetMaxIdleConns(0)
	d := &DB{engine: sqliteEngine{}, pool: pool, file: file, clock: clock,
		readers: make(chan *conn, 1), requests: make(chan *request), closing: make(chan struct{}), written: make(chan struct{})}
	r, err := d.connect(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	d.readers <- r
	d.workers.Add(1)
	go func() { // there is no writer: whoever asks for one is told
		defer d.workers.Done()
		defer close(d.written)
		for {
			select {
			case r := <-d.requests:
				r.err = fault.Wrap(fault.Internal, errors.New("a write to a copy"), "")
				close(r.done)
			case <-d.closing:
				return
			}
		}
	}()
	have, err := sqliteEngine{}.schemaVersion(ctx, r)
	if err == nil && have > SchemaVersion() {
		err = fault.Newf(fault.Corrupt, "%s has schema %d, and this program knows up to %d: it was written by a newer elowen.", file, have, SchemaVersion())
	}
	if err == nil && have == 0 {
		err = fault.Newf(fault.Corrupt, "%s is not an elowen database.", file)
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// readOnlyDSN opens a file without changing it. still says that no log is
// waiting beside it: then not even a lock is taken.
func readOnlyDSN(file string, still bool) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	q := url.Values{"mode": {"ro"}}
	if still {
		q.Set("immutable", "1")
	}
	q.Add("_pragma", "busy_timeout(10000)")
	q.Add("_pragma", "query_only(1)")
	q.Add("_pragma", "trusted_schema(0)")
	q.Set("_txlock", "deferred")
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}
