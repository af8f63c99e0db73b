package model

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"net/http"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/endpoint"
	"elowen/server/secret"
	"elowen/server/settings"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Local is the built-in models.
type Local interface {
	// Space is a model's, whether its weights are there or not. Errors: NotFound.
	Space(model string) (embedding.Space, error)
	// Embedder is a model, ready to be asked. Errors: NotFound; Unavailable without
	// weights.
	Embedder(model string) (embedding.Embedder, error)
}

// Options are what a Store is made of.
type Options struct {
	Box     *secret.Box
	Service *embedding.Service // is given the Snapshot of what is saved
	Local   Local              // nil: there are none
	// Others reads the other groups of the settings, for answers.
	Others func(tx *db.Tx) (api.Settings, error)
	HTTP   *http.Client // nil takes endpoint.NewHTTP
	// Sleep waits, or until ctx ends; nil does so by the machine's clock.
	Sleep func(ctx context.Context, d time.Duration)
	Log   *slog.Logger // nil is silent
}

// Store keeps providers and roles. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	o     Options
	usage usage
	lists lists
}

// New makes the store over an open database. Nobody is asked before Apply.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.HTTP == nil {
		o.HTTP = endpoint.NewHTTP()
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Local == nil {
		o.Local = None{}
	}
	if o.Service == nil {
		o.Service = embedding.NewService()
	}
	return &Store{db: d, o: o}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// None is the built-in models of a program that has none.
type None struct{}

func (None) Space(string) (embedding.Space, error) {
	return embedding.Space{}, fault.New(fault.NotFound, "This program has no built-in models.")
}

func (None) Embedder(string) (embedding.Embedder, error) {
	return nil, fault.New(fault.Unavailable, "This program has no built-in models.")
}

// Settings are all settings, with the models where they are wanted: only
// administrators are told of providers, all others of who answers in conversations.
func (s *Store) Settings(ctx context.Context, models bool) (out api.Settings, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		out, err = s.settings(tx, models)
		return err
	})
	return out, err
}

func (s *Store) settings(tx *db.Tx, models bool) (api.Settings, error) {
	out, err := s.o.Others(tx)
	if err != nil {
		return out, err
	}
	if out.Profile, err = profile(tx); err != nil {
		return out, err
	}
	c, _, err := s.load(tx)
	if err != nil {
		return out, err
	}
	if r, ok := c.Roles[api.RoleChat]; ok {
		out.Chat = &api.ModelPick{Provider: r.Provider, Model: r.Model}
	}
	if !models {
		return out, nil
	}
	m, err := s.wire(tx, c)
	out.Models = &m
	return out, err
}

// profile is what the profile of the embedding model in use says.
func profile(tx *db.Tx) (out api.Profile, err error) {
	now, err := embedding.Current(tx)
	if err != nil || !now.On() {
		return out, err
	}
	p, err := embedding.ProfileOf(tx, now)
	if err != nil {
		return out, err
	}
	perMille := func(v float64) *int {
		if v <= 0 {
			return nil
		}
		return api.Ptr(int(math.Round(v * 1000)))
	}
	return api.Profile{
		RelevanceFloor: perMille(p.Floor), DuplicateThreshold: perMille(p.Thresholds.Duplicate), ParaphraseThreshold: perMille(p.Thresholds.Paraphrase),
	}, nil
}

