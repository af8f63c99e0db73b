package delivery

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
)

var ctx = context.Background()

type terms struct{}

func (terms) Terms(*db.Tx) (memory.Terms, error) {
	return memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start}, nil
}

type fixture struct {
	t        testing.TB
	d        *db.DB
	clock    *dbtest.Clock
	memories *memory.Store
	*Store
	ann, bob db.AccountID
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		categories := category.New(d, memory.CountByCategory)
		f := &fixture{t: t, d: d, clock: clock, memories: memory.New(d, categories, terms{})}
		f.Store = New(d, f.memories, categories)
		f.update(func(tx *db.Tx) (err error) {
			if f.ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
				return err
			}
			if f.bob, err = account.InsertLocked(tx, "bob", "", api.RoleMember, 0); err != nil {
				return err
			}
			return categories.Seed(tx, f.ann)
		})
		test(t, f)
	})
}

func (f *fixture) update(fn func(tx *db.Tx) error) {
	f.t.Helper()
	if err := f.d.Update(ctx, fn); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) add(body string) int64 {
	f.t.Helper()
	m, err := f.memories.Add(ctx, f.ann, audit.Actor{Name: audit.ActorAgent}, api.SourceAgent, api.MemoryAdd{Body: body})
	if err != nil {
		f.t.Fatal(err)
	}
	return m.ID
}

// hand hands out to ann, and tells what came of it: for each memory + whole, - held,
// ! too long.
func (f *fixture) hand(handle string, ids ...int64) (string, string) {
	f.t.Helper()
	return f.handAs(f.ann, Request{IDs: ids, Conversation: handle, Begin: true, Bytes: 1000})
}

func (f *fixture) handAs(who db.AccountID, r Request) (string, string) {
	f.t.Helper()
	h, err := f.HandOut(ctx, who, r)
	if err != nil {
		f.t.Fatal(err)
	}
	var b strings.Builder
	for _, i := range h.Items {
		mark := "!"
		switch {
		case i.Whole:
			mark = "+"
		case i.Held:
			mark = "-"
		}
		fmt.Fprintf(&b, "%s%d", mark, i.ID)
	}
	return b.String(), h.Conversation
}

func (f *fixture) uses(id int64) int64 {
	f.t.Helper()
	m, err := f.memories.Get(ctx, f.ann, id)
	if err != nil {
		f.t.Fatal(err)
	}
	return m.UseCount
}

func (f *fixture) count(table string, who db.AccountID) (n int) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error {
		return tx.Row(`SELECT COUNT(*) FROM `+table+` WHERE owner_id = ?`, []any{int64(who)}, &n)
	})
	return n
}

func (f *fixture) want(got, want string) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingIsHandedOutTwice(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b := f.add("a"), f.add("b")
		got, c := f.hand("", a, b, a, 4242)
		f.want(got, fmt.Sprintf("+%d+%d", a, b))
		if c == "" || f.uses(a) != 1 || f.uses(b) != 1 {
			t.Errorf("conversation %q, uses %d %d", c, f.uses(a), f.uses(b))
		}
		got, same := f.hand(c, a, b)
		f.want(got, fmt.Sprintf("-%d-%d", a, b))
		if same != c || f.uses(a) != 1 {
			t.Errorf("conversation %q became %q, uses %d", c, same, f.uses(a))
		}
		// An edited body is new, and sent once.
		if _, err := f.memories.Patch(ctx, f.ann, audit.Actor{Name: "user:1"}, a, 0, api.MemoryPatch{Body: api.Ptr("a, but other")}); err != nil {
			t.Fatal(err)
		}
		got, _ = f.hand(c, a, b)
		f.want(got, fmt.Sprintf("+%d-%d", a, b))
		got, _ = f.hand(c, a, b)
		f.want(got, fmt.Sprintf("-%d-%d", a, b))
		// Full overrides, and the agent uses nothing that it didn't use a moment ago.
		got, _ = f.handAs(f.ann, Request{IDs: []int64{a}, Conversation: c, Begin: true, Full: true, Bytes: 1000})
		f.want(got, fmt.Sprintf("+%d", a))
		if f.uses(a) != 2 || f.uses(b) != 1 {
			t.Errorf("uses %d %d", f.uses(a), f.uses(b))
		}
		// What is in the trash is not handed out.
		if _, err := f.memories.Trash(ctx, f.ann, audit.Actor{Name: "user:1"}, b, 0, ""); err != nil {
			t.Fatal(err)
		}
		got, _ = f.hand(c, b)
		f.want(got, "")
	})
}

