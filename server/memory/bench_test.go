package memory

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"elowen/server/db"
	"elowen/shared/api"
)

// measured resets the timer, and reports rate and processor time when the benchmark
// ends: the machine may be busy with other things.
func measured(b *testing.B, unit string, work func()) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	b.ResetTimer()
	before := used()
	work()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
	b.ReportMetric(float64((used()-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkAdd32 is explicit adds by 32 callers at once, each durable, with audit,
// change log, index of words and the search for similar ones.
func BenchmarkAdd32(b *testing.B) {
	f := open(b)
	bodies := make([]string, b.N)
	p := newProse(1)
	for i := range bodies {
		bodies[i] = p.sentence()
	}
	measured(b, "adds", func() {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= b.N {
						return
					}
					if _, err := f.Add(ctx, f.ann, me, api.SourceUser, api.MemoryAdd{Body: bodies[i]}); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
}

// BenchmarkInsert is an import, with audit, change log and index of words.
func BenchmarkInsert(b *testing.B) {
	f := open(b)
	list := carried(b.N, f.clock.Now())
	measured(b, "memories", func() { f.insert(list) })
}

// carried makes memories as an import brings them.
func carried(n int, now int64) []Carried {
	p := newProse(2)
	list := make([]Carried, n)
	for i := range list {
		at := now - int64(p.r.IntN(400*day))
		list[i] = Carried{Body: p.sentence(), Importance: 1 + p.r.IntN(10), Confidence: 0.8, CreatedAt: at}
		if p.r.IntN(2) == 0 {
			list[i].UseCount, list[i].LastUsedAt = int64(p.r.IntN(9)+1), at+int64(p.r.IntN(int(now-at+1)))
		}
	}
	return list
}

// insert imports memories of ann's, in transactions as an import makes them.
func (f *fixture) insert(list []Carried) {
	f.t.Helper()
	for len(list) > 0 {
		n := min(len(list), 8192)
		f.update(func(tx *db.Tx) error {
			_, err := f.Insert(tx, f.ann, Actor{Name: ActorImport}, "", list[:n])
			return err
		})
		list = list[n:]
	}
}
