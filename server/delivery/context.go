package delivery

import (
	"slices"
	"strings"
	"sync"

	"elowen/server/db"
	"elowen/server/journal"
)

// Standing is a memory that stands in what a model is shown of a conversation.
type Standing struct {
	journal.Delivery
	Entry int64  // that shows it
	Since int64  // when that was, in Unix milliseconds
	Via   string // journal.ViaStart, ViaWorking or ViaTool
}

type version struct {
	memory int64
	hash   string
}

// Retained is what stands in a branch as the model sees it: the deliveries of blocks and
// of tool results that are behind the latest compaction and were not cleared. It never
// changes.
type Retained struct {
	Items []Standing // each version once, in the order in which they came
	has   map[version]bool
	ids   []int64 // ascending
}

// Of is what stands in a branch. It is worked out once for each snapshot.
func Of(s *journal.Snapshot) *Retained {
	return s.Derive(func(s *journal.Snapshot) any { return retain(s) }).(*Retained)
}

func retain(s *journal.Snapshot) *Retained {
	r := &Retained{has: map[version]bool{}}
	for _, p := range s.Parts {
		if p.Context == nil && (p.Message == nil || p.Message.Role != journal.RoleToolResult) {
			continue
		}
		e, _ := s.Entry(p.Entry)
		list, via := DeliveriesOf(e)
		for _, d := range list {
			v := version{d.Memory, d.BodyHash}
			if r.has[v] {
				continue // a duplicate report counts once
			}
			r.has[v] = true
			r.Items = append(r.Items, Standing{Delivery: d, Entry: e.ID, Since: e.At, Via: via})
			r.ids = append(r.ids, d.Memory)
		}
	}
	slices.Sort(r.ids)
	r.ids = slices.Compact(r.ids)
	return r
}

// DeliveriesOf is what an entry brings before the model, and by which way.
func DeliveriesOf(e journal.Entry) ([]journal.Delivery, string) {
	switch p := e.Payload.(type) {
	case *journal.TurnContext:
		return p.Deliveries, p.Via
	case *journal.Message:
		return p.Deliveries(), journal.ViaTool
	}
	return nil, ""
}

// Has tells whether a memory stands there with that very body.
func (r *Retained) Has(id int64, bodyHash string) bool { return r.has[version{id, bodyHash}] }

// IDs are the memories that stand there, whatever their bodies.
func (r *Retained) IDs() []int64 { return r.ids }

// Left is what a branch showed and the model does not see any more, the last first.
type Left struct {
	Standing
	At     int64  // when it left, in Unix milliseconds
	Reason string // LeftCompaction or LeftCleared
}

// Why what was delivered is not before the model any more.
const (
	LeftCompaction = "compaction"
	LeftCleared    = "cleared"
)

// Gone is what the branch showed once and the model doesn't see any more. What it sees
// again by another entry is not among it.
func Gone(s *journal.Snapshot) []Left {
	now := Of(s)
	inside := map[int64]bool{}
	for _, p := range s.Parts {
		inside[p.Entry] = true
	}
	cleared := map[int64]int64{}
	compacted := int64(0)
	for _, e := range s.Branch {
		switch p := e.Payload.(type) {
		case *journal.ContextCleared:
			for _, id := range p.Cleared {
				cleared[id] = e.At
			}
		case *journal.Compaction:
			compacted = e.At
		}
	}
	var list []Left
	seen := map[version]bool{}
	for _, e := range slices.Backward(s.Branch) {
		if inside[e.ID] {
			continue
		}
		deliveries, via := DeliveriesOf(e)
		for _, d := range deliveries {
			v := version{d.Memory, d.BodyHash}
			if seen[v] || now.has[v] {
				continue
			}
			seen[v] = true
			l := Left{Standing: Standing{d, e.ID, e.At, via}, At: compacted, Reason: LeftCompaction}
			if at, ok := cleared[e.ID]; ok {
				l.At, l.Reason = at, LeftCleared
			}
			list = append(list, l)
		}
	}
	return list
}

// Cold names the blocks that a conversation which the provider has forgotten may clear:
// all that the model sees, where together they hold more than half of the budget of
// recall, in bytes; else none.
func Cold(s *journal.Snapshot, budget int) []int64 {
	var list []int64
	held := 0
	for _, p := range s.Parts {
		if p.Context != nil {
			list = append(list, p.Entry)
			held += len(p.Context.Block)
		}
	}
	if 2*held <= budget {
		return nil
	}
	return list
}

// Contexts know what stands in the contexts of conversations, with what is on its way
// there. They are safe for concurrent use.
type Contexts struct {
	snapshots *journal.Snapshots

	mu      sync.Mutex
	pending map[int64][]*Pending // by conversation
}

// NewContexts makes them over the snapshots of conversations.
func NewContexts(snapshots *journal.Snapshots) *Contexts {
	return &Contexts{snapshots: snapshots, pending: map[int64][]*Pending{}}
}

