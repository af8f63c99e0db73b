package state

import (
	"math"
	"sort"
	"strings"

	"elowen/shared/api"
	"elowen/shared/live"
)

// day is in milliseconds.
const day = 86_400_000

// Among finds a query's rows among those that are kept in the browser, in the query's
// order, as well as that can be done without the server: words are found as they are
// written, in any case, and what is near in meaning isn't. asked says how many rows of
// the query's status were looked at.
func Among(kept []live.Row, q api.MemoryQuery, now api.Time) (found []live.Row, asked int) {
	q = q.Normal()
	if q.ProjectID > 0 {
		return nil, 0 // which categories are a project's isn't kept
	}
	words := strings.Fields(strings.ToLower(q.Q))
	seen := map[int64]bool{}
	for _, r := range kept {
		m := r.Memory
		if seen[m.ID] || q.Status != "all" && m.Status != q.Status {
			continue
		}
		seen[m.ID] = true
		asked++
		if fits(m, q, now) && has(strings.ToLower(m.Body), words) {
			r.Marks = nil // of another search
			found = append(found, r)
		}
	}
	value := valueOf(q.Sort)
	sort.SliceStable(found, func(i, j int) bool {
		a, b := value(&found[i].Memory), value(&found[j].Memory)
		if q.Order == "asc" {
			return a < b
		}
		return a > b
	})
	return found, asked
}

func has(body string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(body, w) {
			return false
		}
	}
	return true
}

// fits tells whether a memory is one of those that the filters leave.
func fits(m api.Memory, q api.MemoryQuery, now api.Time) bool {
	switch {
	case q.Kind != "" && m.Kind != q.Kind,
		q.CategoryID > 0 && (m.CategoryID == nil || *m.CategoryID != q.CategoryID),
		q.Uncategorized && m.CategoryID != nil,
		q.Importance > 0 && m.Importance < q.Importance,
		q.NotIndexed && m.Indexed,
		q.Unreviewed && m.ReviewedAt != nil,
		q.FadesWithin > 0 && (m.EvictableAt == nil || *m.EvictableAt > now+api.Time(q.FadesWithin)*day),
		q.After != nil && m.CreatedAt < *q.After, q.Before != nil && m.CreatedAt >= *q.Before,
		q.DeletedBy == api.DeletedByPeople && (m.DeletedBy == api.DeletedBySweep || m.DeletedBy == api.DeletedByMerge),
		q.DeletedBy != "" && q.DeletedBy != api.DeletedByPeople && m.DeletedBy != q.DeletedBy:
		return false
	}
	return true
}

// valueOf is what a list is ordered by.
func valueOf(by string) func(m *api.Memory) float64 {
	at := func(t *api.Time) float64 {
		if t == nil {
			return 0
		}
		return float64(*t)
	}
	switch by {
	case api.SortCreated:
		return func(m *api.Memory) float64 { return float64(m.CreatedAt) }
	case api.SortVitality:
		return func(m *api.Memory) float64 { return m.Vitality }
	case api.SortImportance:
		return func(m *api.Memory) float64 { return float64(m.Importance) }
	case api.SortEvictable:
		return func(m *api.Memory) float64 {
			if m.EvictableAt == nil {
				return math.Inf(1) // it stays
			}
			return at(m.EvictableAt)
		}
	case api.SortUsed:
		return func(m *api.Memory) float64 { return at(m.LastUsedAt) }
	}
	return func(m *api.Memory) float64 { return float64(m.UpdatedAt) }
}
