package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"elowen/server/memory"
	"elowen/server/transfer"
	"elowen/shared/api"
)

const callers = 32

// pace does n works from several callers at once and answers how many a second
// were done.
func pace(n int, work func(i int) error) (float64, error) {
	var next atomic.Int64
	var failed error
	var once sync.Once
	var wg sync.WaitGroup
	began := time.Now()
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
	return float64(n) / time.Since(began).Seconds(), failed
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
	var grouped float64
	ours, err := b.repeat(ctx, func() (float64, error) {
		s, err := b.freshStore(ctx, "add")
		if err != nil {
			return 0, err
		}
		defer s.drop()
		v, err := s.adds(ctx, bodies)
		decisions, groups := s.db.Counts()
		grouped = float64(decisions) / float64(max(1, groups))
		return v, err
	})
	if err != nil {
		return nil, err
	}
	theirs, err := b.repeat(ctx, func() (float64, error) {
		p, err := b.openPeer(ctx, callers)
		if err != nil {
			return 0, err
		}
		defer p.close()
		return pace(n, func(i int) error { return p.add(ctx, bodies[i]) })
	})
	if err != nil {
		return nil, err
	}
	list := []figure{of("durable adds, 32 callers, into an empty store", "/s", ours).to(above(2_000)).against("FTS5, each its own commit", theirs).
		noted("%.1f adds a commit", grouped)}
	full, err := b.addsIntoFull(ctx, bodies)
	if err != nil {
		return list, err
	}
	return append(list, full), nil
}

// addsIntoFull is the same where there are memories already.
func (b *bench) addsIntoFull(ctx context.Context, bodies []string) (figure, error) {
	d, err := b.hundred(ctx)
	if err != nil {
		return figure{}, err
	}
	bodies = bodies[:max(64, len(bodies)/4)]
	got, err := b.repeat(ctx, func() (float64, error) {
		dir, err := b.copied(d)
		if err != nil {
			return 0, err
		}
		s, err := openStore(ctx, dir)
		if err != nil {
			return 0, err
		}
		defer s.drop()
		return s.adds(ctx, bodies)
	})
	return of(fmt.Sprintf("durable adds, 32 callers, into a store of %s", short(float64(d.size))), "/s", got), err
}

func (s *store) adds(ctx context.Context, bodies []string) (float64, error) {
	return pace(len(bodies), func(i int) error {
		out, err := s.memories.Add(ctx, s.owner, me, api.SourceUser, api.MemoryAdd{Body: bodies[i]})
		if err == nil && out.Existing {
			err = errors.New("an add found its text there already")
		}
		return err
	})
}

// importLine is an import from JSONL, and the part of it that the store does.
func importLine(ctx context.Context, b *bench) ([]figure, error) {
	n := b.size(100_000, 200)
	now := time.Now().UnixMilli()
	text, err := newCorpus(3).jsonl(n, now)
	if err != nil {
		return nil, err
	}
	whole, err := b.repeat(ctx, func() (float64, error) {
		s, err := b.freshStore(ctx, "import")
		if err != nil {
			return 0, err
		}
		defer s.drop()
		began := time.Now()
		report, err := s.transfer.Import(ctx, s.owner, bytes.NewReader(text), transfer.Options{By: memory.Actor{Name: memory.ActorImport}, TempDir: s.dir})
		took := time.Since(began).Seconds()
		if err == nil && report.Added != n {
			err = fmt.Errorf("the import added %d of %d", report.Added, n)
		}
		return float64(n) / took, err
	})
	if err != nil {
		return nil, err
	}
	carried := make([]memory.Carried, n)
	bodies := make([]string, n)
	for i, c := 0, newCorpus(3); i < n; i++ {
		carried[i] = c.carried(now)
		bodies[i] = carried[i].Body
	}
	stored, err := b.repeat(ctx, func() (float64, error) {
		s, err := b.freshStore(ctx, "insert")
		if err != nil {
			return 0, err
		}
		defer s.drop()
		began := time.Now()
		i := 0
		err = s.fill(ctx, n, func(int64) memory.Carried { i++; return carried[i-1] })
		return float64(n) / time.Since(began).Seconds(), err
	})
	if err != nil {
		return nil, err
	}
	theirs, err := b.repeat(ctx, func() (float64, error) {
		p, err := b.openPeer(ctx, 1)
		if err != nil {
			return 0, err
		}
		defer p.close()
		began := time.Now()
		err = p.fill(ctx, bodies)
		return float64(n) / time.Since(began).Seconds(), err
	})
	if err != nil {
		return nil, err
	}
	return []figure{
		of("import of "+short(float64(n))+" lines, with audit, change and words", "/s", whole).to(above(15_000)).against("FTS5, bulk", theirs),
		of("of it, what the store does", "/s", stored).against("FTS5, bulk", theirs),
	}, nil
}
