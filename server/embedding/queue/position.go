package queue

import (
	"cmp"
	"slices"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/fault"
)

// position is how far a kind is, with one model.
type position struct {
	kind   Kind
	bodies Bodies // of it
	after  bool   // after each request, memories are looked at again
	run    Run    // nil while it is off
	source string // of run
	owners map[db.AccountID]*backlog
	turn   db.AccountID // whose request was the last
	pause  pause
}

// backlog is what is missing of an account.
type backlog struct {
	head    db.Head
	pending []int64           // the newest first, each once
	waiting map[int64]failure // what failed, whether it is pending again or not
	stale   []int64           // what has failed and is not missing any more
}

// add takes ids that are missing in, in any order.
func (b *backlog) add(ids []int64) {
	if len(ids) == 0 {
		return
	}
	b.pending = append(b.pending, ids...)
	slices.SortFunc(b.pending, func(x, y int64) int { return cmp.Compare(y, x) })
	b.pending = slices.Compact(b.pending)
}

// held are the ids of everything that is missing, waiting or not.
func (b *backlog) held() []int64 {
	ids := slices.Clone(b.pending)
	for id := range b.waiting {
		if _, too := slices.BinarySearchFunc(b.pending, id, func(x, y int64) int { return cmp.Compare(y, x) }); !too {
			ids = append(ids, id)
		}
	}
	return ids
}

// remove takes ids out that are not missing any more.
func (b *backlog) remove(gone map[int64]bool) {
	b.pending = slices.DeleteFunc(b.pending, func(id int64) bool { return gone[id] })
	for id := range gone {
		if _, failed := b.waiting[id]; failed {
			b.stale = append(b.stale, id)
			delete(b.waiting, id)
		}
	}
}

// due puts back what has waited long enough, and tells when the next has.
func (b *backlog) due(now int64) (next int64) {
	var ids []int64
	for id, f := range b.waiting {
		if f.retryAt <= now {
			ids = append(ids, id)
		} else if next == 0 || f.retryAt < next {
			next = f.retryAt
		}
	}
	b.add(ids)
	return next
}

// changeMost bounds how many entries of a log are followed one by one, and how many
// bodies they may be about.
const changeMost = 16_384

// scanPage is how many bodies are compared at a time.
const scanPage = db.InMost

// sync brings the position to the transaction's snapshot: what is missing of every
// account, as far as its log has moved.
func (p *position) sync(tx *db.Tx) error {
	owners, err := account.Owners(tx)
	if err != nil {
		return err
	}
	heads, err := tx.Heads(owners)
	if err != nil {
		return err
	}
	for owner := range p.owners {
		if _, still := heads[owner]; !still {
			delete(p.owners, owner)
		}
	}
	for _, owner := range owners {
		b, head := p.owners[owner], heads[owner]
		if b == nil {
			b = &backlog{}
		}
		if b.head == head {
			continue
		}
		err := error(fault.New(fault.Gone, ""))
		if b.head.Epoch == head.Epoch && b.waiting != nil {
			err = p.follow(tx, owner, b)
		}
		if fault.Is(err, fault.Gone) {
			err = p.scan(tx, owner, b)
		}
		if err != nil {
			return err
		}
		b.head = head
		p.owners[owner] = b
	}
	return nil
}

// follow looks at what the log says has changed.
func (p *position) follow(tx *db.Tx, owner db.AccountID, b *backlog) error {
	changes, head, err := tx.Changes(owner, b.head.Seq, changeMost)
	if err != nil {
		return err
	}
	if len(changes) > 0 && changes[len(changes)-1].Seq < head.Seq {
		return fault.New(fault.Gone, "")
	}
	seen := map[int64]bool{}
	var lines []int64
	for _, c := range changes {
		if c.Noun != p.bodies.Noun() {
			continue
		}
		if c.ID == 0 {
			return fault.New(fault.Gone, "")
		}
		if !seen[c.ID] {
			seen[c.ID], lines = true, append(lines, c.ID)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	ids, err := p.bodies.Changed(tx, owner, lines, b.held())
	if err != nil {
		return err
	}
	if len(ids) > changeMost {
		return fault.New(fault.Gone, "")
	}
	changed := make(map[int64]bool, len(ids))
	for _, id := range ids {
		changed[id] = true
	}
	bodies, err := p.bodies.BodiesOf(tx, owner, ids)
	if err != nil {
		return err
	}
	missing, err := p.run.MissingOf(tx, owner, bodies)
	if err != nil {
		return err
	}
	hashes := make(map[int64]string, len(bodies))
	for _, body := range bodies {
		hashes[body.Memory] = body.Hash
	}
	var fresh []int64
	for _, id := range missing {
		if f, failed := b.waiting[id]; failed && f.hash == hashes[id] {
			delete(changed, id) // it waits, whatever else of the memory has changed
			continue
		}
		fresh = append(fresh, id)
	}
	b.remove(changed)
	b.add(fresh)
	return nil
}

// scan compares all bodies of an account with what was derived from them.
func (p *position) scan(tx *db.Tx, owner db.AccountID, b *backlog) error {
	failed, err := failures(tx, owner, p.kind.Name(), p.source)
	if err != nil {
		return err
	}
	b.pending, b.waiting = nil, map[int64]failure{}
	for before := int64(0); ; {
		bodies, err := p.bodies.Bodies(tx, owner, before, scanPage)
		if err != nil {
			return err
		}
		missing, err := p.run.MissingOf(tx, owner, bodies)
		if err != nil {
			return err
		}
		lacks := make(map[int64]bool, len(missing))
		for _, id := range missing {
			lacks[id] = true
		}
		for _, body := range bodies {
			switch f, bad := failed[body.Memory]; {
			case !lacks[body.Memory]:
			case bad && f.hash == body.Hash:
				b.waiting[body.Memory] = f
			default:
				b.pending = append(b.pending, body.Memory)
			}
		}
		if len(bodies) < scanPage {
			break
		}
		before = bodies[len(bodies)-1].Memory
	}
	for id := range failed {
		if _, waits := b.waiting[id]; !waits {
			b.stale = append(b.stale, id)
		}
	}
	return nil
}

// next is the account whose turn it is, and its newest ids, at most n. It is 0 where
// nothing is missing.
func (p *position) next(n int) (db.AccountID, []int64) {
	var owners []db.AccountID
	for owner, b := range p.owners {
		if len(b.pending) > 0 {
			owners = append(owners, owner)
		}
	}
	if len(owners) == 0 {
		return 0, nil
	}
	slices.Sort(owners)
	at, found := slices.BinarySearch(owners, p.turn)
	if found {
		at++
	}
	p.turn = owners[at%len(owners)]
	b := p.owners[p.turn]
	return p.turn, slices.Clone(b.pending[:min(n, len(b.pending))])
}

// done takes ids out of what is pending.
func (p *position) done(owner db.AccountID, ids []int64) {
	if b := p.owners[owner]; b != nil {
		gone := make(map[int64]bool, len(ids))
		for _, id := range ids {
			gone[id] = true
		}
		b.pending = slices.DeleteFunc(b.pending, func(id int64) bool { return gone[id] })
	}
}
