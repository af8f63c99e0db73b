package page

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"

	"pgregory.net/rapid"
)

func read(address string) route {
	u, err := url.Parse(address)
	if err != nil {
		return route{}
	}
	return readRoute(u.Path, u.Query(), u.Fragment)
}

func TestReadRoute(t *testing.T) {
	cases := []struct {
		address string
		want    route
	}{
		{"/", route{Kind: listPage}},
		{"/memory", route{Kind: listPage}},
		{"/memory/", route{Kind: listPage}},
		{"/memory/17", route{Kind: listPage, ID: 17}},
		{"/memory/0", route{}},
		{"/memory/-3", route{}},
		{"/memory/x", route{}},
		{"/memory/17/x", route{}},
		{"/memory?new=1", route{Kind: listPage, Compose: true}},
		{"/memory?waiting=3&q=a", route{Kind: listPage, Unsent: 3, Query: api.MemoryQuery{Q: "a"}}},
		{"/memory?waiting=x", route{Kind: listPage}},
		{"/memory?waiting=3&new=1", route{Kind: listPage, Compose: true}},
		{"/memory/17?waiting=3", route{Kind: listPage, ID: 17}},
		{"/memory/17?new=1", route{Kind: listPage, ID: 17}},
		{"/memory?q=a+b&kind=fact&category=4&importance=7&fades=30&sort=vitality&order=asc", route{Kind: listPage, Query: api.MemoryQuery{
			Q: "a b", Kind: "fact", CategoryID: 4, Importance: 7, FadesWithin: 30, Sort: "vitality", Order: "asc"}}},
		{"/memory?importance=11&fades=-1&sort=evil&order=up&category=x&status=gone", route{Kind: listPage}},
		{"/memory?category=none&reviewed=no&indexed=no", route{Kind: listPage, Query: api.MemoryQuery{Uncategorized: true, Unreviewed: true, NotIndexed: true}}},
		{"/memory?status=deleted", route{Kind: trashPage, Query: api.MemoryQuery{Status: "deleted"}}},
		{"/memory/trash", route{Kind: trashPage, Query: api.MemoryQuery{Status: "deleted"}}},
		{"/memory/4?status=deleted", route{Kind: listPage, ID: 4, Query: api.MemoryQuery{Status: "deleted"}}},
		{"/memory/trash?by=sweep", route{Kind: trashPage, Query: api.MemoryQuery{Status: "deleted", DeletedBy: "sweep"}}},
		{"/memory/trash?by=magic", route{Kind: trashPage, Query: api.MemoryQuery{Status: "deleted"}}},
		{"/memory?by=sweep", route{Kind: listPage}},
		{"/memory/map", route{Kind: mapPage}},
		{"/memory/recall?q=when%3F&project=3&kind=x", route{Kind: checkPage, Query: api.MemoryQuery{Q: "when?", ProjectID: 3}}},
		{"/memory?q=a&match=meaning&project=2", route{Kind: listPage, Query: api.MemoryQuery{Q: "a", Match: "meaning", ProjectID: 2}}},
		{"/memory?match=meaning&project=-1", route{Kind: listPage}},
		{"/settings?part=models", route{Kind: modelsPage}},
		{"/categories", route{Kind: categoriesPage}},
		{"/categories/4", route{Kind: categoriesPage, ID: 4}},
		{"/categories?new=1", route{Kind: categoriesPage, Compose: true}},
		{"/categories/x", route{}},
		{"/account", route{Kind: accountPage}},
		{"/settings", route{Kind: settingsPage}},
		{"/settings?part=people", route{Kind: peoplePage}},
		{"/setup#AB-12", route{Kind: setupPage, Code: "AB-12"}},
		{"/login?next=%2Fmemory%2F4", route{Kind: loginPage, Next: "/memory/4"}},
		{"/login?next=https://evil.example/", route{Kind: loginPage}},
		{"/login?next=//evil.example/", route{Kind: loginPage}},
		{"/login?next=/%5Cevil.example/", route{Kind: loginPage}},
		{"/nothing", route{}},
	}
	for _, c := range cases {
		if got := read(c.address); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.address, got, c.want)
		}
	}
}

// A route written as an address reads as the same route: reload, back and deep
// links lose nothing.
func TestRoutesSurviveTheAddressBar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := route{Kind: listPage}
		r.Query = api.MemoryQuery{
			Q:          rapid.String().Draw(t, "q"),
			Kind:       rapid.SampledFrom([]string{"", "fact", "a & b = c?", "日本 #1"}).Draw(t, "kind"),
			Status:     rapid.SampledFrom([]string{"", api.StatusConsolidated, "all"}).Draw(t, "status"),
			Sort:       rapid.SampledFrom(append(api.Sorts(), "")).Draw(t, "sort"),
			Order:      rapid.SampledFrom([]string{"", "asc", "desc"}).Draw(t, "order"),
			CategoryID: rapid.Int64Range(0, 1<<50).Draw(t, "category"),
			Importance: rapid.IntRange(0, 10).Draw(t, "importance"), FadesWithin: rapid.IntRange(0, 3650).Draw(t, "fades"),
			NotIndexed: rapid.Bool().Draw(t, "indexed"), Unreviewed: rapid.Bool().Draw(t, "reviewed"),
		}
		if r.Query.CategoryID == 0 {
			r.Query.Uncategorized = rapid.Bool().Draw(t, "none")
		}
		switch rapid.IntRange(0, 3).Draw(t, "page") {
		case 0:
			r.ID = rapid.Int64Range(1, 1<<53).Draw(t, "id")
		case 1:
			r.Compose = true
		case 2:
			r.Kind, r.Query.Status = trashPage, api.StatusDeleted
		}
		if got := read(r.path()); got != r {
			t.Fatalf("%s\n got %+v\nwant %+v", r.path(), got, r)
		}
		if u, err := url.Parse(r.path()); err != nil {
			t.Fatal(err)
		} else if any, _ := r.strays(u.Query()); any {
			t.Fatalf("%s has something stray", r.path())
		}
	})
}

