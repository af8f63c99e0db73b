package view

import (
	"context"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/journal"
	"elowen/server/memory"
	"elowen/server/projection"
	"elowen/server/retention"
	"elowen/server/turn"
	"elowen/shared/api"
)

// A turn whose program gives no sign any more was interrupted once its lease is over:
// the list says so, and the open conversation does too, though nothing is written.
func TestALapsedTurnIsShownWhereverItIs(t *testing.T) {
	ctx := context.Background()
	clock := dbtest.NewClock(dbtest.Start)
	d := dbtest.Open(t, clock)
	memories := memory.New(d, category.New(d, nil), retention.NewSettings())
	store := turn.New(d, turn.Options{Snapshots: journal.NewSnapshots(0), Memories: memories})
	defer store.Close()
	var ann db.AccountID
	update := func(f func(tx *db.Tx) error) {
		t.Helper()
		if err := d.Update(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	update(func(tx *db.Tx) (err error) {
		ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0)
		return err
	})
	c, err := store.Create(ctx, ann, api.ConversationAdd{})
	if err != nil {
		t.Fatal(err)
	}
	update(func(tx *db.Tx) error {
		return tx.Must(`UPDATE chat SET state = ?, holder = 'another', lease_until = ? WHERE conversation_id = ?`, api.ChatRunning, tx.Now+1_000, c.ID)
	})
	for name, v := range map[string]projection.Timely{
		"the list": &conversations{store: store, limit: 10},
		"the open": &conversation{store: store, id: c.ID, limit: 10},
	} {
		t.Run(name, func(t *testing.T) {
			shows := func() (text string, moved bool) {
				t.Helper()
				if err := d.View(ctx, func(tx *db.Tx) (err error) {
					at := projection.At{Tx: tx, Owner: ann}
					if moved, err = v.Moved(at); err != nil {
						return err
					}
					part, err := v.Rows(at)
					for _, r := range part.Rows {
						text += string(r.JSON)
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
				return text, moved
			}
			if text, _ := shows(); !strings.Contains(text, `"state":"running"`) {
				t.Fatal(text)
			}
			if _, moved := shows(); moved && name == "the open" {
				t.Error("it is read anew although nothing moved")
			}
			clock.Advance(1_001)
			if text, moved := shows(); !moved || !strings.Contains(text, `"state":"interrupted"`) {
				t.Errorf("%v %s", moved, text)
			}
			clock.Advance(-1_001)
		})
	}
}
