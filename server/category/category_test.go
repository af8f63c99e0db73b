package category_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

type fixture struct {
	t testing.TB
	d *db.DB
	*category.Store
	ann, bob db.AccountID
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		f := &fixture{t: t, d: d, Store: category.New(d, func(_ *db.Tx, _ db.AccountID, ids []int64) (map[int64]int, error) {
			return map[int64]int{ids[0]: 7}, nil
		})}
		f.update(func(tx *db.Tx) (err error) {
			if f.ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
				return err
			}
			f.bob, err = account.InsertLocked(tx, "bob", "", api.RoleMember, 0)
			return err
		})
		test(t, f)
	})
}

func (f *fixture) update(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.Update(ctx, fn); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) add(in api.CategoryAdd) api.Category {
	f.t.Helper()
	c, err := f.Add(ctx, f.ann, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

func (f *fixture) changes(owner db.AccountID) (nouns []db.Noun) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error {
		list, _, err := tx.Changes(owner, 0, 1000)
		for _, c := range list {
			nouns = append(nouns, c.Noun)
		}
		return err
	})
	return nouns
}

func refused(t testing.TB, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSeed(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.update(func(tx *db.Tx) error { return f.Seed(tx, f.ann) })
		list, err := f.List(ctx, f.ann)
		if err != nil || len(list) != 1 || list[0].Name != category.FirstName || !list[0].Default || list[0].Color != 9 || list[0].Count != 7 {
			t.Errorf("%+v %v", list, err)
		}
		if none, err := f.List(ctx, f.bob); err != nil || none == nil || len(none) != 0 {
			t.Errorf("%+v %v", none, err)
		}
	})
}

func TestAdd(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		c := f.add(api.CategoryAdd{Name: " Home  improvement ", Description: "walls,\nroofs", Icon: "hammer"})
		if c.ID == 0 || c.Revision != 1 || c.Name != "Home  improvement" || c.Color != 1 || c.Default || c.CreatedAt != dbtest.Start {
			t.Errorf("added %+v", c)
		}
		for _, same := range []string{"Home improvement", "HOME IMPROVEMENT", "ｈｏｍｅ improvement"} {
			_, err := f.Add(ctx, f.ann, api.CategoryAdd{Name: same})
			refused(t, err, fault.Taken)
		}
		if _, err := f.Add(ctx, f.bob, api.CategoryAdd{Name: "home improvement"}); err != nil {
			t.Errorf("the same name in another account: %v", err)
		}
		for _, bad := range []api.CategoryAdd{{Name: " "}, {Name: strings.Repeat("x", 81)}, {Name: "a\nb"}, {Name: "a\x00"}, {Name: "\xff"}, {Name: "x", Color: 11}, {Name: "x", Color: -1},
			{Name: "x", Description: strings.Repeat("d", 1001)}, {Name: "x", Icon: strings.Repeat("i", 41)}} {
			_, err := f.Add(ctx, f.ann, bad)
			refused(t, err, fault.Invalid)
		}
		if n := len(f.changes(f.ann)); n != 2 { // the account's own, and the one category
			t.Errorf("%d changes: %v", n, f.changes(f.ann))
		}
		for color := 2; color <= 10; color++ {
			if c := f.add(api.CategoryAdd{Name: strings.Repeat("n", color)}); c.Color != color {
				t.Errorf("colour %d, the least used is %d", c.Color, color)
			}
		}
		f.add(api.CategoryAdd{Name: "one more", Color: 1})
		if c := f.add(api.CategoryAdd{Name: "and one"}); c.Color != 2 {
			t.Errorf("colour %d, the least used is 2", c.Color)
		}
	})
}

func TestPatch(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add(api.CategoryAdd{Name: "Work", Default: true}), f.add(api.CategoryAdd{Name: "Home"})
		got, err := f.Patch(ctx, f.ann, b.ID, 1, api.CategoryPatch{Name: api.Ptr("House"), Description: api.Ptr("d"), Color: api.Ptr(4), Icon: api.Ptr("i"), Default: api.Ptr(true)})
		if err != nil || got.Name != "House" || got.Description != "d" || got.Color != 4 || got.Icon != "i" || !got.Default || got.Revision != 2 {
			t.Errorf("%+v %v", got, err)
		}
		if a, err = f.Get(ctx, f.ann, a.ID); err != nil || a.Default || a.Revision != 1 {
			t.Errorf("the default before: %+v %v", a, err)
		}
		if got, err = f.Patch(ctx, f.ann, b.ID, 0, api.CategoryPatch{Name: api.Ptr("HOUSE")}); err != nil || got.Name != "HOUSE" || got.Revision != 3 {
			t.Errorf("its own name in another case: %+v %v", got, err)
		}
		before := len(f.changes(f.ann))
		if got, err = f.Patch(ctx, f.ann, b.ID, 0, api.CategoryPatch{Name: api.Ptr("HOUSE"), Default: api.Ptr(true)}); err != nil || got.Revision != 3 || len(f.changes(f.ann)) != before {
			t.Errorf("a patch that changes nothing: %+v %v", got, err)
		}
		_, err = f.Patch(ctx, f.ann, b.ID, 0, api.CategoryPatch{Name: api.Ptr("work"), Default: api.Ptr(false)})
		refused(t, err, fault.Taken)
		_, err = f.Patch(ctx, f.ann, b.ID, 0, api.CategoryPatch{Name: api.Ptr("")})
		refused(t, err, fault.Invalid)
		_, err = f.Patch(ctx, f.ann, b.ID, 2, api.CategoryPatch{Name: api.Ptr("x")})
		refused(t, err, fault.Stale)
		var e *fault.Error
		if errors.As(err, &e) {
			if now, ok := e.Current.(api.Category); !ok || now.Name != "HOUSE" || now.Revision != 3 || !now.Default {
				t.Errorf("the current row: %+v", e.Current)
			}
		}
		if got, err = f.Get(ctx, f.ann, b.ID); err != nil || got.Name != "HOUSE" || !got.Default {
			t.Errorf("after refused patches: %+v %v", got, err)
		}
		if got, err = f.Patch(ctx, f.ann, b.ID, 0, api.CategoryPatch{Default: api.Ptr(false)}); err != nil || got.Default {
			t.Errorf("no default: %+v %v", got, err)
		}
		_, err = f.Patch(ctx, f.ann, 4242, 0, api.CategoryPatch{})
		refused(t, err, fault.NotFound)
	})
}

