package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/fault"
)

var ctx = context.Background()

// house is a store with two accounts.
type house struct {
	*testing.T
	d        *db.DB
	ann, bob db.AccountID
}

func each(t *testing.T, test func(h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		h := &house{T: t, d: d}
		h.update(func(tx *db.Tx) error {
			for name, id := range map[string]*db.AccountID{"ann": &h.ann, "bob": &h.bob} {
				if err := tx.Row(`INSERT INTO account (name, name_key, display_name, role, password_hash, created_at) VALUES (?, ?, '', 'member', '', 0) RETURNING id`, []any{name, name}, (*int64)(id)); err != nil {
					return err
				}
			}
			return nil
		})
		test(h)
	})
}

func (h *house) update(fn func(tx *db.Tx) error) {
	h.Helper()
	if err := h.d.Update(ctx, fn); err != nil {
		h.Fatal(err)
	}
}

// refused checks that a decision fails with a kind, and so leaves nothing behind.
func (h *house) refused(what string, kind fault.Kind, fn func(tx *db.Tx) error) {
	h.Helper()
	if err := h.d.Update(ctx, fn); !fault.Is(err, kind) {
		h.Errorf("%s: %v, want %v", what, err, kind)
	}
}

func (h *house) begin(owner db.AccountID) (id int64) {
	h.Helper()
	h.update(func(tx *db.Tx) error {
		c, err := Begin(tx, owner, KindChat, "A title", tx.Now-1000)
		id = c.ID
		return err
	})
	return id
}

func (h *house) add(owner db.AccountID, conversation, parent int64, list ...Payload) (ids []int64) {
	h.Helper()
	h.update(func(tx *db.Tx) error {
		var drafts []Draft
		for _, p := range list {
			drafts = append(drafts, Draft{Payload: p})
		}
		entries, err := Append(tx, owner, conversation, parent, drafts...)
		for _, e := range entries {
			ids = append(ids, e.ID)
		}
		return err
	})
	return ids
}

func (h *house) branch(owner db.AccountID, conversation int64) (list []Entry) {
	h.Helper()
	if err := h.d.View(ctx, func(tx *db.Tx) (err error) {
		list, err = Branch(tx, owner, conversation)
		return err
	}); err != nil {
		h.Fatal(err)
	}
	return list
}

func (h *house) shows(what string, conversation int64, want ...string) {
	h.Helper()
	if got := brief(Project(h.branch(h.ann, conversation))); !slices.Equal(got, want) {
		h.Errorf("%s: %q, want %q", what, got, want)
	}
}

func user(text string) *Message { return &Message{Role: RoleUser, Content: text} }

