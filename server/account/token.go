package account

import (
	"context"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// TokenPrefix begins every token, so that people and secret scanners know one.
const TokenPrefix = "elw_"

// tokenTouch is how often a token's last use is written, at most.
const tokenTouch = 60_000

// tokenIdentity reads a living token of an enabled account; without one it
// answers fault.Unauthenticated.
func tokenIdentity(tx *db.Tx, where string, args ...any) (i Identity, lastUse int64, err error) {
	var scopes string
	var expires int64
	err = tx.Row(`SELECT token.id, token.scopes, token.expires_at, token.last_used_at, account.id, account.name, account.role
		FROM token JOIN account ON account.id = token.owner_id
		WHERE account.kind = 'person' AND account.disabled = 0 AND account.erasing = 0 AND (`+where+`)`, args,
		&i.TokenID, &scopes, &expires, &lastUse, &i.Owner, &i.Name, &i.Role)
	if fault.Is(err, fault.NotFound) || err == nil && expires != 0 && expires <= tx.Now {
		return Identity{}, 0, errToken
	}
	allowed := scopesOf(i.Role)
	for _, scope := range strings.Split(scopes, ",") {
		if slices.Contains(allowed, scope) { // a token never does more than its person
			i.Scopes = append(i.Scopes, scope)
		}
	}
	return i, lastUse, err
}

// Token answers whose token a secret is, else fault.Unauthenticated. Its last use
// is noted, at most once a minute, where the writer is free for it.
func (s *Store) Token(ctx context.Context, secret string) (Identity, error) {
	if !strings.HasPrefix(secret, TokenPrefix) {
		return Identity{}, errToken
	}
	var i Identity
	var lastUse, now int64
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		now = tx.Now
		i, lastUse, err = tokenIdentity(tx, `token.secret_hash = ?`, hashSecret(secret))
		return err
	})
	if err != nil || now-lastUse < tokenTouch {
		return i, err
	}
	s.touches.try(ctx, touch{"token", i.TokenID}, func(tx *db.Tx) error {
		n, err := tx.Exec(`UPDATE token SET last_used_at = ? WHERE id = ? AND last_used_at <= ?`, tx.Now, i.TokenID, tx.Now-tokenTouch)
		if n > 0 {
			tx.Emit(i.Owner, db.NounToken, i.TokenID) // somebody may wait for its first use
		}
		return err
	})
	return i, nil
}

// TokenFrom is Token for a secret that came from a network address. Wrong ones are
// counted for the address, each once: a program that goes on with an old token guesses
// nothing. From an address with too many, secrets that were not seen there before have
// to wait: fault.TooMany. So nobody is kept out by what others at the same address try.
func (s *Store) TokenFrom(ctx context.Context, client, secret string) (Identity, error) {
	now := s.db.Now() // one who has to wait takes no reader for it
	hash := hashSecret(secret)
	seen := s.guesses.seen(hash, client, now)
	if !seen {
		if err := s.guesses.failed.full(now, client); err != nil {
			return Identity{}, err
		}
	}
	i, err := s.Token(ctx, secret)
	if seen || err != nil && !fault.Is(err, fault.Unauthenticated) {
		return i, err
	}
	if err != nil {
		if limit := s.guesses.failed.begin(now, client); limit != nil {
			return i, limit // others were quicker
		}
	}
	s.guesses.note(hash, client, err == nil, now)
	return i, err
}

// Tokens lists the account's tokens, oldest first, without their secrets.
func (s *Store) Tokens(ctx context.Context, owner db.AccountID) (list []api.Token, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list, err = TokensIn(tx, owner)
		return err
	})
	return list, err
}

