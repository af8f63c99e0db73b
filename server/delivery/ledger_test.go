package delivery

import (
	"fmt"
	"testing"

	"elowen/server/audit"
	"elowen/shared/api"
)

// Whatever way an agent asks in, and how often, what it has had is used once in a while.
func TestATokenUsesAMemoryOnceInAWhile(t *testing.T) {
	ways := map[string]func(handle string) Request{
		"no handle":       func(string) Request { return Request{Begin: true} },
		"a resource":      func(string) Request { return Request{Full: true} },
		"whole, again":    func(h string) Request { return Request{Conversation: h, Begin: true, Full: true} },
		"made up handles": func(string) Request { return Request{Conversation: "mine", Begin: true} },
		"the ledger's":    func(string) Request { return Request{Conversation: ledger(7), Begin: true} },
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				a := f.add("a")
				ask := func(token int64, handle string) string {
					t.Helper()
					r := way(handle)
					r.IDs, r.Bytes, r.Token = []int64{a}, 1000, token
					got, c := f.handAs(f.ann, r)
					f.want(got, fmt.Sprintf("+%d", a)) // it is sent whole, all the same
					if c == ledger(token) {
						t.Error("the agent is told the ledger's handle")
					}
					return c
				}
				uses := func(want int64) {
					t.Helper()
					if got := f.uses(a); got != want {
						t.Errorf("%d uses, not %d", got, want)
					}
				}
				handle := ""
				for range 50 {
					handle = ask(7, handle)
					f.clock.Advance(1000)
				}
				uses(1)
				ask(8, "") // another token is another agent
				ask(0, "") // and so is the account itself
				ask(0, "")
				uses(3)
				f.clock.Advance(30*60_000 - 50*1000 - 1)
				handle = ask(7, handle)
				uses(3)
				f.clock.Advance(1)
				ask(7, handle)
				uses(4)
				if _, err := f.memories.Patch(ctx, f.ann, audit.Actor{Name: "user:1"}, a, 0, api.MemoryPatch{Body: api.Ptr("another")}); err != nil {
					t.Fatal(err)
				}
				ask(7, handle)
				ask(7, handle)
				uses(5) // an edited body is new
				f.clock.Advance(-60_000)
				ask(7, handle)
				ask(7, handle)
				uses(6) // a clock that was set back is no reason to count nothing any more
			})
		})
	}
}

// The ledgers push out no conversation, and go when nothing comes any more.
func TestLedgersAreNoConversations(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		a := f.add("a")
		_, hers := f.hand("", a)
		f.hand(hers, a)
		for token := range int64(250) {
			f.handAs(f.ann, Request{IDs: []int64{a}, Token: token + 1, Begin: true, Bytes: 1000})
		}
		if _, same := f.hand(hers, a); same != hers {
			t.Error("the conversation was pushed out")
		}
		f.clock.Advance(24 * 60 * 60_000)
		f.hand("", a)
		if n := f.count("agent_conversation", f.ann); n != 2 { // hers, and the account's ledger
			t.Errorf("%d are left", n)
		}
	})
}
