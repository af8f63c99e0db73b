package account_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestTokens(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ann, bob := db.AccountID(f.ann.ID), db.AccountID(f.bob.ID)
		seq := f.seq(f.bob)
		made, err := f.AddToken(ctx, bob, api.TokenAdd{Name: "laptop", Days: 7})
		f.must("add", err)
		if !strings.HasPrefix(made.Token, "elw_") || len(made.Token) < 30 || *made.ExpiresAt != api.Time(f.clock.Now()+7*day) ||
			!reflect.DeepEqual(made.Scopes, []string{"read", "write"}) || made.LastUsedAt != nil {
			t.Errorf("%+v", made)
		}
		if f.seq(f.bob) != seq+1 {
			t.Error("a token is no change")
		}
		i, err := f.Token(ctx, made.Token)
		f.must("token", err)
		if i.Owner != bob || i.TokenID != made.ID || i.Actor() != "token:"+itoa(made.ID) || i.Can(api.ScopeAdmin) || !i.Can(api.ScopeWrite) {
			t.Errorf("%+v", i)
		}
		used := func() api.Time {
			list, err := f.Tokens(ctx, bob)
			f.must("list", err)
			if len(list) != 1 || list[0].Token != "" || list[0].LastUsedAt == nil {
				t.Fatalf("%+v", list)
			}
			return *list[0].LastUsedAt
		}
		first := used()
		f.clock.Advance(59_000)
		f.Token(ctx, made.Token)
		if used() != first {
			t.Error("last use written within a minute")
		}
		f.clock.Advance(1_000)
		f.Token(ctx, made.Token)
		if used() != first+minute {
			t.Error("last use not written after a minute")
		}

		f.want("another's", f.RevokeToken(ctx, ann, made.ID), fault.NotFound)
		f.must("check", f.Check(ctx, i))
		stolen := i
		stolen.Owner = ann
		f.want("check under another account", f.Check(ctx, stolen), fault.Unauthenticated)
		f.clock.Advance(7 * day)
		_, err = f.Token(ctx, made.Token)
		f.want("expired", err, fault.Unauthenticated)
		f.want("check expired", f.Check(ctx, i), fault.Unauthenticated)
		f.must("revoke", f.RevokeToken(ctx, bob, made.ID))
		f.want("twice", f.RevokeToken(ctx, bob, made.ID), fault.NotFound)

		_, err = f.AddToken(ctx, bob, api.TokenAdd{Name: "t", Scopes: []string{"read", "admin"}})
		f.want("a member's admin token", err, fault.Forbidden)
		root, err := f.AddToken(ctx, ann, api.TokenAdd{Name: "t", Scopes: []string{"admin"}})
		f.must("admin's", err)
		i, err = f.Token(ctx, root.Token)
		f.must("admin's", err)
		if i.Can(api.ScopeRead) || !i.Can(api.ScopeAdmin) {
			t.Errorf("scopes %v", i.Scopes)
		}
		// Demoted, the token may no longer do what it could.
		f.add(api.PersonAdd{Name: "eve", Password: good, Role: api.RoleAdmin})
		_, err = f.Patch(ctx, account.Identity{}, "ann", 0, api.PersonPatch{Role: api.Ptr(api.RoleMember)})
		f.must("demote", err)
		f.want("check", f.Check(ctx, i), fault.Unauthenticated)
		if i, err = f.Token(ctx, root.Token); err == nil && i.Can(api.ScopeAdmin) {
			t.Error("still an administrator")
		}
		for _, s := range []string{"", "elw_", "elw_x", made.Token[4:], "Bearer " + made.Token} {
			_, err = f.Token(ctx, s)
			f.want("rubbish", err, fault.Unauthenticated)
		}
	})
}

func itoa(n int64) string { b, _ := json.Marshal(n); return string(b) }

