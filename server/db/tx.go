package db

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"unicode/utf8"

	"elowen/shared/fault"
)

// Tx is one decision (in Update and Do) or one snapshot (in View). It is valid
// only inside the function that received it, on that function's goroutine.
type Tx struct {
	Now int64 // Unix milliseconds, the same throughout

	ctx      context.Context // the caller's: between statements we stop when it ends
	run      context.Context // the statements': an interrupted write would take the whole group with it
	conn     *conn
	db       *DB
	writable bool
	erase    bool
	again    bool // within ViewAgain
	heads    map[AccountID]*head
}

// ReadOnly tells whether it is a snapshot of what is committed: what a decision reads
// may yet be taken back.
func (tx *Tx) ReadOnly() bool { return !tx.writable }

// Context is the caller's context.
func (tx *Tx) Context() context.Context { return tx.ctx }

// waiting ends a transaction of ViewAgain until ready is closed.
type waiting struct{ ready <-chan struct{} }

// Error implements error.
func (w *waiting) Error() string { return "the transaction is to be run again when something is ready" }

// Wait waits for what another one prepares until ready is closed; it is Cancelled if the
// caller's context ends first. Within ViewAgain it doesn't wait but answers an error at
// once, which fn hands on as it is: it is run again when that is ready.
func (tx *Tx) Wait(ready <-chan struct{}) error {
	if tx.again {
		return &waiting{ready}
	}
	select {
	case <-ready:
		return nil
	case <-tx.ctx.Done():
		return cancelled(tx.ctx)
	}
}

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(query string, args ...any) (int64, error) {
	if tx.ctx.Err() != nil {
		return 0, cancelled(tx.ctx)
	}
	if !tx.writable {
		return 0, fault.Wrap(fault.Internal, errors.New("a write inside View"), "")
	}
	tx.traced(query, args)
	stmt, err := tx.conn.stmt(tx.run, query)
	if err != nil {
		return 0, tx.db.failed(tx.run, err)
	}
	res, err := stmt.ExecContext(tx.run, args...)
	if err != nil {
		return 0, tx.db.failed(tx.run, err)
	}
	n, err := res.RowsAffected()
	return n, tx.db.engine.translate(err)
}

// Must is Exec for a change that has to hit exactly one row: none is fault.NotFound.
func (tx *Tx) Must(query string, args ...any) error {
	n, err := tx.Exec(query, args...)
	if err == nil && n == 0 {
		return fault.New(fault.NotFound, "There is no such thing.")
	}
	return err
}

// Row scans the first row of a query into dest; without a row it answers fault.NotFound.
func (tx *Tx) Row(query string, args []any, dest ...any) error {
	rows := tx.Query(query, args...)
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return fault.New(fault.NotFound, "There is no such thing.")
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	rows.Close()
	return rows.Err()
}

// Rows are the rows of a query. An error of the query itself is told by Err, as
// any other, so that one check after the loop is enough.
type Rows struct {
	tx   *Tx
	rows *sql.Rows
	err  error
}

// Query runs a query. Always close the rows and ask Err. PostgreSQL answers one
// statement at a time: read the rows to their end before the next one.
func (tx *Tx) Query(query string, args ...any) *Rows {
	if tx.ctx.Err() != nil {
		return &Rows{tx: tx, err: cancelled(tx.ctx)}
	}
	tx.traced(query, args)
	stmt, err := tx.conn.stmt(tx.run, query)
	if err != nil {
		return &Rows{tx: tx, err: tx.db.failed(tx.run, err)}
	}
	rows, err := stmt.QueryContext(tx.run, args...)
	if err != nil {
		return &Rows{tx: tx, err: tx.db.failed(tx.run, err)}
	}
	tx.conn.opened(rows)
	return &Rows{tx: tx, rows: rows}
}

// Next steps to the next row.
func (r *Rows) Next() bool {
	if r.err != nil || r.rows == nil {
		return false
	}
	if r.tx.ctx.Err() != nil {
		r.err = cancelled(r.tx.ctx)
		return false
	}
	return r.rows.Next()
}

// Scan copies the row's columns into dest.
func (r *Rows) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	if err := r.rows.Scan(dest...); err != nil {
		r.err = fault.Wrap(fault.Internal, err, "")
	}
	return r.err
}

// Close ends the query. It may be called more than once.
func (r *Rows) Close() {
	if r.rows != nil {
		r.rows.Close()
		r.tx.conn.closed(r.rows)
	}
}

// Err is the first error of the query, or nil.
func (r *Rows) Err() error {
	if r.err != nil || r.rows == nil {
		return r.err
	}
	return r.tx.db.failed(r.tx.run, r.rows.Err())
}

// Erase asks that what this decision deletes be gone from every file of the
// store before it is acknowledged: freed pages are overwritten, and the
// write-ahead log is emptied.
func (tx *Tx) Erase() { tx.erase = true }

// In makes the placeholders and arguments of `IN (…)` for a list of ids. The
// list is padded to a power of two, so that few different statements arise. An
// empty list matches nothing.
func In[T ~int64](ids []T) (placeholders string, args []any) {
	n := 1
	for n < len(ids) {
		n *= 2
	}
	args = make([]any, n)
	buf := make([]byte, 0, 2*n)
	for i := range n {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, '?')
		switch {
		case i < len(ids):
			args[i] = int64(ids[i])
		case len(ids) > 0:
			args[i] = int64(ids[len(ids)-1])
		default:
			args[i] = nil
		}
	}
	return string(buf), args
}

// Holds tells whether either engine can store a text as it is: valid UTF-8, without
// NUL characters.
func Holds(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// InTexts is In for texts.
func InTexts(list []string) (placeholders string, args []any) {
	n := 1
	for n < len(list) {
		n *= 2
	}
	args = make([]any, n)
	for i := range args {
		if len(list) > 0 { // else it stays NULL, which nothing equals
			args[i] = list[min(i, len(list)-1)]
		}
	}
	return "?" + strings.Repeat(",?", n-1), args
}

// InMost is the longest list that In should be given; longer ones go in parts.
const InMost = 512
