package audit

import (
	"encoding/json"

	"elowen/server/db"
	"elowen/server/vitality"
)

// ImportanceChanges are the recorded changes of a memory's importance on the
// scale of ten; is is what it is now. What was recorded on another scale, and the
// migration away from it, doesn't say what the importance was on this one: such a
// change becomes one from an unknown importance, and the chart begins there.
func ImportanceChanges(tx *db.Tx, owner db.AccountID, memory int64, is int) ([]vitality.ImportanceChange, error) {
	updates, err := read(tx, `owner_id = ? AND memory_id = ? AND action = ? ORDER BY id`, int64(owner), memory, ActionUpdate)
	if err != nil {
		return nil, err
	}
	var list []vitality.ImportanceChange
	unknown := false // whether the first in list is one from another scale
	for i := range updates {
		e := &updates[i]
		before, foreign := importanceIn(e.Before)
		after, _ := importanceIn(e.After)
		if before == 0 || after == 0 || before == after || e.By.Name == ActorMigration {
			continue
		}
		if foreign {
			list, unknown = list[:0], true
			before = 0
		}
		list = append(list, vitality.ImportanceChange{At: e.At, Before: before, After: after})
	}
	if unknown {
		next := is
		if len(list) > 1 {
			next = list[1].Before
		}
		list[0].After = next
	}
	return list, nil
}

// importanceIn is the importance in an entry's state, 0 where there is none; other
// tells a state that another system wrote, whose scale may be another.
func importanceIn(state string) (importance int, other bool) {
	if state == "" {
		return 0, false
	}
	var s struct {
		Importance json.Number `json:"importance"`
		UserID     json.Number `json:"user_id"`
	}
	if json.Unmarshal([]byte(state), &s) != nil {
		return 0, true
	}
	n, err := s.Importance.Int64()
	if err != nil || n < 1 || n > vitality.Levels {
		return 0, s.UserID != ""
	}
	return int(n), s.UserID != ""
}
