package db

// NewIDs takes n ids out of a table's identity column, and gives the first of
// them: rows may be inserted under these ids, in ascending order, in the same
// decision. It is for rows that come by the thousand, where asking each for its
// id (RETURNING) costs as much as the row. Ids never come back, as always.
func (tx *Tx) NewIDs(table string, n int) (first int64, err error) {
	query, args := tx.db.engine.newIDs(table, n)
	err = tx.Row(query, args, &first)
	return first, err
}

// An AUTOINCREMENT column goes on after the highest id that was ever in it, also
// if that was given. A table that never had a row has no sequence yet.
func (sqliteEngine) newIDs(table string, _ int) (string, []any) {
	return `SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = ?), 0) + 1`, []any{table}
}

// Only the one writer takes from a sequence, so what it takes is in one piece.
func (*postgresEngine) newIDs(table string, n int) (string, []any) {
	return `SELECT MIN(id) FROM (SELECT nextval(pg_get_serial_sequence(?, 'id')) AS id FROM generate_series(1, CAST(? AS BIGINT))) taken`, []any{table, n}
}
