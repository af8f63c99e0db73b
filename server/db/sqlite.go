package db

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"elowen/shared/fault"
)

// FileName is the database's name in the data directory.
const FileName = "elowen.sqlite"

// applicationID marks a SQLite file as ours: "elwn" in its header.
const applicationID = 0x656c776e

// busyTimeout is busyWait as SQLite takes it, in milliseconds.
var busyTimeout = strconv.FormatInt(busyWait.Milliseconds(), 10)

type sqliteEngine struct{}

// openSQLite looks at the file without touching it, and opens it if it is ours
// or absent.
func openSQLite(ctx context.Context, c Config) (engine, *sql.DB, string, error) {
	if c.Dir == "" {
		return nil, nil, "", fault.New(fault.Internal, "")
	}
	file := filepath.Join(c.Dir, FileName)
	fresh, err := inspect(file, ofStore)
	if err != nil {
		return nil, nil, "", err
	}
	if fresh && c.NoCreate {
		return nil, nil, "", fault.Newf(fault.NotFound, "There is no elowen database in %s. Name its directory with --data.", c.Dir)
	}
	if fresh {
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			return nil, nil, "", fault.Wrap(fault.Unavailable, err, "The data directory cannot be made: "+err.Error())
		}
		// Ours alone from the first byte on; SQLite gives its -wal and -shm the same mode.
		f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, nil, "", fault.Wrap(fault.Unavailable, err, "The database cannot be made: "+err.Error())
		}
		f.Close()
	}
	registerLeftoverVFS()
	pool, err := driver.Open(sqliteDSN(file, fresh), stablePlans)
	if err != nil {
		return nil, nil, "", sqliteEngine{}.translate(err)
	}
	pool.SetMaxIdleConns(0)
	return sqliteEngine{}, pool, file, nil
}

// stablePlans keeps SQLite from preparing a statement anew for each value that is
// bound to it, which costs more than most of ours take.
func stablePlans(c *sqlite3.Conn) error {
	_, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true)
	return err
}

func sqliteDSN(file string, fresh bool) string {
	q := url.Values{}
	// The order counts: a wait for other processes comes before all that may need one.
	for _, p := range []string{"busy_timeout(" + busyTimeout + ")", "foreign_keys(1)", "synchronous(full)", "secure_delete(1)", "temp_store(memory)", "trusted_schema(0)"} {
		q.Add("_pragma", p)
	}
	q.Set("vfs", leftoverVFS)
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// mending is what to do about a file that can't be used, as a sentence each.
type mending struct{ directory, damaged, foreign, cut string }

// Of the store, and of a copy such as a backup, which one can only do without.
var (
	ofStore = mending{
		directory: "Name another data directory with --data.",
		damaged:   "It was left as it is: move it away, or bring a backup back with `elowen admin restore FILE`.",
		foreign:   "It was left as it is: name another data directory with --data.",
		cut:       "It was left as it is: bring a backup back with `elowen admin restore FILE`.",
	}
	ofCopy = mending{directory: "Name a file in it.", damaged: "Use another backup.", foreign: "Use a backup of elowen.", cut: "Use another backup."}
)

// inspect tells whether the file is absent or empty, and refuses one that is not
// a whole SQLite file of ours. It only reads.
func inspect(file string, mend mending) (fresh bool, err error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fault.Wrap(fault.Unavailable, err, "The database cannot be read: "+err.Error())
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fault.Wrap(fault.Unavailable, err, "The database cannot be read: "+err.Error())
	}
	if info.IsDir() {
		return false, fault.Newf(fault.Corrupt, "%s is a directory. %s", file, mend.directory)
	}
	if info.Size() == 0 {
		return sizeOf(file+"-wal") == 0, nil
	}
	var h [100]byte
	if _, err := io.ReadFull(f, h[:]); err != nil || string(h[:16]) != "SQLite format 3\x00" {
		return false, fault.Newf(fault.Corrupt, "%s is not an elowen database, or its beginning is damaged. %s", file, mend.damaged)
	}
	page := int64(binary.BigEndian.Uint16(h[16:]))
	if page == 1 {
		page = 65536
	}
	pages := int64(binary.BigEndian.Uint32(h[28:]))
	id := binary.BigEndian.Uint32(h[68:])
	if id != applicationID {
		if id == 0 && info.Size() <= page {
			return false, nil // a first start that was cut off; what its log holds is looked at under the lock
		}
		return false, fault.Newf(fault.Corrupt, "%s is a SQLite file of another program. %s", file, mend.foreign)
	}
	// Pages may be missing only while the log still holds them.
	if pages*page > info.Size() && sizeOf(file+"-wal") == 0 {
		return false, fault.Newf(fault.Corrupt, "%s is cut off: %d bytes of %d are there. %s", file, info.Size(), pages*page, mend.cut)
	}
	return false, nil
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}

func (sqliteEngine) name() string            { return "sqlite" }
func (sqliteEngine) rewrite(q string) string { return q }
func (sqliteEngine) beginRead() string       { return "BEGIN" }
func (sqliteEngine) begin(c *conn) error     { return c.exec(context.Background(), "BEGIN IMMEDIATE") }

func (sqliteEngine) prepareWriter(ctx context.Context, c *conn) error {
	// The first switch to WAL needs the file alone; another process may be doing the same.
	var mode string
	err := patiently(ctx, busyWait, func() error { return c.sql.QueryRowContext(ctx, "PRAGMA journal_mode = wal").Scan(&mode) })
	if err != nil {
		return sqliteEngine{}.translate(err)
	}
	if mode != "wal" {
		return fault.Newf(fault.Unavailable, "The data directory's file system cannot hold a write-ahead log (journal mode %s). Move it to a local disk.", mode)
	}
	return sqliteEngine{}.translate(c.script(ctx, "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 2000"))
}

