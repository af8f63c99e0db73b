package memory

import (
	"context"

	"elowen/server/db"
	"elowen/shared/api"
)

// Results that hold memories' content tell the store whose, so that a purge
// reaches what is remembered of them for repeated requests.

// shown is a result that is one memory.
type shown struct{ api.Memory }

// References implements db.Referrer.
func (s shown) References() []int64 { return []int64{s.ID} }

// shownAdd is the result of an add: the similar memories' content is in it too.
type shownAdd struct{ api.MemoryAdded }

// References implements db.Referrer.
func (s shownAdd) References() []int64 {
	ids := []int64{s.ID}
	for _, o := range s.Similar {
		ids = append(ids, o.ID)
	}
	return ids
}

// shownMerge is the result of a merge.
type shownMerge struct{ api.MemoryMerged }

// References implements db.Referrer.
func (s shownMerge) References() []int64 { return []int64{s.ID} }

var (
	_ db.Referrer = shown{}
	_ db.Referrer = shownMerge{}
	_ db.Referrer = shownAdd{}
)

// doMemory is db.Do for a decision whose result is a memory.
func doMemory(ctx context.Context, d *db.DB, fn func(*db.Tx) (api.Memory, error)) (api.Memory, error) {
	out, err := db.Do(ctx, d, func(tx *db.Tx) (shown, error) {
		m, err := fn(tx)
		return shown{m}, err
	})
	return out.Memory, err
}

// doMerged is db.Do for a merge.
func doMerged(ctx context.Context, d *db.DB, fn func(*db.Tx) (api.MemoryMerged, error)) (api.MemoryMerged, error) {
	out, err := db.Do(ctx, d, func(tx *db.Tx) (shownMerge, error) {
		m, err := fn(tx)
		return shownMerge{m}, err
	})
	return out.MemoryMerged, err
}

// doAdded is db.Do for an add.
func doAdded(ctx context.Context, d *db.DB, fn func(*db.Tx) (api.MemoryAdded, error)) (api.MemoryAdded, error) {
	out, err := db.Do(ctx, d, func(tx *db.Tx) (shownAdd, error) {
		m, err := fn(tx)
		return shownAdd{m}, err
	})
	return out.MemoryAdded, err
}
