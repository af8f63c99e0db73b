package db

// Use is what the store takes up, in bytes.
type Use struct {
	File int64 // the whole store
	Free int64 // of it, what was used once and will be used again; a vacuum gives it back
}

// Use tells what the store takes up. Of PostgreSQL, which keeps its own house, only
// the whole is known.
func (tx *Tx) Use() (Use, error) {
	var u Use
	if tx.Engine() != (sqliteEngine{}).name() {
		return u, tx.Row(`SELECT pg_database_size(current_database())`, nil, &u.File)
	}
	var size, pages, free int64
	for _, q := range []struct {
		pragma string
		into   *int64
	}{{"PRAGMA page_size", &size}, {"PRAGMA page_count", &pages}, {"PRAGMA freelist_count", &free}} {
		if err := tx.Row(q.pragma, nil, q.into); err != nil {
			return u, err
		}
	}
	return Use{File: size * pages, Free: size * free}, nil
}
