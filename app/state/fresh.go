package state

import (
	"elowen/shared/api"
	"elowen/shared/live"
)

// recent is how long ago a change may be to count as just happened when its row
// enters a window for the first time.
const recent = 10_000 // milliseconds

// Fresh lists the ids of the rows of after that somebody just changed: a new
// revision, a new use, or a row that is new altogether. Rows that only came into
// the window by scrolling, or whose numbers moved with the clock, are not fresh.
func Fresh(before, after Window[live.Row]) []int64 {
	old := make(map[int64]live.Row, len(before.Rows))
	for _, r := range before.Rows {
		old[r.ID] = r
	}
	var ids []int64
	for _, r := range after.Rows {
		was, known := old[r.ID]
		switch {
		case known && (was.Revision != r.Revision || was.UseCount != r.UseCount):
			ids = append(ids, r.ID)
		case !known && after.AsOf-latest(r.Memory) < recent:
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func latest(m api.Memory) api.Time {
	at := max(m.UpdatedAt, m.CreatedAt)
	if m.LastUsedAt != nil {
		at = max(at, *m.LastUsedAt)
	}
	return at
}
