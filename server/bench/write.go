package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"elowen/server/audit"
	"elowen/server/memory"
	"elowen/server/transfer"
	"elowen/shared/api"
)

const callers = 32

// pace is how fast some work went.
type pace struct {
	rate float64 // a second, by the clock
	each float64 // microseconds of CPU for one
}

// timed does a work of n parts.
func timed(n int, work func() error) (pace, error) {
	runtime.GC()
	began, used := time.Now(), cpu()
	err := work()
	took, used := time.Since(began), cpu()-used
	return pace{float64(n) / took.Seconds(), millis(used) * 1000 / float64(n)}, err
}

// together does n works from several callers at once.
func together(n int, work func(i int) error) func() error {
	return func() error {
		var next atomic.Int64
		var failed error
		var once sync.Once
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= n {
						return
					}
					if err := work(i); err != nil {
						once.Do(func() { failed = err })
						return
					}
				}
			})
		}
		wg.Wait()
		return failed
	}
}

// paces are the paces of several runs.
type paces struct{ rate, each sample }

// alternate does several works in turn, runs times, so that what else happens on
// the machine happens to all of them.
func (b *bench) alternate(ctx context.Context, works ...func() (pace, error)) ([]paces, error) {
	out := make([]paces, len(works))
	for range b.runs {
		for i, work := range works {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			p, err := work()
			if err != nil {
				return nil, err
			}
			out[i].rate, out[i].each = append(out[i].rate, p.rate), append(out[i].each, p.each)
		}
	}
	return out, nil
}

// addLine is explicit adds as an API call makes them: with the look for similar
// ones, the row, its audit, its change and its words, each acknowledged when it is
// durable.
func addLine(ctx context.Context, b *bench) ([]figure, error) {
	n := b.size(8_000, 64)
	bodies := make([]string, n)
	for i, c := 0, newCorpus(2); i < n; i++ {
		bodies[i] = c.sentence()
	}
	d, err := b.hundred(ctx)
	if err != nil {
		return nil, err
	}
	var grouped float64
	got, err := b.alternate(ctx,
		func() (pace, error) {
			s, err := b.freshStore(ctx, "add")
			if err != nil {
				return pace{}, err
			}
			defer s.drop()
			p, err := s.adds(ctx, bodies)
			decisions, groups := s.db.Counts()
			grouped = float64(decisions) / float64(max(1, groups))
			return p, err
		},
		func() (pace, error) {
			p, err := b.openPeer(ctx, callers)
			if err != nil {
				return pace{}, err
			}
			defer p.close()
			return timed(n, together(n, func(i int) error { return p.add(ctx, bodies[i]) }))
		},
		func() (pace, error) {
			dir, err := b.copied(d)
			if err != nil {
				return pace{}, err
			}
			s, err := openStore(ctx, dir)
			if err != nil {
				return pace{}, err
			}
			defer s.drop()
			return s.adds(ctx, bodies[:max(64, n/4)])
		})
	if err != nil {
		return nil, err
	}
	ours, theirs, full := got[0], got[1], got[2]
	const peer = "FTS5, each its own commit"
	into := fmt.Sprintf("32 callers, into a store of %s", short(float64(d.size)))
	return []figure{
		of("durable adds, 32 callers, into an empty store", "/s", ours.rate).to(above(2_000)).against(peer, theirs.rate).noted("%.1f adds a commit", grouped),
		of("of it, effort of one", "µs CPU", ours.each).against(peer, theirs.each),
		of("durable adds, "+into, "/s", full.rate),
		of("of it, effort of one", "µs CPU", full.each),
	}, nil
}

func (s *store) adds(ctx context.Context, bodies []string) (pace, error) {
	return timed(len(bodies), together(len(bodies), func(i int) error {
		out, err := s.memories.Add(ctx, s.owner, me, api.SourceUser, api.MemoryAdd{Body: bodies[i]})
		if err == nil && out.Existing {
			err = errors.New("an add found its text there already")
		}
		return err
	}))
}

// importLine is an import from JSONL, and the part of it that the store does.
func importLine(ctx context.Context, b *bench) ([]figure, error) {
	n := b.size(100_000, 200)
	now := time.Now().UnixMilli()
	text, err := newCorpus(3).jsonl(n, now)
	if err != nil {
		return nil, err
	}
	carried := make([]memory.Carried, n)
	bodies := make([]string, n)
	for i, c := 0, newCorpus(3); i < n; i++ {
		carried[i] = c.carried(now)
		bodies[i] = carried[i].Body
	}
	got, err := b.alternate(ctx,
		func() (pace, error) {
			s, err := b.freshStore(ctx, "import")
			if err != nil {
				return pace{}, err
			}
			defer s.drop()
			return timed(n, func() error {
				o := transfer.Options{By: audit.Actor{Name: audit.ActorImport}, TempDir: s.dir}
				report, err := s.transfer.Import(ctx, s.owner, bytes.NewReader(text), o)
				if err == nil && report.Added != n {
					err = fmt.Errorf("the import added %d of %d", report.Added, n)
				}
				return err
			})
		},
		func() (pace, error) {
			s, err := b.freshStore(ctx, "insert")
			if err != nil {
				return pace{}, err
			}
			defer s.drop()
			i := 0
			return timed(n, func() error {
				return s.fill(ctx, n, func(int64) memory.Carried { i++; return carried[i-1] })
			})
		},
		func() (pace, error) {
			p, err := b.openPeer(ctx, 1)
			if err != nil {
				return pace{}, err
			}
			defer p.close()
			return timed(n, func() error { return p.fill(ctx, bodies) })
		})
	if err != nil {
		return nil, err
	}
	whole, stored, theirs := got[0], got[1], got[2]
	const peer = "FTS5, bulk"
	return []figure{
		of("import of "+short(float64(n))+" lines, with audit, change and words", "/s", whole.rate).to(above(15_000)).against(peer, theirs.rate),
		of("of it, effort of one", "µs CPU", whole.each).against(peer, theirs.each),
		of("the same, only what the store does", "/s", stored.rate).against(peer, theirs.rate),
		of("of it, effort of one", "µs CPU", stored.each).against(peer, theirs.each),
	}, nil
}
