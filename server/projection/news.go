package projection

import (
	"elowen/server/db"
	"elowen/shared/fault"
)

// News is what changed in an account: what its log tells since somebody looked.
type News struct {
	all     bool // anything may differ
	changed map[db.Noun]map[int64]struct{}
}

// everything is the news of one who knows nothing.
func everything() News { return News{all: true} }

func (n *News) add(noun db.Noun, id int64) {
	if n.changed == nil {
		n.changed = map[db.Noun]map[int64]struct{}{}
	}
	if n.changed[noun] == nil {
		n.changed[noun] = map[int64]struct{}{}
	}
	n.changed[noun][id] = struct{}{}
}

// Any tells whether there is any.
func (n News) Any() bool { return n.all || len(n.changed) > 0 }

// Of tells whether something of one of the nouns changed.
func (n News) Of(nouns ...db.Noun) bool {
	for _, noun := range nouns {
		if n.all || len(n.changed[noun]) > 0 {
			return true
		}
	}
	return false
}

// Touches tells whether a row of a noun changed, or the noun as a whole.
func (n News) Touches(noun db.Noun, id int64) bool {
	if n.all {
		return true
	}
	rows := n.changed[noun]
	if _, ok := rows[id]; ok {
		return true
	}
	_, ok := rows[0]
	return ok
}

// touchesMemory tells whether a memory changed or was used, which changes it too.
func (n News) touchesMemory(id int64) bool {
	return n.Touches(db.NounMemory, id) || n.Touches(db.NounUsage, id)
}

// memories are the ids of those that touchesMemory is true of, each once.
func (n News) memories() []int64 {
	changed, used := n.changed[db.NounMemory], n.changed[db.NounUsage]
	ids := make([]int64, 0, len(changed)+len(used))
	for id := range changed {
		ids = append(ids, id)
	}
	for id := range used {
		if _, twice := changed[id]; !twice {
			ids = append(ids, id)
		}
	}
	return ids
}

// The bounds of following the log entry by entry; past them reading everything
// anew costs less.
const (
	changeBatch = 4096
	changeMost  = 4 * changeBatch
)

// NounTurn is what goes on in a conversation, which no log tells of: Touch does.
const NounTurn db.Noun = "turn"

// Touch has the account's windows look at something that moved without a change of the
// store. It doesn't wait. Where nobody watches nothing happens.
func (p *Projector) Touch(owner db.AccountID, noun db.Noun, id int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.residents[owner]
	if r == nil || len(r.viewers) == 0 {
		return
	}
	if r.touched == nil {
		r.touched = map[db.Noun]map[int64]bool{}
	}
	if r.touched[noun] == nil {
		r.touched[noun] = map[int64]bool{}
	}
	r.touched[noun][id] = true
	select {
	case r.nudge <- struct{}{}:
	default: // it is to look anyway
	}
}

// takeTouched is what was touched since it was last asked.
func (r *resident) takeTouched() map[db.Noun]map[int64]bool {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	list := r.touched
	r.touched = nil
	return list
}

// entries reads what the log has after since. The error is fault.Gone where
// everything has to be read anew.
func entries(tx *db.Tx, owner db.AccountID, since db.Head) (News, db.Head, error) {
	var n News
	at := since.Seq
	for count := 0; ; {
		changes, head, err := tx.Changes(owner, at, changeBatch)
		if err != nil {
			return n, head, err
		}
		if head.Epoch != since.Epoch {
			return n, head, errGone
		}
		for _, c := range changes {
			at = c.Seq
			if c.ID == 0 && (c.Noun == db.NounMemory || c.Noun == db.NounUsage) {
				return n, head, errGone
			}
			n.add(c.Noun, c.ID)
		}
		if count += len(changes); count > changeMost {
			return n, head, errGone
		}
		if at >= head.Seq || len(changes) == 0 {
			head.Seq = at
			return n, head, nil
		}
	}
}

var errGone = fault.New(fault.Gone, "The change log does not reach back that far.")
