package account_test

import (
	"testing"

	"elowen/server/account"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// A person sees where they are signed in, ends one or all others, and nobody
// else's.
func TestSessions(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		phone := f.login("ann")
		f.clock.Advance(minute)
		desk := f.login("ann")
		f.clock.Advance(minute)
		bob := f.login("bob")
		list, err := f.Sessions(ctx, desk.Identity)
		f.must("list", err)
		if len(list) != 2 || list[0].ID != desk.Identity.SessionID || !list[0].Current || list[1].Current || list[0].CreatedAt <= list[1].CreatedAt {
			t.Fatalf("%+v", list)
		}
		used := list[1].LastUsedAt
		// What a session is used for is noted, by the hour.
		for _, wait := range []int64{minute, 2 * hour} {
			f.clock.Advance(wait)
			_, err := f.Session(ctx, phone.Secret)
			f.must("use", err)
		}
		list, err = f.Sessions(ctx, desk.Identity)
		f.must("list", err)
		if list[0].ID != phone.Identity.SessionID || list[0].LastUsedAt != api.Time(f.clock.Now()) || list[0].LastUsedAt <= used {
			t.Errorf("after its use: %+v", list)
		}

		f.want("somebody else's", f.EndSession(ctx, bob.Identity.Owner, phone.Identity.SessionID), fault.NotFound)
		f.want("nobody's", f.EndSession(ctx, desk.Identity.Owner, 1<<40), fault.NotFound)
		f.must("end", f.EndSession(ctx, desk.Identity.Owner, phone.Identity.SessionID))
		_, err = f.Session(ctx, phone.Secret)
		f.want("the ended one", err, fault.Unauthenticated)
		f.want("its connections", f.Check(ctx, phone.Identity), fault.Unauthenticated)

		f.login("ann")
		f.login("ann")
		done, err := f.EndOthers(ctx, desk.Identity)
		f.must("end the others", err)
		if done.Ended != 2 {
			t.Errorf("ended %d", done.Ended)
		}
		_, err = f.Session(ctx, desk.Secret)
		f.must("one's own stays", err)

		if done, err = f.EndAll(ctx, bob.Identity, "ANN"); err != nil || done.Ended != 1 {
			t.Errorf("all of another's: %+v %v", done, err)
		}
		if done, err = f.EndAll(ctx, bob.Identity, "bob"); err != nil || done.Ended != 0 {
			t.Errorf("one's own by name: %+v %v", done, err)
		}
		_, err = f.EndAll(ctx, account.Identity{}, "nobody")
		f.want("of nobody", err, fault.NotFound)
		needed, err := f.SetupNeeded(ctx)
		if err != nil || needed {
			t.Errorf("setup is needed: %v %v", needed, err)
		}
	})
}
