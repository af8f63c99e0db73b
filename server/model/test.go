package model

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// testTime is how long a test may take.
const testTime = 30 * time.Second

// testText is what a test embeds.
const testText = "A short sentence to see whether the model answers."

// Test asks a provider whether it answers for a role, as it is stored or as it
// would be saved. An embedding model is asked for a vector; of others the provider's
// list of models is read, which shows whether the address and the key are right. What is
// wrong is in the answer. Errors: Invalid; NotFound where nothing is stored to be tested.
func (s *Store) Test(ctx context.Context, in api.ModelTest) (api.ModelTested, error) {
	if err := validation.Struct(in); err != nil {
		return api.ModelTested{}, err
	}
	p, r, key, err := s.candidate(ctx, in)
	if err != nil {
		return api.ModelTested{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	began := time.Now()
	var out api.ModelTested
	if in.Role == api.RoleEmbedding {
		out = s.tryEmbedding(ctx, p, r, key)
	} else {
		out = s.tryList(ctx, p, key)
	}
	out.Millis = int(time.Since(began).Milliseconds())
	return out, nil
}

// candidate is what is to be tested.
func (s *Store) candidate(ctx context.Context, in api.ModelTest) (p provider, r role, key string, err error) {
	var c config
	var stored provider // whose key is stored
	err = s.db.View(ctx, func(tx *db.Tx) error {
		if c, _, err = s.load(tx); err != nil {
			return err
		}
		id := c.Roles[in.Role].Provider
		switch {
		case in.Provider != nil:
			id = in.Provider.ID
		case in.Choice != nil:
			id = in.Choice.Provider
		}
		stored, _ = c.find(id)
		key, err = s.key(tx, id)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Gone) {
			key, err = "", nil
		}
		return err
	})
	if err != nil {
		return p, r, "", err
	}
	p = stored
	if in.Provider != nil {
		if p, err = checkProvider("provider.", *in.Provider); err != nil {
			return p, r, "", err
		}
		switch {
		case in.Provider.APIKey.Set && in.Provider.APIKey.Value != nil:
			key = *in.Provider.APIKey.Value
		case in.Provider.APIKey.Set || p.Kind != stored.Kind || p.address() != stored.address():
			key = "" // a stored key goes to its own address only
		}
	}
	r = c.Roles[in.Role]
	if in.Choice != nil {
		r = role{Provider: p.ID, Model: in.Choice.Model}
		if in.Choice.Dimensions != nil {
			r.Dimensions = *in.Choice.Dimensions
		}
	}
	if p.ID == "" || r.Model == "" && in.Role == api.RoleEmbedding {
		return p, r, "", fault.New(fault.NotFound, "Nobody has that role. Name a provider and a model to test.")
	}
	r.Provider = p.ID
	if in.Role == api.RoleEmbedding || r.Model != "" {
		err = s.checkRole(config{Providers: []provider{p}}, in.Role, r)
	}
	return p, r, key, err
}

func (s *Store) tryEmbedding(ctx context.Context, p provider, r role, key string) api.ModelTested {
	failed := func(err error) api.ModelTested { return api.ModelTested{Message: fault.ProblemOf(err).Detail} }
	space, err := s.space(p, r)
	if err != nil {
		return failed(err)
	}
	e, err := s.embedder(p, &embedding.Snapshot{Stored: embedding.Stored{Space: space}, Profile: embedding.KnownProfile(space)}, key)
	if err != nil {
		return failed(err)
	}
	list, err := e.Embed(ctx, []string{testText}, embedding.Passage)
	if err == nil && len(list) == 1 {
		err = list[0].Err
	}
	if err != nil {
		return failed(err)
	}
	if len(list) != 1 || len(list[0].Vectors) == 0 {
		return api.ModelTested{Message: "The model answered no vector."}
	}
	width := len(list[0].Vectors[0])
	return api.ModelTested{OK: true, Width: width, Message: fmt.Sprintf("%s answers with vectors of %d numbers.", r.Model, width)}
}

// tryList reads the provider's list of models.
func (s *Store) tryList(ctx context.Context, p provider, key string) api.ModelTested {
	req, err := listRequest(ctx, p, key)
	if err != nil {
		return api.ModelTested{Message: fault.ProblemOf(err).Detail}
	}
	resp, err := s.o.HTTP.Do(req)
	if err != nil {
		return api.ModelTested{Message: "The provider cannot be reached."}
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20)) // so that the connection serves again
	switch {
	case resp.StatusCode == http.StatusOK:
		return api.ModelTested{OK: true, Message: "The provider answers."}
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return api.ModelTested{Message: fmt.Sprintf("The provider refuses the key (%d).", resp.StatusCode)}
	}
	return api.ModelTested{Message: fmt.Sprintf("The provider answered with status %d.", resp.StatusCode)}
}
