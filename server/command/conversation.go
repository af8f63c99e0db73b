package command

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// conversations puts together what answers in conversations. Only a server has it.
func (st *stores) conversations(s *System) *turn.Store {
	return turn.New(st.db, turn.Options{
		Snapshots: journal.NewSnapshots(0), Memories: st.memories, Recall: st.recall, Models: turn.ModelsOf(st.models),
		Kit: st.tools().Kit(), Identify: st.conversing, Wake: s.Wake, Log: st.log,
	})
}

// conversing is who a tool of a conversation acts for.
func (st *stores) conversing(ctx context.Context, owner db.AccountID) (who account.Identity, err error) {
	err = st.db.View(ctx, func(tx *db.Tx) error {
		who = account.Identity{Owner: owner, Scopes: []string{api.ScopeRead, api.ScopeWrite}}
		me, err := account.MeIn(tx, who)
		if err == nil && me.Disabled {
			err = fault.New(fault.Unauthenticated, "The account is disabled.")
		}
		who.Name, who.Role = me.Name, me.Role
		return err
	})
	return who, err
}
