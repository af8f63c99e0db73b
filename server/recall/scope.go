package recall

import (
	"elowen/server/category"
	"elowen/server/db"
	"elowen/shared/fault"
)

// Part is what one owner lends to a question: an account its own memories, or a pool
// its.
type Part struct {
	Owner      db.AccountID
	Categories []int64 // whose memories may be recalled
}

// Scope decides what an account may be recalled. It is asked inside the transaction
// of each question, and nothing of it is kept.
type Scope interface {
	// Parts are what a question of the account's may find, in a project (0: in none). A
	// part without categories has nothing. Errors: NotFound for a project that the
	// account may not see.
	Parts(tx *db.Tx, account db.AccountID, project int64) ([]Part, error)
}

// Own is the scope of an account outside of any project: its own global categories.
// What is in no category is never recalled.
type Own struct{ Categories *category.Store }

// Parts implements Scope.
func (o Own) Parts(tx *db.Tx, account db.AccountID, project int64) ([]Part, error) {
	if project != 0 {
		return nil, fault.New(fault.NotFound, "There is no such project.")
	}
	ids, err := o.Categories.Global(tx, account)
	return []Part{{account, ids}}, err
}
