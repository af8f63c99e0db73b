package journal

import (
	"fmt"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
)

// long makes a conversation of n entries, with a block every tenth.
func long(b *testing.B, n int) (*db.DB, db.AccountID, int64) {
	d := dbtest.Open(b, nil)
	var ann db.AccountID
	var id int64
	err := d.Update(ctx, func(tx *db.Tx) error {
		if err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at) VALUES ('ann', 'ann', '', 'member', '', 0) RETURNING id`, nil, (*int64)(&ann)); err != nil {
			return err
		}
		c, err := Begin(tx, ann, KindChat, "", 0)
		if err != nil {
			return err
		}
		id = c.ID
		var drafts []Draft
		for i := range n {
			drafts = append(drafts, Draft{Payload: &Message{Role: RoleUser, Content: fmt.Sprint(i, strings.Repeat(" and so on", 20))}})
		}
		entries, err := Append(tx, ann, id, 0, drafts...)
		if err != nil {
			return err
		}
		drafts = drafts[:0]
		for i := 0; i < n; i += 10 {
			drafts = append(drafts, Draft{Payload: &TurnContext{Anchor: entries[i].ID, Block: "a block", Deliveries: []Delivery{{Memory: 1, BodyHash: "h"}}}})
		}
		_, err = Append(tx, ann, id, entries[n-1].ID, drafts...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return d, ann, id
}

// A branch of 20,000 messages, from disk.
func BenchmarkBranch(b *testing.B) {
	d, ann, id := long(b, 20_000)
	for b.Loop() {
		if err := d.View(ctx, func(tx *db.Tx) error {
			branch, err := Branch(tx, ann, id)
			if parts := Project(branch); len(parts) != 22_000 {
				b.Fatal(len(parts))
			}
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// The same, loaded.
func BenchmarkProject(b *testing.B) {
	d, ann, id := long(b, 20_000)
	var branch []Entry
	if err := d.View(ctx, func(tx *db.Tx) (err error) { branch, err = Branch(tx, ann, id); return err }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Project(branch)
	}
}

// What is asked of a snapshot that nothing changed, and of one that grew by a message.
func BenchmarkSnapshot(b *testing.B) {
	for _, grows := range []bool{false, true} {
		b.Run(fmt.Sprintf("grows=%v", grows), func(b *testing.B) {
			d, ann, id := long(b, 20_000)
			kept := NewSnapshots(0)
			look := func() {
				if err := d.View(ctx, func(tx *db.Tx) error { _, err := kept.Active(tx, ann, id); return err }); err != nil {
					b.Fatal(err)
				}
			}
			look()
			for b.Loop() {
				if grows {
					b.StopTimer()
					if err := d.Update(ctx, func(tx *db.Tx) error {
						c, err := Get(tx, ann, id)
						if err != nil {
							return err
						}
						_, err = Append(tx, ann, id, c.Leaf, Draft{Payload: &Message{Role: RoleUser, Content: "more"}})
						return err
					}); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
				}
				look()
			}
		})
	}
}
