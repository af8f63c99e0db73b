package memory

import (
	"cmp"
	"context"
	"slices"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// History is a memory's vitality over the last days (0: the default), and how it
// goes on. Errors: NotFound, Invalid for days out of bounds.
func (s *Store) History(ctx context.Context, owner db.AccountID, id int64, days int) (api.VitalityHistory, error) {
	var h api.VitalityHistory
	err := s.db.View(ctx, func(tx *db.Tx) error {
		r, err := reach(tx, owner, id)
		if err != nil {
			return err
		}
		t, err := s.rules.Terms(tx)
		if err != nil {
			return err
		}
		h, err = history(tx, db.AccountID(r.owner), &r, t, days)
		return err
	})
	return h, err
}

func history(tx *db.Tx, owner db.AccountID, r *row, t Terms, days int) (api.VitalityHistory, error) {
	if days == 0 {
		days = setting.Int("memory.history")
	}
	uses, err := usesOf(tx, owner, r.id)
	if err != nil {
		return api.VitalityHistory{}, err
	}
	changes, err := audit.ImportanceChanges(tx, owner, r.id, r.importance)
	if err != nil {
		return api.VitalityHistory{}, err
	}
	h, err := vitality.BuildHistory(r.vital(), t.Policy, uses, changes, tx.Now, days, t.NextSweepAt)
	if err != nil {
		return api.VitalityHistory{}, err
	}
	out := api.VitalityHistory{
		Points: points(h.Points), Recalls: make([]api.Time, len(h.Recalls)), Forecast: points(h.Forecast), Floor: h.Floor,
		HalfLifeDays: t.Policy.HalfLifeDays[r.importance-1], HistoryFrom: api.Time(h.HistoryFrom), Now: api.Time(h.Now),
	}
	for i, at := range h.Recalls {
		out.Recalls[i] = api.Time(at)
	}
	if h.CrossingAt != nil {
		out.CrossesAt = api.Ptr(api.Time(*h.CrossingAt))
	}
	if h.EvictableAt != nil {
		out.EvictableAt = api.Ptr(api.Time(*h.EvictableAt))
	}
	return out, nil
}

func points(list []vitality.Point) []api.HistoryPoint {
	out := make([]api.HistoryPoint, len(list))
	for i, p := range list {
		out[i] = api.HistoryPoint{At: api.Time(p.At), Vitality: p.Vitality}
	}
	return out
}

// usesOf are all recorded uses of a memory, ascending. Nearly all are single
// recalls, and there may be thousands, so those are read as bare instants, doubled;
// an odd number stands for any other use, which is then read as a row.
func usesOf(tx *db.Tx, owner db.AccountID, id int64) ([]vitality.Use, error) {
	doubled, err := tx.Column(`SELECT at * 2 + CASE WHEN kind = ? AND times = 1 THEN 0 ELSE 1 END AS v FROM usage_event WHERE owner_id = ? AND memory_id = ?`,
		useRecall, int64(owner), id)
	if err != nil {
		return nil, err
	}
	list := make([]vitality.Use, 0, len(doubled)+4)
	for _, v := range doubled {
		if v&1 == 0 {
			list = append(list, vitality.Use{At: v / 2})
		}
	}
	if len(list) < len(doubled) {
		if list, err = otherUses(tx, owner, id, list); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b vitality.Use) int { return cmp.Compare(a.At, b.At) })
	return list, nil
}

// otherUses adds the uses of a memory that are no single recalls.
func otherUses(tx *db.Tx, owner db.AccountID, id int64, list []vitality.Use) ([]vitality.Use, error) {
	rows := tx.Query(`SELECT at, kind, times FROM usage_event WHERE owner_id = ? AND memory_id = ? AND (kind <> ? OR times > 1)`, int64(owner), id, useRecall)
	defer rows.Close()
	for rows.Next() {
		var at, times int64
		var kind string
		if err := rows.Scan(&at, &kind, &times); err != nil {
			return nil, err
		}
		u := vitality.Use{At: at}
		if kind == useReinforced {
			u.Kind, times = vitality.Reinforced, 1
		}
		for range times {
			list = append(list, u)
		}
	}
	return list, rows.Err()
}
