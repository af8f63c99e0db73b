package httpd

import (
	"context"
	"net/http"

	"elowen/server/account"
	"elowen/shared/api"
)

// categories are the routes of categories.
func (s *server) categories() []*Route {
	one := api.PathCategories + "/{id}"
	return []*Route{
		get(api.PathCategories, api.ScopeRead, "The account's categories, by name, and those that are shared with it", func(c *call) (api.Page[api.Category], error) {
			list, err := s.Categories.List(c.ctx, c.id.Owner)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathCategories, api.ScopeWrite, "Make a category", s.addCategory).created(),
		get(one, api.ScopeRead, "A category", func(c *call) (api.Category, error) {
			return withID(c, func(id int64) (api.Category, error) { return s.Categories.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPatch, one, api.ScopeWrite, "Change a category", func(c *call, in api.CategoryPatch) (api.Category, error) {
			return withID(c, func(id int64) (api.Category, error) {
				return orShared(c, id,
					func() (api.Category, error) { return s.Categories.Patch(c.ctx, c.id.Owner, id, c.ifMatch, in) },
					func() (api.Category, error) {
						return s.Categories.PatchShared(c.ctx, c.id.Owner, id, c.ifMatch, in)
					})
			})
		}).revisioned(),
		do(http.MethodDelete, one, api.ScopeWrite, "Delete a category; its memories stay, in none", func(c *call, _ none) (api.BulkDone, error) {
			return withID(c, func(id int64) (api.BulkDone, error) {
				return orShared(c, id,
					func() (api.BulkDone, error) {
						return s.Memories.DeleteCategory(c.ctx, c.id.Owner, c.by(), id, c.ifMatch)
					},
					func() (api.BulkDone, error) {
						return s.Memories.DeleteSharedCategory(c.ctx, c.id.Owner, c.by(), id, c.ifMatch)
					})
			})
		}).revisioned(),
	}
}

// retention are the routes of settings and retention.
func (s *server) retention() []*Route {
	return []*Route{
		get(api.PathSettings, api.ScopeRead, "The settings, with each field's bounds", func(c *call) (api.Settings, error) {
			return s.settings(c)
		}),
		do(http.MethodPut, api.PathSettings+"/retention", api.ScopeAdmin, "Change the retention policy", func(c *call, in api.PolicyChange) (api.Settings, error) {
			if in.Revision == 0 {
				in.Revision = c.ifMatch
			}
			if c.ifMatch != 0 && c.ifMatch != in.Revision {
				return api.Settings{}, errTwoRevisions
			}
			return s.Retention.Save(c.ctx, in)
		}).revisioned(),
		get(api.PathRetention, api.ScopeRead, "The policy, its bounds, and the last and next sweep", func(c *call) (api.Retention, error) {
			return s.Retention.Status(c.ctx, c.id.Owner)
		}),
		do(http.MethodPost, api.PathPreview, api.ScopeRead, "What a policy would do to the account's memories", func(c *call, in api.PreviewRequest) (api.Preview, error) {
			return s.Retention.Preview(c.ctx, c.id.Owner, in)
		}),
		do(http.MethodPost, api.PathSweep, api.ScopeAdmin, "Sweep every account now; answers what it did to one's own", s.sweep),
	}
}

// sweep sweeps all accounts, and tells the caller of the caller's own: what
// others have in their trash is theirs to know.
func (s *server) sweep(c *call, _ none) (api.Sweep, error) {
	return account.Once(c.ctx, s.Accounts, func(ctx context.Context) (api.Sweep, error) {
		swept, err := s.Retention.Sweep(ctx)
		out := api.Sweep{At: api.Time(swept.At)}
		for _, a := range swept.Accounts {
			if a.Owner == c.id.Owner {
				out.Due, out.Trashed, out.Refused = a.Due, a.Trashed, a.Refused
			}
		}
		return out, err
	})
}
