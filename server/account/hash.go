package account

import (
	"context"
	"errors"

	"github.com/alexedwards/argon2id"
	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"

	"elowen/server/db"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Cost is what one argon2id hash takes.
type Cost struct {
	MemoryKiB uint32
	Passes    uint32
	Threads   uint8
}

// DefaultCost is the second choice of RFC 9106, section 4, with a third of its
// memory: two at a time must fit beside everything else on a small machine.
var DefaultCost = Cost{MemoryKiB: 19 << 10, Passes: 2, Threads: 1}

// hasher makes and checks password hashes, few at a time.
type hasher struct {
	params argon2id.Params
	slots  *semaphore.Weighted
	decoy  string // what an unknown name's password is compared with
}

func newHasher(c Cost) *hasher {
	if c == (Cost{}) {
		c = DefaultCost
	}
	h := &hasher{
		params: argon2id.Params{Memory: c.MemoryKiB, Iterations: c.Passes, Parallelism: c.Threads, SaltLength: 16, KeyLength: 32},
		slots:  semaphore.NewWeighted(int64(setting.Int("account.hashes"))),
	}
	decoy, err := argon2id.CreateHash(db.NewSecret(), &h.params)
	if err != nil {
		panic(err) // only without a source of randomness, and then nothing may go on
	}
	h.decoy = decoy
	return h
}

// one takes a slot; the caller gives it back.
func (h *hasher) one(ctx context.Context) error {
	if err := h.slots.Acquire(ctx, 1); err != nil {
		return fault.Wrap(fault.Cancelled, err, "The request was cancelled before it was done; nothing was changed.")
	}
	return nil
}

// make hashes a password. The same characters typed on different machines can be
// different code points, so they are normalized first.
func (h *hasher) make(ctx context.Context, password string) (string, error) {
	if err := h.one(ctx); err != nil {
		return "", err
	}
	defer h.slots.Release(1)
	hash, err := argon2id.CreateHash(norm.NFC.String(password), &h.params)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "")
	}
	return hash, nil
}

// check compares a password with a stored hash; an empty one (unknown or locked
// account) takes as long and never matches. stale says that a matching hash was
// made at another cost.
func (h *hasher) check(ctx context.Context, password, hash string) (ok, stale bool, err error) {
	known := hash != ""
	if !known {
		hash = h.decoy
	}
	if err := h.one(ctx); err != nil {
		return false, false, err
	}
	defer h.slots.Release(1)
	ok, params, err := argon2id.CheckHash(norm.NFC.String(password), hash)
	if err != nil {
		return false, false, fault.Wrap(fault.Internal, errors.New("a stored password hash cannot be read"), "")
	}
	return ok && known, *params != h.params, nil
}
