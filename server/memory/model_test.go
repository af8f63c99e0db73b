package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// modelled is what the model knows of one memory.
type modelled struct {
	revision int64
	bodies   []string // by revision, from 1
	status   string
	level    int
	uses     int64
	category int64
	events   int
}

func (m *modelled) body() string { return m.bodies[len(m.bodies)-1] }

// changed notes a new revision with a body.
func (m *modelled) changed(body string) {
	m.revision++
	m.bodies = append(m.bodies, body)
	m.events++
}

// model is the lifecycle in a few lines: the store must do the same.
type model struct {
	f        *fixture
	owner    db.AccountID
	category int64 // the default category
	all      map[int64]*modelled
	gone     map[int64]int // purged: events left
	last     int64         // highest id ever
}

func (m *model) ids() []int64 {
	ids := make([]int64, 0, len(m.all))
	for id := range m.all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// some draws a memory; often one of those that there are.
func (m *model) some(t *rapid.T) (int64, *modelled) {
	ids := append(m.ids(), 999_999_999)
	id := rapid.SampledFrom(ids).Draw(t, "id")
	return id, m.all[id]
}

var modelBody = rapid.SampledFrom(strings.Split("tea is hot|coffee is hot|tea is cold|the door is red|回る寿司", "|"))

func (m *model) expect(t *rapid.T, err error, want fault.Kind, refused bool) bool {
	if refused {
		if !fault.Is(err, want) {
			t.Fatalf("got %v, want %s", err, want)
		}
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

func (m *model) Add(t *rapid.T) {
	body, level := modelBody.Draw(t, "body"), rapid.IntRange(1, 10).Draw(t, "importance")
	in := api.MemoryAdd{Body: body, Importance: &level}
	category := m.category
	if rapid.Bool().Draw(t, "uncategorized") {
		in.CategoryID, category = api.Null[int64](), 0
	}
	out, err := m.f.Add(ctx, m.owner, me, api.SourceUser, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range m.ids() {
		if o := m.all[id]; o.status == api.StatusActive && o.category == category && o.body() == body {
			if !out.Existing || out.ID != id {
				t.Fatalf("the same body again: %+v, there is %d", out, id)
			}
			return
		}
	}
	if out.Existing || out.ID <= m.last {
		t.Fatalf("added %+v after %d", out, m.last)
	}
	m.last = out.ID
	m.all[out.ID] = &modelled{1, []string{body}, api.StatusActive, level, 0, category, 1}
}

func (m *model) Patch(t *rapid.T) {
	id, o := m.some(t)
	body := modelBody.Draw(t, "body")
	revision := int64(0)
	stale := o != nil && rapid.Bool().Draw(t, "with revision")
	if stale {
		revision = o.revision + rapid.SampledFrom([]int64{0, 0, -1, 1}).Draw(t, "off by")
		stale = revision != o.revision && revision != 0
	}
	in := api.MemoryPatch{}
	version := int64(0)
	if o != nil && rapid.Bool().Draw(t, "version") {
		version = rapid.Int64Range(0, o.revision+1).Draw(t, "which")
		in.Version = &version
	} else {
		in.Body = &body
	}
	out, err := m.f.Patch(ctx, m.owner, me, id, revision, in)
	switch {
	case o == nil:
		m.expect(t, err, fault.NotFound, true)
		return
	case stale:
		m.expect(t, err, fault.Stale, true)
		return
	case o.status != api.StatusActive:
		m.expect(t, err, fault.Invalid, true)
		return
	case in.Version != nil && (version < 1 || version > o.revision):
		m.expect(t, err, fault.NotFound, true)
		return
	}
	m.expect(t, err, 0, false)
	if in.Version != nil {
		body = o.bodies[version-1]
	}
	if body != o.body() {
		o.changed(body)
	}
	if out.Body != body || out.Revision != o.revision {
		t.Fatalf("patched %+v, want %+v", out, o)
	}
}

func (m *model) Trash(t *rapid.T)   { m.move(t, m.f.Store.Trash, api.StatusDeleted) }
func (m *model) Restore(t *rapid.T) { m.move(t, m.f.Store.Restore, api.StatusActive) }

func (m *model) move(t *rapid.T, do func(context.Context, db.AccountID, audit.Actor, int64, int64, string) (api.Memory, error), to string) {
	id, o := m.some(t)
	_, err := do(ctx, m.owner, me, id, 0, "")
	if m.expect(t, err, fault.NotFound, o == nil) && o.status != to {
		o.status = to
		o.changed(o.body())
	}
}

func (m *model) Recall(t *rapid.T) {
	a, oa := m.some(t)
	b, ob := m.some(t)
	counted, err := m.f.MarkRecalled(ctx, m.owner, []int64{a, b})
	if err != nil {
		t.Fatal(err)
	}
	var want []int64
	for _, x := range []struct {
		id int64
		o  *modelled
	}{{a, oa}, {b, ob}} {
		if x.o != nil && x.o.status == api.StatusActive && !slices.Contains(want, x.id) {
			x.o.uses++
			want = append(want, x.id)
		}
	}
	if !slices.Equal(counted, want) {
		t.Fatalf("counted %v, want %v", counted, want)
	}
}

func (m *model) Merge(t *rapid.T) {
	a, oa := m.some(t)
	b, ob := m.some(t)
	body := "merged " + modelBody.Draw(t, "body")
	out, err := m.f.Merge(ctx, m.owner, me, api.MemoryMerge{IDs: []int64{a, b}, Body: body})
	switch {
	case a == b:
		m.expect(t, err, fault.Invalid, true)
		return
	case oa == nil || ob == nil:
		m.expect(t, err, fault.NotFound, true)
		return
	case oa.status != api.StatusActive || ob.status != api.StatusActive:
		m.expect(t, err, fault.Invalid, true)
		return
	}
	m.expect(t, err, 0, false)
	if out.ID <= m.last {
		t.Fatalf("merged into %d after %d", out.ID, m.last)
	}
	m.last = out.ID
	made := &modelled{1, []string{body}, api.StatusActive, max(oa.level, ob.level), oa.uses + ob.uses, max(oa.category, ob.category), 1}
	for _, o := range []*modelled{oa, ob} {
		o.status = api.StatusDeleted
		o.changed(o.body())
	}
	m.all[out.ID] = made
}

func (m *model) Purge(t *rapid.T) {
	a, oa := m.some(t)
	b, ob := m.some(t)
	ids := []int64{a, b}
	if a == b {
		ids = ids[:1]
	}
	_, err := m.f.Purge(ctx, m.owner, me, ids)
	switch {
	case oa == nil || ob == nil:
		m.expect(t, err, fault.NotFound, true)
		return
	case oa.status != api.StatusDeleted || ob.status != api.StatusDeleted:
		m.expect(t, err, fault.Invalid, true)
		return
	}
	m.expect(t, err, 0, false)
	for _, id := range ids {
		m.gone[id] = m.all[id].events + 1
		delete(m.all, id)
	}
}

func (m *model) BulkTrash(t *rapid.T) {
	word := rapid.SampledFrom([]string{"tea", "red", "寿司", "merged", "nothing"}).Draw(t, "word")
	done, err := m.f.Bulk(ctx, m.owner, me, api.MemoryBulk{All: &api.MemoryQuery{Q: word}, Action: api.BulkTrash})
	if err != nil {
		t.Fatal(err)
	}
	var want []int64
	for _, id := range m.ids() {
		if o := m.all[id]; o.status == api.StatusActive && strings.Contains(o.body(), word) {
			o.status = api.StatusDeleted
			o.changed(o.body())
			want = append(want, id)
		}
	}
	if !slices.Equal(done.IDs, want) && len(want)+len(done.IDs) > 0 {
		t.Fatalf("trashed %v with %q, want %v", done.IDs, word, want)
	}
}

func (m *model) Wait(t *rapid.T) { m.f.clock.Advance(rapid.Int64Range(0, 3*hour).Draw(t, "ms")) }

// Check compares everything after each step.
func (m *model) Check(t *rapid.T) {
	list := m.f.export(m.owner)
	if len(list) != len(m.all) {
		t.Fatalf("%d memories, want %d", len(list), len(m.all))
	}
	for _, c := range list {
		o := m.all[c.ID]
		if o == nil {
			t.Fatalf("memory %d should be gone", c.ID)
		}
		if c.Body != o.body() || c.Revision != o.revision || c.Status != o.status || c.Importance != o.level || c.UseCount != o.uses ||
			c.CategoryID != o.category || len(c.Events) != o.events || (c.LastUsedAt != 0) != (o.uses > 0) || int64(len(c.Uses)) != o.uses {
			t.Fatalf("memory %d is %+v, want %+v", c.ID, c, o)
		}
	}
	for id, events := range m.gone {
		page, err := m.f.Events(ctx, m.owner, id, "", 500)
		if err != nil || page.Total != events {
			t.Fatalf("%d events of the purged %d, want %d: %v", page.Total, id, events, err)
		}
	}
	m.f.view(func(tx *db.Tx) error {
		names, err := m.f.categories.Names(tx, m.owner)
		if err != nil {
			return err
		}
		checked, err := Check(tx, m.owner, m.f.rules.terms, names)
		if len(checked.Faults) > 0 {
			t.Fatalf("%v", checked.Faults)
		}
		return err
	})
	var hits []int64
	m.f.view(func(tx *db.Tx) error {
		found, _, err := m.f.Search(tx, m.owner, "tea", false)
		for _, h := range found {
			hits = append(hits, h.ID)
		}
		return err
	})
	var want []int64
	for _, id := range m.ids() {
		if strings.Contains(m.all[id].body(), "tea") {
			want = append(want, id)
		}
	}
	if !slices.Equal(hits, want) {
		t.Fatalf("tea is found in %v, want %v", hits, want)
	}
}

// The store does what the model of the lifecycle does, step by step.
func TestLifecycleModel(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			if n++; n > 30 && f.d.Engine() != "sqlite" {
				return // each statement goes to another process and back
			}
			m := &model{f: f, owner: f.account(fmt.Sprint("m", n)), all: map[int64]*modelled{}, gone: map[int64]int{}}
			f.view(func(tx *db.Tx) (err error) { m.category, _, err = f.categories.Default(tx, m.owner); return err })
			t.Repeat(map[string]func(*rapid.T){
				"add": m.Add, "add more": m.Add, "patch": m.Patch, "trash": m.Trash, "restore": m.Restore, "recall": m.Recall,
				"merge": m.Merge, "purge": m.Purge, "bulk": m.BulkTrash, "wait": m.Wait, "": m.Check,
			})
		})
	})
}
