package command

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
)

type reindexCommand struct {
	User string `placeholder:"NAME" help:"Only this account; without, every one."`
}

// Run implements the command.
func (c *reindexCommand) Run(r *run) error {
	return r.maintain(c.User, api.MaintenanceStart{Operation: api.OperationReindex}, "Indexed")
}

// reindexOutdated builds anew what an older program made of the words.
func (st *stores) reindexOutdated(ctx context.Context) error {
	var outdated, transcripts []db.AccountID
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
			if old, err = st.transcripts.IndexOutdated(tx, owner); err != nil {
				return err
			}
			if old {
				transcripts = append(transcripts, owner)
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
	for _, owner := range transcripts {
		n, err := st.transcripts.Reindex(ctx, owner)
		if err != nil {
			return err
		}
		st.log.Info("indexed the words of transcripts anew, in this version's way", "account", owner, "turns", n)
	}
	return nil
}
