package httpd

import (
	"net/http"

	"elowen/shared/api"
)

// servers are the routes of MCP servers of others, which a model may use in one's
// conversations.
func (s *server) servers() []*Route {
	one := api.PathServers + "/{id}"
	return []*Route{
		get(api.PathServers, api.ScopeRead, "One's MCP servers, by name", func(c *call) (api.Page[api.Server], error) {
			list, err := s.Servers.List(c.ctx, c.id.Owner)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathServers, api.ScopeWrite, "Add an MCP server; a program only as an administrator", func(c *call, in api.ServerAdd) (api.Server, error) {
			out, err := s.Servers.Add(c.ctx, c.id, in)
			c.located(api.ServerPath(out.ID))
			return out, err
		}).created(),
		get(one, api.ScopeRead, "An MCP server", func(c *call) (api.Server, error) {
			return withID(c, func(id int64) (api.Server, error) { return s.Servers.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPatch, one, api.ScopeWrite, "Change an MCP server", func(c *call, in api.ServerPatch) (api.Server, error) {
			return withID(c, func(id int64) (api.Server, error) { return s.Servers.Patch(c.ctx, c.id, id, c.ifMatch, in) })
		}).revisioned(),
		do(http.MethodDelete, one, api.ScopeWrite, "Remove an MCP server", func(c *call, _ none) (none, error) {
			return withID(c, func(id int64) (none, error) {
				return none{}, s.Servers.Delete(c.ctx, c.id.Owner, id, c.ifMatch)
			})
		}).revisioned(),
		do(http.MethodPost, one+"/test", api.ScopeWrite, "Connect to an MCP server and ask for its tools", func(c *call, _ none) (api.ServerTested, error) {
			return withID(c, func(id int64) (api.ServerTested, error) { return s.Servers.Test(c.ctx, c.id, id) })
		}).natural(),
	}
}
