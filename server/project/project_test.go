package project

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var (
	ctx  = context.Background()
	boss = account.Identity{Scopes: []string{api.ScopeAdmin}}
)

type fixture struct {
	t testing.TB
	d *db.DB
	*Store
	root, ann, bob, cid db.AccountID
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		f := &fixture{t: t, d: d, Store: New(d, Options{})}
		f.update(func(tx *db.Tx) (err error) {
			for name, id := range map[string]*db.AccountID{"ann": &f.ann, "bob": &f.bob, "cid": &f.cid} {
				if *id, err = account.InsertLocked(tx, name, "", api.RoleMember, 0); err != nil {
					return err
				}
			}
			f.root, err = account.InsertLocked(tx, "root", "", api.RoleAdmin, 0)
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

func (f *fixture) add(in api.ProjectAdd, members ...string) api.Project {
	f.t.Helper()
	p, err := f.Add(ctx, boss, in)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range members {
		f.set(p.ID, api.ProjectMemberSet{Name: m})
	}
	return p
}

func (f *fixture) set(id int64, in api.ProjectMemberSet) {
	f.t.Helper()
	if _, err := f.SetMember(ctx, boss, id, 0, in); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) patch(id int64, in api.ProjectPatch) api.Project {
	f.t.Helper()
	p, err := f.Patch(ctx, boss, id, 0, in)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func (f *fixture) readable(who db.AccountID, id int64) bool {
	f.t.Helper()
	var scalar, set bool
	f.update(func(tx *db.Tx) (err error) {
		if _, scalar, err = Readable(tx, who, id); err != nil {
			return err
		}
		pools, err := Pools(tx, who)
		set = slices.ContainsFunc(pools, func(p Pool) bool { return p.Project == id })
		var made int
		if err == nil {
			err = tx.Row(`SELECT COUNT(*) FROM project WHERE id = ? AND pool_id IS NOT NULL`, []any{id}, &made)
		}
		if made == 0 {
			set = scalar // the set has those that were used
		}
		return err
	})
	if scalar != set {
		f.t.Errorf("account %d, project %d: one query says %v, that for all %v", who, id, scalar, set)
	}
	return scalar
}

func refused(t testing.TB, err error, want fault.Kind) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestAddAndPatch(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		p := f.add(api.ProjectAdd{Name: " The Harbour, 2nd ", Roots: []string{"/srv/harbor/", "/srv/harbor", "/srv/../srv/quay"}, Aliases: []string{"pier", "dock"}})
		want := api.Project{ID: p.ID, Revision: 1, Slug: "the-harbour-2nd", Name: "The Harbour, 2nd", Roots: []string{"/srv/harbor", "/srv/quay"},
			Aliases: []string{"dock", "pier"}, CreatedAt: dbtest.Start, UpdatedAt: dbtest.Start}
		if !reflect.DeepEqual(p, want) {
			t.Errorf("%+v, want %+v", p, want)
		}
		for _, bad := range []api.ProjectAdd{{Name: " "}, {Name: "x", Slug: "Big"}, {Name: "x", Slug: "a--b"}, {Name: "x", Slug: "a b"}, {Name: "x", Roots: []string{"relative"}},
			{Name: "x", Roots: []string{"/"}}, {Name: "x", Roots: []string{"/srv/.."}}, {Name: "x", Aliases: []string{"Up"}}, {Name: strings.Repeat("n", 81)}, {Name: "x", Roots: []string{""}}} {
			_, err := f.Add(ctx, boss, bad)
			refused(t, err, fault.Invalid)
		}
		for _, taken := range []api.ProjectAdd{{Name: "x", Slug: p.Slug}, {Name: "x", Slug: "pier"}, {Name: "x", Aliases: []string{p.Slug}}, {Name: "x", Aliases: []string{"dock"}}, {Name: "x", Roots: []string{"/srv/quay"}}} {
			_, err := f.Add(ctx, boss, taken)
			refused(t, err, fault.Taken)
		}
		q := f.patch(p.ID, api.ProjectPatch{Name: api.Ptr("Harbour"), Slug: api.Ptr("harbour"), Roots: &[]string{"/srv/harbor"}, Aliases: &[]string{}, Sharing: api.Ptr(true)})
		if q.Revision != 2 || q.Name != "Harbour" || q.Slug != "harbour" || len(q.Roots) != 1 || len(q.Aliases) != 0 || !q.Sharing || q.Pool || q.Member {
			t.Errorf("%+v", q)
		}
		if again := f.patch(p.ID, api.ProjectPatch{Name: api.Ptr("Harbour")}); again.Revision != 2 {
			t.Errorf("a patch that changes nothing: %+v", again)
		}
		_, err := f.Patch(ctx, boss, p.ID, 1, api.ProjectPatch{Name: api.Ptr("late")})
		refused(t, err, fault.Stale)
		var e *fault.Error
		if errors.As(err, &e) {
			if now, ok := e.Current.(api.Project); !ok || now.Name != "Harbour" {
				t.Errorf("the current one: %+v", e.Current)
			}
		}
		_, err = f.Patch(ctx, boss, p.ID+9, 0, api.ProjectPatch{})
		refused(t, err, fault.NotFound)
		_, err = f.Patch(ctx, boss, f.add(api.ProjectAdd{Name: "Other"}).ID, 0, api.ProjectPatch{Slug: api.Ptr("harbour")})
		refused(t, err, fault.Taken)
		refused(t, f.Delete(ctx, boss, p.ID, 1), fault.Stale)
		if err := f.Delete(ctx, boss, p.ID, 2); err != nil {
			t.Error(err)
		}
		refused(t, f.Delete(ctx, boss, p.ID, 0), fault.NotFound)
		f.add(api.ProjectAdd{Name: "Anew", Slug: "harbour", Roots: []string{"/srv/harbor"}})
	})
}

// The rule of who reads a pool, over every state of sharing and both lists.
func TestWhoReadsAPool(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for _, opened := range []bool{false, true} {
			for state := range 2 * 4 * 4 {
				sharing := state&1 != 0
				member := map[string]bool{"ann": state&2 != 0, "bob": state&4 != 0}
				named := map[string]bool{"ann": state&8 != 0, "bob": state&16 != 0}
				p := f.add(api.ProjectAdd{Name: "P", Slug: fmt.Sprintf("p-%d-%v", state, opened), Sharing: true})
				if opened { // by somebody who is gone since
					f.set(p.ID, api.ProjectMemberSet{Name: "cid"})
					f.update(func(tx *db.Tx) error { _, err := Open(tx, f.cid, p.ID); return err })
					if _, err := f.RemoveMember(ctx, boss, p.ID, 0, "cid"); err != nil {
						t.Fatal(err)
					}
				}
				for _, name := range []string{"ann", "bob"} {
					f.set(p.ID, api.ProjectMemberSet{Name: name, Member: api.Ptr(member[name]), Named: api.Ptr(named[name])})
				}
				f.patch(p.ID, api.ProjectPatch{Sharing: &sharing})
				anyNamed := named["ann"] || named["bob"]
				for name, id := range map[string]db.AccountID{"ann": f.ann, "bob": f.bob} {
					want := sharing && (named[name] || !anyNamed && member[name])
					if got := f.readable(id, p.ID); got != want {
						t.Errorf("sharing %v, members %v, named %v: %s reads: %v", sharing, member, named, name, got)
					}
					seen, err := f.Get(ctx, account.Identity{Owner: id}, p.ID)
					if (err == nil) != (member[name] || want) || err == nil && (seen.Pool != want || seen.Member != member[name]) {
						t.Errorf("%s sees %+v %v", name, seen, err)
					}
				}
				for _, id := range []db.AccountID{f.root, f.cid, 0, -1, 999} {
					if f.readable(id, p.ID) {
						t.Errorf("%d reads the pool of others", id)
					}
				}
				if f.readable(f.ann, 0) || f.readable(f.ann, -1) || f.readable(f.ann, p.ID+1) {
					t.Error("ids of nothing")
				}
			}
		}
	})
}

