package page

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"elowen/shared/api"
)

// kind is which page an address shows.
type kind uint8

const (
	missing kind = iota
	listPage
	trashPage
	accountPage
	settingsPage
	peoplePage
	backupsPage
	storagePage
	healthPage
	tokensPage
	connectPage
	serversPage
	transferPage
	categoriesPage
	checkPage
	mapPage
	chatPage
	modelsPage
	recallSettings
	projectsPage
	maintenancePage
	loginPage
	setupPage
)

// route is an address of the app, read: the page with the filters, the sort and
// the memory that is open. Everything that a reload or a deep link must keep is in
// it.
type route struct {
	Kind    kind
	ID      int64 // the open memory, category or conversation; 0 for none
	Compose bool  // writing a new one
	Unsent  int64 // the new memory that is open and waits to be sent: its number in the queue
	Query   api.MemoryQuery
	Next    string // of the login page: where to go then
	Code    string // of the setup page
}

// readRoute reads an address below the base path. Values that make no sense are
// left out, as if they had not been there.
func readRoute(path string, q url.Values, fragment string) route {
	r := route{}
	switch path = strings.TrimRight(path, "/"); path {
	case "", "/memory":
		r.Kind = listPage
	case "/memory/trash":
		r.Kind = trashPage
	case "/memory/recall":
		r.Kind = checkPage
		r.Query.Q = q.Get("q")
		r.Query.ProjectID = int64(within(q.Get("project"), 1, 1<<31-1))
	case "/memory/map":
		r.Kind = mapPage
	case "/chat":
		r.Kind = chatPage
	case "/account":
		r.Kind = partOf(accountPage, q.Get("part"))
	case "/settings":
		r.Kind = partOf(settingsPage, q.Get("part"))
	case "/categories":
		r.Kind, r.Compose = categoriesPage, q.Has("new")
	case "/login":
		r.Kind, r.Next = loginPage, localPath(q.Get("next"))
	case "/setup":
		r.Kind, r.Code = setupPage, fragment
	default:
		r.Kind = listPage
		id, found := strings.CutPrefix(path, "/memory/")
		if !found {
			r.Kind = categoriesPage
			id, found = strings.CutPrefix(path, "/categories/")
		}
		if !found {
			r.Kind = chatPage
			id, found = strings.CutPrefix(path, "/chat/")
		}
		n, err := strconv.ParseInt(id, 10, 64)
		if !found || err != nil || n <= 0 {
			return route{Kind: missing}
		}
		r.ID = n
	}
	if r.Kind == listPage || r.Kind == trashPage {
		r.Query = readQuery(q)
		r.Compose = r.Kind == listPage && r.ID == 0 && q.Has("new")
		if r.Kind == listPage && r.ID == 0 && !r.Compose {
			r.Unsent = int64(within(q.Get("waiting"), 1, 1<<31-1))
		}
	}
	if r.Kind == listPage && r.ID == 0 && r.Query.Status == api.StatusDeleted {
		r.Kind = trashPage
	}
	if r.Kind == trashPage {
		r.Query.Status = api.StatusDeleted
	}
	if r.Query.Status != api.StatusDeleted {
		r.Query.DeletedBy = ""
	}
	return r
}

// parts are the pages that are a part of another one, with the part's name in the
// address.
var parts = []struct {
	of, kind kind
	name     string
}{
	{settingsPage, peoplePage, "people"}, {settingsPage, backupsPage, "backups"}, {settingsPage, storagePage, "storage"},
	{settingsPage, healthPage, "health"}, {settingsPage, modelsPage, "models"}, {settingsPage, recallSettings, "recall"}, {settingsPage, projectsPage, "projects"}, {settingsPage, maintenancePage, "maintenance"}, {accountPage, tokensPage, "tokens"}, {accountPage, connectPage, "connect"}, {accountPage, serversPage, "tools"}, {accountPage, transferPage, "transfer"},
}

// partOf is the page of a part's name, or the whole.
func partOf(whole kind, name string) kind {
	for _, p := range parts {
		if p.of == whole && p.name == name {
			return p.kind
		}
	}
	return whole
}

// whole is the page that a page is a part of, or itself.
func (k kind) whole() kind {
	for _, p := range parts {
		if p.kind == k {
			return p.of
		}
	}
	return k
}

// ofMemories tells whether a page is one of the views of the memories.
func (k kind) ofMemories() bool {
	switch k {
	case listPage, trashPage, categoriesPage, checkPage, mapPage:
		return true
	}
	return false
}

// localPath accepts a path of this app only: nobody is sent elsewhere after login.
func localPath(p string) string {
	if !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") || strings.ContainsAny(p, "\\\n\r\t") {
		return ""
	}
	return p
}

func readQuery(q url.Values) api.MemoryQuery {
	m := api.MemoryQuery{
		Status: oneOf(q.Get("status"), api.StatusDeleted, api.StatusConsolidated, "all"),
		Kind:   q.Get("kind"),
		Q:      q.Get("q"),
		Sort:   oneOf(q.Get("sort"), api.Sorts()...),
		Order:  oneOf(q.Get("order"), "asc", "desc"),
	}
	if c := q.Get("category"); c == "none" {
		m.Uncategorized = true
	} else if n, err := strconv.ParseInt(c, 10, 64); err == nil && n > 0 {
		m.CategoryID = n
	}
	m.Importance = within(q.Get("importance"), 1, 10)
	m.FadesWithin = within(q.Get("fades"), 1, 3650)
	m.DeletedBy = oneOf(q.Get("by"), api.DeletedBySweep, api.DeletedByMerge, api.DeletedByPeople)
	m.NotIndexed = q.Get("indexed") == "no"
	m.Unreviewed = q.Get("reviewed") == "no"
	m.ProjectID = int64(within(q.Get("project"), 1, 1<<31-1))
	if m.Q != "" {
		m.Match = oneOf(q.Get("match"), "meaning")
	}
	return m
}

