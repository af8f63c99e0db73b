package memory

import (
	"context"
	"strconv"

	"elowen/server/db"
	"elowen/shared/api"
)

// Stats are the account's numbers. The counts by kind, category and importance, and
// those of what isn't filed or indexed, are of active memories.
func (s *Store) Stats(ctx context.Context, owner db.AccountID) (api.MemoryStats, error) {
	var st api.MemoryStats
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		st, err = s.stats(tx, owner)
		return err
	})
	return st, err
}

func (s *Store) stats(tx *db.Tx, owner db.AccountID) (api.MemoryStats, error) {
	st := api.MemoryStats{Kinds: map[string]int{}, Categories: map[string]int{}, Importance: map[string]int{}, AsOf: api.Time(tx.Now)}
	rows := tx.Query(`SELECT status, kind, importance, COALESCE(category_id, 0), deleted_how, COUNT(*) FROM memory WHERE owner_id = ?
		GROUP BY status, kind, importance, category_id, deleted_how`, int64(owner))
	defer rows.Close()
	for rows.Next() {
		var status, kind, how string
		var importance, n int
		var category int64
		if err := rows.Scan(&status, &kind, &importance, &category, &how, &n); err != nil {
			return st, err
		}
		switch statusOf(status) {
		case Deleted:
			st.Deleted += n
			switch goneOf(how) {
			case GoneFaded:
				st.Faded += n
			case GoneMerged:
				st.Merged += n
			}
			continue
		case Consolidated:
			st.Consolidated += n
			continue
		}
		st.Active += n
		st.Kinds[kind] += n
		st.Importance[strconv.Itoa(importance)] += n
		if category == 0 {
			st.Uncategorized += n
		} else {
			st.Categories[strconv.FormatInt(category, 10)] += n
		}
	}
	if err := rows.Err(); err != nil {
		return st, err
	}
	rows.Close()
	var err error
	if st.NotIndexed, err = countUnindexed(tx, owner, st.Active); err != nil {
		return st, err
	}
	t, err := s.rules.Terms(tx)
	if err != nil {
		return st, err
	}
	st.DueNow, err = countDue(tx, owner, dueOwn, t, tx.Now)
	return st, err
}

// CountByCategory tells how many of the account's active memories are in each of
// the categories. It is what category.New takes.
func CountByCategory(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]int, error) {
	counts := make(map[int64]int, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT category_id, COUNT(*) FROM memory WHERE category_id IN (`+in+`) AND owner_id = ? AND status = ? GROUP BY category_id`,
			append(args, int64(owner), api.StatusActive)...)
		err := rows.Each(func() error {
			var id int64
			var count int
			if err := rows.Scan(&id, &count); err != nil {
				return err
			}
			counts[id] = count
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}
