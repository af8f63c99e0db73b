package recall

import (
	"elowen/server/category"
	"elowen/server/db"
)

// Scope decides what an account may be recalled, in a project (0: in none). It is
// asked inside the transaction of each question, and nothing of it is kept:
// category.Scope, but in tests.
type Scope func(tx *db.Tx, account db.AccountID, project int64) ([]category.Share, error)
