package memory

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/shared/api"
)

// The queries that run often, or over very many rows, use an index from the
// account on, and none sorts.
func TestQueryPlans(t *testing.T) {
	f := open(t)
	f.insert(carried(3000, f.clock.Now()))
	scan := regexp.MustCompile(`\bSCAN\b`)
	for name, c := range map[string]struct {
		query string
		args  int
		want  string // the index, or another part of the plan
	}{
		"one":       {`SELECT ` + columns + ` FROM memory WHERE id = ? AND owner_id = ?`, 2, "INTEGER PRIMARY KEY"},
		"many":      {`SELECT ` + columns + ` FROM memory WHERE id IN (?,?,?,?) AND owner_id = ?`, 5, "SEARCH memory"},
		"identical": {`SELECT ` + columns + ` FROM memory WHERE owner_id = ? AND body_hash = ? AND status = ? AND COALESCE(category_id, 0) = ? AND body = ? ORDER BY id LIMIT 1`, 5, "memory_hash"},
		"briefs":    {`SELECT ` + briefColumns + ` FROM memory WHERE owner_id = ? AND id > ? ORDER BY id LIMIT ?`, 3, "memory_owner"},
		"newest":    {`SELECT COALESCE(MAX(id), 0) FROM memory WHERE owner_id = ?`, 1, "COVERING INDEX memory_owner"},
		"due": {`SELECT id, order_key, created_at, use_count, last_used_at FROM memory WHERE owner_id = ? AND status = ? AND importance = ? AND order_key < ? AND last_used_at <= ? AND fades_at <= ?
			ORDER BY order_key, created_at, id LIMIT ?`, 7, "COVERING INDEX memory_order"},
		"due, next page": {`SELECT id, order_key, created_at, use_count, last_used_at FROM memory WHERE owner_id = ? AND status = ? AND importance = ? AND order_key < ? AND (order_key, created_at, id) > (?, ?, ?)
			AND last_used_at <= ? AND fades_at <= ? ORDER BY order_key, created_at, id LIMIT ?`, 10, "COVERING INDEX memory_order"},
		"count due":     {`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ? AND importance = ? AND order_key < ? AND last_used_at <= ? AND fades_at <= ?`, 6, "COVERING INDEX memory_order"},
		"ledger":        {`SELECT COUNT(*) FROM memory_event WHERE owner_id = ? AND action = 'auto-evict' AND at > ? AND carried = 0`, 2, "memory_event_evict"},
		"events of one": {`SELECT id, memory_id FROM memory_event WHERE owner_id = ? AND memory_id = ? AND id < ? ORDER BY id DESC LIMIT ?`, 4, "memory_event_memory"},
		"events of all": {`SELECT id, memory_id, action FROM memory_event WHERE owner_id = ? AND id < ? ORDER BY id DESC LIMIT ?`, 3, "memory_event_owner"},
		"by category":   {`SELECT category_id, COUNT(*) FROM memory WHERE category_id IN (?,?) AND owner_id = ? AND status = ? GROUP BY category_id`, 4, "COVERING INDEX memory_category"},
		"of a category": {`SELECT ` + columns + ` FROM memory WHERE category_id = ? AND owner_id = ? LIMIT ?`, 3, "memory_category"},
		"trash":         {`SELECT ` + columns + ` FROM memory WHERE owner_id = ? AND status = ? LIMIT ?`, 3, "USING INDEX memory_"},
		"uses":          {`SELECT at, kind, times FROM usage_event WHERE owner_id = ? AND memory_id = ? ORDER BY at`, 2, "PRIMARY KEY"},
		"version":       {`SELECT body FROM memory_version WHERE owner_id = ? AND memory_id = ? AND revision >= ? ORDER BY revision LIMIT 1`, 3, "PRIMARY KEY"},
		"not indexed":   {`SELECT COUNT(*) FROM memory WHERE owner_id = ? AND status = ? AND ` + embedding.Unindexed("memory"), 2, "SEARCH e USING PRIMARY KEY (owner_id=? AND space_id=? AND memory_id=?)"},
		"bodies":        {`SELECT id, body_hash FROM memory WHERE owner_id = ? AND id < ? AND status = ? ORDER BY id DESC LIMIT ?`, 4, "memory_owner"},
		"purge uses":    {`DELETE FROM usage_event WHERE owner_id = ? AND memory_id IN (?,?)`, 3, "PRIMARY KEY"},
	} {
		f.view(func(tx *db.Tx) error {
			args := make([]any, c.args)
			for i := range args {
				args[i] = 1
			}
			rows := tx.Query(`EXPLAIN QUERY PLAN `+c.query, args...)
			defer rows.Close()
			var plan []string
			for rows.Next() {
				var a, b, d int
				var line string
				if err := rows.Scan(&a, &b, &d, &line); err != nil {
					return err
				}
				plan = append(plan, line)
			}
			text := strings.Join(plan, "; ")
			if !strings.Contains(text, c.want) || scan.MatchString(text) || strings.Contains(text, "TEMP B-TREE") {
				t.Errorf("%s: %s\nwant %s", name, text, c.want)
			}
			return rows.Err()
		})
	}
}

// A list's filter begins at the account.
func TestFilterPlan(t *testing.T) {
	f := open(t)
	f.add("x")
	f.view(func(tx *db.Tx) error {
		where, args := Predicate(api.MemoryQuery{}, f.rules.terms, tx.Now).SQL()
		rows := tx.Query(`EXPLAIN QUERY PLAN SELECT id FROM memory WHERE owner_id = ? AND `+where+` ORDER BY id`, append([]any{int64(f.ann)}, args...)...)
		defer rows.Close()
		plan := ""
		for rows.Next() {
			var a, b, d int
			var line string
			if err := rows.Scan(&a, &b, &d, &line); err != nil {
				return err
			}
			plan += fmt.Sprintln(line)
		}
		if !strings.Contains(plan, "owner_id=?") {
			t.Errorf("a filter is not held to the account by an index: %s", plan)
		}
		return rows.Err()
	})
}