// The secret of a token is stored nowhere, also not as a remembered result.
func TestTokenSecretIsShownOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bob := db.AccountID(f.bob.ID)
		add := func() (api.Token, bool) {
			c, replayed, err := account.Idempotent(ctx, bob, "k", []byte("POST tokens"))
			f.must("key", err)
			tok, err := f.AddToken(c, bob, api.TokenAdd{Name: "t"})
			f.must("add", err)
			return tok, replayed()
		}
		first, again := add()
		second, replayed := add()
		if again || !replayed || first.ID != second.ID || first.Token == "" || second.Token != "" {
			t.Errorf("%+v then %+v", first, second)
		}
		f.must("view", f.db.View(ctx, func(tx *db.Tx) error {
			var result string
			if err := tx.Row(`SELECT result FROM idempotency WHERE owner_id = ? AND key = 'k'`, []any{f.bob.ID}, &result); err != nil {
				return err
			}
			if strings.Contains(result, first.Token) || strings.Contains(result, "elw_") {
				t.Errorf("remembered: %s", result)
			}
			return nil
		}))
		for _, key := range []string{"", strings.Repeat("k", 201), "a\nb", "ä"} {
			_, _, err := account.Idempotent(ctx, bob, key, nil)
			f.want(key, err, fault.Invalid)
		}
	})
}

// Where the program and its data are is told to administrators alone, by whatever asks
// who one is.
func TestTheTerminalIsForAdministrators(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		at := api.Terminal{Program: "/opt/elowen", Data: "/srv/elowen"}
		s := account.New(f.db, account.Options{Hash: cheap, Terminal: at})
		for _, c := range []struct {
			who  account.Identity
			told bool
		}{
			{f.login("ann").Identity, true},
			{account.Identity{Owner: db.AccountID(f.ann.ID), Role: api.RoleAdmin, Scopes: []string{api.ScopeRead, api.ScopeWrite}, TokenID: 1}, false},
			{f.login("bob").Identity, false},
		} {
			asked, err := s.Me(ctx, c.who)
			f.must("me", err)
			changed, err := s.PatchMe(ctx, c.who, 0, api.MePatch{DisplayName: api.Ptr("New")})
			f.must("patch", err)
			var live api.Me
			f.must("live", f.db.View(ctx, func(tx *db.Tx) (err error) { live, err = s.MeIn(tx, c.who); return err }))
			for _, me := range []api.Me{asked, changed, live} {
				if (me.Terminal != nil) != c.told || c.told && *me.Terminal != at {
					t.Errorf("%s: %+v", c.who.Name, me.Terminal)
				}
			}
		}
	})
}

// What a token was called is known after it was revoked, by itself or with its account's
// other ones, and goes with the account.
func TestNamesOfRevokedTokens(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bob := db.AccountID(f.bob.ID)
		var ids []int64
		for _, name := range []string{"Laptop", "Phone", "Desk"} {
			made, err := f.AddToken(ctx, bob, api.TokenAdd{Name: name})
			f.must("add", err)
			ids = append(ids, made.ID)
		}
		named := func(when string, want ...string) {
			t.Helper()
			var names map[int64]account.NamedToken
			f.must("names", f.db.View(ctx, func(tx *db.Tx) (err error) { names, err = account.TokensNamed(tx, ids); return err }))
			if len(names) != len(want) {
				t.Errorf("%s: %v", when, names)
			}
			for i, name := range want {
				if names[ids[i]] != (account.NamedToken{Owner: bob, Name: name}) {
					t.Errorf("%s: %s is %+v", when, name, names[ids[i]])
				}
			}
		}
		f.must("revoke", f.RevokeToken(ctx, bob, ids[1]))
		f.want("revoke again", f.RevokeToken(ctx, bob, ids[1]), fault.NotFound)
		named("one is revoked", "Laptop", "Phone", "Desk")
		_, err := f.Patch(ctx, account.Identity{}, "bob", 0, api.PersonPatch{Disabled: api.Ptr(true)})
		f.must("disable", err)
		if list, err := f.Tokens(ctx, bob); err != nil || len(list) != 0 {
			t.Errorf("of a disabled account: %v %v", list, err)
		}
		named("all are", "Laptop", "Phone", "Desk")
		f.must("erase", f.erase("bob"))
		named("the account is gone")
	})
}

