package db

import (
	"maps"
	"slices"
	"sync"

	"github.com/ncruces/go-sqlite3/driver"

	"elowen/shared/fault"
)

// definitions are what a SQLite schema is made of: the statement that made each
// table, index and trigger, by its kind and name.
type definitions map[string]string

const readDefinitions = `SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY 1`

// ours is the schema that the migrations make, in a database of its own in memory.
var ours = sync.OnceValues(func() (definitions, error) {
	names, err := migrations()
	if err != nil {
		return nil, err
	}
	pool, err := driver.Open("file::memory:", nil)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	pool.SetMaxOpenConns(1) // each connection would have a database of its own
	for _, s := range scripts(sqliteEngine{}, names) {
		if _, err := pool.Exec(s.text); err != nil {
			return nil, err
		}
	}
	rows, err := pool.Query(readDefinitions)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	made := definitions{}
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			return nil, err
		}
		made[name] = statement
	}
	return made, rows.Err()
})

// checkSchema says which tables, indexes and triggers of the program's schema are
// missing, or are not as the migrations make them: without its triggers the audit
// could be changed, without its indexes every list is a scan. One line a fault. A
// store of another schema is not looked at, nor what somebody added.
func (tx *Tx) checkSchema() ([]string, error) {
	if have, err := tx.Schema(); err != nil || have != SchemaVersion() {
		return nil, err
	}
	want, err := ours()
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "")
	}
	have := definitions{}
	rows := tx.Query(readDefinitions)
	defer rows.Close()
	for rows.Next() {
		var name, statement string
		if err := rows.Scan(&name, &statement); err != nil {
			return nil, err
		}
		have[name] = statement
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		statement, there := have[name]
		switch {
		case len(found) == integrityMost:
			return found, nil
		case !there:
			found = append(found, "the "+name+" is missing")
		case statement != want[name]:
			found = append(found, "the "+name+" is not as this program makes it")
		}
	}
	return found, nil
}
