package category_test

import (
	"reflect"
	"testing"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var boss = account.Identity{Scopes: []string{api.ScopeAdmin}}

// project makes one that shares, with members by name.
func (f *fixture) project(name string, members ...string) int64 {
	f.t.Helper()
	projects := project.New(f.d, project.Options{})
	p, err := projects.Add(ctx, boss, api.ProjectAdd{Name: name, Sharing: true})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range members {
		if _, err := projects.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: m}); err != nil {
			f.t.Fatal(err)
		}
	}
	return p.ID
}

func (f *fixture) scope(who db.AccountID, in int64) (list []category.Share, err error) {
	err = f.d.View(ctx, func(tx *db.Tx) (err error) { list, err = category.Scope(tx, who, in); return err })
	return list, err
}

func TestScope(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		harbor, quay := f.project("Harbor", "ann", "bob"), f.project("Quay", "ann")
		global := f.add(api.CategoryAdd{Name: "Global"})
		inHarbor := f.add(api.CategoryAdd{Name: "Harbor notes", ProjectID: harbor})
		inQuay := f.add(api.CategoryAdd{Name: "Quay notes", ProjectID: quay})
		shared := f.add(api.CategoryAdd{Name: "Ours", ProjectID: harbor, Shared: true})
		if !shared.Shared || shared.ProjectID == nil || *shared.ProjectID != harbor {
			t.Errorf("%+v", shared)
		}
		var pool db.AccountID
		f.update(func(tx *db.Tx) error {
			p, ok, err := project.Readable(tx, f.bob, harbor)
			if pool = p.Owner; !ok || pool == 0 {
				t.Error("no pool")
			}
			return err
		})
		mine := func(ids ...int64) category.Share { return category.Share{Owner: f.ann, Categories: ids} }
		ours := category.Share{Owner: pool, Categories: []int64{shared.ID}, Pool: true}
		for _, c := range []struct {
			who  db.AccountID
			in   int64
			want []category.Share
		}{
			{f.ann, 0, []category.Share{mine(global.ID)}},
			{f.ann, harbor, []category.Share{mine(global.ID, inHarbor.ID), ours}},
			{f.ann, quay, []category.Share{mine(global.ID, inQuay.ID)}},
			{f.bob, 0, nil},
			{f.bob, harbor, []category.Share{ours}},
			{0, harbor, nil}, {-1, 0, nil}, {f.ann, -5, nil},
		} {
			if got, err := f.scope(c.who, c.in); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%d in %d: %+v %v, want %+v", c.who, c.in, got, err, c.want)
			}
		}
		for _, none := range []struct {
			who db.AccountID
			in  int64
		}{{f.bob, quay}, {f.ann, quay + 100}, {999, harbor}} {
			_, err := f.scope(none.who, none.in)
			refused(t, err, fault.NotFound)
		}
		// In the middle of a request: what one transaction gave, the next one doesn't.
		projects := project.New(f.d, project.Options{})
		if _, err := projects.RemoveMember(ctx, boss, harbor, 0, "bob"); err != nil {
			t.Fatal(err)
		}
		_, err := f.scope(f.bob, harbor)
		refused(t, err, fault.NotFound)
		if _, err := projects.Patch(ctx, boss, harbor, 0, api.ProjectPatch{Sharing: api.Ptr(false)}); err != nil {
			t.Fatal(err)
		}
		if got, err := f.scope(f.ann, harbor); err != nil || !reflect.DeepEqual(got, []category.Share{mine(global.ID, inHarbor.ID)}) {
			t.Errorf("without sharing: %+v %v", got, err)
		}
		// What is bound to a project that is no more is recalled nowhere.
		if err := projects.Delete(ctx, boss, quay, 0); err != nil {
			t.Fatal(err)
		}
		if got, err := f.scope(f.ann, 0); err != nil || !reflect.DeepEqual(got, []category.Share{mine(global.ID)}) {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestFallback(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		harbor := f.project("Harbor", "ann")
		f.add(api.CategoryAdd{Name: "harbor"}) // a global one of the project's name
		var first, again int64
		f.update(func(tx *db.Tx) (err error) {
			if first, err = category.Fallback(tx, f.ann, harbor); err == nil {
				again, err = category.Fallback(tx, f.ann, harbor)
			}
			return err
		})
		c, err := f.Get(ctx, f.ann, first)
		if err != nil || again != first || c.Name != "Harbor 2" || c.ProjectID == nil || *c.ProjectID != harbor {
			t.Errorf("%+v %v", c, err)
		}
		// It is bound by its id: another name makes no second one.
		if _, err := f.Patch(ctx, f.ann, first, 0, api.CategoryPatch{Name: api.Ptr("Ships")}); err != nil {
			t.Fatal(err)
		}
		f.update(func(tx *db.Tx) (err error) { again, err = category.Fallback(tx, f.ann, harbor); return err })
		if again != first {
			t.Errorf("%d, then %d", first, again)
		}
	})
}