func TestMe(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bob := f.login("bob").Identity
		me, err := f.Me(ctx, bob)
		f.must("me", err)
		if me.Name != "bob" || me.Revision != 1 || me.DefaultCategoryID != nil || !me.Memory.SearchAfterMessage || me.Memory.AutoSave || !reflect.DeepEqual(me.Scopes, []string{"read", "write"}) {
			t.Errorf("%+v", me)
		}
		seq := f.seq(f.bob)
		own := 100 + f.bob.ID
		me, err = f.PatchMe(ctx, bob, 1, api.MePatch{
			DisplayName: api.Ptr("Bob B."), DefaultCategoryID: api.Some(own),
			Memory: &api.MeMemoryPatch{AutoSave: api.Ptr(true), SearchAfterMessage: api.Ptr(false)},
		})
		f.must("patch", err)
		if me.DisplayName != "Bob B." || *me.DefaultCategoryID != own || !me.Memory.AutoSave || me.Memory.SearchAfterMessage || !me.Memory.SearchWhileWorking || me.Revision != 2 {
			t.Errorf("%+v", me)
		}
		if f.seq(f.bob) == seq {
			t.Error("no change in the log")
		}
		_, err = f.PatchMe(ctx, bob, 0, api.MePatch{DefaultCategoryID: api.Some(100 + f.ann.ID)})
		f.want("another's category", err, fault.NotFound)
		_, err = f.PatchMe(ctx, bob, 1, api.MePatch{DisplayName: api.Ptr("x")})
		f.want("stale", err, fault.Stale)
		var e *fault.Error
		if !errors.As(err, &e) || e.Current.(api.Me).Revision != 2 {
			t.Errorf("current %+v", e)
		}
		me, err = f.PatchMe(ctx, bob, 2, api.MePatch{DefaultCategoryID: api.Null[int64]()})
		f.must("no category", err)
		if me.DefaultCategoryID != nil || me.DisplayName != "Bob B." {
			t.Errorf("%+v", me)
		}
		short := "another password"
		for _, current := range []*string{nil, api.Ptr("wrong"), api.Ptr("")} {
			_, err = f.PatchMe(ctx, bob, 0, api.MePatch{Password: &short, CurrentPassword: current})
			f.want("password without the current one", err, fault.Invalid)
		}
		f.login("bob")
		for range 12 {
			_, err = f.PatchMe(ctx, bob, 0, api.MePatch{Password: &short, CurrentPassword: api.Ptr("guess")})
		}
		f.want("guessing the current password", err, fault.TooMany)
	})
}

// A repeated change of password is answered from memory, though the current
// password that it carries is no longer the current one.
func TestPasswordChangeRepeated(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bob := f.login("bob").Identity
		newer := "another password"
		for i := range 2 {
			c, replayed, err := account.Idempotent(ctx, bob.Owner, "k", []byte("PATCH me"))
			f.must("key", err)
			if _, err := f.PatchMe(c, bob, 0, api.MePatch{Password: &newer, CurrentPassword: api.Ptr(good)}); err != nil || replayed() != (i == 1) {
				t.Errorf("time %d: %v, replayed %v", i, err, replayed())
			}
		}
	})
}

func TestPeople(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		list, err := f.People(ctx)
		f.must("list", err)
		if len(list) != 2 || list[0].Name != "ann" || list[1].Name != "bob" || list[1].Role != api.RoleMember || list[0].CreatedAt != api.Time(f.clock.Now()) {
			t.Errorf("%+v", list)
		}
		_, err = f.Add(ctx, api.PersonAdd{Name: "BOB"})
		f.want("taken", err, fault.Taken)
		_, err = f.Add(ctx, api.PersonAdd{Name: "a b"})
		f.want("bad name", err, fault.Invalid)
		for _, name := range []string{"nobody", "", "..", "a/b", "x\x00"} {
			_, err = f.Person(ctx, name)
			f.want(name, err, fault.NotFound)
			_, err = f.Patch(ctx, account.Identity{}, name, 0, api.PersonPatch{})
			f.want(name, err, fault.NotFound)
		}
		p, err := f.Patch(ctx, account.Identity{}, "bob", 1, api.PersonPatch{DisplayName: api.Ptr("B")})
		f.must("patch", err)
		if p.Revision != 2 || p.DisplayName != "B" || p.Role != api.RoleMember {
			t.Errorf("%+v", p)
		}
		_, err = f.Patch(ctx, account.Identity{}, "bob", 1, api.PersonPatch{Disabled: api.Ptr(true)})
		f.want("stale", err, fault.Stale)
	})
}

