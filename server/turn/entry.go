package turn

import (
	"context"
	"encoding/json"
	"slices"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/markdown"
	"elowen/server/render"
	"elowen/shared/api"
)

// bodyShown is how much of a memory's body a chip shows, in characters.
const bodyShown = 240

// entryOf is an entry as it is served, but for what tells of the present.
func entryOf(e journal.Entry) api.ConversationEntry {
	out := api.ConversationEntry{ID: e.ID, ParentID: e.Parent, Type: string(e.Payload.Type()), At: api.Time(e.At)}
	switch p := e.Payload.(type) {
	case *journal.Message:
		out.Role, out.Speaker, out.Content, out.CallID, out.Model, out.Cut = p.Role, p.Speaker, p.Content, p.CallID, p.Model, p.Cut
		for _, c := range p.Calls {
			out.Calls = append(out.Calls, api.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
		if p.Role == journal.RoleToolResult {
			var d details
			if json.Unmarshal(p.Details, &d) == nil {
				out.Failed = d.Failed
			}
			if list := p.Deliveries(); len(list) > 0 {
				out.Via, out.Memories = journal.ViaTool, chips(list)
			}
		} else {
			out.Nodes = markdown.Parse(p.Content)
		}
	case *journal.TurnContext:
		out.AnchorID, out.Via, out.Memories = p.Anchor, p.Via, chips(p.Deliveries)
	case *journal.Compaction:
		out.Summary, out.FirstKeptID, out.Nodes = p.Summary, p.FirstKept, markdown.Parse(p.Summary)
	case *journal.ContextCleared:
		out.ClearedIDs = p.Cleared
	case *journal.Label:
		out.EntryID, out.Label = p.Entry, p.Text
	}
	return out
}

func chips(list []journal.Delivery) []api.Delivered {
	out := make([]api.Delivered, len(list))
	for i, d := range list {
		out[i] = api.Delivered{ID: d.Memory}
		if d.Why != nil {
			out[i].Why = &api.DeliveredWhy{Similarity: d.Why.Similarity, Relevance: d.Why.Relevance, Importance: d.Why.Importance, Vitality: d.Why.Vitality}
		}
	}
	return out
}

// present is what is told of memories as they are now.
type present map[int64]api.Memory

// presentOf reads memories as their owner may.
func (s *Store) presentOf(tx *db.Tx, owner db.AccountID, ids []int64) (present, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rows, err := s.o.Memories.Rows(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	now := make(present, len(rows))
	for _, m := range rows {
		now[m.ID] = m
	}
	return now, nil
}

// tell completes what a chip says of the present.
func (p present) tell(d *api.Delivered, bodyHash string) {
	m, ok := p[d.ID]
	d.Gone = !ok || m.Status != api.StatusActive
	if ok {
		d.Body, d.Edited = render.Cut(m.Body, bodyShown), audit.Hash(m.Body) != bodyHash
	}
}

// Shown is a part of a conversation as people see it.
type Shown struct {
	Conversation api.Conversation
	Entries      []api.ConversationEntry // of the active branch, in order
	Total        int                     // entries of the branch
	From         int                     // the rank of the first of Entries
	Memories     []int64                 // that chips among Entries tell of
}

// ShowIn is the end of a conversation's active branch, or what is before an entry of it
// (before 0: the end), at most so many entries. Errors: NotFound.
func (s *Store) ShowIn(tx *db.Tx, owner db.AccountID, id, before int64, limit int) (Shown, error) {
	var out Shown
	var err error
	if out.Conversation, err = s.GetIn(tx, owner, id); err != nil {
		return out, err
	}
	b, err := s.o.Snapshots.At(tx, owner, id, out.Conversation.LeafID)
	if err != nil {
		return out, err
	}
	out.Total = len(b.Branch)
	end := out.Total
	if before != 0 {
		end, _ = slices.BinarySearchFunc(b.Branch, before, func(e journal.Entry, id int64) int { return int(e.ID - id) })
	}
	out.From = max(0, end-limit)
	branch := b.Branch[out.From:end]
	inside := map[int64]bool{}
	for _, p := range b.Parts {
		inside[p.Entry] = true
	}
	var parents []int64
	for _, e := range branch {
		if _, ok := e.Payload.(*journal.Message); ok {
			parents = append(parents, e.Parent)
		}
		list, _ := delivery.DeliveriesOf(e)
		for _, d := range list {
			out.Memories = append(out.Memories, d.Memory)
		}
	}
	beside, err := journal.Beside(tx, owner, id, parents)
	if err != nil {
		return out, err
	}
	now, err := s.presentOf(tx, owner, slices.Clone(out.Memories))
	if err != nil {
		return out, err
	}
	out.Entries = make([]api.ConversationEntry, len(branch))
	for i, e := range branch {
		shown := entryOf(e)
		shown.InContext = inside[e.ID]
		if _, ok := e.Payload.(*journal.Message); ok && len(beside[e.Parent]) > 1 {
			shown.Siblings = beside[e.Parent]
		}
		list, _ := delivery.DeliveriesOf(e)
		for j := range shown.Memories {
			shown.Memories[j].InContext = shown.InContext
			now.tell(&shown.Memories[j], list[j].BodyHash)
		}
		out.Entries[i] = shown
	}
	return out, nil
}

// Entries is a page of a conversation's active branch, the end first, each page in the
// order in which it was said. Errors: NotFound; Invalid for a cursor that isn't one.
func (s *Store) Entries(ctx context.Context, owner db.AccountID, id int64, cursor string, limit int) (page api.Page[api.ConversationEntry], err error) {
	before := int64(0)
	if cursor != "" {
		if _, before, err = readCursor(cursor); err != nil {
			return page, err
		}
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		page.AsOf = api.Time(tx.Now)
		shown, err := s.ShowIn(tx, owner, id, before, limit)
		if err != nil {
			return err
		}
		page.Items, page.Total = shown.Entries, shown.Total
		if shown.From > 0 && len(shown.Entries) > 0 {
			page.NextCursor = writeCursor(0, shown.Entries[0].ID)
		}
		return nil
	})
	return page, err
}

// Context is what stands before the model, and what has left. Errors: NotFound.
func (s *Store) Context(ctx context.Context, owner db.AccountID, id int64) (out api.ConversationContext, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		out, err = s.ContextIn(tx, owner, id)
		return err
	})
	return out, err
}

