package db

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"elowen/shared/fault"
)

//go:embed migration/*.sql
var migrationFiles embed.FS

// migrations are the names of the steps, in order: NNNN_name. A step has one file
// that both engines share, and may have one more for an engine (NNNN_name.sqlite.sql).
func migrations() ([]string, error) {
	entries, err := fs.ReadDir(migrationFiles, "migration")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".sql"); !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, n := range names {
		if !strings.HasPrefix(n, fmt.Sprintf("%04d_", i+1)) {
			return nil, fmt.Errorf("migration %s is not number %d", n, i+1)
		}
	}
	return names, nil
}

// script is a file of a step, as an engine runs it.
type script struct{ file, text string }

// scripts are the files of the named steps, in the order in which they run.
func scripts(e engine, names []string) []script {
	fill := strings.NewReplacer(e.tokens()...)
	var all []script
	for _, name := range names {
		for _, file := range []string{name + ".sql", name + "." + e.name() + ".sql"} {
			if text, err := migrationFiles.ReadFile("migration/" + file); err == nil { // an engine may have no file of its own
				all = append(all, script{file, fill.Replace(string(text))})
			}
		}
	}
	return all
}

// SchemaVersion is the newest schema that this program knows.
func SchemaVersion() int {
	names, err := migrations()
	if err != nil {
		panic(err) // the files are part of the program
	}
	return len(names)
}

// ErrOldSchema is inside the error of a store that Config.NoMigrate kept from
// being brought up to date.
var ErrOldSchema = errors.New("an older schema")

// known gives the store's schema, and refuses one that this program doesn't work
// with; where refuse is set, an older one, too. It only reads.
func (d *DB) known(ctx context.Context, c *conn, refuse bool) (int, error) {
	have, err := d.engine.schemaVersion(ctx, c)
	newest := SchemaVersion()
	switch {
	case err != nil:
		return 0, err
	case have > newest:
		return 0, fault.Newf(fault.Corrupt, "The database has schema %d, and this program knows up to %d: it was written by a newer elowen. It was left as it is: install that version, or bring an older backup back.", have, newest)
	case refuse && have < newest:
		return 0, fault.Wrap(fault.Unavailable, ErrOldSchema, fmt.Sprintf("The database has schema %d, and this program works with %d. `elowen serve` or any admin command brings it up to date.", have, newest))
	}
	return have, nil
}

// migrate brings the schema up to date: all missing steps in one transaction
// under the writer's lock, so that programs that start together wait for one
// another, and a step that fails leaves nothing behind. (Migration libraries
// take no lock across processes on SQLite, and commit step by step.)
func (d *DB) migrate(ctx context.Context, c *conn, refuse bool) error {
	names, err := migrations()
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	have, err := d.known(ctx, c, refuse)
	if err == nil && have == len(names) {
		return nil // the common case takes no lock
	}
	if err != nil {
		return err
	}
	if err := d.engine.begin(c); err != nil {
		return d.engine.translate(err)
	}
	commit := false
	defer func() {
		if !commit {
			_ = c.exec(context.Background(), "ROLLBACK")
		}
	}()
	if have, err = d.known(ctx, c, refuse); err != nil {
		return err
	}
	if have == len(names) {
		return nil
	}
	for _, step := range scripts(d.engine, names[have:]) {
		if err := c.script(ctx, step.text); err != nil {
			return fault.Wrap(fault.Corrupt, fmt.Errorf("migration %s: %w", step.file, err), "The database could not be brought up to date. It was left as it is.")
		}
	}
	if have == 0 {
		// A secret alphabet, so the epoch needs no escaping.
		if err := c.script(ctx, "INSERT INTO meta (name, value) VALUES ('epoch', '"+NewSecret()+"')"); err != nil {
			return d.engine.translate(err)
		}
	}
	if err := d.engine.setSchemaVersion(ctx, c, len(names)); err != nil {
		return err
	}
	commit = true
	return d.engine.translate(c.exec(ctx, "COMMIT"))
}