func TestEnsureAndRemove(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.update(func(tx *db.Tx) error {
			id, made, err := f.Ensure(tx, f.ann, api.CategoryAdd{Name: "Work", Color: 3})
			if err != nil || !made {
				t.Errorf("first %v %v", made, err)
			}
			again, made, err := f.Ensure(tx, f.ann, api.CategoryAdd{Name: " WORK", Color: 5})
			if err != nil || made || again != id {
				t.Errorf("again %d %v %v", again, made, err)
			}
			if _, _, err := f.Ensure(tx, f.ann, api.CategoryAdd{Name: ""}); !fault.Is(err, fault.Invalid) {
				t.Errorf("without a name: %v", err)
			}
			if err := account.SetDefaultCategory(tx, f.ann, &id); err != nil {
				return err
			}
			if names, err := f.Names(tx, f.ann); err != nil || !reflect.DeepEqual(names, map[int64]string{id: "Work"}) {
				t.Errorf("names %v %v", names, err)
			}
			if err := f.Remove(tx, f.ann, id); err != nil {
				return err
			}
			if _, ok, err := f.Default(tx, f.ann); ok || err != nil {
				t.Errorf("the removed one is still the default (%v)", err)
			}
			refused(t, f.Owned(tx, f.ann, id), fault.NotFound)
			refused(t, f.Remove(tx, f.ann, id), fault.NotFound)
			return nil
		})
	})
}

// Whatever bob calls with the id of ann's category, he learns and changes nothing.
func TestNothingCrossesAccounts(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		hers := f.add(api.CategoryAdd{Name: "Hers", Default: true})
		changes := len(f.changes(f.ann))
		in := func(fn func(tx *db.Tx) error) error { return f.d.Update(ctx, fn) }
		calls := map[string]func() error{
			"Get": func() error { _, err := f.Get(ctx, f.bob, hers.ID); return err },
			"Patch": func() error {
				_, err := f.Patch(ctx, f.bob, hers.ID, 9, api.CategoryPatch{Name: api.Ptr("x"), Default: api.Ptr(true)})
				return err
			},
			"PatchShared": func() error {
				_, err := f.PatchShared(ctx, f.bob, hers.ID, 9, api.CategoryPatch{Name: api.Ptr("x")})
				return err
			},
			"Owned":     func() error { return in(func(tx *db.Tx) error { return f.Owned(tx, f.bob, hers.ID) }) },
			"Placeable": func() error { return in(func(tx *db.Tx) error { return f.Placeable(tx, f.bob, hers.ID) }) },
			"Check": func() error {
				return in(func(tx *db.Tx) error { _, err := f.Check(tx, f.bob, hers.ID, 9); return err })
			},
			"Remove": func() error { return in(func(tx *db.Tx) error { return f.Remove(tx, f.bob, hers.ID) }) },
		}
		// Those that take no id of a category.
		for _, name := range []string{"Add", "List", "ListIn", "Visible", "Global", "Names", "Default", "Seed", "Ensure"} {
			calls[name] = nil
		}
		for name, call := range calls {
			if call == nil {
				continue
			}
			if err := call(); !fault.Is(err, fault.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		methods := reflect.TypeFor[*category.Store]()
		for i := range methods.NumMethod() {
			if _, ok := calls[methods.Method(i).Name]; !ok {
				t.Errorf("%s is not tried", methods.Method(i).Name)
			}
		}
		if list, err := f.List(ctx, f.bob); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
		f.update(func(tx *db.Tx) error {
			names, err := f.Names(tx, f.bob)
			_, ok, _ := f.Default(tx, f.bob)
			if len(names) != 0 || ok {
				t.Errorf("%v %v", names, ok)
			}
			return err
		})
		if c, err := f.Get(ctx, f.ann, hers.ID); err != nil || c != hers || len(f.changes(f.ann)) != changes {
			t.Errorf("changed: %+v %v", c, err)
		}
	})
}