// leftMost is how much of what has left is told.
const leftMost = 100

// ContextIn is Context in a transaction.
func (s *Store) ContextIn(tx *db.Tx, owner db.AccountID, id int64) (api.ConversationContext, error) {
	out := api.ConversationContext{Items: []api.ContextMemory{}, Left: []api.ContextMemory{}, AsOf: api.Time(tx.Now)}
	r, err := get(tx, owner, id)
	if err != nil {
		return out, err
	}
	out.Tokens, out.Window = r.tokens, r.window
	b, err := s.o.Snapshots.At(tx, owner, id, r.Leaf)
	if err != nil {
		return out, err
	}
	items, left := delivery.Of(b).Items, delivery.Gone(b)
	left = left[:min(len(left), leftMost)]
	ids := make([]int64, 0, len(items)+len(left))
	for _, i := range items {
		ids = append(ids, i.Memory)
	}
	for _, l := range left {
		ids = append(ids, l.Memory)
	}
	now, err := s.presentOf(tx, owner, ids)
	if err != nil {
		return out, err
	}
	of := func(i delivery.Standing, inside bool) api.ContextMemory {
		m := api.ContextMemory{Delivered: chips([]journal.Delivery{i.Delivery})[0], EntryID: i.Entry, Since: api.Time(i.Since), Via: i.Via}
		m.InContext = inside
		now.tell(&m.Delivered, i.BodyHash)
		return m
	}
	for _, i := range items {
		out.Items = append(out.Items, of(i, true))
	}
	for _, l := range left {
		m := of(l.Standing, false)
		m.Left, m.LeftAt = l.Reason, api.Ptr(api.Time(l.At))
		out.Left = append(out.Left, m)
	}
	return out, nil
}
