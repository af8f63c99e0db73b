package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync/atomic"

	"elowen/shared/fault"
)

type idempotencyKey struct{}

// Idempotency is a caller's wish that a write happen once, however often it is sent.
type Idempotency struct {
	owner       AccountID
	key         string
	fingerprint string
	used        atomic.Bool
	replayed    atomic.Bool
}

// Replayed tells whether the write had been done before, so that its result was
// read from memory.
func (i *Idempotency) Replayed() bool { return i.replayed.Load() }

// WithIdempotency makes the next Do under the context happen once for the key.
// request is what the key stands for (method, path, body); the same key with
// another request is refused as Taken.
func WithIdempotency(ctx context.Context, owner AccountID, key string, request []byte) (context.Context, *Idempotency) {
	sum := sha256.Sum256(request)
	i := &Idempotency{owner: owner, key: key, fingerprint: hex.EncodeToString(sum[:])}
	return context.WithValue(ctx, idempotencyKey{}, i), i
}

// Do is Update for a decision with a result. The result must survive JSON: under
// an idempotency key it is what a repeated request gets. One request, one Do.
func Do[T any](ctx context.Context, d *DB, fn func(*Tx) (T, error)) (T, error) {
	var out T
	i, _ := ctx.Value(idempotencyKey{}).(*Idempotency)
	if i != nil && i.used.Swap(true) {
		return out, fault.Wrap(fault.Internal, errors.New("two decisions under one idempotency key"), "")
	}
	err := d.Update(ctx, func(tx *Tx) error {
		if i != nil {
			var print, result string
			err := tx.Row(`SELECT fingerprint, result FROM idempotency WHERE owner_id = ? AND key = ?`, []any{int64(i.owner), i.key}, &print, &result)
			switch {
			case err == nil && print != i.fingerprint:
				return fault.New(fault.Taken, "This Idempotency-Key was used for another request. Send a new one.")
			case err == nil && result == "":
				return fault.New(fault.Gone, "This was done before, and what it was about has been purged since.")
			case err == nil:
				i.replayed.Store(true)
				return json.Unmarshal([]byte(result), &out)
			case !fault.Is(err, fault.NotFound):
				return err
			}
		}
		var err error
		if out, err = fn(tx); err != nil || i == nil {
			return err
		}
		result, err := json.Marshal(out)
		if err != nil {
			return fault.Wrap(fault.Internal, err, "")
		}
		if _, err = tx.Exec(`INSERT INTO idempotency (owner_id, key, at, fingerprint, result) VALUES (?, ?, ?, ?, ?)`,
			int64(i.owner), i.key, tx.Now, i.fingerprint, string(result)); err != nil {
			return err
		}
		if r, ok := any(out).(Referrer); ok {
			for _, id := range r.References() {
				if _, err := tx.Exec(`INSERT INTO idempotency_ref (owner_id, ref_id, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, int64(i.owner), id, i.key); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// Referrer is a result of Do that holds the content of rows which may be purged.
type Referrer interface {
	References() []int64 // the ids of those rows
}

// ForgetResults empties the remembered results that hold content of these rows,
// whoever asked for them: what is purged by one may have been told to another.
// Their keys stay known: a repeated request is told that its object is gone.
func (tx *Tx) ForgetResults(ids []int64) error {
	for len(ids) > 0 {
		n := min(len(ids), InMost)
		in, args := In(ids[:n])
		ids = ids[n:]
		if _, err := tx.Exec(`UPDATE idempotency SET result = '' FROM idempotency_ref r
			WHERE r.ref_id IN (`+in+`) AND idempotency.owner_id = r.owner_id AND idempotency.key = r.key`, args...); err != nil {
			return err
		}
	}
	return nil
}
