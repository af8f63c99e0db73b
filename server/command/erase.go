package command

import (
	"context"
	"fmt"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/embedding"
	"elowen/server/embedding/queue"
	"elowen/server/job"
	"elowen/server/journal"
	"elowen/server/late"
	"elowen/server/lexicon"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/project"
	"elowen/server/remote"
	"elowen/server/schedule"
	"elowen/server/transcript"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// eraseStep is what one noun removes of an owner's.
type eraseStep struct {
	noun  string
	erase func(*db.Tx, db.AccountID) error
}

// eraseSteps is everything that an owner, a person or a pool, has in any noun but its
// account, in an order in which nothing points at what is gone. A test finds tables
// that none of them empties.
func (st *stores) eraseSteps() []eraseStep {
	return []eraseStep{
		{"model", model.EraseAccount},
		{"delivery", delivery.EraseAccount},
		{"turn", turn.EraseAccount},
		{"remote", remote.EraseAccount},
		{"transcript", transcript.EraseAccount},
		{"journal", journal.EraseAccount},
		{"transfer", st.transfer.EraseAccount},
		{"retention", st.retention.EraseAccount},
		{"schedule", schedule.EraseAccount},
		{"job", job.EraseAccount},
		{"queue", queue.EraseAccount},
		{"lexicon", lexicon.EraseAccount},
		{"late", late.EraseAccount},
		{"embedding", embedding.EraseAccount},
		{"memory", memory.EraseAccount}, // what it wrote into pools is handed over, which is audited
		{"audit", audit.EraseAccount},
		{"category", category.EraseAccount},
	}
}

// eraseOwned does the steps.
func (st *stores) eraseOwned(tx *db.Tx, owner db.AccountID) error {
	for _, step := range st.eraseSteps() {
		if err := step.erase(tx, owner); err != nil {
			return fmt.Errorf("%s: %w", step.noun, err)
		}
	}
	tx.Erase()
	return tx.EraseAccountLog(owner)
}

// erase removes a person's account from every noun, in one decision.
func (st *stores) erase(ctx context.Context, name string) (api.Person, error) {
	// Disabled first, in a decision of its own: its windows close before its log goes.
	p, err := st.accounts.Patch(ctx, account.Identity{}, name, 0, api.PersonPatch{Disabled: api.Ptr(true)})
	if err != nil {
		return p, err
	}
	err = st.db.Update(ctx, func(tx *db.Tx) error {
		owner := db.AccountID(p.ID)
		if err := account.MarkErasing(tx, owner); err != nil {
			return err
		}
		if err := project.EraseAccount(tx, owner); err != nil {
			return err
		}
		if err := st.eraseOwned(tx, owner); err != nil {
			return err
		}
		return account.Delete(tx, owner)
	})
	if err == nil {
		st.drop(db.AccountID(p.ID))
	}
	return p, err
}

// drop lets go what is resident of an owner that is erased.
func (st *stores) drop(owner db.AccountID) {
	st.indexes.Drop(owner)
	st.transcripts.Drop(owner)
	st.servers.Drop(owner)
	if st.turns != nil {
		st.turns.Forget(owner) // before its outputs go: a turn that was ended keeps no more
	}
	if err := st.outputs.EraseAccount(owner); err != nil {
		st.log.Warn("the kept outputs of an account could not be removed; the next start of the server does it", "error", err)
	}
}

// erasePool removes the pool of a project that is deleted. One that holds memories is
// refused: they are several people's.
func (st *stores) erasePool(tx *db.Tx, pool db.AccountID) error {
	n, err := memory.Held(tx, pool)
	if err != nil {
		return err
	}
	if n > 0 {
		return fault.Newf(fault.Taken, "The project's pool still holds %d memories, with those in its trash. Purge them first; nothing was deleted.", n)
	}
	if err := account.MarkPool(tx, pool); err != nil {
		return err
	}
	if err := st.eraseOwned(tx, pool); err != nil {
		return err
	}
	if err := account.ErasePool(tx, pool); err != nil {
		return err
	}
	st.drop(pool) // if the decision fails after all, what there is is read again
	return nil
}
