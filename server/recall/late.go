package recall

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/late"
	"elowen/server/lexicon"
	"elowen/server/words"
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
	// Score is how well memories of the owners answer it. found is what its words found
	// among those owners' memories. Bodies without fresh token vectors are missing, all of
	// them where the question is in a language that the model doesn't know.
	Score(tx *db.Tx, owners []db.AccountID, found lexicon.Found, bodies []embedding.Body) (map[int64]float64, error)
}

// Tokens is Late by a Reranker. background tells how likely words are; it is asked for
// once there is a question.
func Tokens(r *late.Reranker, background func() words.Background) Late {
	return tokens{r, background}
}

type tokens struct {
	*late.Reranker
	background func() words.Background
}

func (t tokens) Question(ctx context.Context, text string) (LateQuestion, error) {
	return t.Reranker.Question(ctx, text, t.background())
}
