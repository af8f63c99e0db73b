package journal

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/db"
	"elowen/shared/fault"
)

// pictured is what a snapshot shows, as a text that can be compared.
func pictured(s *Snapshot) string {
	text := fmt.Sprint(s.Leaf, ":")
	for _, p := range s.Parts {
		text += fmt.Sprint(" ", p.Entry)
		switch {
		case p.Message != nil:
			text += "m" + p.Message.Content
		case p.Context != nil:
			text += "c" + p.Context.Block
		default:
			text += "s" + p.Summary.Summary
		}
	}
	return text
}

// However a conversation grows, goes back, is cleared and compacted, a snapshot is what
// reading everything anew would give, also one that others go on from.
func TestSnapshotsAreWhatIsThere(t *testing.T) {
	each(t, func(h *house) {
		rapid.Check(h.T, func(r *rapid.T) {
			id := h.begin(h.ann)
			kept := NewSnapshots(0)
			var old []*Snapshot
			var was []string
			look := func() *Snapshot {
				var s *Snapshot
				if err := h.d.View(ctx, func(tx *db.Tx) (err error) {
					s, err = kept.Active(tx, h.ann, id)
					if err != nil {
						return err
					}
					branch, err := Branch(tx, h.ann, id)
					if !reflect.DeepEqual(append([]Entry{}, s.Branch...), branch) {
						r.Fatalf("the branch is another one: %v, not %v", s.Branch, branch)
					}
					if again := newSnapshot(id, branch); pictured(again) != pictured(s) {
						r.Fatalf("%s, not %s", pictured(s), pictured(again))
					}
					return err
				}); err != nil {
					r.Fatal(err)
				}
				old, was = append(old, s), append(was, pictured(s))
				return s
			}
			for range rapid.IntRange(1, 25).Draw(r, "steps") {
				s := look()
				n := len(s.Branch)
				pick := func(name string) Entry { return s.Branch[rapid.IntRange(0, n-1).Draw(r, name)] }
				var drafts []Draft
				parent := s.Leaf
				what := rapid.IntRange(0, 9).Draw(r, "what")
				switch {
				case n == 0 || what < 4:
					for i := range rapid.IntRange(1, 3).Draw(r, "messages") {
						drafts = append(drafts, Draft{Payload: &Message{Role: RoleUser, Content: fmt.Sprint("said ", i)}})
					}
				case what == 4:
					drafts = []Draft{{Payload: &TurnContext{Anchor: s.Leaf, Block: "at the leaf"}}}
				case what == 5:
					drafts = []Draft{{Payload: &TurnContext{Anchor: pick("anchor").ID, Block: "anywhere"}}}
				case what == 6:
					drafts = []Draft{{Payload: &Compaction{Summary: "before", FirstKept: pick("kept").ID}}}
				case what == 7:
					drafts = []Draft{{Payload: &Label{Entry: pick("labelled").ID, Text: "here"}}}
				case what == 8:
					for _, e := range s.Branch {
						if _, ok := e.Payload.(*TurnContext); ok && drafts == nil {
							drafts = []Draft{{Payload: &ContextCleared{Cleared: []int64{e.ID}}}}
						}
					}
				default:
					parent = pick("branch from").ID
					drafts = []Draft{{Payload: &Message{Role: RoleUser, Content: "otherwise"}}}
				}
				if rapid.Bool().Draw(r, "only go") && n > 0 {
					to := pick("go to").ID
					h.update(func(tx *db.Tx) error { return Go(tx, h.ann, id, to) })
					continue
				}
				h.update(func(tx *db.Tx) error {
					_, err := Append(tx, h.ann, id, parent, drafts...)
					if err != nil {
						return err
					}
					// What is read before the commit is not kept.
					_, err = kept.Active(tx, h.ann, id)
					return err
				})
			}
			look()
			for i, s := range old {
				if now := pictured(s); now != was[i] {
					r.Fatalf("a snapshot has changed: %s, was %s", now, was[i])
				}
			}
		})
	})
}

// What a decision read and took back is not taken for what is there.
func TestSnapshotOfWhatWasTakenBack(t *testing.T) {
	each(t, func(h *house) {
		id := h.begin(h.ann)
		kept := NewSnapshots(0)
		say := func(text string, keep bool) (leaf int64) {
			err := h.d.Update(ctx, func(tx *db.Tx) error {
				list, err := Append(tx, h.ann, id, 0, Draft{Payload: &Message{Role: RoleUser, Content: text}})
				if err != nil {
					return err
				}
				leaf = list[0].ID
				if _, err := kept.Active(tx, h.ann, id); err != nil {
					return err
				}
				if !keep {
					return fault.New(fault.Stale, "")
				}
				return nil
			})
			if keep && err != nil {
				h.Fatal(err)
			}
			return leaf
		}
		say("taken back", false)
		say("stays", true)
		err := h.d.View(ctx, func(tx *db.Tx) error {
			s, err := kept.Active(tx, h.ann, id)
			if err == nil && (len(s.Parts) != 1 || s.Parts[0].Message.Content != "stays") {
				h.Errorf("%s", pictured(s))
			}
			if _, err := kept.Active(tx, h.bob, id); !fault.Is(err, fault.NotFound) {
				h.Errorf("somebody else's: %v", err)
			}
			return err
		})
		if err != nil {
			h.Error(err)
		}
	})
}

// The memory of snapshots is bounded; the last one used stays.
func TestSnapshotsAreBounded(t *testing.T) {
	each(t, func(h *house) {
		kept := NewSnapshots(5_000)
		for range 20 {
			id := h.begin(h.ann)
			h.update(func(tx *db.Tx) error {
				_, err := Append(tx, h.ann, id, 0, Draft{Payload: &Message{Role: RoleUser, Content: fmt.Sprintf("%01000d", 1)}})
				return err
			})
			if err := h.d.View(ctx, func(tx *db.Tx) error { _, err := kept.Active(tx, h.ann, id); return err }); err != nil {
				h.Fatal(err)
			}
		}
		if kept.bytes > 5_000 || kept.order.Len() == 0 || kept.order.Len() != len(kept.at) {
			h.Errorf("%d bytes of %d, %d", kept.bytes, kept.order.Len(), len(kept.at))
		}
		kept.Forget(h.ann)
		if kept.bytes != 0 || len(kept.at) != 0 || kept.order.Len() != 0 {
			h.Errorf("%d bytes of %d are left", kept.bytes, len(kept.at))
		}
	})
}
