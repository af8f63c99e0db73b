package command

import (
	"context"

	"elowen/server/account"
	"elowen/server/code"
	"elowen/server/db"
	"elowen/server/file"
	"elowen/server/journal"
	"elowen/server/output"
	"elowen/server/script"
	"elowen/server/settings"
	"elowen/server/tool"
	"elowen/server/turn"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// conversations puts together what answers in conversations. Only a server has it.
func (st *stores) conversations(s *System) *turn.Store {
	return turn.New(st.db, turn.Options{
		Snapshots: journal.NewSnapshots(0), Memories: st.memories, Recall: st.recall, Models: turn.ModelsOf(st.models),
		Kit: st.kit(), Identify: st.conversing, Wake: s.Wake, Log: st.log,
		Deleted: func(owner db.AccountID, conversation int64) {
			if err := st.outputs.Remove(owner, conversation); err != nil {
				st.log.Warn("the kept outputs of a conversation could not be removed", "conversation", conversation, "error", err)
			}
		},
	})
}

// kit is what the model of a conversation may call: memories, the files of its project,
// servers that its owner has added, scripts that call those, and what bounds them all.
func (st *stores) kit() tool.Kit {
	within := tool.Kits{
		st.tools().Kit(),
		file.New(file.Options{Projects: st.projects, Allowed: func(ctx context.Context) (bool, error) {
			r, err := st.runtime(ctx)
			return r.FileTools, err
		}}),
		st.servers,
	}
	return output.Bounded(tool.Kits{within, script.New(within, code.New(code.Options{Log: st.log}), st.log)}, st.outputs)
}

// runtime is how the instance is set.
func (st *stores) runtime(ctx context.Context) (out api.Runtime, err error) {
	err = st.db.View(ctx, func(tx *db.Tx) error {
		out, err = settings.ReadRuntime(tx, 0)
		return err
	})
	return out, err
}

// tidyOutputs removes what was kept of conversations that are gone: deleted by a command,
// or with their account, while no server ran.
func (st *stores) tidyOutputs(ctx context.Context) error {
	return st.outputs.Tidy(func(owner db.AccountID, conversation int64) (there bool, err error) {
		err = st.db.View(ctx, func(tx *db.Tx) error {
			_, err := journal.Get(tx, owner, conversation)
			if there = err == nil; fault.Is(err, fault.NotFound) {
				err = nil
			}
			return err
		})
		return there, err
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
