package model

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/endpoint"
	"elowen/server/embedding/ollama"
	"elowen/server/embedding/openai"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Apply makes what is saved the embedding in use: at the start of a server, and
// where another program may have saved something. It asks nobody.
func (s *Store) Apply(ctx context.Context) error {
	var snapshot *embedding.Snapshot
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		c, _, err := s.load(tx)
		if err != nil {
			return err
		}
		snapshot, err = s.use(tx, c)
		return err
	})
	if err == nil {
		s.o.Service.Use(snapshot)
	}
	return err
}

// use makes the space of a config the one in use, tells every account if it is
// another one, and gives what is to be asked for it.
func (s *Store) use(tx *db.Tx, c config) (*embedding.Snapshot, error) {
	r, ok := c.Roles[api.RoleEmbedding]
	p, there := c.find(r.Provider)
	if !ok || !there {
		changed, err := embedding.Deactivate(tx)
		if err == nil && changed {
			err = tell(tx)
		}
		return &embedding.Snapshot{}, err
	}
	space, err := s.space(p, r)
	if fault.Is(err, fault.NotFound) { // a program without that model
		changed, off := embedding.Deactivate(tx)
		if off == nil && changed {
			off = tell(tx)
		}
		return &embedding.Snapshot{Problem: fault.ProblemOf(err).Detail}, off
	}
	if err != nil {
		return nil, err
	}
	stored, changed, err := embedding.Activate(tx, space)
	if err == nil && changed {
		err = tell(tx)
	}
	if err != nil {
		return nil, err
	}
	snapshot := &embedding.Snapshot{Stored: stored}
	if snapshot.Profile, err = embedding.ProfileOf(tx, stored); err != nil {
		return nil, err
	}
	key, err := s.key(tx, p.ID)
	switch {
	case fault.Is(err, fault.NotFound): // none is needed, or the endpoint will say so
	case err != nil && (fault.Is(err, fault.Gone) || fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Corrupt)):
		snapshot.Problem = fault.ProblemOf(err).Detail
		return snapshot, nil
	case err != nil:
		return nil, err
	}
	snapshot.Embedder, err = s.embedder(p, snapshot, key)
	if err != nil {
		snapshot.Problem = fault.ProblemOf(err).Detail
		s.o.Log.Warn("the embedding model is not there", "model", r.Model, "error", err)
	}
	return snapshot, nil
}

// tell notes in every account's log that any of its memories may be indexed now, or
// not any more.
func tell(tx *db.Tx) error {
	owners, err := account.Owners(tx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		tx.Emit(owner, db.NounMemory, 0)
	}
	return nil
}

// space is where the vectors of a role belong.
func (s *Store) space(p provider, r role) (embedding.Space, error) {
	if p.Kind == builtIn.Kind {
		return s.o.Local.Space(r.Model)
	}
	return embedding.Space{Kind: p.Kind, Endpoint: p.address(), Model: r.Model, Asked: r.Dimensions}, nil
}

// Embedder is a built-in model, if it is there. Errors: NotFound, Unavailable.
func (s *Store) Embedder(model string) (embedding.Embedder, error) { return s.o.Local.Embedder(model) }

// embedder is what is asked for a snapshot's vectors.
func (s *Store) embedder(p provider, snapshot *embedding.Snapshot, key string) (embedding.Embedder, error) {
	c := endpoint.Config{
		Space: snapshot.Space, Width: snapshot.Width, Profile: snapshot.Profile, Key: key, HTTP: s.o.HTTP, Clock: s.db.Now, Format: openai.Format{}, Count: s.embedded,
	}
	switch p.Kind {
	case builtIn.Kind:
		return s.o.Local.Embedder(snapshot.Model)
	case api.ProviderOllama:
		c.Format = ollama.Format{}
	case api.ProviderOpenRouter:
		c.Headers = map[string]string{"X-Title": "elowen"}
	}
	return endpoint.New(c), nil
}
