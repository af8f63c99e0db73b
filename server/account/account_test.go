package account_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// cheap keeps the tests' hashes quick; what they cost is not what is tested.
var cheap = account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}

const (
	minute = 60_000
	hour   = 60 * minute
	day    = 24 * hour
	good   = "correct horse"
)

// each runs the test on every engine, on a store with an administrator "ann" and
// a member "bob", both with the password good.
func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		f := &fixture{T: t, db: d, clock: clock}
		f.Store = account.New(d, account.Options{Hash: cheap, Patience: time.Minute, OwnsCategory: func(_ *db.Tx, owner db.AccountID, id int64) error {
			if id != 100+int64(owner) { // each account has one category, by decree
				return fault.New(fault.NotFound, "There is no such category.")
			}
			return nil
		}})
		f.ann = f.add(api.PersonAdd{Name: "ann", Password: good, Role: api.RoleAdmin})
		f.bob = f.add(api.PersonAdd{Name: "bob", Password: good})
		test(t, f)
	})
}

type fixture struct {
	*account.Store
	*testing.T
	db       *db.DB
	clock    *dbtest.Clock
	ann, bob api.Person
}

func (f *fixture) add(in api.PersonAdd) api.Person {
	f.Helper()
	p, err := f.Add(ctx, in)
	if err != nil {
		f.Fatal(err)
	}
	return p
}

func (f *fixture) login(name string) account.Opened {
	f.Helper()
	o, err := f.Login(ctx, "192.0.2.1", api.Login{Name: name, Password: good})
	if err != nil {
		f.Fatalf("login %s: %v", name, err)
	}
	return o
}

func (f *fixture) want(what string, err error, kind fault.Kind) {
	f.Helper()
	if !fault.Is(err, kind) {
		f.Errorf("%s: %v, want %v", what, err, kind)
	}
}

func (f *fixture) must(what string, err error) {
	f.Helper()
	if err != nil {
		f.Fatalf("%s: %v", what, err)
	}
}

func (f *fixture) seq(p api.Person) int64 {
	f.Helper()
	var h db.Head
	f.must("head", f.db.View(ctx, func(tx *db.Tx) (err error) { h, err = tx.Head(db.AccountID(p.ID)); return err }))
	return h.Seq
}

func TestSetup(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		var created []db.AccountID
		s := account.New(d, account.Options{Hash: cheap, OnCreate: func(_ *db.Tx, owner db.AccountID) error {
			created = append(created, owner)
			return nil
		}})
		f := &fixture{Store: s, T: t, db: d, clock: clock}
		in := api.Setup{Name: "Ann", Password: good, Code: "x"}
		_, err := s.Setup(ctx, "c", in)
		f.want("before a code was made", err, fault.Forbidden)
		old, err := s.SetupCode(ctx)
		f.must("code", err)
		code, err := s.SetupCode(ctx)
		f.must("code", err)
		if len(code) < 26 || code == old {
			t.Fatalf("codes %q, %q", old, code)
		}
		in.Code = old
		_, err = s.Setup(ctx, "c", in)
		f.want("an older code", err, fault.Forbidden)

		in.Code, in.Name = code, "not a name"
		_, err = s.Setup(ctx, "c", in)
		f.want("a bad name", err, fault.Invalid)
		in.Name = "Ann"

		in.Code = "wrong"
		for range 20 {
			_, err = s.Setup(ctx, "d", in)
		}
		f.want("many wrong codes", err, fault.TooMany)

		in.Code = " " + code + "\n" // as pasted
		o, err := s.Setup(ctx, "c", in)
		f.must("setup", err)
		if o.Identity.Role != api.RoleAdmin || o.Identity.Name != "Ann" || !o.Identity.Can(api.ScopeAdmin) {
			t.Errorf("%+v", o.Identity)
		}
		if !reflect.DeepEqual(created, []db.AccountID{o.Identity.Owner}) {
			t.Errorf("OnCreate ran for %v", created)
		}
		if _, err := s.Session(ctx, o.Secret); err != nil {
			t.Errorf("signed in: %v", err)
		}
		_, err = s.Setup(ctx, "c", in)
		f.want("a second time", err, fault.Gone)
		_, err = s.SetupCode(ctx)
		f.want("another code", err, fault.Gone)
	})
}

