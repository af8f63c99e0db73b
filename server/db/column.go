package db

import (
	"strconv"

	"elowen/shared/fault"
)

// Column reads a query whose one column is named v and holds integers, in no
// particular order. Thousands of rows come as one value, which takes a fraction of
// what stepping through them does. NULLs are left out.
func (tx *Tx) Column(query string, args ...any) ([]int64, error) {
	var text *string
	if err := tx.Row(tx.db.engine.gather(query), args, &text); err != nil || text == nil {
		return nil, err
	}
	list := make([]int64, 0, len(*text)/8+1)
	for rest := *text; rest != ""; {
		end := 0
		for end < len(rest) && rest[end] != ',' {
			end++
		}
		n, err := strconv.ParseInt(rest[:end], 10, 64)
		if err != nil {
			return nil, fault.Wrap(fault.Internal, err, "")
		}
		list = append(list, n)
		rest = rest[min(end+1, len(rest)):]
	}
	return list, nil
}

func (sqliteEngine) gather(query string) string {
	return `SELECT group_concat(v) FROM (` + query + `)`
}

func (*postgresEngine) gather(query string) string {
	return `SELECT string_agg(CAST(v AS TEXT), ',') FROM (` + query + `) gathered`
}
