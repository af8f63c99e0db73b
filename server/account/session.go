package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"elowen/server/db"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

const day = 86_400_000

// sessionTouch is how often a session's last use is written, at most: it is shown
// by the hour.
const sessionTouch = 3_600_000

var (
	sessionLife   = int64(setting.Int("account.sessionDays")) * day
	sessionRotate = int64(setting.Int("account.sessionRotateHours")) * 3_600_000
	// sessionOverlap is how long the secret before a renewal still serves, for
	// the requests that were under way with it.
	sessionOverlap = int64(setting.Int("account.sessionOverlapSeconds")) * 1_000
)

// Opened is a session with the secret that proves it. The secret is known only
// here and to whoever is given it.
type Opened struct {
	Identity Identity
	Secret   string // empty where the secret that was shown goes on serving
	Lasts    int64  // milliseconds until it ends, if it isn't renewed
}

type sessionRow struct {
	identity         Identity
	current          string // hash
	previous         string // hash; empty: none
	rotated, lastUse int64
	expires          int64
}

// confirmed tells whether the current secret has been seen. Until then the answer
// that carried it may be lost, and the previous one goes on.
func (r sessionRow) confirmed() bool { return r.lastUse > r.rotated }

// readSession reads a living session of an enabled account; without one it
// answers fault.Unauthenticated.
func readSession(tx *db.Tx, where string, args ...any) (sessionRow, error) {
	var r sessionRow
	i := &r.identity
	err := tx.Row(`SELECT session.id, session.secret_hash, session.previous_hash, session.rotated_at, session.last_used_at, session.expires_at,
		account.id, account.name, account.role
		FROM session JOIN account ON account.id = session.owner_id
		WHERE account.kind = 'person' AND account.disabled = 0 AND account.erasing = 0 AND (`+where+`)`, args,
		&i.SessionID, &r.current, &r.previous, &r.rotated, &r.lastUse, &r.expires, &i.Owner, &i.Name, &i.Role)
	if fault.Is(err, fault.NotFound) || err == nil && r.expires <= tx.Now {
		return sessionRow{}, errSignIn
	}
	i.Scopes = scopesOf(i.Role)
	return r, err
}

// openSession starts a session.
func openSession(tx *db.Tx, owner db.AccountID) (Opened, error) {
	secret := db.NewSecret()
	id, err := tx.NewID(owner, "session")
	if err != nil {
		return Opened{}, err
	}
	if err := tx.Must(`INSERT INTO session (id, owner_id, secret_hash, previous_hash, created_at, rotated_at, last_used_at, expires_at)
		VALUES (?, ?, ?, '', ?, ?, ?, ?)`, id, int64(owner), hashSecret(secret), tx.Now, tx.Now, tx.Now, tx.Now+sessionLife); err != nil {
		return Opened{}, err
	}
	r, err := readSession(tx, `session.id = ?`, id)
	return Opened{Identity: r.identity, Secret: secret, Lasts: sessionLife}, err
}

// Session answers whose session a secret proves, else fault.Unauthenticated. Once
// in account.sessionRotateHours it renews the secret and the session's life: then
// Opened has the new secret, for the cookie. Where the writer is not free for that
// the secret that was shown goes on serving.
func (s *Store) Session(ctx context.Context, secret string) (Opened, error) {
	hash := hashSecret(secret)
	var row sessionRow
	var now int64
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		now = tx.Now
		row, err = readSession(tx, `session.secret_hash = ? OR session.previous_hash = ?`, hash, hash)
		return err
	})
	if err != nil {
		return Opened{}, err
	}
	same := Opened{Identity: row.identity, Lasts: row.expires - now}
	switch {
	case hash == row.current && now-row.rotated >= sessionRotate:
		return s.renew(ctx, row, same, row.current), nil
	case hash == row.current && (!row.confirmed() || now-row.lastUse >= sessionTouch):
		s.touches.try(ctx, touch{"session", row.identity.SessionID}, func(tx *db.Tx) error {
			_, err := tx.Exec(`UPDATE session SET last_used_at = ? WHERE id = ? AND secret_hash = ?`, max(tx.Now, row.rotated+1), row.identity.SessionID, row.current)
			return err
		})
		return same, nil
	case hash == row.current:
		return same, nil
	case now-row.rotated < sessionOverlap:
		return same, nil
	case !row.confirmed():
		return s.renew(ctx, row, same, row.previous), nil
	}
	return Opened{}, errSignIn
}

// renew gives the session a new secret; the one just shown becomes the previous
// one. If another request was quicker, that one's answer carries the new secret; if
// it fails, or its answer is lost, the next request renews.
func (s *Store) renew(ctx context.Context, row sessionRow, same Opened, shown string) Opened {
	secret := db.NewSecret()
	var n int64
	done := s.touches.try(ctx, touch{"session", row.identity.SessionID}, func(tx *db.Tx) (err error) {
		n, err = tx.Exec(`UPDATE session SET secret_hash = ?, previous_hash = ?, rotated_at = ?, last_used_at = ?, expires_at = ?
			WHERE id = ? AND secret_hash = ? AND rotated_at = ?`,
			hashSecret(secret), shown, tx.Now, tx.Now, tx.Now+sessionLife, row.identity.SessionID, row.current, row.rotated)
		return err
	})
	if !done || n == 0 {
		return same
	}
	return Opened{Identity: row.identity, Secret: secret, Lasts: sessionLife}
}

// endSessions ends the account's sessions but the one to keep (0: none).
func endSessions(tx *db.Tx, owner db.AccountID, keep int64) error {
	_, err := tx.Exec(`DELETE FROM session WHERE owner_id = ? AND id <> ?`, int64(owner), keep)
	return err
}

// hashSecret is how a secret of 130 random bits is stored; nothing slower is
// needed for what cannot be guessed.
func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
