package command

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"elowen/server/backup"
	"elowen/server/categorizer"
	"elowen/server/db"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/schedule"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// keeper makes what looks after the folder of backups.
func (st *stores) keeper() *backup.Keeper {
	return backup.NewKeeper(st.db, st.retention, filepath.Join(st.dir, backupsDir), setting.Int("backup.kept"))
}

// recurring makes the schedule of what comes back every day.
func (st *stores) recurring(s *System, keeper *backup.Keeper, boot bool) *schedule.Schedule {
	tasks := []schedule.Task{st.retention.Daily(), st.retention.Housekeeping(), {
		Name: "backup", Every: schedule.Daily, Boot: true, Run: func(ctx context.Context, _ schedule.Turn) error { return keeper.Daily(ctx) },
	}}
	for i := range tasks {
		tasks[i].Boot = tasks[i].Boot && boot
	}
	return schedule.New(st.db, s.Wake, st.log, tasks...)
}

// background starts all that a server does beside requests and on its own: recurring
// work, indexing, sorting, getting to know a model, jobs. It ends with work.
func (st *stores) background(work context.Context, running *sync.WaitGroup, s *System, recurring *schedule.Schedule, q *queue.Queue, sorter *categorizer.Categorizer) {
	for _, run := range []func(context.Context){recurring.Run, q.Run, st.learner(s).Run, sorter.Run, st.jobs.Run} {
		running.Go(func() { run(work) })
	}
}

// attendance is the work of a server, done by a program that has none.
type attendance struct {
	st    *stores
	queue *queue.Queue
	end   func() // waits until nothing of it runs any more
}

// extent is how much of a server's work is done.
type extent int

const (
	jobsAlone extent = iota // what a job needs: the job itself, and indexing
	resumed                 // everything, where an earlier one began it
	begun                   // everything, and at once what a server begins with
)

// attend does a server's work until end is called. One program without a server does it
// at a time: while another one does, it is fault.Unavailable.
func (r *run) attend(st *stores, how extent) (*attendance, error) {
	mine, err := acquire(r.data, jobsLock, true)
	if errors.Is(err, errHeld) {
		return nil, fault.Newf(fault.Unavailable, "Another elowen%s does maintenance on %s. Try again when it is done.", holder(r.data, jobsLock), r.data)
	}
	if err != nil {
		return nil, err
	}
	changes := feed.New(st.db)
	failed := func(err error) (*attendance, error) {
		st.jobs = nil
		changes.Close()
		mine.release()
		return nil, err
	}
	if err := st.models.Apply(r.ctx); err != nil {
		return failed(err)
	}
	q, sorter := st.queue(r.System, changes), st.sorter(r.System, changes)
	st.jobs = st.maintenance(q, sorter)
	if _, err := st.jobs.Interrupt(r.ctx); err != nil {
		return failed(err)
	}
	work, stop := context.WithCancel(context.WithoutCancel(r.ctx))
	var running sync.WaitGroup
	if how == jobsAlone {
		running.Go(func() { q.Run(work) })
		running.Go(func() { st.jobs.Run(work) })
	} else {
		recurring := st.recurring(r.System, st.keeper(), how == begun)
		err := st.reindexOutdated(r.ctx)
		if err == nil && how == begun {
			err = recurring.Boot(r.ctx)
		}
		if err != nil {
			stop()
			return failed(err)
		}
		st.background(work, &running, r.System, recurring, q, sorter)
	}
	return &attendance{st: st, queue: q, end: func() {
		stop()
		running.Wait()
		st.jobs = nil
		changes.Close()
		mine.release()
	}}, nil
}

// busy tells whether memories wait for their vectors that a model could make.
func (a *attendance) busy(ctx context.Context) bool {
	people, err := a.st.accounts.People(ctx)
	if err != nil {
		return false
	}
	for _, p := range people {
		state, err := a.queue.State(ctx, db.AccountID(p.ID))
		if err == nil && state.Model != "" && state.Problem == "" && state.Indexed+state.Failed < state.Total {
			return true
		}
	}
	return false
}
