package transcript

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
)

// chatter is n turns of common and rare words.
func chatter(r *rand.Rand, n int) (list []string) {
	common := []string{"the", "boat", "harbour", "was", "late", "again", "and", "nobody", "told", "us", "why", "so", "we", "walked", "home", "by", "road"}
	for range n {
		line := "Ann:"
		for range 12 {
			line += " " + common[r.IntN(len(common))]
		}
		list = append(list, line+fmt.Sprint(" word", r.IntN(5000)))
	}
	return list
}

// A search among 10,000 turns, embedding of the question excluded but for a small one.
func BenchmarkSearch(b *testing.B) {
	h := newHouse(b, dbtest.Open(b, nil))
	h.use(&sense{name: "m"})
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		h.add(h.ann, chatter(r, 1000)...)
	}
	for more := true; more; {
		more, _ = h.queue.Pass(ctx)
	}
	h.search(h.ann, api.TranscriptSearch{Query: "boat"})
	for b.Loop() {
		h.search(h.ann, api.TranscriptSearch{Query: "who told us why the harbour boat was late word77"})
	}
}

// Adding a transcript of 1,000 turns, and of that what the writer is taken for.
func BenchmarkAdd(b *testing.B) {
	h := newHouse(b, dbtest.Open(b, nil))
	r := rand.New(rand.NewPCG(1, 2))
	in, err := judged(talk(chatter(r, 1000)...))
	if err != nil {
		b.Fatal(err)
	}
	var writer time.Duration
	for b.Loop() {
		drafts := draftsOf(in)
		words := ready(drafts)
		err := h.d.Update(ctx, func(tx *db.Tx) error {
			began := time.Now()
			defer func() { writer += time.Since(began) }()
			_, err := add(tx, h.ann, in, drafts, words)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(writer.Nanoseconds())/float64(b.N), "writer-ns/op")
}
