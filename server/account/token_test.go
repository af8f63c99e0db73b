package account_test

import (
	"fmt"
	"testing"

	"elowen/server/account"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// An address that has to wait is told so without a look into the store: those who guess
// take no reader from the others. (The store is closed, so that any look would fail.)
func TestWaitingTakesNoReader(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for i := range setting.Int("account.tokenAttempts") {
			_, err := f.TokenFrom(ctx, "192.0.2.9", fmt.Sprint(account.TokenPrefix, "wrong", i))
			f.want("a wrong token", err, fault.Unauthenticated)
		}
		f.must("close", f.db.Close())
		_, err := f.TokenFrom(ctx, "192.0.2.9", account.TokenPrefix+"another")
		f.want("one too many", err, fault.TooMany)
		_, err = f.TokenFrom(ctx, "192.0.2.10", account.TokenPrefix+"another")
		f.want("from elsewhere", err, fault.Unavailable)
	})
}
