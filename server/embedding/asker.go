package embedding

import (
	"context"

	"elowen/server/db"
)

type askerKey struct{}

// For is a context in which models are asked for an account: what that costs is counted
// to it.
func For(ctx context.Context, owner db.AccountID) context.Context {
	return context.WithValue(ctx, askerKey{}, owner)
}

// Asker is the account that For named. ok is false where the program asks for itself.
func Asker(ctx context.Context) (owner db.AccountID, ok bool) {
	owner, ok = ctx.Value(askerKey{}).(db.AccountID)
	return owner, ok
}