func (sqliteEngine) prepareReader(ctx context.Context, c *conn) error {
	return sqliteEngine{}.translate(patiently(ctx, busyWait, func() error { return c.script(ctx, "PRAGMA query_only = 1; PRAGMA cache_size = -16384") }))
}

func (sqliteEngine) inTransaction(c *conn) bool {
	in := false
	_ = c.sql.Raw(func(raw any) error {
		in = !raw.(driver.Conn).Raw().GetAutocommit()
		return nil
	})
	return in
}

// sound: what SQLite refuses leaves the transaction as it was, or ends it.
func (e sqliteEngine) sound(c *conn) bool { return e.inTransaction(c) }

func (sqliteEngine) version(ctx context.Context, c *conn) (int64, error) {
	stmt, err := c.stmt(ctx, "PRAGMA data_version")
	if err != nil {
		return 0, err
	}
	var v int64
	err = stmt.QueryRowContext(ctx).Scan(&v)
	return v, err
}

// erase empties the write-ahead log, unless a reader still needs it, and the page
// cache, whose leftovers would be written to the log again. It waits for nobody:
// the writer has other work.
func (sqliteEngine) erase(c *conn, log *slog.Logger) bool {
	bg := context.Background()
	if err := c.script(bg, "PRAGMA shrink_memory; PRAGMA busy_timeout = 0"); err != nil {
		log.Warn("the page cache cannot be emptied", "error", err)
	}
	var busy, frames, moved int64
	err := c.sql.QueryRowContext(bg, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved)
	if back := c.script(bg, "PRAGMA busy_timeout = "+busyTimeout); back != nil {
		log.Warn("the wait for other processes cannot be set", "error", back)
	}
	if err != nil && !errors.Is(err, sqlite3.BUSY) {
		log.Warn("the write-ahead log cannot be emptied", "error", err)
	}
	return err == nil && busy == 0
}

func (sqliteEngine) schemaVersion(ctx context.Context, c *conn) (int, error) {
	var v, id, tables int
	if err := c.sql.QueryRowContext(ctx, "SELECT (SELECT user_version FROM pragma_user_version), (SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)").Scan(&v, &id, &tables); err != nil {
		return 0, sqliteEngine{}.translate(err)
	}
	if id != applicationID && (tables > 0 || v > 0) {
		return 0, fault.New(fault.Corrupt, "The SQLite file belongs to another program. It was left as it is: name another data directory with --data.")
	}
	return v, nil
}

func (sqliteEngine) setSchemaVersion(ctx context.Context, c *conn, v int) error {
	return sqliteEngine{}.translate(c.script(ctx, "PRAGMA application_id = "+strconv.Itoa(applicationID)+"; PRAGMA user_version = "+strconv.Itoa(v)))
}

func (sqliteEngine) tokens() []string {
	return []string{"{{id}}", "INTEGER PRIMARY KEY AUTOINCREMENT", "{{blob}}", "BLOB", "{{clustered}}", "WITHOUT ROWID", "{{bytes}}", "TEXT"}
}

// Damaged is what is said of a store that turns out to be broken while it is used. Whoever
// looks at another file than the store says it in other words.
const Damaged = "The database is damaged. Stop the server and bring a backup back with `elowen admin restore FILE`."

// translate maps SQLite's codes to fault kinds.
func (sqliteEngine) translate(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := fault.As(err); ok {
		return err
	}
	var code sqlite3.ErrorCode
	var extended sqlite3.ExtendedErrorCode
	var e *sqlite3.Error
	switch {
	case errors.As(err, &e):
		code, extended = e.Code(), e.ExtendedCode()
	case errors.As(err, &extended):
		code = sqlite3.ErrorCode(extended)
	case errors.As(err, &code):
	case errors.Is(err, sql.ErrNoRows):
		return fault.Wrap(fault.NotFound, err, "There is no such thing.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Cancelled, err, "The request was cancelled before it was done.")
	default:
		return fault.Wrap(fault.Internal, err, "")
	}
	switch {
	case extended == sqlite3.CONSTRAINT_UNIQUE, extended == sqlite3.CONSTRAINT_PRIMARYKEY, extended == sqlite3.CONSTRAINT_ROWID:
		return fault.Wrap(fault.Taken, err, "It is there already.")
	case extended == sqlite3.CONSTRAINT_FOREIGNKEY:
		return fault.Wrap(fault.NotFound, err, "It refers to something that is not there.")
	case code == sqlite3.BUSY, code == sqlite3.LOCKED:
		return fault.Wrap(fault.Unavailable, err, "The store is busy. Nothing was changed; try again.")
	case code == sqlite3.FULL:
		return fault.Wrap(fault.Unavailable, err, "The disk is full. Nothing was changed; make room and try again.")
	case code == sqlite3.READONLY, code == sqlite3.CANTOPEN, code == sqlite3.PERM:
		return fault.Wrap(fault.Unavailable, err, "The data directory cannot be written. Nothing was changed.")
	case code == sqlite3.IOERR:
		return fault.Wrap(fault.Unavailable, err, "The disk reported an error. Nothing was changed.")
	case code == sqlite3.CORRUPT, code == sqlite3.NOTADB:
		return fault.Wrap(fault.Corrupt, err, Damaged)
	case code == sqlite3.INTERRUPT:
		return fault.Wrap(fault.Cancelled, err, "The request was cancelled before it was done.")
	case code == sqlite3.TOOBIG:
		return fault.Wrap(fault.TooLarge, err, "It is too large to be stored.")
	}
	return fault.Wrap(fault.Internal, err, "")
}
