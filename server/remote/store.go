package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/secret"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Store is made of.
type Options struct {
	Box *secret.Box
	// Private tells whether members' servers may be at private addresses.
	Private func(ctx context.Context) (bool, error)
	Most    int          // servers of an account; 0: as the setting table says
	Version string       // of this program, as servers are told
	Dir     string       // the data directory, in which programs have a folder of their own
	Log     *slog.Logger // nil is silent
}

// DirName is the folder in a data directory that programs are started in.
const DirName = "programs"

// Store is the servers of an instance, and the connections to them. It is safe for
// concurrent use. Close ends the connections.
type Store struct {
	db *db.DB
	o  Options

	mu     sync.Mutex
	closed bool
	links  map[key]*link
	uses   int64
}

// New makes the store over an open database. Nobody is connected to before a tool is
// wanted.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Most == 0 {
		o.Most = setting.Int("server.servers")
	}
	return &Store{db: d, o: o, links: map[key]*link{}}
}

// row is a server as it is stored.
type row struct {
	id, revision           int64
	owner                  db.AccountID
	name, kind, address    string
	arguments, secretNames string // JSON
	sealed                 []byte
	enabled                int64 // 0 or 1
	createdAt, updatedAt   int64
}

const columns = `id, revision, owner_id, name, kind, address, arguments, secret_names, sealed, enabled, created_at, updated_at`

func (r *row) dest() []any {
	return []any{&r.id, &r.revision, (*int64)(&r.owner), &r.name, &r.kind, &r.address, &r.arguments, &r.secretNames, &r.sealed, &r.enabled, &r.createdAt, &r.updatedAt}
}

// args are the arguments of a program.
func (r *row) args() []string { return texts(r.arguments) }

func texts(stored string) []string {
	list := []string{}
	if json.Unmarshal([]byte(stored), &list) != nil || list == nil {
		return []string{}
	}
	return list
}

func stored(list []string) string {
	if list == nil {
		list = []string{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return "[]"
	}
	return string(text)
}

// sealName is under which name a server's secrets are sealed: those of another server, or
// of another place, can't be put in their place.
func (r *row) sealName() string {
	return fmt.Sprintf("mcp_server %d %s %s", r.owner, r.kind, r.place())
}

// secrets are the headers or variables of a server. Errors: Gone where they are lost.
func (s *Store) secrets(r *row) (map[string]string, error) {
	out := map[string]string{}
	if len(r.sealed) == 0 {
		return out, nil
	}
	text, err := s.o.Box.Open(r.sealName(), r.sealed)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, fault.Wrap(fault.Corrupt, err, "")
	}
	return out, nil
}

// seal stores secrets with a server.
func (s *Store) seal(r *row, secrets map[string]string) error {
	r.secretNames, r.sealed = stored(slices.Sorted(maps.Keys(secrets))), nil
	if len(secrets) == 0 {
		return nil
	}
	text, err := json.Marshal(secrets)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	r.sealed, err = s.o.Box.Seal(r.sealName(), string(text))
	return err
}

// wire is a server as it is served.
func (s *Store) wire(r *row) api.Server {
	out := api.Server{
		ID: r.id, Revision: r.revision, Name: r.name, Kind: r.kind, Args: r.args(), SecretNames: texts(r.secretNames),
		Enabled: r.enabled != 0, Problem: s.problem(r), CreatedAt: api.Time(r.createdAt), UpdatedAt: api.Time(r.updatedAt),
	}
	if r.kind == api.ServerHTTP {
		out.URL = r.address
	} else {
		out.Command = r.address
	}
	if _, err := s.secrets(r); err != nil {
		out.SecretsLost = true
	}
	return out
}

// List are the account's servers, by name.
func (s *Store) List(ctx context.Context, owner db.AccountID) ([]api.Server, error) {
	list, err := s.rows(ctx, owner)
	out := []api.Server{}
	for i := range list {
		out = append(out, s.wire(&list[i]))
	}
	return out, err
}

