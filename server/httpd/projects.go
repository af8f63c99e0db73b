package httpd

import (
	"net/http"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// projects are the routes of projects and their members. Only an administrator changes
// them; whoever has a part in one sees it.
func (s *server) projects() []*Route {
	one := api.PathProjects + "/{id}"
	return []*Route{
		get(api.PathProjects, api.ScopeRead, "One's projects, by name; to an administrator all", func(c *call) (api.Page[api.Project], error) {
			list, err := s.Projects.List(c.ctx, c.id)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathProjects, api.ScopeAdmin, "Make a project", func(c *call, in api.ProjectAdd) (api.Project, error) {
			p, err := s.Projects.Add(c.ctx, c.id, in)
			c.located(api.ProjectPath(p.ID))
			return p, err
		}).created(),
		get(one, api.ScopeRead, "A project", func(c *call) (api.Project, error) {
			return withID(c, func(id int64) (api.Project, error) { return s.Projects.Get(c.ctx, c.id, id) })
		}),
		do(http.MethodPatch, one, api.ScopeAdmin, "Change a project: names, roots, whether it shares", func(c *call, in api.ProjectPatch) (api.Project, error) {
			return withID(c, func(id int64) (api.Project, error) { return s.Projects.Patch(c.ctx, c.id, id, c.ifMatch, in) })
		}).revisioned(),
		do(http.MethodDelete, one, api.ScopeAdmin, "Delete a project whose pool holds nothing", func(c *call, _ none) (none, error) {
			return withID(c, func(id int64) (none, error) { return none{}, s.Projects.Delete(c.ctx, c.id, id, c.ifMatch) })
		}).revisioned(),
		get(one+"/members", api.ScopeRead, "Who works in a project, and who is named for its pool", func(c *call) (api.ProjectMembers, error) {
			return withID(c, func(id int64) (api.ProjectMembers, error) { return s.Projects.Members(c.ctx, c.id, id) })
		}),
		do(http.MethodPost, one+"/members", api.ScopeAdmin, "Say what somebody is in a project", func(c *call, in api.ProjectMemberSet) (api.ProjectMembers, error) {
			return withID(c, func(id int64) (api.ProjectMembers, error) {
				return s.Projects.SetMember(c.ctx, c.id, id, c.ifMatch, in)
			})
		}).revisioned(),
		do(http.MethodDelete, one+"/members/{name}", api.ScopeAdmin, "Take somebody out of a project", func(c *call, _ none) (api.ProjectMembers, error) {
			return withID(c, func(id int64) (api.ProjectMembers, error) {
				return s.Projects.RemoveMember(c.ctx, c.id, id, c.ifMatch, c.r.PathValue("name"))
			})
		}).revisioned(),
	}
}

// addCategory makes a category of one's own, or as an administrator one of a pool.
func (s *server) addCategory(c *call, in api.CategoryAdd) (api.Category, error) {
	if in.Shared && !c.id.Can(api.ScopeAdmin) {
		return api.Category{}, errShared
	}
	k, err := s.Categories.Add(c.ctx, c.id.Owner, in)
	c.located(api.CategoryPath(k.ID))
	return k, err
}

// orShared runs a change of one's own category. Where there is none of that id, but a
// shared one that the caller sees, it is the administrators' to change: each of the two
// decides by itself what it finds.
func orShared[T any](c *call, id int64, own, shared func() (T, error)) (T, error) {
	out, err := own()
	if !fault.Is(err, fault.NotFound) {
		return out, err
	}
	seen, none := c.s.Categories.Get(c.ctx, c.id.Owner, id)
	switch {
	case none != nil || !seen.Shared:
		return out, err
	case !c.id.Can(api.ScopeAdmin):
		return out, errShared
	}
	return shared()
}

var errShared = fault.New(fault.Forbidden, "Only an administrator makes, changes or deletes a shared category.")
