package httpd

import (
	"net/http"

	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// days is how far back a history goes.
type days struct {
	Days *int `json:"days,omitempty" validate:"omitempty,setting=memory.history"`
}

func (d days) count() int {
	if d.Days == nil {
		return setting.Int("memory.history")
	}
	return *d.Days
}

// most is how many similar memories are asked for.
type most struct {
	Limit *int `json:"limit,omitempty" validate:"omitempty,setting=list.limit"`
}

// categoryChoice is api.CategoryChoice, but able to tell an absent field from null.
type categoryChoice struct {
	CategoryID api.Optional[int64] `json:"categoryId"`
}

// memories are the routes of memories.
func (s *server) memories() []*Route {
	one := api.PathMemory + "/{id}"
	return []*Route{
		get(api.PathMemory, api.ScopeRead, "Memories that match, page by page", s.listMemories).query(&api.MemoryQuery{}, &validation.Window{}),
		do(http.MethodPost, api.PathMemory, api.ScopeWrite, "Add a memory", func(c *call, in api.MemoryAdd) (api.MemoryAdded, error) {
			m, err := s.Memories.Add(c.ctx, c.id.Owner, c.by(), s.source(c), in)
			c.located(api.MemoryPath(m.ID))
			return m, err
		}).created(),
		get(api.PathStats, api.ScopeRead, "Counts of the account's memories", func(c *call) (api.MemoryStats, error) {
			return s.Memories.Stats(c.ctx, c.id.Owner)
		}),
		get(api.PathEvents, api.ScopeRead, "The audit of all memories, newest first", func(c *call) (api.Page[api.Event], error) {
			return s.events(c, 0)
		}).query(&validation.Window{}),
		do(http.MethodPost, api.PathMerge, api.ScopeWrite, "Merge memories into one", func(c *call, in api.MemoryMerge) (api.MemoryMerged, error) {
			m, err := s.Memories.Merge(c.ctx, c.id.Owner, c.by(), in)
			c.located(api.MemoryPath(m.ID))
			return m, err
		}).created(),
		do(http.MethodPost, api.PathPurge, api.ScopeWrite, "Purge memories of the trash for good, all or none", func(c *call, in api.IDs) (api.BulkDone, error) {
			return s.Memories.Purge(c.ctx, c.id.Owner, c.by(), in.IDs)
		}),
		do(http.MethodPost, api.PathEmptyTrash, api.ScopeWrite, "Purge all of the trash for good", func(c *call, in api.EmptyTrash) (api.BulkDone, error) {
			return s.Memories.EmptyTrash(c.ctx, c.id.Owner, c.by(), in)
		}).optional(),
		do(http.MethodPost, api.PathBulk, api.ScopeWrite, "Change many memories, all or none", func(c *call, in api.MemoryBulk) (api.BulkDone, error) {
			return s.Memories.Bulk(c.ctx, c.id.Owner, c.by(), in)
		}),
		do(http.MethodPost, api.PathUndo, api.ScopeWrite, "Take a change of many, or a merge, back", func(c *call, in api.MemoryUndo) (api.BulkDone, error) {
			return s.Memories.Undo(c.ctx, c.id.Owner, c.by(), in)
		}),

		get(one, api.ScopeRead, "A memory", func(c *call) (api.Memory, error) {
			return withID(c, func(id int64) (api.Memory, error) { return s.Memories.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPatch, one, api.ScopeWrite, "Change a memory", func(c *call, in api.MemoryPatch) (api.Memory, error) {
			return withID(c, func(id int64) (api.Memory, error) {
				return s.Memories.Patch(c.ctx, c.id.Owner, c.by(), id, c.ifMatch, in)
			})
		}).revisioned(),
		do(http.MethodDelete, one, api.ScopeWrite, "Move a memory to the trash", func(c *call, _ none) (api.Memory, error) {
			return withID(c, func(id int64) (api.Memory, error) {
				return s.Memories.Trash(c.ctx, c.id.Owner, c.by(), id, c.ifMatch, "")
			})
		}).revisioned(),
		do(http.MethodPost, one+"/restore", api.ScopeWrite, "Take a memory out of the trash", func(c *call, _ none) (api.Memory, error) {
			return withID(c, func(id int64) (api.Memory, error) {
				return s.Memories.Restore(c.ctx, c.id.Owner, c.by(), id, c.ifMatch, "")
			})
		}).revisioned(),
		do(http.MethodDelete, one+"/purge", api.ScopeWrite, "Purge a memory of the trash for good", func(c *call, _ none) (api.BulkDone, error) {
			return withID(c, func(id int64) (api.BulkDone, error) {
				return s.Memories.Purge(c.ctx, c.id.Owner, c.by(), []int64{id})
			})
		}),
		do(http.MethodPut, one+"/category", api.ScopeWrite, "Put a memory into a category, or into none", s.choose).revisioned(),
		get(one+"/rank", api.ScopeRead, "Where a memory stands in a list", s.rank).query(&api.MemoryQuery{}),
		get(one+"/events", api.ScopeRead, "The audit of a memory, newest first", func(c *call) (api.Page[api.Event], error) {
			return withID(c, func(id int64) (api.Page[api.Event], error) { return s.events(c, id) })
		}).query(&validation.Window{}),
		get(one+"/vitality-history", api.ScopeRead, "A memory's vitality over time, and its forecast", s.history).query(&days{}),
		get(one+"/similar", api.ScopeRead, "What a memory resembles", s.similar).query(&most{}),
	}
}

// withID runs f with the {id} of the path.
func withID[T any](c *call, f func(id int64) (T, error)) (T, error) {
	id, err := c.pathID()
	if err != nil {
		var zero T
		return zero, err
	}
	return f(id)
}

// source says where an add comes from: a person at the browser, or a program.
func (s *server) source(c *call) string {
	if c.id.TokenID != 0 {
		return api.SourceAgent
	}
	return api.SourceUser
}

func (s *server) listMemories(c *call) (api.Page[api.Memory], error) {
	var q api.MemoryQuery
	var w validation.Window
	if err := c.query(&q, &w); err != nil {
		return api.Page[api.Memory]{}, err
	}
	return s.Projector.List(c.ctx, c.id.Owner, q, w.Cursor, w.Rows())
}

func (s *server) rank(c *call) (api.Rank, error) {
	var q api.MemoryQuery
	if err := c.query(&q); err != nil {
		return api.Rank{}, err
	}
	return withID(c, func(id int64) (api.Rank, error) { return s.Projector.Rank(c.ctx, c.id.Owner, q, id) })
}

func (s *server) events(c *call, id int64) (api.Page[api.Event], error) {
	var w validation.Window
	if err := c.query(&w); err != nil {
		return api.Page[api.Event]{}, err
	}
	return s.Memories.Events(c.ctx, c.id.Owner, id, w.Cursor, w.Rows())
}

func (s *server) history(c *call) (api.VitalityHistory, error) {
	var d days
	if err := c.query(&d); err != nil {
		return api.VitalityHistory{}, err
	}
	return withID(c, func(id int64) (api.VitalityHistory, error) {
		return s.Memories.History(c.ctx, c.id.Owner, id, d.count())
	})
}

func (s *server) similar(c *call) (api.Page[api.Similar], error) {
	var m most
	if err := c.query(&m); err != nil {
		return api.Page[api.Similar]{}, err
	}
	return withID(c, func(id int64) (api.Page[api.Similar], error) {
		list, err := s.Memories.Similar(c.ctx, c.id.Owner, id, validation.Window{Limit: m.Limit}.Rows())
		return page(c, list, err)
	})
}

func (s *server) choose(c *call, in categoryChoice) (api.Memory, error) {
	if !in.CategoryID.Set {
		return api.Memory{}, fault.BadField("categoryId", "required", "", "categoryId is missing; null takes the memory out of its category.")
	}
	return withID(c, func(id int64) (api.Memory, error) {
		return s.Memories.SetCategory(c.ctx, c.id.Owner, c.by(), id, c.ifMatch, api.CategoryChoice{CategoryID: in.CategoryID.Value})
	})
}
