package memory

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/words"
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
// change log, index of words and the search for similar ones, into stores of
// several sizes: what one costs should hardly depend on that. Give it -benchtime
// 8000x or so, so that the smallest don't grow far.
func BenchmarkAdd32(b *testing.B) {
	for _, n := range []int{0, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := open(b)
			f.insert(carried(n, f.clock.Now()))
			bodies := make([]string, b.N)
			p := newProse(1)
			for i := range bodies {
				bodies[i] = p.sentence()
			}
			measured(b, "adds", func() { f.addTogether(bodies) })
		})
	}
}

func (f *fixture) addTogether(bodies []string) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(bodies) {
					return
				}
				if _, err := f.Add(ctx, f.ann, me, api.SourceUser, api.MemoryAdd{Body: bodies[i]}); err != nil {
					f.t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkSimilar is the look for similar ones alone, in stores of several sizes.
func BenchmarkSimilar(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := open(b)
			f.insert(carried(n, f.clock.Now()))
			p := newProse(1)
			measured(b, "lookups", func() {
				for range b.N {
					if _, err := f.resembling(ctx, f.ann, api.MemoryAdd{}, p.sentence()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
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
			_, err := f.Insert(tx, f.ann, audit.Actor{Name: audit.ActorImport}, "", list[:n])
			return err
		})
		list = list[n:]
	}
}

// BenchmarkSearch100k is a keyword search over 100,000 memories: rare, common and
// half-typed words.
func BenchmarkSearch100k(b *testing.B) {
	f := open(b)
	list := carried(100_000, f.clock.Now())
	f.insert(list)
	rare := strings.Fields(list[777].Body)
	p := newProse(0)
	first := uint64(len(p.small))
	for name, q := range map[string]string{
		"common":   p.word(first) + " " + p.word(first+1) + " " + p.word(first+2),
		"sentence": list[4242].Body,
		"rare":     rare[len(rare)-2],
	} {
		for _, prefix := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/prefix=%v", name, prefix), func(b *testing.B) {
				hits := 0
				measured(b, "searches", func() {
					for range b.N {
						f.view(func(tx *db.Tx) error {
							list, _, err := f.Search(tx, f.ann, q, prefix)
							hits = len(words.Top(list, 300))
							return err
						})
					}
				})
				b.ReportMetric(float64(hits), "hits")
			})
		}
	}
	b.Run("similar", func(b *testing.B) {
		measured(b, "lookups", func() {
			for i := range b.N {
				if _, err := f.resembling(ctx, f.ann, api.MemoryAdd{}, list[i*7%len(list)].Body); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("briefs", func(b *testing.B) {
		measured(b, "catalogues", func() {
			for range b.N {
				f.view(func(tx *db.Tx) error {
					for _, err := range f.Briefs(tx, f.ann, nil) {
						if err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
	})
	b.Run("stats", func(b *testing.B) {
		measured(b, "stats", func() {
			for range b.N {
				if _, err := f.Stats(ctx, f.ann); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkHistory is the chart of a memory with 5,000 recorded recalls.
func BenchmarkHistory(b *testing.B) {
	f := open(b)
	c := Carried{Body: "often used", Importance: 7, CreatedAt: f.clock.Now() - 89*day}
	for i := range 5000 {
		c.Uses = append(c.Uses, api.Use{At: api.Time(f.clock.Now() - 88*day + int64(i)*88*day/5000), Kind: useRecall})
	}
	c.UseCount, c.LastUsedAt = 5000, int64(c.Uses[4999].At)
	f.insert([]Carried{c})
	id := f.export(f.ann)[0].ID
	measured(b, "charts", func() {
		for range b.N {
			if _, err := f.History(ctx, f.ann, id, 90); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDue goes through all memories that are due, of so many: 1,000,000 takes
// minutes to fill, so give it -benchtime 1x.
func BenchmarkDue(b *testing.B) {
	for _, n := range []int{10_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if n > 10_000 && testing.Short() {
				b.Skip("a million rows, and -short")
			}
			f := open(b)
			for left := n; left > 0; left -= 8192 {
				list := carried(min(left, 8192), f.clock.Now())
				for i := range list {
					list[i].Body = "x"
				}
				f.insert(list)
			}
			due := 0
			measured(b, "plans", func() {
				for range b.N {
					due = 0
					f.view(func(tx *db.Tx) error {
						for _, err := range f.Due(tx, f.ann, f.rules.terms, f.clock.Now()+400*day) {
							if err != nil {
								return err
							}
							due++
						}
						return nil
					})
				}
			})
			b.ReportMetric(float64(due), "due")
		})
	}
}
