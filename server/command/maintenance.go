package command

import (
	"fmt"
	"io"
	"time"

	"elowen/server/categorizer"
	"elowen/server/db"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/job"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// sorter makes what sorts new memories in the background.
func (st *stores) sorter(s *System, changes *feed.Feed) *categorizer.Categorizer {
	return categorizer.New(categorizer.Options{
		DB: st.db, Memories: st.memories, Models: st.models, Service: st.embedding, Feed: changes, Wake: s.Wake, Log: st.log,
	})
}

// maintenance makes what runs maintenance jobs.
func (st *stores) maintenance(q *queue.Queue, sorter *categorizer.Categorizer) *job.Store {
	return job.New(st.db, job.Options{Log: st.log, Works: map[string]job.Work{
		api.OperationReindex:      &job.Reindex{Memories: st.memories, DB: st.db, Service: st.embedding, State: q.StateIn, Transcripts: st.transcripts},
		api.OperationRecategorize: &job.Recategorize{Memories: st.memories, DB: st.db, Categorizer: sorter, Log: st.log},
	}})
}

// beside runs what jobs need for a command without a server, until done is called.
func (r *run) beside(st *stores) (done func(), err error) {
	if st.jobs != nil {
		return func() {}, nil // the server does it
	}
	a, err := r.attend(st, jobsAlone)
	if err != nil {
		return nil, err
	}
	return a.end, nil
}

// followed is how often a command looks how far a job is.
const followed = 100 * time.Millisecond

// maintain runs an operation on accounts, one after the other, and shows how far it
// is. Where one does not complete, the others still do.
func (r *run) maintain(user string, in api.MaintenanceStart, verb string) error {
	tell, done := r.progress(in.Operation, false)
	defer done()
	return r.with(func(st *stores) error {
		people, err := whose(r, st, user)
		if err != nil {
			return err
		}
		end, err := r.beside(st)
		if err != nil {
			return err
		}
		defer end()
		out := struct {
			Memories int               `json:"memories"`
			Failed   int               `json:"failed"`
			Jobs     []api.Maintenance `json:"jobs"`
		}{Jobs: []api.Maintenance{}}
		failed := false
		for _, p := range people {
			m, err := r.follow(st, db.AccountID(p.ID), in, tell)
			if err != nil {
				return err
			}
			out.Memories, out.Failed, out.Jobs = out.Memories+m.Succeeded, out.Failed+m.Failed, append(out.Jobs, m)
			if m.Status != api.JobCompleted {
				failed = true
				fmt.Fprintf(r.Stderr, "elowen: %s of %s: %s. %s\n", in.Operation, visible(p.Name), m.Status, visible(m.Error))
			}
		}
		done()
		err = r.show(out, func(w io.Writer) {
			fmt.Fprintf(w, "%s %d memories", verb, out.Memories)
			if out.Failed > 0 {
				fmt.Fprintf(w, "; %d failed, the log says why", out.Failed)
			}
			fmt.Fprintln(w, ".")
		})
		if err == nil && failed {
			return exitError(exitFailed)
		}
		return err
	})
}

// follow starts a job and waits for its end.
func (r *run) follow(st *stores, owner db.AccountID, in api.MaintenanceStart, tell func(done, total int64)) (api.Maintenance, error) {
	m, err := st.jobs.Start(r.ctx, owner, in, false)
	tick := time.NewTicker(followed)
	defer tick.Stop()
	for err == nil && m.Running() {
		if m.Total > 0 {
			tell(int64(m.Processed), int64(m.Total))
		}
		select {
		case <-tick.C:
			m, err = st.jobs.Get(r.ctx, owner, m.ID)
		case <-r.ctx.Done():
			return m, fault.Wrap(fault.Cancelled, r.ctx.Err(), "It was broken off. Started again, it goes on where it was.")
		}
	}
	return m, err
}

type recategorizeCommand struct {
	User string `placeholder:"NAME" help:"Only this account; without, every one."`
	All  bool   `help:"Sort every memory again, also those that somebody has filed."`
	Yes  bool   `help:"Don't ask whether all are meant."`
}

// inquire implements inquisitive.
func (c *recategorizeCommand) inquire(r *run) ([]string, error) {
	if !c.All || c.Yes {
		return nil, nil
	}
	answer, err := r.Line("Sort every memory again, also those that somebody has filed by hand? [y/N] ")
	if err == nil && answer != "y" && answer != "yes" {
		err = fault.New(fault.Cancelled, "Nothing was changed.")
	}
	c.Yes = true
	return []string{"--yes"}, err
}

// Run implements the command.
func (c *recategorizeCommand) Run(r *run) error {
	in := api.MaintenanceStart{Operation: api.OperationRecategorize, Mode: api.RecategorizeUncategorized}
	if c.All {
		in.Mode = api.RecategorizeAll
	}
	return r.maintain(c.User, in, "Looked at")
}

type calibrateCommand struct {
	User string `placeholder:"NAME" help:"Only this account; without, every one."`
}

// Run implements the command.
func (c *calibrateCommand) Run(r *run) error {
	return r.withExisting(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		type measured struct {
			Account string `json:"account"`
			api.Calibrated
		}
		list := make([]measured, len(people))
		for i, p := range people {
			out, err := st.measure.Measure(r.ctx, db.AccountID(p.ID))
			if err != nil {
				return err
			}
			list[i] = measured{p.Name, out}
		}
		return r.show(list, func(w io.Writer) {
			for _, m := range list {
				switch {
				case m.Model == "":
					fmt.Fprintf(w, "%s: no embedding model is set up, so there is nothing to calibrate.\n", visible(m.Account))
				case !m.Enough:
					fmt.Fprintf(w, "%s: %d memories are indexed for %s, too few to propose anything by.\n", visible(m.Account), m.Memories, visible(m.Model))
				default:
					fmt.Fprintf(w, "%s, %d memories, %s (per mille):\n", visible(m.Account), m.Memories, visible(m.Model))
					fmt.Fprintf(w, "  strangers: half below %d, one in a hundred above %d\n", m.Strangers.Median, m.Strangers.Most)
					fmt.Fprintf(w, "  nearest: half below %d, one in a hundred above %d\n", m.Nearest.Median, m.Nearest.Most)
					fmt.Fprintf(w, "  proposed: duplicateThreshold %d, paraphraseThreshold %d (now %s and %s)\n",
						*m.Proposed.DuplicateThreshold, *m.Proposed.ParaphraseThreshold, orDefault(m.Current.DuplicateThreshold), orDefault(m.Current.ParaphraseThreshold))
				}
			}
		})
	})
}

func orDefault(v *int) string {
	if v == nil {
		return "the default"
	}
	return fmt.Sprint(*v)
}
