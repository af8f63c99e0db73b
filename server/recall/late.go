package recall

import (
	"context"

	"elowen/server/db"
)

// Late is late interaction: how well a memory answers a question, token by token.
type Late interface {
	// Ready tells whether there is a model to ask.
	Ready() bool
	// Question makes a question ready, outside of any transaction. Errors: Unavailable.
	Question(ctx context.Context, text string) (LateQuestion, error)
}

// LateQuestion is a question that is ready.
type LateQuestion interface {
	// Score is how well memories of the owners answer it. Those without fresh token
	// vectors are missing, all of them where the question is in a language that the
	// model doesn't know.
	Score(tx *db.Tx, owners []db.AccountID, ids []int64) (map[int64]float64, error)
}