// Context is what stands in a conversation, and is about to, at one instant. It is what
// retrieval passes over.
type Context struct {
	*journal.Snapshot
	*Retained
	coming map[version]bool
	ids    []int64
}

// In is the context of a conversation's active branch, as the transaction sees it.
// Errors: NotFound.
func (c *Contexts) In(tx *db.Tx, owner db.AccountID, conversation int64) (*Context, error) {
	s, err := c.snapshots.Active(tx, owner, conversation)
	if err != nil {
		return nil, err
	}
	out := &Context{Snapshot: s, Retained: Of(s)}
	out.ids = out.Retained.ids
	for _, p := range c.settle(s) {
		for _, d := range p.list {
			if out.coming == nil {
				out.coming = map[version]bool{}
				out.ids = slices.Clone(out.ids)
			}
			out.coming[version{d.Memory, d.BodyHash}] = true
			out.ids = append(out.ids, d.Memory)
		}
	}
	return out, nil
}

// Has tells whether a memory with that very body is visible in the retained context, or
// about to be.
func (c *Context) Has(id int64, bodyHash string) bool {
	return c.Retained.Has(id, bodyHash) || c.coming[version{id, bodyHash}]
}

// IDs are the memories that may have to be passed over.
func (c *Context) IDs() []int64 { return c.ids }

// Pending is what was handed off and does not stand in the journal yet.
type Pending struct {
	c            *Contexts
	conversation int64
	leaf         int64 // what it was handed off behind
	list         []journal.Delivery

	reason string // why it was withdrawn; empty: it wasn't
	over   bool
}

// Why something pending was withdrawn by itself.
const (
	WithdrawnAnchor     = "the anchor is lost"
	WithdrawnCompaction = "the context was compacted"
	WithdrawnAppend     = "something else was appended"
)

// Hold notes that memories are on their way into a conversation whose leaf is known.
// Until they stand there, or are withdrawn, they count as being in its context.
func (c *Contexts) Hold(conversation, leaf int64, list []journal.Delivery) *Pending {
	p := &Pending{c: c, conversation: conversation, leaf: leaf, list: slices.Clone(list)}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending[conversation] = append(c.pending[conversation], p)
	return p
}

// Withdraw takes it back: it was refused, or could not be attached.
func (p *Pending) Withdraw(reason string) {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	p.c.end(p, reason)
}

// Withdrawn tells why it was taken back; empty: it wasn't.
func (p *Pending) Withdrawn() string {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	return p.reason
}

// end is called with the lock held.
func (c *Contexts) end(p *Pending, reason string) {
	if p.over {
		return
	}
	p.over, p.reason = true, reason
	left := slices.DeleteFunc(c.pending[p.conversation], func(o *Pending) bool { return o == p })
	if len(left) == 0 {
		delete(c.pending, p.conversation)
		return
	}
	c.pending[p.conversation] = left
}

// settle is what is still pending in a conversation that stands at a snapshot. What was
// handed off behind its leaf is; whatever moved the leaf has brought it along, or not.
func (c *Contexts) settle(s *journal.Snapshot) []*Pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range slices.Clone(c.pending[s.Conversation]) {
		if p.leaf != s.Leaf {
			c.end(p, lost(s, p))
		}
	}
	return slices.Clone(c.pending[s.Conversation])
}

// lost says why something that was handed off behind another leaf is not pending any
// more; empty where it stands in the journal by now.
func lost(s *journal.Snapshot, p *Pending) string {
	if _, on := s.Entry(p.leaf); !on && p.leaf != 0 {
		return WithdrawnAnchor
	}
	there := 0
	for _, e := range s.Branch {
		if e.ID <= p.leaf {
			continue
		}
		if _, ok := e.Payload.(*journal.Compaction); ok {
			return WithdrawnCompaction
		}
		list, _ := DeliveriesOf(e)
		for _, d := range p.list {
			if slices.ContainsFunc(list, func(o journal.Delivery) bool { return o.Memory == d.Memory && o.BodyHash == d.BodyHash }) {
				there++
			}
		}
	}
	if there >= len(p.list) {
		return ""
	}
	return WithdrawnAppend
}

// Emitted is a memory that a tool wrote whole into its result.
type Emitted struct {
	journal.Delivery
	Element string // as it stands in the result
}

// Admit is what of a result's memories the model sees: those whose elements stand whole
// in the text that it is shown, each once.
func Admit(text string, list []Emitted) []journal.Delivery {
	var out []journal.Delivery
	seen := map[version]bool{}
	for _, e := range list {
		v := version{e.Memory, e.BodyHash}
		if e.Element == "" || seen[v] || !strings.Contains(text, e.Element) {
			continue
		}
		seen[v] = true
		out = append(out, e.Delivery)
	}
	return out
}
