package embedding_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"elowen/server/embedding"
	"elowen/shared/fault"
)

// slow is a model that answers nothing before the time is up.
type slow struct{ each bool }

func (s slow) Embed(ctx context.Context, _ []string, _ embedding.Kind) ([]embedding.Result, error) {
	<-ctx.Done()
	err := fault.Wrap(fault.Cancelled, ctx.Err(), "encoding was cancelled")
	if s.each {
		return []embedding.Result{{Err: err}}, nil
	}
	return nil, err
}

func (slow) Space() embedding.Space   { return embedding.Space{} }
func (slow) Limits() embedding.Limits { return embedding.Limits{} }

// Whoever asks a model that is too slow is told so in a sentence, while there is still
// time to answer otherwise.
func TestASlowModelIsGivenUpInTime(t *testing.T) {
	for _, model := range []slow{{}, {each: true}} {
		synctest.Test(t, func(t *testing.T) {
			s := embedding.NewService()
			s.Use(&embedding.Snapshot{Stored: embedding.Stored{ID: 1}, Embedder: model})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, _, err := s.Query(ctx, "What is it?")
			if !fault.Is(err, fault.Unavailable) || fault.ProblemOf(err).Detail != "The embedding model did not answer in time." || ctx.Err() != nil {
				t.Errorf("%v; %v", err, ctx.Err())
			}
		})
	}
}