// TokensIn is Tokens inside a transaction.
func TokensIn(tx *db.Tx, owner db.AccountID) ([]api.Token, error) {
	list := []api.Token{}
	rows := tx.Query(`SELECT `+tokenColumns+` FROM token WHERE owner_id = ? ORDER BY id`, int64(owner))
	defer rows.Close()
	for rows.Next() {
		t, err := scanToken(rows.Scan)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, rows.Err()
}

// NamedToken is a token as others read of it.
type NamedToken struct {
	Owner db.AccountID
	Name  string
}

// TokensNamed are the tokens among the ids, by id, revoked ones too.
func TokensNamed(tx *db.Tx, ids []int64) (map[int64]NamedToken, error) {
	names := make(map[int64]NamedToken, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT id, owner_id, name FROM token WHERE id IN (`+in+`) UNION ALL SELECT id, owner_id, name FROM revoked_token WHERE id IN (`+in+`)`,
			slices.Concat(args, args)...)
		err := rows.Each(func() error {
			var id int64
			var t NamedToken
			if err := rows.Scan(&id, (*int64)(&t.Owner), &t.Name); err != nil {
				return err
			}
			names[id] = t
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// AddToken makes a token; its secret is in the answer and nowhere else, so an
// answer repeated for the same idempotency key comes without it. The scope admin
// is for administrators: fault.Forbidden.
func (s *Store) AddToken(ctx context.Context, owner db.AccountID, in api.TokenAdd) (api.Token, error) {
	scopes := in.Scopes
	if len(scopes) == 0 {
		scopes = []string{api.ScopeRead, api.ScopeWrite}
	}
	secret := TokenPrefix + db.NewSecret()
	made := false
	t, err := db.Do(ctx, s.db, func(tx *db.Tx) (api.Token, error) {
		var role string
		if err := tx.Row(`SELECT role FROM account WHERE id = ? AND kind = 'person' AND disabled = 0 AND erasing = 0`, []any{int64(owner)}, &role); err != nil {
			return api.Token{}, err
		}
		for _, scope := range scopes {
			if !slices.Contains(scopesOf(role), scope) {
				return api.Token{}, fault.Newf(fault.Forbidden, "The scope %q is for administrators.", scope)
			}
		}
		var expires int64
		if in.Days > 0 {
			expires = tx.Now + int64(in.Days)*day
		}
		made = true
		tx.Emit(owner, db.NounAccount, int64(owner))
		var row tokenRow
		id, err := tx.NewID(owner, "token")
		if err != nil {
			return api.Token{}, err
		}
		err = tx.Row(`INSERT INTO token (id, owner_id, name, secret_hash, scopes, created_at, expires_at, last_used_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, 0) RETURNING `+tokenColumns,
			[]any{id, int64(owner), in.Name, hashSecret(secret), strings.Join(scopes, ","), tx.Now, expires}, row.dest()...)
		return row.wire(), err
	})
	if err == nil && made {
		t.Token = secret
	}
	return t, err
}

// RevokeToken ends one of the account's tokens at once.
func (s *Store) RevokeToken(ctx context.Context, owner db.AccountID, id int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (struct{}, error) {
		tx.Emit(owner, db.NounAccount, int64(owner))
		n, err := revoke(tx, `owner_id = ? AND id = ?`, int64(owner), id)
		if err == nil && n == 0 {
			err = fault.New(fault.NotFound, "There is no such token.")
		}
		return struct{}{}, err
	})
	return err
}

// revoke ends the tokens that meet a condition, and tells how many they were. Their names
// stay, for history.
func revoke(tx *db.Tx, where string, args ...any) (int64, error) {
	if _, err := tx.Exec(`INSERT INTO revoked_token (id, owner_id, name) SELECT id, owner_id, name FROM token WHERE `+where, args...); err != nil {
		return 0, err
	}
	return tx.Exec(`DELETE FROM token WHERE `+where, args...)
}

const tokenColumns = `id, name, scopes, created_at, expires_at, last_used_at`

type tokenRow struct {
	id                        int64
	name, scopes              string
	created, expires, lastUse int64
}

func (r *tokenRow) dest() []any {
	return []any{&r.id, &r.name, &r.scopes, &r.created, &r.expires, &r.lastUse}
}

func (r *tokenRow) wire() api.Token {
	return api.Token{
		ID: r.id, Name: r.name, Scopes: strings.Split(r.scopes, ","), CreatedAt: api.Time(r.created),
		ExpiresAt: instant(r.expires), LastUsedAt: instant(r.lastUse),
	}
}

func scanToken(scan func(...any) error) (api.Token, error) {
	var r tokenRow
	err := scan(r.dest()...)
	return r.wire(), err
}

// instant is a stored instant on the wire; 0 is never.
func instant(ms int64) *api.Time {
	if ms == 0 {
		return nil
	}
	return api.Ptr(api.Time(ms))
}
