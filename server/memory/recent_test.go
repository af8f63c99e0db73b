package memory

import (
	"fmt"
	"slices"
	"testing"

	"elowen/server/db"
	"elowen/shared/api"
)

// The last changed come first, page by page, each once.
func TestRecent(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		var want []int64
		for i := range 7 {
			want = append(want, f.add(fmt.Sprintf("note %d", i)).ID)
			if i%2 == 0 { // some share an instant
				f.clock.Advance(1)
			}
		}
		gone := f.add("gone")
		if _, err := f.Trash(ctx, f.ann, me, gone.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(want)
		f.clock.Advance(1)
		if _, err := f.Patch(ctx, f.ann, me, want[6], 0, api.MemoryPatch{Importance: api.Ptr(9)}); err != nil {
			t.Fatal(err)
		}
		want = append(want[6:], want[:6]...)
		var got []int64
		f.view(func(tx *db.Tx) error {
			var at Place
			for {
				ids, next, more, err := f.Recent(tx, f.ann, at, 3)
				if err != nil {
					return err
				}
				got, at = append(got, ids...), next
				if !more {
					return nil
				}
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		f.view(func(tx *db.Tx) error {
			ids, _, more, err := f.Recent(tx, f.bob, Place{}, 3)
			if ids == nil || len(ids) != 0 || more {
				t.Errorf("bob has %v", ids)
			}
			return err
		})
	})
}
