// Package dbtest opens throwaway stores for tests: a SQLite file in the test's
// own directory, and where ELOWEN_TEST_POSTGRES names a server also a schema of
// its own there.
package dbtest

import (
	"context"
	"database/sql"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"elowen/server/db"
)

// PostgresEnv names the variable with the address of a PostgreSQL server that
// tests may make schemas in.
const PostgresEnv = "ELOWEN_TEST_POSTGRES"

// Clock is a clock that a test moves.
type Clock struct{ ms atomic.Int64 }

// NewClock is a clock that stands at an instant, in Unix milliseconds.
func NewClock(ms int64) *Clock {
	c := &Clock{}
	c.ms.Store(ms)
	return c
}

// Now is the clock's instant.
func (c *Clock) Now() int64 { return c.ms.Load() }

// Advance moves the clock by ms, also backwards.
func (c *Clock) Advance(ms int64) { c.ms.Add(ms) }

// Start is where test clocks begin: 2026-11-30T00:00:00Z.
const Start = 1_795_996_800_000

// Open opens a SQLite store in the test's directory. A nil clock stands at Start.
func Open(t testing.TB, clock *Clock) *db.DB {
	t.Helper()
	return open(t, db.Config{Dir: t.TempDir()}, clock)
}

// Each runs the test on every engine there is: SQLite always, PostgreSQL where
// the environment names one (build.sh test starts one).
func Each(t *testing.T, clock func() *Clock, test func(t *testing.T, d *db.DB, clock *Clock)) {
	t.Helper()
	if clock == nil {
		clock = func() *Clock { return NewClock(Start) }
	}
	t.Run("sqlite", func(t *testing.T) {
		c := clock()
		test(t, Open(t, c), c)
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := os.Getenv(PostgresEnv)
		if dsn == "" {
			t.Skip("no PostgreSQL: " + PostgresEnv + " is not set (./build.sh test sets it)")
		}
		if testing.Short() {
			t.Skip("in short, as under the race detector, the product's own engine alone")
		}
		c := clock()
		test(t, open(t, db.Config{PostgresDSN: schema(t, dsn)}, c), c)
	})
}

func open(t testing.TB, cfg db.Config, clock *Clock) *db.DB {
	t.Helper()
	if clock == nil {
		clock = NewClock(Start)
	}
	cfg.Clock = clock.Now
	d, err := db.Open(context.Background(), cfg)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// schema makes a schema that is dropped with the test, and the address that uses it.
func schema(t testing.TB, dsn string) string {
	t.Helper()
	admin, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ToLower(db.NewSecret())
	if _, err := admin.Exec("CREATE SCHEMA " + name); err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP SCHEMA " + name + " CASCADE"); err != nil {
			t.Errorf("drop schema: %v", err)
		}
		admin.Close()
	})
	if strings.Contains(dsn, "://") {
		sep := "?"
		if strings.Contains(dsn, "?") {
			sep = "&"
		}
		return dsn + sep + "search_path=" + name
	}
	return dsn + " search_path=" + name
}
