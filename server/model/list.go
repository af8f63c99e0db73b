package model

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/model/anthropic"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// lists are the providers' lists of models as they were read.
type lists struct {
	mu  sync.Mutex
	all map[string]*list // by provider
}

// list is one. Whoever holds mu reads it; others wait for that.
type list struct {
	mu      sync.Mutex
	address string // of the provider, then
	key     string
	until   int64 // when it is old, in Unix milliseconds
	models  []listed
	problem string
}

// listTime is how long reading a list may take.
const listTime = 10 * time.Second

// List is what can be picked of a provider, or of all where id is empty. A list is kept
// for a while (settings models.fresh and models.retry); what can't be read is a problem
// in the answer. The built-in models are not in it: they are embedding's. Only what
// answers in conversations is in it, and no problems, unless all is wanted: only
// administrators are told of providers. Errors: NotFound for no such provider.
func (s *Store) List(ctx context.Context, id string, all bool) (api.ModelList, error) {
	type asked struct {
		provider
		key     string
		problem string
	}
	var from []asked
	err := s.db.View(ctx, func(tx *db.Tx) error {
		c, _, err := s.load(tx)
		if err != nil {
			return err
		}
		if _, there := c.find(id); id != "" && !there {
			return fault.Newf(fault.NotFound, "There is no provider %q.", id)
		}
		for _, p := range c.Providers {
			if p.Kind == builtIn.Kind || id != "" && p.ID != id {
				continue
			}
			one := asked{provider: p}
			one.key, err = s.key(tx, p.ID)
			if err != nil && !fault.Is(err, fault.NotFound) {
				if one.problem = fault.ProblemOf(err).Detail; fault.Is(err, fault.Internal) {
					return err
				}
			}
			from = append(from, one)
		}
		return nil
	})
	out := api.ModelList{Items: []api.ListedModel{}, Problems: []api.ModelProblem{}}
	if err != nil {
		return out, err
	}
	found := make([][]listed, len(from))
	var wait sync.WaitGroup
	for i := range from {
		if from[i].problem == "" {
			wait.Go(func() {
				if panicked := fault.Guarded(func() { found[i], from[i].problem = s.listOf(ctx, from[i].provider, from[i].key) }); panicked != nil {
					from[i].problem = "The list could not be read."
					s.o.Log.Error("reading a list of models panicked", "error", panicked)
				}
			})
		}
	}
	wait.Wait()
	for i, p := range from {
		if p.problem != "" && all {
			out.Problems = append(out.Problems, api.ModelProblem{Provider: p.ID, Detail: p.problem})
		}
		for _, m := range found[i] {
			if !m.chat && !all {
				continue
			}
			one := api.ListedModel{Provider: p.ID, ID: m.id, Window: m.window, Chat: m.chat, Embedding: m.embeds && p.Kind != api.ProviderAnthropic}
			if one.Window == 0 && p.Kind != api.ProviderOllama {
				one.Window = known(m.id)
			}
			out.Items = append(out.Items, one)
		}
	}
	return out, nil
}

// listOf is a provider's list, read if it is old.
func (s *Store) listOf(ctx context.Context, p provider, key string) ([]listed, string) {
	s.lists.mu.Lock()
	if s.lists.all == nil {
		s.lists.all = map[string]*list{}
	}
	l := s.lists.all[p.ID]
	if l == nil {
		l = &list{}
		s.lists.all[p.ID] = l
	}
	s.lists.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.address == p.address() && l.key == key && s.db.Now() < l.until {
		return l.models, l.problem
	}
	models, err := s.readList(ctx, p, key)
	if err != nil && ctx.Err() != nil {
		return nil, "The list was not read to its end."
	}
	fresh := setting.Int("models.fresh")
	l.address, l.key, l.models, l.problem = p.address(), key, models, ""
	if err != nil {
		fresh, l.problem = setting.Int("models.retry"), fault.ProblemOf(err).Detail
	}
	l.until = s.db.Now() + int64(fresh)*1000
	if err == nil {
		s.keepWindows(ctx, p, models)
	}
	return l.models, l.problem
}

// keepWindows keeps what a list told, where it told anything and that is new.
func (s *Store) keepWindows(ctx context.Context, p provider, models []listed) {
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		c, _, err := s.load(tx)
		if err != nil {
			return err
		}
		if now, there := c.find(p.ID); !there || now != p {
			return nil // it is another one by now
		}
		return tellWindows(tx, p.ID, models)
	})
	if err != nil {
		s.o.Log.Warn("the context sizes of a provider's models could not be kept", "provider", p.ID, "error", err)
	}
}

// readList asks a provider for its list.
func (s *Store) readList(ctx context.Context, p provider, key string) ([]listed, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	req, err := listRequest(ctx, p, key)
	if err != nil {
		return nil, err
	}
	resp, err := s.o.HTTP.Do(req)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, p.host()+" cannot be reached.")
	}
	defer resp.Body.Close()
	most := int64(setting.Get("models.list").Max)
	answer, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return nil, fault.New(fault.Unavailable, p.host()+" refuses the key.")
	case resp.StatusCode != http.StatusOK:
		return nil, fault.Newf(fault.Unavailable, "%s has no list of models, or it failed (%d).", p.host(), resp.StatusCode)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "The list of "+p.host()+" broke off.")
	case int64(len(answer)) > most:
		return nil, fault.Newf(fault.Unavailable, "The list of %s is longer than %d bytes.", p.host(), most)
	}
	models, err := parseList(answer)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, p.host()+" answered something that is no list of models.")
	}
	return slices.Clip(models), nil
}

// errAddress says that an address is none.
var errAddress = errors.New("no address")

// listRequest is the request for a provider's list.
func listRequest(ctx context.Context, p provider, key string) (*http.Request, error) {
	where := p.address() + "/models"
	switch p.Kind {
	case api.ProviderOllama:
		where = p.address() + "/api/tags"
	case api.ProviderAnthropic:
		where = anthropic.Base(p.address()) + "/v1/models?limit=1000"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, where, nil)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, errAddress, "The address of the provider is none.")
	}
	if p.Kind == api.ProviderAnthropic {
		req.Header.Set(anthropic.VersionHeader, anthropic.Version)
	}
	switch {
	case key == "":
	case p.Kind == api.ProviderAnthropic:
		req.Header.Set("X-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
	return req, nil
}
