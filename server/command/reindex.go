package command

import (
	"context"
	"fmt"
	"io"

	"elowen/server/account"
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
		owners, err := c.owners(r, st)
		if err != nil {
			return err
		}
		total := 0
		for i, owner := range owners {
			n, err := st.memories.Reindex(r.ctx, owner)
			if err != nil {
				return err
			}
			total += n
			tell(int64(i+1), int64(len(owners)))
		}
		done()
		return r.show(map[string]int{"memories": total}, func(w io.Writer) { fmt.Fprintf(w, "Indexed the words of %d memories.\n", total) })
	})
}

// owners are the one account, or all there are, pools too.
func (c *reindexCommand) owners(r *run, st *stores) (list []db.AccountID, err error) {
	if c.User != "" {
		p, err := st.accounts.Person(r.ctx, c.User)
		return []db.AccountID{db.AccountID(p.ID)}, err
	}
	err = st.db.View(r.ctx, func(tx *db.Tx) error {
		list, err = account.Owners(tx)
		return err
	})
	return list, err
}

// reindexOutdated builds anew what an older program made of the words.
func (st *stores) reindexOutdated(ctx context.Context) error {
	var outdated []db.AccountID
	err := st.db.View(ctx, func(tx *db.Tx) error {
		owners, err := account.Owners(tx)
		if err != nil {
			return err
		}
		for _, owner := range owners {
			old, err := st.memories.IndexOutdated(tx, owner)
			if err != nil {
				return err
			}
			if old {
				outdated = append(outdated, owner)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, owner := range outdated {
		n, err := st.memories.Reindex(ctx, owner)
		if err != nil {
			return err
		}
		st.log.Info("indexed the words anew, in this version's way", "account", owner, "memories", n)
	}
	return nil
}
