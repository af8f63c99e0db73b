package encoder

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"elowen/server/embedding/local/kernel"
)

// benchmark encodes texts of so many tokens with a model of the real size, and
// reports the processor time a text: the machine may be busy with other things.
func benchmark(b *testing.B, texts, tokens int) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	w := random(9, 384, 1536, 12, 12, 512, 1000)
	rng := rand.New(rand.NewPCG(9, 9))
	var ids [][]int32
	for range texts {
		ids = append(ids, sequence(rng, tokens, w.Vocab))
	}
	for _, k := range kernel.All() {
		b.Run(k.Name(), func(b *testing.B) {
			e := must(b, k, w)
			b.ReportAllocs()
			b.ResetTimer()
			before := used()
			for range b.N {
				if _, err := e.Mean(b.Context(), ids); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N*texts)/1000, "cpu-ms/text")
		})
	}
}

func BenchmarkQueryOf12Tokens(b *testing.B) { benchmark(b, 1, 12) }
func BenchmarkTextOf45Tokens(b *testing.B)  { benchmark(b, 1, 45) }
func BenchmarkTextOf512Tokens(b *testing.B) { benchmark(b, 1, 512) }
func BenchmarkBatchOf4Times45(b *testing.B) { benchmark(b, 4, 45) }

// BenchmarkNew is what packing a model costs at the start.
func BenchmarkNew(b *testing.B) {
	w := random(9, 384, 1536, 12, 12, 512, 1000)
	fewBits(&w)
	for b.Loop() {
		if _, err := New(w); err != nil {
			b.Fatal(err)
		}
	}
}