func TestOpen(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		p := f.add(api.ProjectAdd{Name: "P", Sharing: true}, "ann", "bob")
		var pool Pool
		f.update(func(tx *db.Tx) (err error) { pool, err = Open(tx, f.ann, p.ID); return err })
		f.update(func(tx *db.Tx) error {
			again, err := Open(tx, f.bob, p.ID)
			if again != pool || pool.Owner == 0 {
				t.Errorf("%+v, then %+v", pool, again)
			}
			_, none := Open(tx, f.root, p.ID)
			refused(t, none, fault.NotFound)
			_, none = Open(tx, f.ann, p.ID+1)
			refused(t, none, fault.NotFound)
			if in, ok, err := Of(tx, pool.Owner); in != p.ID || !ok || err != nil {
				t.Errorf("the pool is of %d", in)
			}
			// It is nobody: not among the people, not by its name, and no one signs in.
			people, err := account.List(tx)
			if err != nil || len(people) != 4 {
				t.Errorf("%d people", len(people))
			}
			_, none = account.ByName(tx, fmt.Sprintf("pool of project %d", p.ID))
			refused(t, none, fault.NotFound)
			owners, err := account.Owners(tx)
			if !slices.Contains(owners, pool.Owner) {
				t.Error("what goes over every owner misses it")
			}
			return err
		})
	})
}

