package httpd

import (
	"net/http"
	"reflect"

	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// open is the scope of routes that anyone may call.
const open = ""

// Route is one row of the table.
type Route struct {
	Method  string
	Path    string // with {id} and {name} as the multiplexer writes them
	Scope   string // api.ScopeRead, ScopeWrite or ScopeAdmin; empty: anyone
	Summary string

	Query  []any        // pointers to structs with the query parameters
	Takes  reflect.Type // the JSON body; nil: none
	Gives  reflect.Type // the JSON answer; nil: none, or a stream
	Status int          // of a success
	Stream string       // the media type of an answer or body that is no JSON value
	// Accepts are the media types of the body, where it may be others than Stream.
	Accepts []string
	// Optional routes may be called without the body: its zero value is meant then.
	Optional bool

	// ByRevision routes change or read one thing that has a revision: they take
	// If-Match.
	ByRevision bool
	// Natural writes may be repeated as they are: the key of a repeated request
	// needn't be remembered.
	Natural bool

	// own routes say themselves, by call.once, what their key stands for.
	own bool

	run func(*call) (any, error)
}

// Write tells whether the route changes anything, so that it takes an
// Idempotency-Key.
func (r *Route) Write() bool {
	return r.Method != http.MethodGet && r.Scope != open && !r.reads()
}

// reads are those that are sent by POST only because they take a body.
func (r *Route) reads() bool { return r.Scope == api.ScopeRead }

// get is a route that answers a value.
func get[Out any](path, scope, summary string, run func(*call) (Out, error)) *Route {
	return &Route{
		Method: http.MethodGet, Path: path, Scope: scope, Summary: summary, Status: http.StatusOK,
		Gives: reflect.TypeFor[Out](),
		run:   func(c *call) (any, error) { return run(c) },
	}
}

// none is the body of routes without one, and the answer of those that give none.
type none struct{}

// do is a route that takes a body (or none) and answers a value (or none).
func do[In, Out any](method, path, scope, summary string, run func(*call, In) (Out, error)) *Route {
	r := &Route{
		Method: method, Path: path, Scope: scope, Summary: summary, Status: http.StatusOK,
		Takes: reflect.TypeFor[In](), Gives: reflect.TypeFor[Out](),
	}
	if r.Takes == reflect.TypeFor[none]() {
		r.Takes = nil
	}
	if r.Gives == reflect.TypeFor[none]() {
		r.Gives, r.Status = nil, http.StatusNoContent
	}
	r.run = func(c *call) (any, error) {
		var in In
		if r.Takes != nil {
			if err := c.decode(&in); err != nil {
				return nil, err
			}
		}
		if !r.own {
			if err := c.once(in); err != nil {
				return nil, err
			}
		}
		out, err := run(c, in)
		if r.Gives == nil {
			return nil, err
		}
		return out, err
	}
	return r
}

// query names the query parameters of a route.
func (r *Route) query(into ...any) *Route { r.Query = into; return r }

// created makes 201 the answer of a success.
func (r *Route) created() *Route { r.Status = http.StatusCreated; return r }

// accepted makes 202 the answer of a success: it goes on after it.
func (r *Route) accepted() *Route { r.Status = http.StatusAccepted; return r }

// revisioned lets the route take If-Match.
func (r *Route) revisioned() *Route { r.ByRevision = true; return r }

// optional lets the body be absent.
func (r *Route) optional() *Route { r.Optional = true; return r }

// late says that the route calls once itself.
func (r *Route) late() *Route { r.own = true; return r }

// natural says that the write may be repeated as it is.
func (r *Route) natural() *Route { r.Natural = true; return r }

// revisionOf is the revision of what is answered, for its ETag; 0 has none.
func revisionOf(v any) int64 {
	switch v := v.(type) {
	case api.Memory:
		return v.Revision
	case api.MemoryAdded:
		return v.Revision
	case api.MemoryMerged:
		return v.Revision
	case api.Category:
		return v.Revision
	case api.Project:
		return v.Revision
	case api.ProjectMembers:
		return v.Revision
	case api.Person:
		return v.Revision
	case api.Me:
		return v.Revision
	case api.Server:
		return v.Revision
	case api.Settings:
		return v.Revision
	case api.Retention:
		return v.Revision
	}
	return 0
}

// statusOf is the status of a success.
func statusOf(r *Route, v any) int {
	if added, ok := v.(api.MemoryAdded); ok && added.Existing {
		return http.StatusOK // nothing was created
	}
	return r.Status
}

func bodyMost() int64 { return int64(setting.Get("http.body").Max) }

var errNotFound = fault.New(fault.NotFound, "There is nothing here.")