func TestLastAdministratorStays(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		remove := map[string]func(name string) error{
			"disable": func(name string) error {
				_, err := f.Patch(ctx, account.Identity{}, name, 0, api.PersonPatch{Disabled: api.Ptr(true)})
				return err
			},
			"demote": func(name string) error {
				_, err := f.Patch(ctx, account.Identity{}, name, 0, api.PersonPatch{Role: api.Ptr(api.RoleMember)})
				return err
			},
			"erase": func(name string) error { return f.erase(name) },
		}
		for what, do := range remove {
			f.want(what+" the only one", do("ann"), fault.Taken)
		}
		// One who cannot sign in is no help.
		f.add(api.PersonAdd{Name: "locked", Role: api.RoleAdmin})
		for what, do := range remove {
			f.want(what+" beside a locked one", do("ann"), fault.Taken)
		}
		f.must("the locked one may go", remove["demote"]("locked"))
		for what, do := range remove {
			name := "admin-" + what
			f.add(api.PersonAdd{Name: name, Password: good, Role: api.RoleAdmin})
			f.must(what, do(name))
			f.want(what+" the last one again", do("ann"), fault.Taken)
		}
	})
}

func (f *fixture) erase(name string) error {
	return f.db.Update(ctx, func(tx *db.Tx) error {
		p, err := account.ByName(tx, name)
		if err != nil {
			return err
		}
		if err := account.MarkErasing(tx, db.AccountID(p.ID)); err != nil {
			return err
		}
		if _, err := account.ByName(tx, name); !fault.Is(err, fault.NotFound) {
			f.Errorf("still seen while it is erased: %v", err)
		}
		if err := tx.EraseAccountLog(db.AccountID(p.ID)); err != nil {
			return err
		}
		return account.Delete(tx, db.AccountID(p.ID))
	})
}

func TestErase(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		o := f.login("bob")
		tok, err := f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "t"})
		f.must("token", err)
		f.must("erase", f.erase("bob"))
		_, err = f.Session(ctx, o.Secret)
		f.want("session", err, fault.Unauthenticated)
		_, err = f.Token(ctx, tok.Token)
		f.want("token", err, fault.Unauthenticated)
		f.want("again", f.erase("bob"), fault.NotFound)
		again := f.add(api.PersonAdd{Name: "bob", Password: good})
		if again.ID == f.bob.ID {
			t.Error("the id came back")
		}
		f.must("view", f.db.View(ctx, func(tx *db.Tx) error {
			owners, err := account.Owners(tx)
			if !reflect.DeepEqual(owners, []db.AccountID{db.AccountID(f.ann.ID), db.AccountID(again.ID)}) {
				t.Errorf("owners %v", owners)
			}
			return err
		}))
		if err := f.db.Update(ctx, func(tx *db.Tx) error { return account.Delete(tx, db.AccountID(f.ann.ID)) }); !fault.Is(err, fault.NotFound) {
			t.Errorf("deleted without being marked: %v", err)
		}
	})
}

func TestInsertLocked(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.must("insert", f.db.Update(ctx, func(tx *db.Tx) error {
			id, err := account.InsertLocked(tx, "old", "Old One", api.RoleMember, 12345)
			if err != nil {
				return err
			}
			if _, ok, err := account.DefaultCategory(tx, id); ok || err != nil {
				t.Errorf("default category: %v, %v", ok, err)
			}
			if err := account.SetDefaultCategory(tx, id, api.Ptr[int64](7)); err != nil {
				return err
			}
			if c, ok, err := account.DefaultCategory(tx, id); c != 7 || !ok || err != nil {
				t.Errorf("default category: %v, %v, %v", c, ok, err)
			}
			_, err = account.InsertLocked(tx, "BOB", "", "", 0)
			f.want("taken", err, fault.Taken)
			return nil
		}))
		p, err := f.Person(ctx, "OLD")
		f.must("person", err)
		if !p.Locked || p.CreatedAt != 12345 || p.DisplayName != "Old One" {
			t.Errorf("%+v", p)
		}
		f.must("password", second(f.Patch(ctx, account.Identity{}, "old", 0, api.PersonPatch{Password: api.Ptr(good)})))
		f.login("old")
	})
}

func second[T any](_ T, err error) error { return err }
