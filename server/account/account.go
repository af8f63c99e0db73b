package account

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are the parts of a Store that come from elsewhere. The zero value
// serves tests that have no categories.
type Options struct {
	// Hash is the cost of a password; the zero value takes DefaultCost.
	Hash Cost
	// OnCreate runs in the transaction that makes an account, e.g. to give it
	// its first category. Nil does nothing.
	OnCreate func(*db.Tx, db.AccountID) error
	// OwnsCategory answers fault.NotFound for a category that is not the
	// account's. Nil knows no categories.
	OwnsCategory func(tx *db.Tx, owner db.AccountID, category int64) error
	// Patience is how long a read waits until its use is noted; 0 takes a second.
	Patience time.Duration
	// Terminal is how the program is called where it runs, told to administrators. The
	// zero value is not told.
	Terminal api.Terminal
	// Log is told what could not be noted; nil is silent.
	Log *slog.Logger
}

// Store is the accounts of an instance. It is safe for concurrent use.
type Store struct {
	db       *db.DB
	options  Options
	hash     *hasher
	attempts *attempts
	guesses  *guesses
	touches  *touches
	setup    setupCode
}

// New makes the store over an open database.
func New(d *db.DB, o Options) *Store {
	return &Store{
		db: d, options: o,
		hash:     newHasher(o.Hash),
		attempts: newAttempts(setting.Int("account.loginAttempts"), setting.Int("account.nameAttempts")),
		guesses:  newGuesses(),
		touches:  newTouches(d, o.Patience, o.Log),
	}
}

// Identity is who a request comes from.
type Identity struct {
	Owner     db.AccountID
	Name      string
	Role      string   // api.RoleAdmin or api.RoleMember
	Scopes    []string // what this session or token may do
	TokenID   int64    // 0 for a session
	SessionID int64    // 0 for a token
}

// Can tells whether the identity may do what needs the scope. The empty scope
// is open to anyone.
func (i Identity) Can(scope string) bool {
	return scope == "" || slices.Contains(i.Scopes, scope)
}

// Actor names the identity in the audit: "user:ID" or "token:ID".
func (i Identity) Actor() string {
	if i.TokenID != 0 {
		return "token:" + strconv.FormatInt(i.TokenID, 10)
	}
	return "user:" + strconv.FormatInt(int64(i.Owner), 10)
}

// Check answers nil while the identity still holds: its account is enabled, its
// session or token is there, and it may still do all that it could. Elsewhere it
// answers fault.Unauthenticated. Long-lived connections ask it after each change
// of noun db.NounAccount on the account's log, and from time to time, since
// expiry is not a change.
func (s *Store) Check(ctx context.Context, i Identity) error {
	return s.db.View(ctx, func(tx *db.Tx) error {
		var now Identity
		var err error
		switch {
		case i.TokenID != 0:
			now, _, err = tokenIdentity(tx, `token.id = ? AND token.owner_id = ?`, i.TokenID, int64(i.Owner))
		case i.SessionID != 0:
			var row sessionRow
			row, err = readSession(tx, `session.id = ? AND session.owner_id = ?`, i.SessionID, int64(i.Owner))
			now = row.identity
		default:
			err = errSignIn
		}
		if err != nil {
			return err
		}
		for _, scope := range i.Scopes {
			if !now.Can(scope) {
				return errSignIn
			}
		}
		return nil
	})
}

// Idempotent makes the next write under the context happen once for the key, as
// db.WithIdempotency: replayed tells afterwards whether it had happened before.
// request is what the key stands for; it must hold no secret that could be
// guessed from its hash. A key is 1 to 200 printable ASCII characters, else the
// error is fault.Invalid.
func Idempotent(ctx context.Context, owner db.AccountID, key string, request []byte) (_ context.Context, replayed func() bool, err error) {
	if key == "" || len(key) > keyMost {
		return nil, nil, errKey
	}
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return nil, nil, errKey
		}
	}
	ctx, i := db.WithIdempotency(ctx, owner, key, request)
	return ctx, i.Replayed, nil
}

// Once runs a work of several decisions under the key of Idempotent, if there is
// one: what it answered before is answered again, as db.Long does it.
func Once[T any](ctx context.Context, s *Store, work func(context.Context) (T, error)) (T, error) {
	return db.Long(ctx, s.db, work)
}

var keyMost = int(setting.Get("http.idempotencyKey").Max)

var (
	errKey    = fault.New(fault.Invalid, "An "+api.HeaderIdempotency+" is 1 to 200 printable ASCII characters.")
	errSignIn = fault.New(fault.Unauthenticated, "Sign in first, or send a valid token.")
	errToken  = fault.New(fault.Unauthenticated, "This token isn't valid: it was revoked, has expired, or is mistyped. Make a new one in the app, under Account (your name there) → Connect.")
)

func scopesOf(role string) []string {
	scopes := []string{api.ScopeRead, api.ScopeWrite}
	if role == api.RoleAdmin {
		scopes = append(scopes, api.ScopeAdmin)
	}
	return scopes
}