func TestBranches(t *testing.T) {
	each(t, func(h *house) {
		c := h.begin(h.ann)
		if list := h.branch(h.ann, c); len(list) != 0 {
			h.Errorf("%v in an empty conversation", list)
		}
		ids := h.add(h.ann, c, 0, user("one"), &Message{Role: RoleAssistant, Content: "two", Calls: []Call{{"c1", "Search", `{"q":1}`}}},
			&Message{Role: RoleToolResult, Content: "three", CallID: "c1", Details: json.RawMessage(`{"of":"people"}`)})
		block := h.add(h.ann, c, ids[2], &TurnContext{Anchor: ids[0], Block: "remembered", Deliveries: []Delivery{{Memory: 7, BodyHash: "abc"}}})
		h.shows("the first branch", c, "user one", "block remembered", "assistant two", "toolResult three")
		if m := h.branch(h.ann, c)[2].Payload.(*Message); string(m.Details) != `{"of":"people"}` {
			h.Errorf("details %s", m.Details)
		}
		// To say something else after an earlier entry begins a branch; the other stays.
		other := h.add(h.ann, c, ids[0], user("instead"))
		h.shows("another branch", c, "user one", "user instead")
		h.update(func(tx *db.Tx) error { return Go(tx, h.ann, c, block[0]) })
		h.shows("back", c, "user one", "block remembered", "assistant two", "toolResult three")
		h.add(h.ann, c, block[0], &ContextCleared{Cleared: block})
		h.shows("cleared", c, "user one", "assistant two", "toolResult three")
		h.add(h.ann, c, ids[2], &Compaction{Summary: "it was about counting", FirstKept: ids[2], TokensBefore: 900}, user("four"), &Label{Entry: ids[0], Text: "start"})
		h.shows("compacted", c, "summary it was about counting", "toolResult three", "user four")
		if names := Labels(h.branch(h.ann, c)); names[ids[0]] != "start" {
			h.Errorf("labels %v", names)
		}
		// The newest below an entry ends a branch of it; another branch's is not below.
		h.update(func(tx *db.Tx) error {
			whole := h.branch(h.ann, c)
			for _, want := range []struct{ of, is int64 }{{ids[0], whole[len(whole)-1].ID}, {other[0], other[0]}, {ids[2], whole[len(whole)-1].ID}} {
				if got, err := Newest(tx, h.ann, c, want.of); err != nil || got != want.is {
					h.Errorf("the newest below %d is %d (%v), not %d", want.of, got, err, want.is)
				}
			}
			return nil
		})
		for what, fn := range map[string]func(tx *db.Tx) error{
			"a newest below nothing":      func(tx *db.Tx) error { _, err := Newest(tx, h.ann, c, 1<<40); return err },
			"another's newest":            func(tx *db.Tx) error { _, err := Newest(tx, h.bob, c, ids[0]); return err },
			"a parent of nothing":         func(tx *db.Tx) error { _, err := Append(tx, h.ann, c, 1<<40, Draft{Payload: user("x")}); return err },
			"a leaf of nothing":           func(tx *db.Tx) error { return Go(tx, h.ann, c, 1<<40) },
			"another's conversation":      func(tx *db.Tx) error { _, err := Append(tx, h.bob, c, 0, Draft{Payload: user("x")}); return err },
			"another's leaf":              func(tx *db.Tx) error { return Go(tx, h.bob, c, ids[0]) },
			"another's to delete":         func(tx *db.Tx) error { _, err := Delete(tx, h.bob, c); return err },
			"another's branch":            func(tx *db.Tx) error { _, err := Branch(tx, h.bob, c); return err },
			"another's to fork":           func(tx *db.Tx) error { _, err := Fork(tx, h.bob, c, ids[0], ""); return err },
			"a fork at nothing":           func(tx *db.Tx) error { _, err := Fork(tx, h.ann, c, 1<<40, ""); return err },
			"a fork before the beginning": func(tx *db.Tx) error { _, err := Fork(tx, h.ann, c, 0, ""); return err },
		} {
			h.refused(what, fault.NotFound, fn)
		}
		for what, p := range map[string]Payload{
			"a role of nobody":          &Message{Role: "system", Content: "x"},
			"NUL":                       user("a\x00b"),
			"a user who calls":          &Message{Role: RoleUser, Calls: []Call{{"1", "x", ""}}},
			"a user with details":       &Message{Role: RoleUser, Details: json.RawMessage(`1`)},
			"details that are no JSON":  &Message{Role: RoleToolResult, Details: json.RawMessage(`{`)},
			"an anchor elsewhere":       &TurnContext{Anchor: other[0], Block: "x"},
			"no anchor":                 &TurnContext{Block: "x"},
			"an empty block":            &TurnContext{Anchor: ids[0]},
			"a delivery of nothing":     &TurnContext{Anchor: ids[0], Block: "x", Deliveries: []Delivery{{}}},
			"kept from another branch":  &Compaction{FirstKept: other[0]},
			"cleared, but no block":     &ContextCleared{Cleared: ids[:1]},
			"nothing is cleared":        &ContextCleared{},
			"a label of nothing":        &Label{Entry: 1 << 40, Text: "x"},
			"fewer tokens than nothing": &Compaction{FirstKept: ids[0], TokensBefore: -1},
		} {
			h.refused(what, fault.Invalid, func(tx *db.Tx) error { _, err := Append(tx, h.ann, c, ids[2], Draft{Payload: p}); return err })
		}
		h.refused("a kind of nothing", fault.Invalid, func(tx *db.Tx) error { _, err := Begin(tx, h.ann, "letter", "", 0); return err })
	})
}

