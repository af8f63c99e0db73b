package command

import (
	"fmt"
	"io"

	"elowen/server/db"
	"elowen/shared/api"
)

type statsCommand struct {
	User string `placeholder:"NAME" help:"Only this account; without, every one."`
}

// userStats are an account's counts.
type userStats struct {
	User string `json:"user"`
	api.MemoryStats
}

// Run implements the command.
func (c *statsCommand) Run(r *run) error {
	return r.reading(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		list := []userStats{}
		for _, p := range people {
			stats, err := st.memories.Stats(r.ctx, db.AccountID(p.ID))
			if err != nil {
				return err
			}
			list = append(list, userStats{p.Name, stats})
		}
		return r.show(list, func(w io.Writer) {
			table(w, []string{"USER", "ACTIVE", "TRASH", "CONSOLIDATED", "NO CATEGORY", "DUE NOW"}, func(add func(...any)) {
				for _, s := range list {
					add(s.User, s.Active, s.Deleted, s.Consolidated, s.Uncategorized, s.DueNow)
				}
			})
			if len(list) == 0 {
				fmt.Fprintln(w, "There are no accounts yet.")
			}
		})
	})
}
