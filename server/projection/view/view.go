// Package view has what live windows show beside memories: a file a view, each
// put together from the noun that it is of.
//
// # Concepts
//
// A view is a projection.View: rows with ids, read in the projector's snapshot,
// and what news they are touched by. Everything else (windows, versions, deltas,
// resuming) is the projector's, and is the same for all. A new noun that is to be
// seen live gets a file here and a line in All.
//
// # Invariants
//
// A view reads the account that it is asked about and no other. What it shows
// depends on the account, on what its Key tells, and on nothing else of who asks.
//
// # Tables
//
// None.
package view

import (
	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/job"
	"elowen/server/project"
	"elowen/server/projection"
	"elowen/server/retention"
	"elowen/server/turn"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// Sources are the nouns that the views read.
type Sources struct {
	Accounts   *account.Store
	Categories *category.Store // without counts: the projector knows them
	Retention  *retention.Store
	Projects   *project.Store // nil: there is no such view
	Jobs       *job.Store     // nil: there is no such view
	Turns      *turn.Store    // nil: there are no such views
	// Index tells how an account's index is, but for its counts; nil: there is no such
	// view.
	Index func(tx *db.Tx, owner db.AccountID) (api.IndexState, error)
}

// All are the views by their names on the wire, for projection.Config.
func All(s Sources) map[string]projection.Make {
	views := map[string]projection.Make{
		wire.ViewCategories: func(account.Identity, wire.Request) (projection.View, error) {
			return &categories{store: s.Categories}, nil
		},
		wire.ViewMe: func(who account.Identity, _ wire.Request) (projection.View, error) {
			return me{s.Accounts, who}, nil
		},
		wire.ViewTokens: func(account.Identity, wire.Request) (projection.View, error) {
			return tokens{}, nil
		},
		wire.ViewMap: func(account.Identity, wire.Request) (projection.View, error) {
			return picture{}, nil
		},
		wire.ViewSettings: func(account.Identity, wire.Request) (projection.View, error) {
			return settings{s.Retention}, nil
		},
	}
	if s.Projects != nil {
		views[wire.ViewProjects] = func(who account.Identity, _ wire.Request) (projection.View, error) {
			return projects{s.Projects, who}, nil
		}
	}
	if s.Jobs != nil {
		views[wire.ViewMaintenance] = func(account.Identity, wire.Request) (projection.View, error) {
			return maintenance{s.Jobs}, nil
		}
	}
	if s.Turns != nil {
		views[wire.ViewConversations] = func(_ account.Identity, req wire.Request) (projection.View, error) {
			return &conversations{s.Turns, rowsOf(req)}, nil
		}
		views[wire.ViewConversation] = func(_ account.Identity, req wire.Request) (projection.View, error) {
			if req.Of == 0 {
				return nil, errNoConversation
			}
			return &conversation{store: s.Turns, id: req.Of, limit: rowsOf(req)}, nil
		}
		views[wire.ViewContext] = func(_ account.Identity, req wire.Request) (projection.View, error) {
			if req.Of == 0 {
				return nil, errNoConversation
			}
			return &inContext{store: s.Turns, id: req.Of}, nil
		}
	}
	if s.Index != nil {
		views[wire.ViewIndex] = func(account.Identity, wire.Request) (projection.View, error) {
			return index{s.Index}, nil
		}
	}
	return views
}