// A fork is a copy: what is said in one is not in the other, and what its entries refer to
// is its own.
func TestFork(t *testing.T) {
	each(t, func(h *house) {
		c := h.begin(h.ann)
		ids := h.add(h.ann, c, 0, user("one"), user("two"))
		block := h.add(h.ann, c, ids[1], &TurnContext{Anchor: ids[0], Block: "x", Deliveries: []Delivery{{Memory: 7, BodyHash: "abc"}}}, user("three"))
		end := h.add(h.ann, c, block[1], &Compaction{Summary: "s", FirstKept: ids[1]}, &ContextCleared{Cleared: block[:1]}, &Label{Entry: ids[1], Text: "here"})
		var at, whole Conversation
		h.update(func(tx *db.Tx) (err error) {
			if at, err = Fork(tx, h.ann, c, block[1], "A part"); err != nil {
				return err
			}
			whole, err = Fork(tx, h.ann, c, end[2], "")
			return err
		})
		h.shows("a part", at.ID, "user one", "block x", "user two", "user three")
		h.shows("the whole", whole.ID, "summary s", "user two", "user three")
		if names := Labels(h.branch(h.ann, whole.ID)); len(names) != 1 || names[ids[1]] != "" {
			h.Errorf("labels %v", names)
		}
		h.add(h.ann, at.ID, at.Leaf, user("four"))
		h.shows("the first, as it was", c, "summary s", "user two", "user three")
		h.update(func(tx *db.Tx) error { _, err := Delete(tx, h.ann, c); return err })
		h.shows("the first is gone", at.ID, "user one", "block x", "user two", "user three", "user four")
	})
}

func (h *house) count(table string) (n int) {
	h.Helper()
	if err := h.d.View(ctx, func(tx *db.Tx) error { return tx.Row(`SELECT COUNT(*) FROM `+table, nil, &n) }); err != nil {
		h.Fatal(err)
	}
	return n
}

// Nothing is rewritten, and what is deleted is gone.
func TestEntriesOnlyCome(t *testing.T) {
	each(t, func(h *house) {
		c, his := h.begin(h.ann), h.begin(h.bob)
		ids := h.add(h.ann, c, 0, user("one"), user("two"))
		h.add(h.bob, his, 0, user("his"))
		for _, q := range []string{`UPDATE journal_entry SET payload = '{}'`, `UPDATE journal_entry SET at = 0 WHERE owner_id = 1`} {
			if err := h.d.Update(ctx, func(tx *db.Tx) error { _, err := tx.Exec(q); return err }); err == nil {
				h.Errorf("allowed: %s", q)
			}
		}
		if err := h.d.Update(ctx, func(tx *db.Tx) error { // a parent in another conversation
			_, err := tx.Exec(`INSERT INTO journal_entry (id, owner_id, conversation_id, parent_id, type, payload, at) VALUES (?, ?, ?, ?, 'message', '{}', 0)`, int64(9999), int64(h.bob), his, ids[0])
			return err
		}); err == nil {
			h.Error("a parent in another conversation")
		}
		h.update(func(tx *db.Tx) error {
			gone, err := Delete(tx, h.ann, c)
			slices.Sort(gone)
			if !slices.Equal(gone, ids) {
				h.Errorf("deleted %v, want %v", gone, ids)
			}
			return err
		})
		if n := h.count("journal_entry"); n != 1 {
			h.Errorf("%d entries left", n)
		}
		fresh := h.begin(h.ann)
		if next := h.add(h.ann, fresh, 0, user("three")); next[0] <= ids[1] || fresh <= c {
			h.Errorf("ids came back: %d after %d, %d after %d", next[0], ids[1], fresh, c)
		}
		h.update(func(tx *db.Tx) error { return EraseAccount(tx, h.ann) })
		if n, m := h.count("journal_entry"), h.count("conversation"); n != 1 || m != 1 {
			h.Errorf("%d entries of %d conversations left", n, m)
		}
	})
}

