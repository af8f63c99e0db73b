package command

import (
	"fmt"
	"io"

	"elowen/server/db"
)

type reindexCommand struct {
	User string `placeholder:"NAME" help:"Only this account; without, every one."`
}

// Run implements the command.
func (c *reindexCommand) Run(r *run) error {
	tell, done := r.progress("reindex", false)
	defer done()
	return r.with(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		total := 0
		for i, p := range people {
			n, err := st.memories.Reindex(r.ctx, db.AccountID(p.ID))
			if err != nil {
				return err
			}
			total += n
			tell(int64(i+1), int64(len(people)))
		}
		done()
		return r.show(map[string]int{"memories": total}, func(w io.Writer) { fmt.Fprintf(w, "Indexed the words of %d memories.\n", total) })
	})
}