func TestInferAndChoose(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		outer := f.add(api.ProjectAdd{Name: "Outer", Roots: []string{"/srv/harbor", "/home/ann/harbor"}, Aliases: []string{"port"}}, "ann", "bob")
		inner := f.add(api.ProjectAdd{Name: "Inner", Roots: []string{"/srv/harbor/quay"}}, "ann")
		infer := func(who db.AccountID, p string) (id int64) {
			f.update(func(tx *db.Tx) (err error) { id, err = Choose(tx, who, 0, p); return err })
			return id
		}
		for p, want := range map[string]int64{
			"/srv/harbor": outer.ID, "/srv/harbor/x": outer.ID, "/home/ann/harbor/y": outer.ID, "/srv/harbor/quay/z": inner.ID, "/srv/harbor/quay/../z": outer.ID,
			"/srv/harbor/..cache": outer.ID, "/srv/harbor-old": 0, "/srv/harbor/../x": 0, "harbor": 0, "": 0, "/": 0,
		} {
			if got := infer(f.ann, p); got != want {
				t.Errorf("ann, %q: %d, want %d", p, got, want)
			}
		}
		// Membership is looked up always: what one has no part in contains nothing.
		if got := infer(f.bob, "/srv/harbor/quay/z"); got != outer.ID {
			t.Errorf("bob: %d", got)
		}
		for _, who := range []db.AccountID{f.cid, f.root, 0, -3} {
			if got := infer(who, "/srv/harbor"); got != 0 {
				t.Errorf("%d is in %d", who, got)
			}
		}
		f.update(func(tx *db.Tx) error {
			// What was selected wins over the path, if one may.
			if id, err := Choose(tx, f.ann, inner.ID, "/srv/harbor"); id != inner.ID || err != nil {
				t.Errorf("%d %v", id, err)
			}
			_, err := Choose(tx, f.bob, inner.ID, "/srv/harbor")
			refused(t, err, fault.NotFound)
			_, err = Choose(tx, f.ann, -1, "/srv/harbor")
			refused(t, err, fault.NotFound)
			for _, slug := range []string{"outer", "port"} {
				if id, err := Named(tx, f.ann, slug); id != outer.ID || err != nil {
					t.Errorf("%s: %d %v", slug, id, err)
				}
				_, err := Named(tx, f.cid, slug)
				refused(t, err, fault.NotFound)
			}
			return nil
		})
		if _, err := f.RemoveMember(ctx, boss, outer.ID, 0, "ann"); err != nil {
			t.Fatal(err)
		}
		if got := infer(f.ann, "/srv/harbor/x"); got != 0 {
			t.Errorf("after she was taken out: %d", got)
		}
	})
}

// The root that a client resolves and the one that is stored are the same real path.
func TestRootsAreResolved(t *testing.T) {
	f := &fixture{t: t, d: dbtest.Open(t, nil)}
	f.Store = New(f.d, Options{Resolve: func(p string) (string, error) {
		if p == "/link" {
			return "/real", nil
		}
		return "", errors.New("not here")
	}})
	if p := f.add(api.ProjectAdd{Name: "P", Roots: []string{"/link", "/elsewhere"}}); !slices.Equal(p.Roots, []string{"/elsewhere", "/real"}) {
		t.Errorf("%v", p.Roots)
	}
}

