package projection

import (
	"slices"
	"strconv"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

// detailView is one memory with its audit, its curve and what resembles it.
type detailView struct {
	store *memory.Store
	id    int64
	days  int

	// As it was last read:
	related   []int64 // other memories whose texts it shows
	shown     int     // the numbers that move with the clock
	evictable api.Time
}

// errNoMemory reads the same for what never was, is no more, or is another's.
var errNoMemory = fault.New(fault.NotFound, "There is no such memory.")

func (p *Projector) detail(_ account.Identity, req wire.Request) (View, error) {
	v := &detailView{store: p.c.Memories, id: req.Memory, days: req.Days}
	if v.days == 0 {
		v.days = setting.Int("memory.history")
	}
	if v.id <= 0 {
		return nil, errNoMemory
	}
	return v, nil
}

func (v *detailView) Key() string {
	return strconv.FormatInt(v.id, 10) + " " + strconv.Itoa(v.days)
}

func (v *detailView) Touched(n News) bool {
	return n.Of(db.NounRetention, db.NounCategory) || n.touchesMemory(v.id) || slices.ContainsFunc(v.related, n.touchesMemory)
}

func (v *detailView) Moved(at At) (bool, error) {
	m := at.r.cat.get(v.id)
	if m == nil {
		return true, nil
	}
	shown, evictable, err := numbers(at.r.cat, m, at.Tx.Now)
	return shown != v.shown || evictable != v.evictable, err
}

func (v *detailView) Rows(at At) (Part, error) {
	if at.r.cat.get(v.id) == nil {
		return Part{}, errNoMemory
	}
	d, err := v.store.Detail(at.Tx, at.Owner, v.id, v.days)
	if fault.Is(err, fault.NotFound) {
		return Part{}, errNoMemory
	}
	if err != nil {
		return Part{}, err
	}
	v.shown, v.evictable = d.Memory.VitalityShown, 0
	if d.Memory.EvictableAt != nil {
		v.evictable = *d.Memory.EvictableAt
	}
	v.related = v.related[:0]
	for _, s := range d.Similar {
		v.related = append(v.related, s.ID)
	}
	return Whole(NewRow(v.id, wire.DetailRow{ID: v.id, MemoryDetail: d})), nil
}
