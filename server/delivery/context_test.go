package delivery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/render"
)

// talk is a conversation of ann's, for tests.
type talk struct {
	*fixture
	t    *testing.T
	kept *journal.Snapshots
	c    *Contexts
	id   int64
}

func (f *fixture) talk(t *testing.T) *talk {
	t.Helper()
	k := &talk{fixture: f, t: t, kept: journal.NewSnapshots(0)}
	k.c = NewContexts(k.kept)
	f.update(func(tx *db.Tx) error {
		c, err := journal.Begin(tx, f.ann, journal.KindChat, "", tx.Now)
		k.id = c.ID
		return err
	})
	return k
}

// now is the context as it is.
func (k *talk) now() (c *Context) {
	k.t.Helper()
	if err := k.d.View(ctx, func(tx *db.Tx) (err error) { c, err = k.c.In(tx, k.ann, k.id); return err }); err != nil {
		k.t.Fatal(err)
	}
	return c
}

// add appends behind the leaf, and gives the ids.
func (k *talk) add(payloads ...journal.Payload) (ids []int64) {
	k.t.Helper()
	leaf := k.now().Leaf
	drafts := make([]journal.Draft, len(payloads))
	for i, p := range payloads {
		drafts[i].Payload = p
	}
	k.update(func(tx *db.Tx) error {
		list, err := journal.Append(tx, k.ann, k.id, leaf, drafts...)
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		return err
	})
	return ids
}

func said(text string) *journal.Message {
	return &journal.Message{Role: journal.RoleUser, Content: text}
}

func block(anchor int64, list ...journal.Delivery) *journal.TurnContext {
	return &journal.TurnContext{Anchor: anchor, Block: "block", Via: journal.ViaStart, Deliveries: list}
}

func result(list ...journal.Delivery) *journal.Message {
	details, err := json.Marshal(map[string]any{"memoryDeliveries": list, "object": "more"})
	if err != nil {
		panic(err)
	}
	return &journal.Message{Role: journal.RoleToolResult, CallID: "c", Content: "result", Details: details}
}

func of(id int64, hash string) journal.Delivery {
	return journal.Delivery{Memory: id, BodyHash: hash}
}

// has tells which of some versions are in context.
func (k *talk) has(list ...journal.Delivery) string {
	k.t.Helper()
	c, out := k.now(), ""
	for _, d := range list {
		if c.Has(d.Memory, d.BodyHash) {
			out += fmt.Sprint(" ", d.Memory, d.BodyHash)
			if !slices.Contains(c.IDs(), d.Memory) {
				k.t.Errorf("%d is not among the ids", d.Memory)
			}
		}
	}
	return strings.TrimSpace(out)
}

func TestTheActiveBranchIsTheAuthority(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := f.talk(t)
		f = k.fixture
		a, b, edited, tool := of(1, "a"), of(2, "b"), of(1, "a2"), of(3, "t")
		all := []journal.Delivery{a, b, edited, tool}
		f.want(k.has(all...), "")
		first := k.add(said("hello"))[0]
		blocks := k.add(block(first, a))
		f.want(k.has(all...), "1a")
		k.add(&journal.Message{Role: journal.RoleAssistant, Calls: []journal.Call{{ID: "c", Name: "MemorySearch"}}}, result(tool, a))
		f.want(k.has(all...), "1a 3t")
		second := k.add(said("on"))[0]
		k.add(block(second, b, edited))
		f.want(k.has(all...), "1a 2b 1a2 3t")
		items := k.now().Retained.Items
		if len(items) != 4 || items[1].Via != journal.ViaTool || items[0].Via != journal.ViaStart || items[0].Entry != blocks[0] {
			t.Errorf("%+v", items)
		}

		// Going back makes what came later deliverable again; nothing is forgotten by it.
		last := k.now().Leaf
		f.update(func(tx *db.Tx) error { return journal.Go(tx, f.ann, k.id, blocks[0]) })
		f.want(k.has(all...), "1a")
		f.update(func(tx *db.Tx) error { return journal.Go(tx, f.ann, k.id, last) })
		f.want(k.has(all...), "1a 2b 1a2 3t")

		// So does a cleared context, and a compaction; a restart does not.
		k.add(&journal.ContextCleared{Cleared: blocks})
		f.want(k.has(all...), "1a 2b 1a2 3t") // the tool result shows it still
		k.add(&journal.Compaction{Summary: "before", FirstKept: second})
		f.want(k.has(all...), "2b 1a2")
		gone := Gone(k.now().Snapshot)
		if len(gone) != 2 || gone[0].Memory != 3 || gone[0].Reason != LeftCompaction || gone[1].Memory != 1 {
			t.Errorf("%+v", gone)
		}
		k.kept = journal.NewSnapshots(0)
		k.c = NewContexts(k.kept)
		f.want(k.has(all...), "2b 1a2")

		// A fork has what the branch had that it copies.
		f.update(func(tx *db.Tx) error {
			c, err := journal.Fork(tx, f.ann, k.id, k.now0(tx), "")
			k.id = c.ID
			return err
		})
		f.want(k.has(all...), "2b 1a2")
	})
}