// Each append is in the account's change log, and in nobody else's.
func TestAppendsAreTold(t *testing.T) {
	each(t, func(h *house) {
		c := h.begin(h.ann)
		ids := h.add(h.ann, c, 0, user("one"), user("two"))
		h.update(func(tx *db.Tx) error { return Go(tx, h.ann, c, ids[0]) })
		h.update(func(tx *db.Tx) error { _, err := Delete(tx, h.ann, c); return err })
		var told []string
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			changes, _, err := tx.Changes(h.ann, 0, 100)
			for _, x := range changes {
				told = append(told, fmt.Sprint(x.Noun, " ", x.ID))
			}
			his, err2 := tx.Head(h.bob)
			if his.Seq != 0 || err2 != nil {
				h.Errorf("bob is told %d things, %v", his.Seq, err2)
			}
			return err
		}); err != nil {
			h.Fatal(err)
		}
		conversation := fmt.Sprint("conversation ", c)
		want := []string{conversation, conversation, conversation, conversation} // begun, added to, moved, deleted
		if strings.Join(told, ",") != strings.Join(want, ",") {
			h.Errorf("told %v, want %v", told, want)
		}
	})
}

// Messages are found by their conversation, and what is gone is told, of one's own alone.
func TestMessagesInAndGone(t *testing.T) {
	each(t, func(h *house) {
		a, b, his := h.begin(h.ann), h.begin(h.ann), h.begin(h.bob)
		first := h.add(h.ann, a, 0, user("one"), user("two"))
		second := h.add(h.ann, b, 0, user("three"))
		his1 := h.add(h.bob, his, 0, user("four"))
		all := slices.Concat(first, second, his1, []int64{his1[0] + 99})
		h.update(func(tx *db.Tx) error {
			in, err := MessagesIn(tx, h.ann, []int64{a, b, his})
			slices.Sort(in)
			if want := slices.Concat(first, second); !slices.Equal(in, want) || err != nil {
				h.Errorf("messages %v, want %v, %v", in, want, err)
			}
			if in, err := MessagesIn(tx, h.ann, nil); len(in) > 0 || err != nil {
				h.Errorf("messages in nothing: %v %v", in, err)
			}
			gone, err := Gone(tx, h.ann, all)
			if want := all[3:]; !slices.Equal(gone, want) || err != nil {
				h.Errorf("gone %v, want %v, %v", gone, want, err)
			}
			return nil
		})
	})
}

// A long branch, beside another one, is read in one look, and damage is told.
func TestLongBranch(t *testing.T) {
	each(t, func(h *house) {
		c := h.begin(h.ann)
		var list []Payload
		for i := range 3000 {
			list = append(list, user(fmt.Sprint("said ", i)))
		}
		ids := h.add(h.ann, c, 0, list...)
		h.add(h.ann, c, ids[10], user("another branch"))
		h.update(func(tx *db.Tx) error { return Go(tx, h.ann, c, ids[2999]) })
		branch := h.branch(h.ann, c)
		if len(branch) != 3000 || branch[0].ID != ids[0] || branch[2999].ID != ids[2999] || branch[0].Parent != 0 {
			h.Errorf("%d entries", len(branch))
		}
		if err := h.d.View(ctx, func(tx *db.Tx) error {
			below, err := Below(tx, h.ann, []int64{ids[10], ids[2999], 1 << 40})
			if len(below) != 1 || below[ids[10]] != ids[11] {
				h.Errorf("below: %v", below)
			}
			if found, err := Entries(tx, h.bob, ids[:3]); err != nil || len(found) != 0 {
				h.Errorf("another's entries: %v, %v", found, err)
			}
			return err
		}); err != nil {
			h.Fatal(err)
		}
	})
}