// What the app doesn't know as a filter doesn't stay in the address as if it were set.
func TestStrayFilters(t *testing.T) {
	for _, c := range []struct {
		address, path string
		any, filter   bool
	}{
		{"/memory", "/memory", false, false},
		{"/memory?q=a+b&importance=7&sort=vitality", "/memory?importance=7&q=a+b&sort=vitality", false, false},
		{"/memory?importance=77&kind=fact", "/memory?kind=fact", true, true},
		{"/memory?status=foo&q=tea", "/memory?q=tea", true, true},
		{"/memory?category=99999999999999999999", "/memory", true, true},
		{"/memory?importance=3&importance=4", "/memory?importance=3", true, false},
		{"/memory?status=active", "/memory", true, false},
		{"/memory?status=deleted", "/memory/trash", false, false},
		{"/memory?by=sweep&colour=red", "/memory", true, false},
		{"/memory/trash?by=magic", "/memory/trash", true, true},
		{"/memory/17?fades=-1&category=none", "/memory/17?category=none", true, true},
		{"/memory?new=1", "/memory?new=1", false, false},
		{"/settings?part=people", "/settings?part=people", false, false},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		r := readRoute(u.Path, u.Query(), "")
		if any, filter := r.strays(u.Query()); any != c.any || filter != c.filter || r.path() != c.path {
			t.Errorf("%s: %v %v, becomes %s", c.address, any, filter, r.path())
		}
	}
}

func FuzzReadRoute(f *testing.F) {
	for _, s := range []string{"/memory?q=%zz", "/memory/9223372036854775808", "/login?next=/\\evil", "/setup#", "?%%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		r := read(address)
		if p := r.path(); !strings.HasPrefix(p, "/") || strings.HasPrefix(p, "//") {
			t.Errorf("%q leads to %q", address, p)
		}
		if r.Next != "" && (!strings.HasPrefix(r.Next, "/") || strings.HasPrefix(r.Next, "//")) {
			t.Errorf("%q leads out to %q", address, r.Next)
		}
	})
}

func TestPicked(t *testing.T) {
	var p picked
	if !p.empty() || p.count() != 0 {
		t.Error("nothing is picked at first")
	}
	p.toggle(api.Memory{ID: 4})
	p.toggle(api.Memory{ID: 2})
	if ms := p.memories(); len(ms) != 2 || ms[0].ID != 2 || !p.has(4) || p.has(5) {
		t.Errorf("picked %v", ms)
	}
	p.toggle(api.Memory{ID: 4})
	if p.has(4) || p.count() != 1 {
		t.Error("a second click lets go")
	}
	p.everything(api.MemoryQuery{Kind: "fact"}, 900)
	if p.count() != 900 || !p.has(77) || len(p.memories()) != 0 {
		t.Error("everything is picked")
	}
	if b := p.target(api.MemoryBulk{Action: api.BulkTrash}); b.All == nil || b.All.Kind != "fact" || b.IDs != nil {
		t.Errorf("bulk %+v", b)
	}
	p.toggle(api.Memory{ID: 9})
	if b := p.target(api.MemoryBulk{}); b.All != nil || len(b.IDs) != 1 || b.IDs[0] != 9 {
		t.Errorf("after all, one: %+v", b)
	}
	p.clear()
	if !p.empty() {
		t.Error("cleared")
	}
}

// A purge says the number that was typed; another one is asked about again.
func TestPurgeSaysTheNumber(t *testing.T) {
	var p picked
	p.everything(api.MemoryQuery{Status: api.StatusDeleted}, 12)
	b := p.purging()
	if p.of = 14; b.Action != api.BulkPurge || b.All == nil || b.Expect == nil || *b.Expect != 12 {
		t.Errorf("purge of all: %+v", b)
	}
	p.add(api.Memory{ID: 9})
	if b := p.purging(); b.All != nil || b.Expect != nil || len(b.IDs) != 1 {
		t.Errorf("purge of one: %+v", b)
	}
	stale := func(current string) error {
		return &fault.Error{Kind: fault.Stale, Current: json.RawMessage(current)}
	}
	if n, ok := recounted(stale(`{"count":14}`)); !ok || n != 14 {
		t.Errorf("recounted %d %v", n, ok)
	}
	for _, err := range []error{nil, stale(`{"count":0}`), stale(`7`), fault.New(fault.Taken, "")} {
		if n, ok := recounted(err); ok {
			t.Errorf("%v: asks again for %d", err, n)
		}
	}
}

func TestSliderAndValueAreOne(t *testing.T) {
	for at := 0; at <= sliderSteps; at++ {
		v := slid(at)
		if again := slid(slider(v)); again != v {
			t.Errorf("step %d: %s becomes %s", at, v, again)
		}
	}
	if slid(0) != "0.1" || slid(sliderSteps) != "365" || slider("nonsense") != 0 || slider("-4") != 0 {
		t.Errorf("ends: %s %s", slid(0), slid(sliderSteps))
	}
}
