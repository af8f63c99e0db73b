package retention

import (
	"container/heap"
	"context"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// previewDays is how far a preview looks.
const previewDays = 30

// Preview says what a policy would do to the account's memories, with those that it
// wrote into pools, changing nothing: the plan of the next sweep, and how many would go within 30 days of
// sweeps under the daily limit. Absent fields of the policy are those in force;
// one out of bounds is fault.Invalid.
func (s *Store) Preview(ctx context.Context, owner db.AccountID, in api.PreviewRequest) (api.Preview, error) {
	limit := in.Limit
	if limit == 0 {
		limit = setting.Int("list.limit")
	}
	var out api.Preview
	err := s.db.View(ctx, func(tx *db.Tx) error {
		stored, err := s.settings.Load(tx)
		if err != nil {
			return err
		}
		terms, err := s.settings.Terms(tx)
		if err != nil {
			return err
		}
		p, err := vitality.FromRequest(stored.Policy, proposal(in.Policy))
		if err != nil {
			return err
		}
		at := max(terms.NextSweepAt, tx.Now)
		if in.Days > 0 {
			if out.Curves, err = curves(p, in.Days); err != nil {
				return err
			}
		}
		if in.Only != "" {
			out.First, out.SweepAt = []api.PreviewRow{}, api.Time(at)
			return nil
		}
		v := newForecast(p, at, limit)
		for b, err := range s.memories.Counted(tx, owner) {
			if err == nil {
				err = v.add(b)
			}
			if err != nil {
				return err
			}
		}
		used, err := audit.Evicted(tx, owner, at)
		if err != nil {
			return err
		}
		plan, err := Plan(v.first.list, p, at, p.DailyLimit-used)
		if err != nil {
			return err
		}
		drawn := out.Curves
		out = v.preview(p.DailyLimit, used)
		out.Curves = drawn
		out.First, err = s.previewRows(tx, owner, plan)
		return err
	})
	return out, err
}

// previewRows are the planned memories with their bodies.
func (s *Store) previewRows(tx *db.Tx, owner db.AccountID, plan []Decision) ([]api.PreviewRow, error) {
	ids := make([]int64, len(plan))
	for i, d := range plan {
		ids[i] = d.ID
	}
	rows, err := s.memories.Rows(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*api.Memory, len(rows))
	for i := range rows {
		byID[rows[i].ID] = &rows[i]
	}
	list := make([]api.PreviewRow, 0, len(plan))
	for _, d := range plan {
		m, ok := byID[d.ID]
		if !ok {
			continue
		}
		list = append(list, api.PreviewRow{ID: d.ID, Body: m.Body, Importance: m.Importance, CategoryID: m.CategoryID,
			Vitality: d.Vitality, CreatedAt: m.CreatedAt, Reason: d.Reason})
	}
	return list, nil
}

// forecast counts, one memory at a time, at which of the coming sweeps each
// becomes eligible, and remembers those that go first. Its size depends on the
// number of days and rows asked for, not on that of the memories.
type forecast struct {
	policy vitality.Policy
	at     int64            // of the next sweep
	fresh  [previewDays]int // newly eligible at the sweep at + k days
	first  worst
}

func newForecast(p vitality.Policy, at int64, rows int) *forecast {
	return &forecast{policy: p, at: at, first: worst{most: rows, policy: p, at: at}}
}

func (f *forecast) add(b *memory.Brief) error {
	m := b.Vital()
	if !f.policy.Enabled || !m.Active {
		return nil
	}
	from, err := vitality.FadesAt(m, f.policy)
	if err != nil {
		return err
	}
	if from >= f.at+previewDays*dayMillis {
		return nil
	}
	k := max(0, (from-f.at+dayMillis-1)/dayMillis)
	if k >= previewDays {
		return nil
	}
	f.fresh[k]++
	if k > 0 {
		return nil
	}
	return f.first.add(Candidate{ID: b.ID, Memory: m})
}

// preview plays the sweeps of the coming days through.
func (f *forecast) preview(limit, used int) api.Preview {
	out := api.Preview{Due: f.fresh[0], SweepAt: api.Time(f.at)}
	waiting := 0
	for k, n := range f.fresh {
		out.Eligible30 += n
		waiting += n
		may := limit
		if k == 0 {
			may = max(0, limit-used)
		}
		take := min(waiting, may)
		waiting -= take
		out.Within30 += take
		if k == 0 {
			out.NextSweep = take
		}
	}
	return out
}

// worst keeps the few candidates that a plan would put first. It is a heap with
// the least urgent of them on top.
type worst struct {
	most   int
	policy vitality.Policy
	at     int64
	list   []Candidate
	turns  []vitality.Turn // of each
}

func (w *worst) add(c Candidate) error {
	v, err := vitality.Vitality(c.Memory, w.policy, w.at)
	if err != nil {
		return err
	}
	turn := vitality.Turn{Vitality: v, CreatedAt: c.CreatedAt, ID: c.ID}
	if len(w.list) < w.most {
		heap.Push(w, queued{c, turn})
		return nil
	}
	if len(w.list) > 0 && turn.Compare(w.turns[0]) < 0 {
		w.list[0], w.turns[0] = c, turn
		heap.Fix(w, 0)
	}
	return nil
}

type queued struct {
	Candidate
	turn vitality.Turn
}

func (w *worst) Len() int           { return len(w.list) }
func (w *worst) Less(i, j int) bool { return w.turns[j].Compare(w.turns[i]) < 0 }
func (w *worst) Swap(i, j int) {
	w.list[i], w.list[j] = w.list[j], w.list[i]
	w.turns[i], w.turns[j] = w.turns[j], w.turns[i]
}

// Push and Pop are for package heap.
func (w *worst) Push(x any) {
	q := x.(queued)
	w.list, w.turns = append(w.list, q.Candidate), append(w.turns, q.turn)
}

// Pop removes the last.
func (w *worst) Pop() any {
	n := len(w.list) - 1
	q := queued{w.list[n], w.turns[n]}
	w.list, w.turns = w.list[:n], w.turns[:n]
	return q
}
