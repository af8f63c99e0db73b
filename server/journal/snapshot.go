package journal

import (
	"cmp"
	"container/list"
	"slices"
	"sync"
	"sync/atomic"

	"elowen/server/db"
	"elowen/shared/setting"
)

// Snapshot is a branch as it was read, and what the model sees of it. Entries never
// change and a parent is always the same, so a branch is a function of its leaf: a
// snapshot is right for ever, whoever writes.
type Snapshot struct {
	Conversation int64
	Leaf         int64   // 0: nothing was said yet
	Branch       []Entry // from the first entry to the leaf
	Parts        []Part  // Project(Branch)

	size  int         // about how many bytes it holds
	grown atomic.Bool // the room behind Branch and Parts is another snapshot's by now

	once    sync.Once
	derived any
}

// Derive is what make made of the snapshot when it was first asked for. All callers
// have to make the same.
func (s *Snapshot) Derive(make func(*Snapshot) any) any {
	s.once.Do(func() { s.derived = make(s) })
	return s.derived
}

// Entry is an entry of the branch.
func (s *Snapshot) Entry(id int64) (Entry, bool) {
	i, ok := s.place(id)
	if !ok {
		return Entry{}, false
	}
	return s.Branch[i], true
}

// place is where an entry is on the branch: ids only grow along it.
func (s *Snapshot) place(id int64) (int, bool) {
	return slices.BinarySearchFunc(s.Branch, id, func(e Entry, id int64) int { return cmp.Compare(e.ID, id) })
}

// Newest is the last message of the branch that the model sees; 0: there is none.
func (s *Snapshot) Newest() int64 {
	for i := len(s.Parts) - 1; i >= 0; i-- {
		if s.Parts[i].Message != nil {
			return s.Parts[i].Entry
		}
	}
	return 0
}

// newSnapshot projects a branch.
func newSnapshot(conversation int64, branch []Entry) *Snapshot {
	s := &Snapshot{Conversation: conversation, Branch: branch, Parts: Project(branch)}
	if n := len(branch); n > 0 {
		s.Leaf = branch[n-1].ID
	}
	for _, e := range branch {
		s.size += weight(e)
	}
	return s
}

// extended is the snapshot of a branch that goes on with a tail.
func (s *Snapshot) extended(tail []Entry) *Snapshot {
	branch, parts := s.Branch, s.Parts
	if !s.grown.CompareAndSwap(false, true) { // another one goes on from here already
		branch, parts = slices.Clip(branch), slices.Clip(parts)
	}
	next := &Snapshot{Conversation: s.Conversation, Leaf: tail[len(tail)-1].ID, Branch: append(branch, tail...), size: s.size}
	newest := s.Newest()
	for _, e := range tail {
		next.size += weight(e)
		switch p := e.Payload.(type) {
		case *Message:
			parts, newest = append(parts, Part{Entry: e.ID, Message: plain(p)}), e.ID
			continue
		case *TurnContext:
			if p.Anchor == newest && behind(parts, newest) {
				parts = append(parts, Part{Entry: e.ID, Context: p})
				continue
			}
		case *Label:
			continue
		}
		next.Parts = Project(next.Branch) // something before is another thing now
		return next
	}
	next.Parts = parts
	return next
}

// behind tells whether what comes next stands behind a message, and at most what is
// anchored to it.
func behind(parts []Part, message int64) bool {
	if len(parts) == 0 {
		return false
	}
	last := parts[len(parts)-1]
	return last.Entry == message || last.Context != nil && last.Context.Anchor == message
}

// weight is about how many bytes an entry takes.
func weight(e Entry) int {
	n := 160
	switch p := e.Payload.(type) {
	case *Message:
		n += len(p.Content) + len(p.Details)
		for _, c := range p.Calls {
			n += 64 + len(c.Arguments)
		}
	case *TurnContext:
		n += len(p.Block) + 120*len(p.Deliveries)
	case *Compaction:
		n += len(p.Summary)
	case *ContextCleared:
		n += 8 * len(p.Cleared)
	}
	return n
}

// Snapshots keeps the snapshots that were used last, one a conversation, so that many
// look-ups read one. It is safe for concurrent use.
type Snapshots struct {
	most int // bytes

	mu    sync.Mutex
	at    map[snapshotKey]*list.Element
	order list.List // of *keptSnapshot, the last used first
	bytes int
}

type snapshotKey struct {
	owner        db.AccountID
	conversation int64
}

type keptSnapshot struct {
	key snapshotKey
	*Snapshot
}

// NewSnapshots holds at most so many bytes; 0 takes the setting journal.resident.
func NewSnapshots(most int) *Snapshots {
	if most <= 0 {
		most = setting.Int("journal.resident")
	}
	return &Snapshots{most: most, at: map[snapshotKey]*list.Element{}}
}

// Active is the active branch of a conversation, as the transaction sees it. Errors:
// NotFound.
func (k *Snapshots) Active(tx *db.Tx, owner db.AccountID, conversation int64) (*Snapshot, error) {
	c, err := Get(tx, owner, conversation)
	if err != nil {
		return nil, err
	}
	return k.At(tx, owner, conversation, c.Leaf)
}

// At is the branch of a conversation that ends with an entry; 0 is the empty one.
// Errors: NotFound.
func (k *Snapshots) At(tx *db.Tx, owner db.AccountID, conversation, leaf int64) (*Snapshot, error) {
	key := snapshotKey{owner, conversation}
	kept := k.get(key)
	if kept != nil && kept.Leaf == leaf {
		return kept, nil
	}
	s, err := read(tx, owner, conversation, leaf, kept)
	// What a decision reads may be taken back, and its ids be given out again.
	if err == nil && tx.ReadOnly() {
		k.put(key, s)
	}
	return s, err
}

// read reads a branch, from the one that is there as far as the two are one.
func read(tx *db.Tx, owner db.AccountID, conversation, leaf int64, kept *Snapshot) (*Snapshot, error) {
	if kept != nil && kept.Leaf != 0 && leaf != 0 {
		if i, ok := kept.place(leaf); ok {
			return newSnapshot(conversation, slices.Clip(kept.Branch[:i+1])), nil
		}
		tail, joins, err := pathTo(tx, owner, conversation, leaf, kept.Leaf)
		if err != nil {
			return nil, err
		}
		if joins && len(tail) > 0 {
			return kept.extended(tail), nil
		}
	}
	branch, err := path(tx, owner, conversation, leaf)
	if err != nil {
		return nil, err
	}
	return newSnapshot(conversation, branch), nil
}

func (k *Snapshots) get(key snapshotKey) *Snapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.at[key]
	if !ok {
		return nil
	}
	k.order.MoveToFront(e)
	return e.Value.(*keptSnapshot).Snapshot
}

func (k *Snapshots) put(key snapshotKey, s *Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(key)
	k.at[key] = k.order.PushFront(&keptSnapshot{key, s})
	k.bytes += s.size
	for k.bytes > k.most && k.order.Len() > 1 {
		k.drop(k.order.Back().Value.(*keptSnapshot).key)
	}
}

// drop is called with the lock held.
func (k *Snapshots) drop(key snapshotKey) {
	if e, ok := k.at[key]; ok {
		k.bytes -= e.Value.(*keptSnapshot).size
		k.order.Remove(e)
		delete(k.at, key)
	}
}

// Forget lets go what is resident of an account that is erased.
func (k *Snapshots) Forget(owner db.AccountID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.at {
		if key.owner == owner {
			k.drop(key)
		}
	}
}
