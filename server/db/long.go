package db

import (
	"context"

	"elowen/shared/fault"
)

// Long is Do for a work of many decisions, such as a sweep or an import: under an
// idempotency key its result is remembered once it is whole, and a repeated
// request is answered with it and does nothing. A work that was cut off is done
// again; it must not mind. The decisions inside run under the context that work
// is given, which carries no key.
func Long[T any](ctx context.Context, d *DB, work func(context.Context) (T, error)) (T, error) {
	i, _ := ctx.Value(idempotencyKey{}).(*Idempotency)
	if i == nil {
		return work(ctx)
	}
	out, err := Do(ctx, d, func(*Tx) (T, error) {
		var none T
		return none, errNotYet // nothing is remembered of a decision that fails
	})
	if err == nil || err != errNotYet {
		return out, err
	}
	out, err = work(context.WithValue(ctx, idempotencyKey{}, (*Idempotency)(nil)))
	if err != nil {
		return out, err
	}
	i.used.Store(false)
	return Do(ctx, d, func(*Tx) (T, error) { return out, nil })
}

// errNotYet says that the work of a key has not been done before.
var errNotYet = fault.New(fault.Internal, "")
