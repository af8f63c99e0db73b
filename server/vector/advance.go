package vector

import (
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/shared/fault"
)

// The bounds of following the log entry by entry; past them reading everything
// anew costs less.
const (
	changeBatch = 4096
	changeMost  = 8 * changeBatch
	changeLong  = changeBatch / 8 // that many are read again for so long that nobody waits in a transaction
)

// advance brings the index to the transaction's snapshot, unless it is there or
// further already. It is the caller's turn. Where it fails nothing has changed.
func (r *resident) advance(tx *db.Tx, memories *memory.Store, now embedding.Stored, snapshot *embedding.Snapshot) error {
	head, err := tx.Head(r.owner)
	if err != nil {
		return err
	}
	revision, err := embedding.Revision(tx, r.owner)
	if err != nil {
		return err
	}
	// Only the one whose turn it is writes, so reading needs no lock here.
	fits := r.x != nil && r.space == now.ID && head.Epoch == r.head.Epoch && (r.x.width == now.Width || now.Width == 0)
	if fits && r.profile != snapshot {
		fits = sameMeans(r.profile.Profile.Passages, snapshot.Profile.Passages)
	}
	if !fits {
		return r.load(tx, memories, now, snapshot, head, revision)
	}
	if head.Seq <= r.head.Seq && revision <= r.revision {
		r.profile = snapshot
		return nil
	}
	ids, err := r.changed(tx, revision)
	if fault.Is(err, fault.Gone) {
		return r.load(tx, memories, now, snapshot, head, revision)
	}
	if err != nil {
		return err
	}
	if err := r.reread(tx, memories, now, snapshot, ids); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.head, r.revision, r.profile = head, revision, snapshot
	return nil
}

// changed are the memories that may differ from what the index knows. The error is
// fault.Gone where everything has to be read anew.
func (r *resident) changed(tx *db.Tx, revision int64) ([]int64, error) {
	seen := map[int64]bool{}
	var ids []int64
	add := func(id int64) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for at, count := r.head.Seq, 0; ; {
		list, head, err := tx.Changes(r.owner, at, changeBatch)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			at = c.Seq
			if c.Noun != db.NounMemory {
				continue
			}
			if c.ID == 0 {
				return nil, errGone
			}
			add(c.ID)
		}
		if count += len(list); count > changeMost {
			return nil, errGone
		}
		if at >= head.Seq || len(list) == 0 {
			break
		}
	}
	if revision > r.revision {
		written, err := embedding.ChangedSince(tx, r.owner, r.space, r.revision)
		if err != nil {
			return nil, err
		}
		for _, id := range written {
			add(id)
		}
	}
	return ids, nil
}

var errGone = fault.New(fault.Gone, "The change log does not reach back that far.")

// reread reads memories again, and takes in what they are now.
func (r *resident) reread(tx *db.Tx, memories *memory.Store, now embedding.Stored, snapshot *embedding.Snapshot, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > changeLong {
		defer r.reads()()
	}
	facts := map[int64]fact{}
	var fresh []int64
	for b, err := range memories.Briefs(tx, r.owner, ids) {
		if err != nil {
			return err
		}
		if b.Indexed {
			facts[b.ID] = fact{b.ID, b.CategoryID, b.Status}
			fresh = append(fresh, b.ID)
		}
	}
	// Read first, so that a failure leaves the index as it is.
	part := newIndex(max(now.Width, r.x.width), len(fresh))
	if len(fresh) > 0 {
		for v, err := range embedding.Vectors(tx, r.owner, now.ID, fresh) {
			if err != nil {
				return err
			}
			if f, ok := facts[v.Memory]; ok {
				part.fill(f, v, snapshot.Profile.Passages)
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.x.rows == 0 {
		r.x = part
		return nil
	}
	for _, id := range ids {
		r.x.drop(id)
	}
	for i := range part.entries {
		e := &part.entries[i]
		f := fact{e.id, part.categories[e.category], e.status}
		for n := range int(e.parts) {
			copy(r.x.put(f, ""), part.vector(int(e.row)+n))
		}
		last := &r.x.entries[len(r.x.entries)-1]
		last.mark, last.group = e.mark, e.group
	}
	if r.x.loose() {
		r.x = r.x.packed()
	}
	return nil
}

// load reads everything.
func (r *resident) load(tx *db.Tx, memories *memory.Store, now embedding.Stored, snapshot *embedding.Snapshot, head db.Head, revision int64) error {
	defer r.reads()()
	expected, err := embedding.Count(tx, r.owner, now.ID)
	if err != nil {
		return err
	}
	x := newIndex(now.Width, expected)
	if expected > 0 {
		facts := make(map[int64]fact, expected)
		for b, err := range memories.Briefs(tx, r.owner, nil) {
			if err != nil {
				return err
			}
			if b.Indexed {
				facts[b.ID] = fact{b.ID, b.CategoryID, b.Status}
			}
		}
		for v, err := range embedding.Vectors(tx, r.owner, now.ID, nil) {
			if err != nil {
				return err
			}
			if f, ok := facts[v.Memory]; ok {
				x.fill(f, v, snapshot.Profile.Passages)
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.x, r.space, r.profile, r.head, r.revision = x, now.ID, snapshot, head, revision
	return nil
}

func sameMeans(a, b embedding.Means) bool {
	return sameVector(a.All, b.All) && slices.EqualFunc(a.Apart, b.Apart, sameVector)
}

func sameVector(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
