package db

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"os"

	"github.com/ncruces/go-sqlite3/driver"

	"elowen/shared/fault"
)

// Foreign is a SQLite file of another program, read at one instant.
type Foreign struct {
	pool *sql.DB
	tx   *sql.Tx
}

// OpenForeign opens another program's SQLite file for reading only and takes a
// snapshot of it. A file that nobody has open is not even locked.
func OpenForeign(ctx context.Context, file string) (*Foreign, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fault.Newf(fault.NotFound, "There is no file %s.", file)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The file cannot be read: "+err.Error())
	}
	var magic [16]byte
	_, err = io.ReadFull(f, magic[:])
	f.Close()
	if err != nil || string(magic[:]) != "SQLite format 3\x00" {
		return nil, fault.Newf(fault.Invalid, "%s is not a SQLite file.", file)
	}
	_, shared := os.Stat(file + "-shm")
	still := sizeOf(file+"-wal") == 0 && sizeOf(file+"-journal") == 0 && errors.Is(shared, os.ErrNotExist)
	pool, err := driver.Open(readOnlyDSN(file, still), nil)
	if err != nil {
		return nil, sqliteEngine{}.translate(err)
	}
	tx, err := pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		pool.Close()
		return nil, foreignError(err)
	}
	return &Foreign{pool: pool, tx: tx}, nil
}

// Query runs a query on the snapshot.
func (f *Foreign) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	rows, err := f.tx.QueryContext(ctx, query, args...)
	return rows, foreignError(err)
}

// Columns are a table's columns; none where there is no such table.
func (f *Foreign) Columns(ctx context.Context, table string) (map[string]bool, error) {
	rows, err := f.Query(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, foreignError(err)
		}
		names[name] = true
	}
	return names, foreignError(rows.Err())
}

// Version is the number that the other program keeps in the file's header.
func (f *Foreign) Version(ctx context.Context) (int, error) {
	var v int
	err := f.tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, foreignError(err)
}

// Close ends the snapshot.
func (f *Foreign) Close() error {
	_ = f.tx.Rollback() // it only read
	return f.pool.Close()
}

// foreignError says of a damaged file that it is the other one, not ours.
func foreignError(err error) error {
	err = sqliteEngine{}.translate(err)
	if fault.Is(err, fault.Corrupt) {
		return fault.Wrap(fault.Invalid, err, "The file to import from is damaged.")
	}
	return err
}