// strays tells whether an address of a list has something that the route doesn't
// keep, and whether that is the value of a filter: the list is then wider than who
// made the address meant.
func (r route) strays(q url.Values) (any, filter bool) {
	if r.Kind != listPage && r.Kind != trashPage {
		return false, false
	}
	kept := writeQuery(r.Query)
	for name, values := range q {
		switch {
		case name == "new" || name == "waiting" || kept.Get(name) == values[0] && len(values) == 1:
			continue
		case name == "status" && values[0] == api.StatusActive || values[0] == "" || name == "match" || name == "by" && kept.Get("status") != api.StatusDeleted:
		case kept.Get(name) != values[0] && slices.Contains(filterNames, name):
			filter = true
		}
		any = true
	}
	return any, filter
}

// filterNames are those of an address that leave memories out, or order them.
var filterNames = []string{"status", "sort", "order", "by", "category", "project", "importance", "fades", "indexed", "reviewed"}

func oneOf(s string, allowed ...string) string {
	for _, a := range allowed {
		if s == a {
			return s
		}
	}
	return ""
}

func within(s string, least, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < least || n > most {
		return 0
	}
	return n
}

// path is the address of a route, below the base path.
func (r route) path() string {
	for _, p := range parts {
		if p.kind == r.Kind {
			return route{Kind: p.of}.path() + "?part=" + p.name
		}
	}
	switch r.Kind {
	case accountPage:
		return "/account"
	case settingsPage:
		return "/settings"
	case loginPage:
		if r.Next != "" {
			return "/login?next=" + url.QueryEscape(r.Next)
		}
		return "/login"
	case setupPage:
		return "/setup"
	case categoriesPage:
		switch {
		case r.ID > 0:
			return "/categories/" + strconv.FormatInt(r.ID, 10)
		case r.Compose:
			return "/categories?new=1"
		}
		return "/categories"
	case checkPage:
		return join("/memory/recall", writeQuery(api.MemoryQuery{Q: r.Query.Q, ProjectID: r.Query.ProjectID}))
	case chatPage:
		if r.ID > 0 {
			return "/chat/" + strconv.FormatInt(r.ID, 10)
		}
		return "/chat"
	case mapPage:
		return "/memory/map"
	case trashPage:
		q := r.Query
		q.Status = ""
		return join("/memory/trash", writeQuery(q))
	}
	path := "/memory"
	v := writeQuery(r.Query)
	if r.ID > 0 {
		path += "/" + strconv.FormatInt(r.ID, 10)
	} else if r.Compose {
		v.Set("new", "1")
	} else if r.Unsent > 0 {
		v.Set("waiting", strconv.FormatInt(r.Unsent, 10))
	}
	return join(path, v)
}

func join(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

func writeQuery(m api.MemoryQuery) url.Values {
	v := url.Values{}
	set := func(name, value string) {
		if value != "" {
			v.Set(name, value)
		}
	}
	number := func(name string, n int64) {
		if n > 0 {
			v.Set(name, strconv.FormatInt(n, 10))
		}
	}
	set("q", m.Q)
	set("status", m.Status)
	set("kind", m.Kind)
	set("sort", m.Sort)
	set("order", m.Order)
	set("by", m.DeletedBy)
	number("category", m.CategoryID)
	if m.Uncategorized {
		v.Set("category", "none")
	}
	number("project", m.ProjectID)
	if m.Q != "" && m.Match == "meaning" {
		v.Set("match", m.Match)
	}
	number("importance", int64(m.Importance))
	number("fades", int64(m.FadesWithin))
	if m.NotIndexed {
		v.Set("indexed", "no")
	}
	if m.Unreviewed {
		v.Set("reviewed", "no")
	}
	return v
}

// open is the same list with a memory open beside it.
func (r route) open(id int64) route {
	r.Kind, r.ID, r.Compose, r.Unsent = listPage, id, false, 0
	return r
}

// unsent is the same list with a new memory open that waits to be sent.
func (r route) unsent(change int64) route {
	r = r.open(0)
	r.Unsent = change
	return r
}

// close is the list alone.
func (r route) close() route {
	r.ID, r.Compose, r.Unsent = 0, false, 0
	if r.Query.Status == api.StatusDeleted {
		r.Kind = trashPage
	}
	return r
}

// with is the same page with another query.
func (r route) with(change func(q *api.MemoryQuery)) route {
	change(&r.Query)
	if r.Query.Q == "" && r.Query.Sort == api.SortRelevance {
		r.Query.Sort = ""
	}
	return r
}

// filtered tells whether the query leaves anything out that the plain list of its
// status has.
func filtered(q api.MemoryQuery) bool {
	q.Status, q.Sort, q.Order = "", "", ""
	return q != (api.MemoryQuery{})
}

// narrowed tells whether filters beside the words leave memories out.
func narrowed(q api.MemoryQuery) bool {
	q.Q, q.Match = "", ""
	return filtered(q) || q.Status != "" && q.Status != api.StatusActive
}