// Two browsers with the right code at the same moment: one account.
func TestSetupOnce(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		s := account.New(d, account.Options{Hash: cheap})
		code, err := s.SetupCode(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs := make([]error, 4)
		for i := range errs {
			wg.Go(func() {
				_, errs[i] = s.Setup(ctx, "c", api.Setup{Code: code, Name: fmt.Sprint("p", i), Password: good})
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !fault.Is(err, fault.Gone) && !fault.Is(err, fault.Forbidden) {
				t.Error(err)
			}
		}
		if people, err := s.People(ctx); won != 1 || len(people) != 1 {
			t.Errorf("%d won, people %v, %v", won, people, err)
		}
	})
}

func TestFailedHookLeavesNoAccount(t *testing.T) {
	d := dbtest.Open(t, nil)
	s := account.New(d, account.Options{Hash: cheap, OnCreate: func(*db.Tx, db.AccountID) error { return fault.New(fault.Unavailable, "No.") }})
	if _, err := s.Add(ctx, api.PersonAdd{Name: "ann"}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
	if list, err := s.People(ctx); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

func TestLogin(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		locked := f.add(api.PersonAdd{Name: "lock"})
		if !locked.Locked || f.ann.Locked {
			t.Error("locked is the one without a password")
		}
		said := map[string]bool{}
		for _, in := range []api.Login{
			{Name: "ann", Password: "wrong"}, {Name: "nobody", Password: good}, {Name: "lock", Password: good},
			{Name: "lock", Password: ""}, {Name: "not a name", Password: good}, {Name: "a\u0301\x00", Password: good},
		} {
			_, err := f.Login(ctx, "192.0.2.9", in)
			f.want(fmt.Sprintf("%+v", in), err, fault.Unauthenticated)
			said[fmt.Sprint(err)] = true
		}
		if len(said) != 1 {
			t.Errorf("failures read differently: %v", said)
		}
		o, err := f.Login(ctx, "192.0.2.1", api.Login{Name: "ANN", Password: good})
		f.must("whatever the case", err)
		if o.Identity.Name != "ann" || o.Identity.Actor() != fmt.Sprint("user:", f.ann.ID) || o.Lasts != 30*day {
			t.Errorf("%+v", o)
		}
		// The same characters, composed and decomposed.
		f.add(api.PersonAdd{Name: "zoë", Password: "pässwort 1"})
		if _, err := f.Login(ctx, "192.0.2.1", api.Login{Name: "zoe\u0308", Password: "pa\u0308sswort 1"}); err != nil {
			t.Errorf("decomposed: %v", err)
		}
		_, err = f.Add(ctx, api.PersonAdd{Name: "ZOË"})
		f.want("the same name", err, fault.Taken)
	})
}

func TestLoginLimit(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		try := func(client, name, password string) error {
			_, err := f.Login(ctx, client, api.Login{Name: name, Password: password})
			return err
		}
		f.must("ann at home", try("home", "ann", good))
		for i := range 30 {
			f.want("wrong", try(fmt.Sprint("c", i), "ann", "wrong"), fault.Unauthenticated)
			f.clock.Advance(1000)
		}
		err := try("elsewhere", "ANN", good)
		f.want("the right one, too late", err, fault.TooMany)
		if e := err.(*fault.Error); e.RetryAfterMillis != 15*minute-30_000 {
			t.Errorf("retry after %d", e.RetryAfterMillis)
		}
		f.must("another name", try("elsewhere", "bob", good))
		// Whoever signed in from there before isn't kept out by strangers, nor may guess more.
		f.must("at home", try("home", "Ann", good))
		for range 10 {
			f.want("wrong at home", try("home", "ann", "wrong"), fault.Unauthenticated)
		}
		f.want("too much at home", try("home", "ann", good), fault.TooMany)
		f.clock.Advance(15*minute - 30_000)
		f.must("after the window of the first", try("elsewhere", "ann", good))
		f.clock.Advance(15 * minute)

		for i := range 10 {
			f.want("wrong", try("bad", fmt.Sprint("n", i), "wrong"), fault.Unauthenticated)
		}
		f.want("one client, many names", try("bad", "bob", good), fault.TooMany)
		f.must("others are not held up", try("fine", "bob", good))

		// Many at once can't all slip through.
		f.clock.Advance(hour)
		var wg sync.WaitGroup
		errs := make([]error, 40)
		for i := range errs {
			wg.Go(func() { errs[i] = try(fmt.Sprint("x", i), "ann", "wrong") })
		}
		wg.Wait()
		tried := 0
		for _, err := range errs {
			if fault.Is(err, fault.Unauthenticated) {
				tried++
			}
		}
		if tried != 30 {
			t.Errorf("%d of 40 were tried at once", tried)
		}
	})
}