// now0 is the leaf inside of a decision.
func (k *talk) now0(tx *db.Tx) int64 {
	c, err := journal.Get(tx, k.ann, k.id)
	if err != nil {
		k.t.Fatal(err)
	}
	return c.Leaf
}

// What was handed off counts as being there until the journal says so, or whatever moved
// the leaf has not brought it along.
func TestPendingIsWithdrawn(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := f.talk(t)
		a, b := of(1, "a"), of(2, "b")
		first := k.add(said("hello"))[0]
		second := k.add(said("there"))[0]
		hold := func() *Pending {
			p := k.c.Hold(k.id, k.now().Leaf, []journal.Delivery{a})
			if k.has(a, b) != "1a" {
				t.Error("what is pending is not there")
			}
			return p
		}
		check := func(p *Pending, reason, there string) {
			t.Helper()
			f.want(k.has(a, b), there)
			f.want(p.Withdrawn(), reason)
			if len(k.c.pending) != 0 {
				t.Errorf("%d are held", len(k.c.pending))
			}
		}
		p := hold()
		p.Withdraw("refused")
		check(p, "refused", "")

		p = hold()
		k.add(said("something else"))
		check(p, WithdrawnAppend, "")

		p = hold()
		f.update(func(tx *db.Tx) error { return journal.Go(tx, f.ann, k.id, first) })
		check(p, WithdrawnAnchor, "")
		f.update(func(tx *db.Tx) error { return journal.Go(tx, f.ann, k.id, second) })

		p = hold()
		k.add(&journal.Compaction{Summary: "before", FirstKept: second})
		check(p, WithdrawnCompaction, "")

		p = hold()
		k.add(block(second, a))
		check(p, "", "1a")

		// Two at a time, one of which comes along.
		p, q := k.c.Hold(k.id, k.now().Leaf, []journal.Delivery{b}), k.c.Hold(k.id, k.now().Leaf, []journal.Delivery{of(3, "c")})
		k.add(block(second, b))
		check(p, "", "1a 2b")
		f.want(q.Withdrawn(), WithdrawnAppend)
	})
}

func TestColdBlocks(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := f.talk(t)
		first := k.add(said("hello"))[0]
		ids := k.add(block(first, of(1, "a")), block(first, of(2, "b")))
		s := k.now().Snapshot
		if got := Cold(s, 20); got != nil {
			t.Errorf("half of the budget: %v", got)
		}
		if got := Cold(s, 19); !slices.Equal(got, ids) {
			t.Errorf("more than half: %v, not %v", got, ids)
		}
		k.add(&journal.ContextCleared{Cleared: ids[:1]})
		if got := Cold(k.now().Snapshot, 9); !slices.Equal(got, ids[1:]) {
			t.Errorf("what is cleared is cleared again: %v", got)
		}
		if gone := Gone(k.now().Snapshot); len(gone) != 1 || gone[0].Reason != LeftCleared {
			t.Errorf("%+v", gone)
		}
	})
}

// Within a conversation of ours a result marks what is there, whatever the agent asks
// for, notes and counts nothing.
func TestWithinAConversation(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := f.talk(t)
		a, b := f.add("one"), f.add("two")
		h, err := f.HandOut(ctx, f.ann, Request{IDs: []int64{a, b}, Bytes: 100, Begin: true, Full: true, Conversation: "c-1234567890", Within: k.now()})
		if err != nil || len(h.Items) != 2 || !h.Items[0].Whole || h.Conversation != "" {
			t.Fatalf("%+v %v", h, err)
		}
		first := k.add(said("hello"))[0]
		k.add(block(first, of(a, h.Items[0].Hash)))
		h, err = f.HandOut(ctx, f.ann, Request{IDs: []int64{a, b}, Bytes: 100, Full: true, Within: k.now()})
		if err != nil || !h.Items[0].Held || h.Items[0].Whole || !h.Items[1].Whole {
			t.Errorf("%+v %v", h, err)
		}
		if f.uses(a) != 0 || f.count("agent_delivery", f.ann) != 0 || f.count("agent_conversation", f.ann) != 0 {
			t.Error("it was counted, or noted")
		}
	})
}

// Only what stands whole in the text that the model is shown is delivered.
func TestAdmit(t *testing.T) {
	m := render.Memory{ID: 7, Kind: "fact", Importance: 5, Body: "The ferry leaves at noon."}
	one := Emitted{of(7, "h"), render.Element(m, 0)}
	m.ID = 8
	two := Emitted{of(8, "h"), render.Element(m, 0)}
	text := render.Frame([]render.Memory{{ID: 7, Kind: "fact", Importance: 5, Body: "The ferry leaves at noon."}, m}, 0)
	ids := func(text string, list ...Emitted) (ids []int64) {
		for _, d := range Admit(text, list) {
			ids = append(ids, d.Memory)
		}
		return ids
	}
	for name, c := range map[string]struct {
		text string
		want []int64
	}{
		"whole":                  {text, []int64{7, 8}},
		"never printed":          {"7 8 The ferry leaves at noon.", nil},
		"cut in the second":      {text[:len(text)-20], []int64{7}},
		"cut in the first":       {text[strings.Index(text, "<memory id=")+5:], []int64{8}},
		"a notice that names it": {`<memory id="7">`, nil},
	} {
		if got := ids(c.text, one, two, one); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}
