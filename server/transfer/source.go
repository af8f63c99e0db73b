package transfer

import (
	"slices"
	"strings"

	"elowen/server/db"
)

// origin is where a memory came from: a row's name in its source.
type origin struct {
	id     string
	memory int64
}

// originBatch is how many go into one statement.
const originBatch = 128

// remember notes where memories came from, so that the same import again finds them.
func remember(tx *db.Tx, owner db.AccountID, source string, list []origin) error {
	// In the order of the table: each of its pages is visited once.
	list = slices.SortedFunc(slices.Values(list), func(a, b origin) int { return strings.Compare(a.id, b.id) })
	for len(list) > 0 {
		n := 1
		if len(list) >= originBatch {
			n = originBatch
		}
		args := make([]any, 0, 4*n)
		for _, o := range list[:n] {
			args = append(args, int64(owner), source, o.id, o.memory)
		}
		_, err := tx.Exec(`INSERT INTO import_source (owner_id, source, source_id, memory_id) VALUES (?, ?, ?, ?)`+
			strings.Repeat(`, (?, ?, ?, ?)`, n-1)+` ON CONFLICT (owner_id, source, source_id) DO NOTHING`, args...)
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// recall finds which of these rows of a source came in before, and as what.
func recall(tx *db.Tx, owner db.AccountID, source string, ids []string) (map[string]int64, error) {
	found := map[string]int64{}
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		part := ids[:n]
		ids = ids[n:]
		in, args := db.In(make([]int64, n))
		for i := range args {
			args[i] = part[min(i, n-1)]
		}
		rows := tx.Query(`SELECT source_id, memory_id FROM import_source WHERE owner_id = ? AND source = ? AND source_id IN (`+in+`)`,
			append([]any{int64(owner), source}, args...)...)
		for rows.Next() {
			var name string
			var id int64
			if err := rows.Scan(&name, &id); err != nil {
				rows.Close()
				return nil, err
			}
			found[name] = id
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// EraseAccount removes what the account has here.
func (s *Store) EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM import_source WHERE owner_id = ?`, int64(owner))
	return err
}