func TestBinding(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		harbor, others := f.project("Harbor", "ann"), f.project("Others", "bob")
		c := f.add(api.CategoryAdd{Name: "Notes"})
		c, err := f.Patch(ctx, f.ann, c.ID, 1, api.CategoryPatch{ProjectID: api.Some(harbor)})
		if err != nil || c.Revision != 2 || c.ProjectID == nil || *c.ProjectID != harbor || c.Shared {
			t.Errorf("%+v %v", c, err)
		}
		if c, err = f.Patch(ctx, f.ann, c.ID, 2, api.CategoryPatch{ProjectID: api.Optional[int64]{Set: true}}); err != nil || c.ProjectID != nil {
			t.Errorf("%+v %v", c, err)
		}
		// Where adds without a category go belongs to no project.
		for _, bad := range []api.CategoryPatch{{ProjectID: api.Some(harbor), Default: api.Ptr(true)}} {
			_, err = f.Patch(ctx, f.ann, c.ID, 0, bad)
			refused(t, err, fault.Invalid)
		}
		def := f.add(api.CategoryAdd{Name: "Default", Default: true})
		_, err = f.Patch(ctx, f.ann, def.ID, 0, api.CategoryPatch{ProjectID: api.Some(harbor)})
		refused(t, err, fault.Invalid)
		if moved, err := f.Patch(ctx, f.ann, def.ID, 0, api.CategoryPatch{ProjectID: api.Some(harbor), Default: api.Ptr(false)}); err != nil || moved.Default || moved.ProjectID == nil {
			t.Errorf("%+v %v", moved, err)
		}
		f.update(func(tx *db.Tx) error {
			refused(t, f.Placeable(tx, f.ann, def.ID), fault.Invalid)
			return f.Placeable(tx, f.ann, c.ID)
		})
		_, err = f.Add(ctx, f.ann, api.CategoryAdd{Name: "x", ProjectID: harbor, Default: true})
		refused(t, err, fault.Invalid)
		_, err = f.Patch(ctx, f.ann, c.ID, 0, api.CategoryPatch{ProjectID: api.Some(others)})
		refused(t, err, fault.NotFound)
		_, err = f.Add(ctx, f.ann, api.CategoryAdd{Name: "x", ProjectID: others})
		refused(t, err, fault.NotFound)
		_, err = f.Add(ctx, f.ann, api.CategoryAdd{Name: "x", ProjectID: others, Shared: true})
		refused(t, err, fault.NotFound)
		_, err = f.Add(ctx, f.ann, api.CategoryAdd{Name: "x", Shared: true})
		refused(t, err, fault.Invalid)
		_, err = f.Add(ctx, f.ann, api.CategoryAdd{Name: "x", ProjectID: harbor, Shared: true, Default: true})
		refused(t, err, fault.Invalid)
	})
}

func TestSharedCategories(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		harbor := f.project("Harbor", "ann", "bob")
		c := f.add(api.CategoryAdd{Name: "Ours", ProjectID: harbor, Shared: true})
		if seen, err := f.Get(ctx, f.bob, c.ID); err != nil || !seen.Shared || seen.Default {
			t.Errorf("%+v %v", seen, err)
		}
		list, err := f.List(ctx, f.bob)
		if err != nil || len(list) != 1 || list[0].ID != c.ID || !list[0].Shared {
			t.Errorf("%+v %v", list, err)
		}
		// It is nobody's own.
		_, err = f.Patch(ctx, f.bob, c.ID, 0, api.CategoryPatch{Name: api.Ptr("Mine")})
		refused(t, err, fault.NotFound)
		got, err := f.PatchShared(ctx, f.bob, c.ID, 1, api.CategoryPatch{Name: api.Ptr("Everybody's")})
		if err != nil || got.Name != "Everybody's" || got.Revision != 2 || !got.Shared {
			t.Errorf("%+v %v", got, err)
		}
		for _, bad := range []api.CategoryPatch{{ProjectID: api.Optional[int64]{Set: true}}, {Default: api.Ptr(true)}} {
			_, err := f.PatchShared(ctx, f.bob, c.ID, 0, bad)
			refused(t, err, fault.Invalid)
		}
		if _, err := project.New(f.d, project.Options{}).RemoveMember(ctx, boss, harbor, 0, "bob"); err != nil {
			t.Fatal(err)
		}
		_, err = f.PatchShared(ctx, f.bob, c.ID, 0, api.CategoryPatch{Name: api.Ptr("x")})
		refused(t, err, fault.NotFound)
		_, err = f.Get(ctx, f.bob, c.ID)
		refused(t, err, fault.NotFound)
	})
}
