package memory

import (
	"context"
	"testing"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// broken is a meaning that panics.
type broken struct{}

func (broken) Embed(context.Context, string) (Vectors, bool) { panic("a model broke") }

func (broken) Near(*db.Tx, db.AccountID, Vectors, int) ([]Near, error) { return nil, nil }

func (broken) Like(*db.Tx, db.AccountID, int64, int) ([]Near, error) { return nil, nil }

// What panics beside an add fails that add, and nothing else.
func TestAddOutlivesAPanic(t *testing.T) {
	f := open(t)
	f.SetMeaning(broken{})
	_, err := f.Store.Add(ctx, f.ann, me, api.SourceUser, api.MemoryAdd{Body: "tea"})
	refused(t, err, fault.Internal)
	f.SetMeaning(nil)
	f.add("tea")
}