func TestMembers(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		p := f.add(api.ProjectAdd{Name: "P", Sharing: true}, "bob", "ann")
		f.set(p.ID, api.ProjectMemberSet{Name: "cid", Named: api.Ptr(true)})
		got, err := f.Members(ctx, account.Identity{Owner: f.cid}, p.ID)
		want := api.ProjectMembers{Revision: 4, Items: []api.ProjectMember{
			{Name: "ann", DisplayName: "ann", Member: true}, {Name: "bob", DisplayName: "bob", Member: true}, {Name: "cid", DisplayName: "cid", Named: true}}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v %v", got, err)
		}
		_, err = f.Members(ctx, account.Identity{Owner: f.root}, p.ID)
		refused(t, err, fault.NotFound)
		_, err = f.SetMember(ctx, boss, p.ID, 1, api.ProjectMemberSet{Name: "bob"})
		refused(t, err, fault.Stale)
		_, err = f.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: "nobody"})
		refused(t, err, fault.NotFound)
		_, err = f.RemoveMember(ctx, boss, p.ID, 0, "root")
		refused(t, err, fault.NotFound)
		// Nobody is named any more by somebody's erasure: the pool doesn't open to others.
		f.update(func(tx *db.Tx) error { return EraseAccount(tx, f.cid) })
		if q, err := f.Get(ctx, boss, p.ID); err != nil || q.Sharing {
			t.Errorf("%+v %v", q, err)
		}
		if f.readable(f.ann, p.ID) {
			t.Error("ann reads what was cid's")
		}
	})
}

// Who gains or loses a pool is told to read anew, and nobody else is.
func TestWhoIsTold(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		p := f.add(api.ProjectAdd{Name: "P", Sharing: true}, "ann", "bob")
		var pool Pool
		f.update(func(tx *db.Tx) (err error) { pool, err = Open(tx, f.ann, p.ID); return err })
		seqs := func() map[db.AccountID]int64 {
			all := map[db.AccountID]int64{}
			f.update(func(tx *db.Tx) error {
				heads, err := tx.Heads([]db.AccountID{f.ann, f.bob, f.cid, f.root, pool.Owner})
				for a, h := range heads {
					all[a] = h.Seq
				}
				return err
			})
			return all
		}
		news := func(who db.AccountID, since int64) (list []string) {
			f.update(func(tx *db.Tx) error {
				changes, _, err := tx.Changes(who, since, 100)
				for _, c := range changes {
					list = append(list, fmt.Sprint(c.Noun, " ", c.ID))
				}
				return err
			})
			slices.Sort(list)
			return list
		}
		own := fmt.Sprint("project ", p.ID)
		before := seqs()
		f.set(p.ID, api.ProjectMemberSet{Name: "ann", Named: api.Ptr(true)}) // bob loses it
		for who, want := range map[db.AccountID][]string{f.ann: {own}, f.bob: {"category 0", "memory 0", own}, f.cid: nil, f.root: {own}} {
			if got := news(who, before[who]); !slices.Equal(got, want) {
				t.Errorf("%d is told %v, want %v", who, got, want)
			}
		}
		// What changes in the pool is in the logs of its readers too, and of nobody else.
		before = seqs()
		f.update(func(tx *db.Tx) error {
			tx.Emit(pool.Owner, db.NounMemory, 42)
			tx.Emit(f.bob, db.NounMemory, 7)
			return nil
		})
		for who, want := range map[db.AccountID][]string{pool.Owner: {"memory 42"}, f.ann: {"memory 42"}, f.bob: {"memory 7"}, f.cid: nil, f.root: nil} {
			if got := news(who, before[who]); !slices.Equal(got, want) {
				t.Errorf("%d is told %v, want %v", who, got, want)
			}
		}
	})
}

func TestSlugOf(t *testing.T) {
	for name, want := range map[string]string{"Harbour": "harbour", "  A — b_C  ": "a-b-c", "日本": "project", "": "project", "x9": "x9", "-": "project"} {
		if got := slugOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := slugOf(strings.Repeat("ab ", 40)); len(got) > 60 || !slugPattern.MatchString(got) {
		t.Errorf("%q", got)
	}
}
