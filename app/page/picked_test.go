package page

import (
	"net/url"
	"testing"

	"elowen/shared/api"
)

// The address must name the query's fields as the server reads them, numbers unquoted.
func TestListPath(t *testing.T) {
	u, err := url.Parse(listPath(api.MemoryQuery{Q: `tea & "milk"`, CategoryID: 12_345_678, Uncategorized: true, Sort: api.SortUsed}, 200))
	if err != nil {
		t.Fatal(err)
	}
	if u.Path != api.PathMemory {
		t.Errorf("path %s", u.Path)
	}
	want := map[string]string{"q": `tea & "milk"`, "categoryId": "12345678", "uncategorized": "true", "sort": "used", "limit": "200"}
	got := u.Query()
	for name, v := range want {
		if got.Get(name) != v {
			t.Errorf("%s is %q, want %q", name, got.Get(name), v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
}

// Rows that are known one by one are not "everything": what is done to them can be
// undone.
func TestPickThese(t *testing.T) {
	p := picked{all: &api.MemoryQuery{}, of: 9}
	p.these([]api.Memory{{ID: 2}, {ID: 1}})
	if p.all != nil || p.count() != 2 {
		t.Errorf("%d picked, all %v", p.count(), p.all)
	}
	if b := p.target(api.MemoryBulk{}); b.All != nil || len(b.IDs) != 2 || b.IDs[0] != 1 {
		t.Errorf("target %+v", b)
	}
}
