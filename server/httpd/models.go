package httpd

import (
	"net/http"

	"elowen/server/connect"
	"elowen/shared/api"
)

// settings are all of them, for the one who asks: only administrators are told of
// model providers.
func (s *server) settings(c *call) (api.Settings, error) {
	return s.Models.Settings(c.ctx, c.id.Can(api.ScopeAdmin))
}

// models are the routes of model providers, and of the index that a model makes.
func (s *server) models() []*Route {
	return []*Route{
		do(http.MethodPut, api.PathModels, api.ScopeAdmin, "Change model providers and roles; absent ones stay, null clears a role", func(c *call, in api.ModelsChange) (api.Settings, error) {
			if in.Revision == 0 {
				in.Revision = c.ifMatch
			}
			if c.ifMatch != 0 && c.ifMatch != in.Revision {
				return api.Settings{}, errTwoRevisions
			}
			return s.Models.Save(c.ctx, in)
		}).revisioned(),
		do(http.MethodPost, api.PathModelsTest, api.ScopeAdmin, "Ask a provider whether it answers, as stored or as it would be saved", func(c *call, in api.ModelTest) (api.ModelTested, error) {
			return s.Models.Test(c.ctx, in)
		}).natural(),
		get(api.PathModelList, api.ScopeRead, "The models that can be picked, as their providers list them", func(c *call) (api.ModelList, error) {
			var q api.ModelQuery
			if err := c.query(&q); err != nil {
				return api.ModelList{}, err
			}
			return s.Models.List(c.ctx, q.Provider, c.id.Can(api.ScopeAdmin))
		}).query(&api.ModelQuery{}),
		get(api.PathUsage, api.ScopeRead, "What the account's requests to models took, by role and day", func(c *call) (api.Usage, error) {
			var q api.UsageQuery
			if err := c.query(&q); err != nil {
				return api.Usage{}, err
			}
			days := 0
			if q.Days != nil {
				days = *q.Days
			}
			return s.Models.Usage(c.ctx, c.id.Owner, days)
		}).query(&api.UsageQuery{}),
		get(api.PathIndex, api.ScopeRead, "How far the account's memories are indexed for search by meaning", func(c *call) (api.IndexState, error) {
			return s.Index(c.ctx, c.id)
		}),
		get(api.PathConnect, api.ScopeRead, "The clients that can be told of this server, and how", func(c *call) (api.Page[api.ConnectClient], error) {
			return page(c, connect.Shown(), nil)
		}),
		get(api.PathMap, api.ScopeRead, "Where the active memories are on a map: near in place is near in meaning", func(c *call) (api.Map, error) {
			return s.Map(c.ctx, c.id)
		}),
	}
}
