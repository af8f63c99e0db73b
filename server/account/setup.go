package account

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
	"sync"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// setupCode is the one-time code for the first account. It lives only in the
// serving process: a restart makes a new one.
type setupCode struct {
	mu   sync.Mutex
	hash [sha256.Size]byte
	made bool
}

func (c *setupCode) matches(code string) bool {
	sum := sha256.Sum256([]byte(strings.TrimSpace(code)))
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.made && subtle.ConstantTimeCompare(sum[:], c.hash[:]) == 1
}

func (c *setupCode) used() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = false
}

var (
	errSetupOver = fault.New(fault.Gone, "This elowen has accounts already. Sign in.")
	errSetupCode = fault.New(fault.Forbidden, "The code is not the one that the server printed. A restart of the server makes a new one.")
)

// SetupCode makes the code with which Setup makes the first account; a code made
// before stops working. Where there is an account already it answers fault.Gone.
func (s *Store) SetupCode(ctx context.Context) (string, error) {
	if err := s.db.View(ctx, noAccounts); err != nil {
		return "", err
	}
	code := db.NewSecret()
	s.setup.mu.Lock()
	defer s.setup.mu.Unlock()
	s.setup.hash, s.setup.made = sha256.Sum256([]byte(code)), true
	return code, nil
}

// Setup makes the first account, an administrator, and signs it in. client is the
// network address of whoever asks: wrong codes are limited for each. Errors: Gone
// where there is an account, Forbidden for a wrong code, TooMany, Invalid.
func (s *Store) Setup(ctx context.Context, client string, in api.Setup) (Opened, error) {
	if err := s.db.View(ctx, noAccounts); err != nil {
		return Opened{}, err
	}
	began, key := s.db.Now(), "setup:"+client
	if err := s.attempts.begin(began, key); err != nil {
		return Opened{}, err
	}
	if !s.setup.matches(in.Code) {
		return Opened{}, errSetupCode
	}
	s.attempts.succeeded(began, key)
	row := newAccount{name: in.Name, role: api.RoleAdmin}
	var err error
	if row.hash, err = s.hash.make(ctx, in.Password); err != nil {
		return Opened{}, err
	}
	var out Opened
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		if err := noAccounts(tx); err != nil {
			return err
		}
		owner, err := s.create(tx, row)
		if err != nil {
			return err
		}
		out, err = openSession(tx, owner)
		return err
	})
	if err != nil {
		return Opened{}, err
	}
	s.setup.used()
	if name, err := nameKey(in.Name); err == nil {
		s.attempts.knows(name, client, began)
	}
	return out, nil
}

// SetupNeeded tells whether there is no account yet.
func (s *Store) SetupNeeded(ctx context.Context) (bool, error) {
	err := s.db.View(ctx, noAccounts)
	if fault.Is(err, fault.Gone) {
		return false, nil
	}
	return err == nil, err
}

// noAccounts answers fault.Gone where there is an account.
func noAccounts(tx *db.Tx) error {
	var n int64
	if err := tx.Row(`SELECT COUNT(*) FROM account WHERE kind = 'person'`, nil, &n); err != nil {
		return err
	}
	if n > 0 {
		return errSetupOver
	}
	return nil
}
