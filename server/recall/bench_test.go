package recall

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/lexicon"
	"elowen/server/memory"
	"elowen/server/vector"
	"elowen/shared/api"
)

// The benchmarks count processor time, of all threads: what a machine that is busy with
// other things takes is not recall's. The question's embedding is left out.

func spent() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func measured(b *testing.B, fn func(i int)) {
	fn(0) // what is resident is read once
	began := spent()
	b.ResetTimer()
	for i := range b.N {
		fn(i + 1)
	}
	b.StopTimer()
	b.ReportMetric(float64(spent()-began)/float64(time.Millisecond)/float64(b.N), "ms-cpu/op")
}

const benchWidth = 384

// prose is sentences whose words are as frequent as words are.
type prose struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

func newProse() *prose {
	r := rand.New(rand.NewPCG(4, 2))
	return &prose{r, rand.NewZipf(r, 1.15, 2.7, 40_000)}
}

func (p *prose) word() string {
	const letters = "etaoinshrdlcumwfgypbvk"
	var b strings.Builder
	for n := p.zipf.Uint64() + 7; n > 0; n /= uint64(len(letters)) {
		b.WriteByte(letters[n%uint64(len(letters))])
		b.WriteByte("aeiou"[n%5])
	}
	return b.String()
}

func (p *prose) sentence(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = p.word()
	}
	return strings.Join(list, " ")
}

func (p *prose) vector() []float32 {
	v := make([]float32, benchWidth)
	for i := range v {
		v[i] = float32(p.r.NormFloat64())
	}
	if err := embedding.Normalize(v); err != nil {
		panic(err)
	}
	return v
}

// large is a world with n memories of ann's, indexed.
func large(b *testing.B, n int) (*world, *prose) {
	b.Helper()
	w, p := open(b), newProse()
	w.on("bench")
	const batch = 1000
	for from := 0; from < n; from += batch {
		if err := w.db.Update(ctx, func(tx *db.Tx) error {
			list := make([]memory.Carried, batch)
			for i := range list {
				list[i] = memory.Carried{Body: p.sentence(8+p.r.IntN(12)) + fmt.Sprint(" ", from+i), Kind: "fact", Importance: 1 + i%10, Confidence: 0.8,
					CategoryID: w.shelf, Source: api.SourceUser, Status: api.StatusActive}
			}
			ids, err := w.memories.Insert(tx, w.ann, me, "", list)
			if err != nil {
				return err
			}
			texts, err := w.memories.Texts(tx, w.ann, ids)
			if err != nil {
				return err
			}
			items := make([]embedding.Item, len(texts))
			for i, t := range texts {
				items[i] = embedding.Item{Memory: t.Memory, BodyHash: t.Hash, Script: "Latn", Vectors: [][]float32{p.vector()}}
			}
			_, err = embedding.Put(tx, w.ann, w.snapshot.ID, items)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	return w, p
}

// question is one whose vector is there already.
func (w *world) question(p *prose) string {
	q := p.sentence(8)
	w.questions.put(w.snapshot.ID, q, p.vector())
	return q
}

func benchmarkRecall(b *testing.B, n int) {
	w, p := large(b, n)
	run := func(name string, r Request, explained bool) {
		b.Run(name, func(b *testing.B) {
			measured(b, func(int) {
				r.Query = w.question(p)
				if _, err := w.find(ctx, w.ann, r, explained); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
	run("recall", Request{}, false)
	run("excluding 5000", Request{Exclude: IDs(many(5_000))}, false)
	run("explained", Request{Limit: 100, Bytes: 200_000}, true)
	run("explained, excluding 5000", Request{Limit: 100, Bytes: 200_000, Exclude: IDs(many(5_000))}, true)
	b.Run("words", func(b *testing.B) {
		measured(b, func(int) {
			w.view(func(tx *db.Tx) error {
				_, err := lexicon.Find(tx, []db.AccountID{w.ann}, p.sentence(8), w.Store.o.Background())
				return err
			})
		})
	})
	b.Run("vectors", func(b *testing.B) {
		q := p.vector()
		measured(b, func(int) {
			w.view(func(tx *db.Tx) error {
				v, err := w.Store.o.Indexes.Open(tx, w.ann, w.snapshot)
				if err != nil {
					return err
				}
				defer v.Close()
				v.Nearest([][]float32{q}, vector.Filter{}, pool, 0)
				return nil
			})
		})
	})
	w.service.Use(&embedding.Snapshot{Stored: w.snapshot.Stored, Problem: "It is down."})
	run("keyword", Request{}, false)
}

func BenchmarkRecall10k(b *testing.B)  { benchmarkRecall(b, 10_000) }
func BenchmarkRecall100k(b *testing.B) { benchmarkRecall(b, 100_000) }