// wire is the group as it is served.
func (s *Store) wire(tx *db.Tx, c config) (api.Models, error) {
	out := api.Models{Providers: []api.Provider{}}
	for _, p := range c.Providers {
		_, err := s.key(tx, p.ID)
		lost := fault.Is(err, fault.Gone)
		if err != nil && !lost && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.Corrupt) {
			return out, err
		}
		out.Providers = append(out.Providers, api.Provider{
			ID: p.ID, Kind: p.Kind, BaseURL: p.BaseURL, HasKey: err == nil, KeyLost: err != nil && !fault.Is(err, fault.NotFound),
		})
	}
	of := func(name string) *api.Role {
		r, ok := c.Roles[name]
		if !ok {
			return nil
		}
		shown := &api.Role{Provider: r.Provider, Model: r.Model}
		if r.Dimensions != 0 {
			shown.Dimensions = api.Ptr(r.Dimensions)
		}
		if r.Window != 0 {
			shown.Window = api.Ptr(r.Window)
		}
		return shown
	}
	out.Roles = api.Roles{Chat: of(api.RoleChat), Utility: of(api.RoleUtility), Embedding: of(api.RoleEmbedding), Maintenance: of(api.RoleMaintenance)}
	return out, nil
}

// Save changes providers and roles, and makes the embedding role the one in use.
// Errors: Invalid; Stale with the settings as they are; Unavailable where a key
// cannot be sealed.
func (s *Store) Save(ctx context.Context, in api.ModelsChange) (api.Settings, error) {
	if err := validation.Struct(in); err != nil {
		return api.Settings{}, err
	}
	var snapshot *embedding.Snapshot
	out, err := db.Do(ctx, s.db, func(tx *db.Tx) (api.Settings, error) {
		was, revision, err := s.load(tx)
		if err != nil {
			return api.Settings{}, err
		}
		if f := settings.Seen(in.Revision, revision); f != nil {
			if fault.Is(f, fault.Stale) {
				if f.Current, err = s.settings(tx, true); err != nil {
					return api.Settings{}, err
				}
			}
			return api.Settings{}, f
		}
		now, moved, err := s.changed(was, in)
		if err != nil {
			return api.Settings{}, err
		}
		if err := s.saveKeys(tx, in.Providers, moved); err != nil {
			return api.Settings{}, err
		}
		text, err := json.Marshal(now)
		if err != nil {
			return api.Settings{}, fault.Wrap(fault.Internal, err, "")
		}
		if _, err := settings.Write(tx, settings.Models, string(text)); err != nil {
			return api.Settings{}, err
		}
		owners, err := account.Owners(tx)
		if err != nil {
			return api.Settings{}, err
		}
		for _, owner := range owners {
			tx.Emit(owner, db.NounRetention, 0) // as windows of the settings know it
		}
		if snapshot, err = s.use(tx, now); err != nil {
			return api.Settings{}, err
		}
		return s.settings(tx, true)
	})
	if err == nil && snapshot != nil {
		s.o.Service.Use(snapshot)
	}
	return out, err
}

// saveKeys stores the keys that come with providers, and drops those of providers
// that moved.
func (s *Store) saveKeys(tx *db.Tx, list []api.ProviderChange, moved []string) error {
	for _, id := range moved {
		if _, err := tx.Exec(`DELETE FROM provider_secret WHERE provider = ?`, id); err != nil {
			return err
		}
		if err := forgetWindows(tx, id); err != nil {
			return err
		}
	}
	for _, p := range list {
		switch {
		case !p.APIKey.Set:
		case p.APIKey.Value == nil || *p.APIKey.Value == "":
			if _, err := tx.Exec(`DELETE FROM provider_secret WHERE provider = ?`, p.ID); err != nil {
				return err
			}
		default:
			sealed, err := s.o.Box.Seal(p.ID, *p.APIKey.Value)
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO provider_secret (provider, sealed) VALUES (?, ?) ON CONFLICT (provider) DO UPDATE SET sealed = excluded.sealed`, p.ID, sealed); err != nil {
				return err
			}
		}
	}
	return nil
}

// key is a provider's key. Errors: NotFound where it has none; Gone where it was lost.
func (s *Store) key(tx *db.Tx, id string) (string, error) {
	var sealed []byte
	if err := tx.Row(`SELECT sealed FROM provider_secret WHERE provider = ?`, []any{id}, &sealed); err != nil {
		return "", err
	}
	return s.o.Box.Open(id, sealed)
}