func TestCancelledLoginIsNoAttempt(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		gone, cancel := context.WithCancel(ctx)
		cancel()
		for range 30 {
			_, err := f.Login(gone, "c", api.Login{Name: "ann", Password: good})
			f.want("cancelled", err, fault.Cancelled)
		}
		f.login("ann")
	})
}

func TestSessionRenewal(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		first := f.login("bob")
		session := func(what, secret string) account.Opened {
			t.Helper()
			o, err := f.Session(ctx, secret)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if o.Identity.SessionID != first.Identity.SessionID {
				t.Fatalf("%s: another session", what)
			}
			return o
		}
		if o := session("young", first.Secret); o.Secret != "" {
			t.Error("renewed at once")
		}
		f.clock.Advance(24 * hour)
		second := session("a day later", first.Secret)
		if second.Secret == "" || second.Secret == first.Secret || second.Lasts != 30*day {
			t.Fatalf("not renewed: %+v", second)
		}
		if o := session("a request that was under way", first.Secret); o.Secret != "" {
			t.Error("renewed twice at once")
		}
		session("the new one", second.Secret)
		session("still under way", first.Secret)
		f.clock.Advance(minute)
		_, err := f.Session(ctx, first.Secret)
		f.want("the old one, later", err, fault.Unauthenticated)

		// The answer with the renewed secret never arrived.
		f.clock.Advance(24 * hour)
		lost := session("renewed", second.Secret)
		f.clock.Advance(2 * hour)
		third := session("again with what it has", second.Secret)
		if third.Secret == "" || third.Secret == lost.Secret {
			t.Fatalf("locked out: %+v", third)
		}
		_, err = f.Session(ctx, lost.Secret)
		f.want("the lost one", err, fault.Unauthenticated)
		session("third", third.Secret)

		// Life slides, and ends.
		for range 3 {
			f.clock.Advance(20 * day)
			third = session("used every twenty days", third.Secret)
		}
		f.clock.Advance(30 * day)
		_, err = f.Session(ctx, third.Secret)
		f.want("unused for a month", err, fault.Unauthenticated)
		f.want("check", f.Check(ctx, third.Identity), fault.Unauthenticated)
		for _, s := range []string{"", "x", strings.Repeat("x", 5000)} {
			_, err = f.Session(ctx, s)
			f.want("rubbish", err, fault.Unauthenticated)
		}
	})
}

func TestRenewalOfManyTabsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		o := f.login("bob")
		f.clock.Advance(25 * hour)
		var wg sync.WaitGroup
		got := make([]string, 8)
		for i := range got {
			wg.Go(func() {
				r, err := f.Session(ctx, o.Secret)
				if err != nil {
					t.Error(err)
				}
				got[i] = r.Secret
			})
		}
		wg.Wait()
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		if len(got) != 1 {
			t.Fatalf("%d new secrets", len(got))
		}
		if _, err := f.Session(ctx, got[0]); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatEndsSessions(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		alive := func(o account.Opened) bool {
			_, err := f.Session(ctx, o.Secret)
			checked := f.Check(ctx, o.Identity)
			if (err == nil) != (checked == nil) {
				t.Errorf("Session says %v, Check %v", err, checked)
			}
			return err == nil
		}
		one, two, ann := f.login("bob"), f.login("bob"), f.login("ann")
		seq := f.seq(f.bob)
		f.must("logout", f.Logout(ctx, one.Identity))
		if alive(one) || !alive(two) {
			t.Error("logout ends its own session")
		}
		if f.seq(f.bob) != seq+1 {
			t.Error("logout is no change")
		}
		one = f.login("bob")
		newer := "another password"
		_, err := f.PatchMe(ctx, one.Identity, 0, api.MePatch{Password: &newer, CurrentPassword: api.Ptr(good)})
		f.must("password", err)
		if !alive(one) || alive(two) {
			t.Error("a new password ends the other sessions, and only those")
		}
		_, err = f.Patch(ctx, ann.Identity, "bob", 0, api.PersonPatch{Password: api.Ptr(good)})
		f.must("reset", err)
		if alive(one) || !alive(ann) {
			t.Error("a reset ends them all")
		}
		one = f.login("bob")
		tok, err := f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "t"})
		f.must("token", err)
		id, err := f.Token(ctx, tok.Token)
		f.must("token", err)
		p, err := f.Patch(ctx, ann.Identity, "Bob", 0, api.PersonPatch{Disabled: api.Ptr(true)})
		f.must("disable", err)
		if alive(one) || !p.Disabled {
			t.Error("disabled, but signed in")
		}
		_, err = f.Token(ctx, tok.Token)
		f.want("token of a disabled account", err, fault.Unauthenticated)
		f.want("check", f.Check(ctx, id), fault.Unauthenticated)
		_, err = f.Login(ctx, "c", api.Login{Name: "bob", Password: good})
		f.want("login", err, fault.Forbidden)
		_, err = f.AddToken(ctx, db.AccountID(f.bob.ID), api.TokenAdd{Name: "t"})
		if err == nil {
			t.Error("a disabled account made a token")
		}
		_, err = f.Patch(ctx, ann.Identity, "bob", 0, api.PersonPatch{Disabled: api.Ptr(false)})
		f.must("enable", err)
		if alive(one) {
			t.Error("the old session came back")
		}
		f.want("the token after all", f.Check(ctx, id), fault.Unauthenticated)
		_, err = f.Token(ctx, tok.Token)
		f.want("the token after all", err, fault.Unauthenticated)
		if list, err := f.Tokens(ctx, db.AccountID(f.bob.ID)); err != nil || len(list) != 0 {
			t.Errorf("%v %v", list, err)
		}
		// Another sign-in of the same browser takes the session before along.
		one, two = f.login("bob"), f.login("bob")
		f.must("replace", f.Replace(ctx, one.Secret))
		if alive(one) || !alive(two) {
			t.Error("the session of the cookie before goes on")
		}
		for _, none := range []string{one.Secret, "", "nonsense"} {
			f.must("replace none", f.Replace(ctx, none))
		}
		if !alive(two) || !alive(ann) {
			t.Error("a secret of nobody ended a session")
		}
		// One's own reset keeps one signed in.
		_, err = f.Patch(ctx, ann.Identity, "ann", 0, api.PersonPatch{Password: &newer})
		f.must("own reset", err)
		if !alive(ann) {
			t.Error("threw itself out")
		}
	})
}

func TestRehash(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		dearer := account.New(f.db, account.Options{Hash: account.Cost{MemoryKiB: 128, Passes: 1, Threads: 1}})
		for range 2 {
			if _, err := dearer.Login(ctx, "c", api.Login{Name: "ann", Password: good}); err != nil {
				t.Fatal(err)
			}
		}
		var hash string
		f.must("hash", f.db.View(ctx, func(tx *db.Tx) error {
			return tx.Row(`SELECT password_hash FROM account WHERE name_key = 'ann'`, nil, &hash)
		}))
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=128,t=1,p=1$") {
			t.Errorf("hash %q", hash)
		}
		f.login("ann")
	})
}
