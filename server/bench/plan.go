package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/vitality"
)

// planPage is how many candidates are planned at a time, as the sweep does it.
const planPage = 200

// planLine is the whole plan over a million memories of which most are due: each
// one decided, in the sweep's order, with its reason; and what a dry run, which
// only counts, takes.
func planLine(ctx context.Context, b *bench) ([]figure, error) {
	s, err := b.freshStore(ctx, "plan")
	if err != nil {
		return nil, err
	}
	defer s.drop()
	n := b.size(1_000_000, 2_000)
	b.say("  making a store of %d memories", n)
	// The plan never looks at bodies, so they are short.
	c, i := newCorpus(4), 0
	brief := func(now int64) memory.Carried {
		i++
		return memory.Carried{
			Body: "memory " + strconv.Itoa(i), Importance: 1 + i%10, Confidence: 0.8,
			CreatedAt: now - 30*vitality.DayMillis - int64(c.r.IntN(900*vitality.DayMillis)),
		}
	}
	if err := s.fill(ctx, n/10, brief); err != nil {
		return nil, err
	}
	_, _, small, err := s.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.fill(ctx, n-n/10, brief); err != nil {
		return nil, err
	}
	var due int
	var peaks sample
	took, err := b.repeat(ctx, func() (float64, error) {
		ms, count, peak, err := s.plan(ctx)
		due = count
		peaks = append(peaks, peak)
		return ms / 1000, err
	})
	if err != nil {
		return nil, err
	}
	dry, err := b.repeat(ctx, func() (float64, error) {
		began := cpu()
		swept, err := s.retention.DryRun(ctx)
		if err == nil && swept.Total().Due != due {
			err = fmt.Errorf("the dry run finds %d due and the plan %d", swept.Total().Due, due)
		}
		return millis(cpu()-began) / 1000, err
	})
	return []figure{
		of("plan over "+short(float64(n))+", each decided", "s CPU", took).to(below(3)).noted("%s due", short(float64(due))),
		of("heap while planning, beyond what was there", "MB", peaks).to(below(max(16, 2*small))).
			noted("%s MB with a tenth of them: flat", short(small)),
		of("dry run of the sweep", "s CPU", dry),
	}, err
}

// plan decides for every memory that is due. It answers the CPU milliseconds, how
// many there were, and the most heap that it took, in MB.
func (s *store) plan(ctx context.Context) (ms float64, due int, peak float64, err error) {
	debug.FreeOSMemory()
	heap := watchHeap()
	began := cpu()
	err = s.db.View(ctx, func(tx *db.Tx) error {
		terms, err := s.settings.Terms(tx)
		if err != nil {
			return err
		}
		left := terms.Policy.DailyLimit
		page := make([]retention.Candidate, 0, planPage)
		decide := func() error {
			decisions, err := retention.Plan(page, terms.Policy, tx.Now, left)
			if err != nil {
				return err
			}
			for _, d := range decisions {
				switch d.Verdict {
				case retention.Trash:
					left--
				case retention.Keep:
					return fmt.Errorf("memory %d is a candidate, and the plan keeps it", d.ID)
				}
			}
			due += len(page)
			page = page[:0]
			return nil
		}
		for c, err := range s.memories.Due(tx, s.owner, terms, tx.Now) {
			if err != nil {
				return err
			}
			if page = append(page, retention.Candidate{ID: c.ID, Memory: c.Memory}); len(page) == planPage {
				if err := decide(); err != nil {
					return err
				}
			}
		}
		return decide()
	})
	ms = millis(cpu() - began)
	return ms, due, heap(), err
}

// watchHeap looks at the heap until the function that it gives is called, which
// answers by how many MB it was above the first look.
func watchHeap() func() float64 {
	look := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() float64 {
		metrics.Read(look)
		return float64(look[0].Value.Uint64()) / 1e6
	}
	first := read()
	most := first
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, read())
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	return func() float64 {
		close(stop)
		done.Wait()
		return most - first
	}
}
