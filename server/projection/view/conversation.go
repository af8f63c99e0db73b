package view

import (
	"slices"
	"strconv"

	"elowen/server/db"
	"elowen/server/markdown"
	"elowen/server/projection"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
	wire "elowen/shared/live"
	"elowen/shared/setting"
)

var errNoConversation = fault.New(fault.NotFound, "There is no such conversation.")

// rowsOf is how many rows a window of conversations or of their entries shows.
func rowsOf(req wire.Request) int {
	if req.Limit == 0 {
		return setting.Int("conversation.rows")
	}
	return req.Limit
}

// conversations are the account's, the last used first.
type conversations struct {
	store *turn.Store
	limit int
}

func (c *conversations) Key() string { return strconv.Itoa(c.limit) }

func (*conversations) Touched(n projection.News) bool { return n.Of(db.NounConversation) }

// Moved is always true: a turn whose program gives no sign any more is one that was
// interrupted.
func (*conversations) Moved(projection.At) (bool, error) { return true, nil }

func (c *conversations) Rows(at projection.At) (projection.Part, error) {
	list, total, err := c.store.Recent(at.Tx, at.Owner, c.limit)
	if err != nil {
		return projection.Part{}, err
	}
	rows := make([]projection.Row, len(list))
	for i, one := range list {
		rows[i] = projection.NewRow(one.ID, wire.ConversationRow{Conversation: one})
	}
	return projection.Part{Rows: rows, Total: total}, nil
}

// conversation is the end of one, with what goes on in it.
type conversation struct {
	store *turn.Store
	id    int64
	limit int

	// As it was last read:
	entries  []projection.Row
	now      api.Conversation
	total    int
	from     int
	memories map[int64]bool // that chips tell of
	known    bool           // all of it still holds
}

func (c *conversation) Key() string { return strconv.FormatInt(c.id, 10) + " " + strconv.Itoa(c.limit) }

func (c *conversation) Touched(n projection.News) bool {
	changed := n.Touches(db.NounConversation, c.id)
	for id := range c.memories {
		changed = changed || n.Touches(db.NounMemory, id)
	}
	if changed {
		c.known = false
	}
	return changed || n.Touches(projection.NounTurn, c.id)
}

// Moved looks whether a turn that runs still does: one whose program gives no sign any
// more was interrupted, which is in no log.
func (c *conversation) Moved(at projection.At) (bool, error) {
	if c.now.State != api.ChatRunning {
		return false, nil
	}
	now, err := c.store.GetIn(at.Tx, at.Owner, c.id)
	if err == nil && now.State == api.ChatRunning {
		return false, nil
	}
	c.known = false
	if fault.Is(err, fault.NotFound) {
		err = nil // Rows tells
	}
	return true, err
}

func (c *conversation) Rows(at projection.At) (projection.Part, error) {
	// Asked first: what was said and stands in the journal by now is not shown twice, as
	// the journal is what holds.
	speech, speaking := c.store.Now(at.Owner, c.id)
	if !c.known {
		shown, err := c.store.ShowIn(at.Tx, at.Owner, c.id, 0, c.limit)
		if err != nil {
			return projection.Part{}, err
		}
		c.entries = make([]projection.Row, len(shown.Entries))
		for i := range shown.Entries {
			c.entries[i] = projection.NewRow(shown.Entries[i].ID, wire.TalkRow{ID: shown.Entries[i].ID, Entry: &shown.Entries[i]})
		}
		c.memories = map[int64]bool{}
		for _, id := range shown.Memories {
			c.memories[id] = true
		}
		c.now, c.total, c.from, c.known = shown.Conversation, shown.Total, shown.From, true
	}
	head := wire.TalkRow{Conversation: &c.now}
	if speaking && c.now.State == api.ChatRunning {
		head.Turn = &speech.Turn
	}
	rows := slices.Concat([]projection.Row{projection.NewRow(0, head)}, c.entries)
	if head.Turn != nil && speech.After >= c.now.LeafID {
		rows = append(rows, pieces(speech)...)
	}
	return projection.Part{Rows: rows, Total: c.total, From: c.from}, nil
}

// pieces are what a model says at the moment, block by block.
func pieces(s turn.Speech) []projection.Row {
	var rows []projection.Row
	add := func(p wire.Piece) {
		id := -int64(len(rows) + 1)
		rows = append(rows, projection.NewRow(id, wire.TalkRow{ID: id, Piece: &p}))
	}
	nodes := markdown.Parse(s.Text)
	if nodes == nil {
		nodes = markdown.Paragraphs(s.Text)
	}
	for _, n := range nodes {
		add(wire.Piece{Node: &n})
	}
	for _, c := range s.Calls {
		add(wire.Piece{Call: &c})
	}
	return rows
}

// inContext is what stands before the model of a conversation, and what has left.
type inContext struct {
	store    *turn.Store
	id       int64
	memories map[int64]bool
}

func (c *inContext) Key() string { return strconv.FormatInt(c.id, 10) }

func (c *inContext) Touched(n projection.News) bool {
	if n.Touches(db.NounConversation, c.id) {
		return true
	}
	for id := range c.memories {
		if n.Touches(db.NounMemory, id) {
			return true
		}
	}
	return false
}

func (c *inContext) Rows(at projection.At) (projection.Part, error) {
	now, err := c.store.ContextIn(at.Tx, at.Owner, c.id)
	if err != nil {
		return projection.Part{}, err
	}
	c.memories = map[int64]bool{}
	var rows []projection.Row
	taken := map[int64]bool{}
	for _, m := range slices.Concat(now.Items, now.Left) {
		c.memories[m.ID] = true
		// The same memory shown by the same entry keeps its row; an id is only once there.
		id := m.EntryID<<16 ^ m.ID&0xffff
		for taken[id] {
			id++
		}
		taken[id] = true
		rows = append(rows, projection.NewRow(id, wire.ContextRow{ID: id, Memory: m}))
	}
	return projection.Whole(rows...), nil
}