func (s *Store) rows(ctx context.Context, owner db.AccountID) (list []row, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT `+columns+` FROM mcp_server WHERE owner_id = ? ORDER BY name`, int64(owner))
		defer rows.Close()
		for rows.Next() {
			var r row
			if err := rows.Scan(r.dest()...); err != nil {
				return err
			}
			list = append(list, r)
		}
		return rows.Err()
	})
	return list, err
}

// Get is one of the account's servers. Errors: NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (out api.Server, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		r, err := read(tx, owner, id)
		out = s.wire(&r)
		return err
	})
	return out, err
}

func read(tx *db.Tx, owner db.AccountID, id int64) (r row, err error) {
	err = tx.Row(`SELECT `+columns+` FROM mcp_server WHERE owner_id = ? AND id = ?`, []any{int64(owner), id}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		err = fault.New(fault.NotFound, "There is no such server.")
	}
	return r, err
}

// Add adds a server for who asks. It is not connected to. Errors: Invalid; Forbidden for
// a program where who asks is no administrator; Taken.
func (s *Store) Add(ctx context.Context, who account.Identity, in api.ServerAdd) (api.Server, error) {
	r := row{owner: who.Owner, name: in.Name, kind: in.Kind, address: in.URL, arguments: stored(in.Args), enabled: flag(in.Enabled == nil || *in.Enabled)}
	if in.Kind == api.ServerStdio {
		r.address = in.Command
	}
	if in.Kind == api.ServerStdio && in.URL != "" || in.Kind == api.ServerHTTP && (in.Command != "" || len(in.Args) > 0) {
		return api.Server{}, errBoth
	}
	if err := r.settle(); err != nil {
		return api.Server{}, err
	}
	if err := may(who, r.kind); err != nil {
		return api.Server{}, err
	}
	if err := checkSecrets(r.kind, in.Secrets); err != nil {
		return api.Server{}, err
	}
	if err := s.seal(&r, in.Secrets); err != nil {
		return api.Server{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Server, error) {
		var have int
		if err := tx.Row(`SELECT COUNT(*) FROM mcp_server WHERE owner_id = ?`, []any{int64(r.owner)}, &have); err != nil {
			return api.Server{}, err
		}
		if have >= s.o.Most {
			return api.Server{}, fault.Newf(fault.Taken, "An account has at most %d servers. Remove one first.", s.o.Most)
		}
		r.revision, r.createdAt, r.updatedAt = 1, tx.Now, tx.Now
		var err error
		if r.id, err = tx.NewID(r.owner, "mcp_server"); err != nil {
			return api.Server{}, err
		}
		n, err := tx.Exec(`INSERT INTO mcp_server (id, revision, owner_id, name, kind, address, arguments, secret_names, sealed, enabled, created_at, updated_at)
			VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner_id, name) DO NOTHING`,
			r.id, int64(r.owner), r.name, r.kind, r.address, r.arguments, r.secretNames, r.sealed, r.enabled, tx.Now, tx.Now)
		if err == nil && n == 0 {
			return api.Server{}, errTaken(r.name)
		}
		return s.wire(&r), err
	})
}

// Patch changes what the patch names, if the server still has the revision (0: whatever
// it has). Errors: NotFound, Invalid, Forbidden, Taken, Stale with the server as it is.
func (s *Store) Patch(ctx context.Context, who account.Identity, id, ifRevision int64, in api.ServerPatch) (api.Server, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Server, error) {
		r, err := s.current(tx, who.Owner, id, ifRevision)
		if err != nil {
			return api.Server{}, err
		}
		// Whoever may not add a program may only switch off one that is there.
		if in.Name != nil || in.Command != nil || in.Args != nil || in.Secrets != nil || in.Enabled == nil || *in.Enabled {
			if err := may(who, r.kind); err != nil {
				return api.Server{}, err
			}
		}
		was := r
		if err := r.take(in); err != nil {
			return api.Server{}, err
		}
		switch {
		case in.Secrets != nil:
			if err = checkSecrets(r.kind, *in.Secrets); err == nil {
				err = s.seal(&r, *in.Secrets)
			}
		case r.sealName() != was.sealName():
			err = s.seal(&r, nil)
		}
		if err != nil {
			return api.Server{}, err
		}
		r.revision, r.updatedAt = r.revision+1, tx.Now
		err = tx.Must(`UPDATE mcp_server SET revision = ?, name = ?, address = ?, arguments = ?, secret_names = ?, sealed = ?, enabled = ?, updated_at = ? WHERE owner_id = ? AND id = ?`,
			r.revision, r.name, r.address, r.arguments, r.secretNames, r.sealed, r.enabled, tx.Now, int64(r.owner), r.id)
		if fault.Is(err, fault.Taken) {
			err = errTaken(r.name)
		}
		return s.wire(&r), err
	})
}

// current reads a server that a change was meant for.
func (s *Store) current(tx *db.Tx, owner db.AccountID, id, ifRevision int64) (row, error) {
	r, err := read(tx, owner, id)
	if err == nil && ifRevision != 0 && ifRevision != r.revision {
		err = &fault.Error{Kind: fault.Stale, Detail: "The server was changed meanwhile. Nothing was changed; look at it as it is now.", Current: s.wire(&r)}
	}
	return r, err
}

// gone is what a delete leaves.
type gone struct{}

// Delete removes a server. Errors: NotFound, Stale.
func (s *Store) Delete(ctx context.Context, owner db.AccountID, id, ifRevision int64) error {
	_, err := db.Do(ctx, s.db, func(tx *db.Tx) (gone, error) {
		if _, err := s.current(tx, owner, id, ifRevision); err != nil {
			return gone{}, err
		}
		return gone{}, tx.Must(`DELETE FROM mcp_server WHERE owner_id = ? AND id = ?`, int64(owner), id)
	})
	if err == nil {
		s.drop(func(k key) bool { return k.owner == owner && k.id == id })
	}
	return err
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM mcp_server WHERE owner_id = ?`, int64(owner))
	return err
}

func errTaken(name string) error {
	return fault.New(fault.Taken, "There is a server “"+name+"” already.")
}