func TestItHoldsForAWhile(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.add("a")
		_, c := f.hand("", a)
		f.clock.Advance(30*60_000 - 1)
		got, _ := f.hand(c, a)
		f.want(got, fmt.Sprintf("-%d", a))
		f.clock.Advance(1)
		got, _ = f.hand(c, a)
		f.want(got, fmt.Sprintf("+%d", a)) // half an hour
		for i := range 20 {
			if got, _ = f.hand(c, a); got != fmt.Sprintf("-%d", a) {
				t.Errorf("after %d results: %s", i+1, got)
			}
		}
		got, _ = f.hand(c, a)
		f.want(got, fmt.Sprintf("+%d", a)) // twenty results
		f.clock.Advance(-60_000)           // a clock that is set back
		got, _ = f.hand(c, a)
		f.want(got, fmt.Sprintf("+%d", a))
	})
}

func TestUnknownHandles(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.add("a")
		_, hers := f.hand("", a)
		for _, handle := range []string{"my-conversation", strings.Repeat("x", 500), "c-\xff", "\x00", hers + " "} {
			got, c := f.hand(handle, a)
			f.want(got, fmt.Sprintf("+%d", a))
			if c == handle || c == "" {
				t.Errorf("%q became %q", handle, c)
			}
		}
		// Another account's is one that nobody knows, and its memories are not there.
		got, c := f.handAs(f.bob, Request{IDs: []int64{a}, Conversation: hers, Begin: true, Bytes: 1000})
		if got != "" || c == hers {
			t.Errorf("bob got %q in %q", got, c)
		}
		// Nothing is begun where nobody asked for it.
		if _, c := f.handAs(f.bob, Request{IDs: []int64{a}, Conversation: hers, Bytes: 1000}); c != "" || f.count("agent_conversation", f.bob) != 1 {
			t.Errorf("begun: %q", c)
		}
	})
}

func TestWhatIsTooLongIsNotCounted(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a, b, c := f.add(strings.Repeat("a", 600)), f.add(strings.Repeat("b", 600)), f.add("c")
		got, handle := f.hand("", a, b, c)
		f.want(got, fmt.Sprintf("+%d!%d+%d", a, b, c))
		if f.uses(a) != 1 || f.uses(b) != 0 || f.uses(c) != 1 {
			t.Errorf("uses %d %d %d", f.uses(a), f.uses(b), f.uses(c))
		}
		got, _ = f.hand(handle, b, a)
		f.want(got, fmt.Sprintf("+%d-%d", b, a))
	})
}

// An agent that gives no handles begins a conversation with each result: they push out
// each other, and none that somebody goes on with.
func TestAgentsWithoutHandles(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.add("a")
		_, hers := f.hand("", a)
		f.clock.Advance(1)
		f.hand(hers, a)
		var last string
		for range 230 {
			f.clock.Advance(1)
			_, last = f.hand("", a)
		}
		if n := f.count("agent_conversation", f.ann) - 1; n != 200 { // without the ledger
			t.Errorf("%d conversations", n)
		}
		for _, c := range []string{hers, last} {
			got, same := f.hand(c, a)
			f.want(got, fmt.Sprintf("-%d", a))
			f.want(same, c)
		}
		// Where all are gone on with, the one that begins has room too.
		var first string
		for i := range 220 {
			f.clock.Advance(1)
			_, c := f.hand("", a)
			if _, same := f.hand(c, a); same != c {
				t.Fatalf("%d: %q became %q", i, c, same)
			}
			if i == 0 {
				first = c
			}
		}
		if n := f.count("agent_conversation", f.ann) - 1; n != 200 { // without the ledger
			t.Errorf("%d conversations", n)
		}
		if _, c := f.hand(first, a); c == first {
			t.Error("the oldest is still there")
		}
	})
}

func TestOldConversationsGo(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.add("a")
		_, first := f.hand("", a)
		for range 210 {
			f.clock.Advance(1)
			f.hand("", a)
		}
		if n := f.count("agent_conversation", f.ann) - 1; n != 200 { // without the ledger
			t.Errorf("%d conversations", n)
		}
		if n := f.count("agent_delivery", f.ann) - 1; n != 200 {
			t.Errorf("%d deliveries", n)
		}
		if _, c := f.hand(first, a); c == first {
			t.Error("the oldest is still there")
		}
		f.clock.Advance(24 * 60 * 60_000)
		f.hand("", a)
		if n := f.count("agent_conversation", f.ann) - 1; n != 1 {
			t.Errorf("%d conversations a day later", n)
		}
		f.update(func(tx *db.Tx) error { return EraseAccount(tx, f.ann) })
		if f.count("agent_conversation", f.ann)+f.count("agent_delivery", f.ann) != 0 {
			t.Error("something is left of the account")
		}
	})
}
