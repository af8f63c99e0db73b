package model

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/ollama"
	"elowen/server/embedding/openai"
	"elowen/server/model/anthropic"
	"elowen/server/settings"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// provider is one as it is stored.
type provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"baseUrl,omitempty"` // normalized; empty: the kind's own
}

// role is one as it is stored.
type role struct {
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions,omitempty"`
	Window     int    `json:"window,omitempty"` // 0: what is known of the model
}

// config is the group as it is stored.
type config struct {
	Providers []provider      `json:"providers"`
	Roles     map[string]role `json:"roles"`
}

// own are the addresses of kinds that have one.
var own = map[string]string{
	api.ProviderOpenAI: openai.OpenAI, api.ProviderOpenRouter: openai.OpenRouter, api.ProviderOllama: ollama.Address,
	api.ProviderAnthropic: anthropic.Address,
}

// address is where the provider is; empty for the built-in one.
func (p provider) address() string {
	if p.BaseURL != "" {
		return p.BaseURL
	}
	return own[p.Kind]
}

// host is the provider, as people are told of it.
func (p provider) host() string {
	u, err := url.Parse(p.address())
	if err != nil || u.Host == "" {
		return "The provider " + p.ID
	}
	return u.Host
}

// builtIn is the provider that is always there.
var builtIn = provider{ID: api.ProviderLocal, Kind: api.ProviderLocal}

// find is the provider of an id.
func (c config) find(id string) (provider, bool) {
	i := slices.IndexFunc(c.Providers, func(p provider) bool { return p.ID == id })
	if i < 0 {
		return provider{}, false
	}
	return c.Providers[i], true
}

// load reads the group. Where it was never saved it is that of a new instance.
func (s *Store) load(tx *db.Tx) (config, int64, error) {
	text, revision, err := settings.Read(tx, settings.Models)
	if err != nil {
		return config{}, 0, err
	}
	c := config{Providers: []provider{builtIn}, Roles: map[string]role{}}
	if text == "" {
		if _, err := s.o.Local.Embedder(embedding.ModelE5Multilingual); err == nil {
			c.Roles[api.RoleEmbedding] = role{Provider: builtIn.ID, Model: embedding.ModelE5Multilingual}
		}
		return c, revision, nil
	}
	c = config{}
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, revision, fault.Wrap(fault.Corrupt, err, "The stored settings of models cannot be read. Save them again.")
	}
	if c.Roles == nil {
		c.Roles = map[string]role{}
	}
	if _, ok := c.find(builtIn.ID); !ok {
		c.Providers = append([]provider{builtIn}, c.Providers...)
	}
	return c, revision, nil
}

// checkProvider judges and normalizes one of a change. field is where it stands.
func checkProvider(field string, in api.ProviderChange) (provider, error) {
	p := provider{ID: strings.TrimSpace(in.ID), Kind: in.Kind}
	bad := func(part, rule, message string) (provider, error) {
		return p, fault.BadField(field+part, rule, "", message)
	}
	if p.ID == "" || p.ID != in.ID {
		return bad("id", "required", "A provider needs an id, without spaces around it.")
	}
	if (p.ID == builtIn.ID) != (p.Kind == builtIn.Kind) {
		return bad("id", "reserved", fmt.Sprintf("The id %q is the built-in provider's, and only its.", builtIn.ID))
	}
	if key := in.APIKey.Value; key != nil {
		if most := int(setting.Get("model.apiKey").Max); len(*key) > most || strings.ContainsFunc(*key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return bad("apiKey", "key", fmt.Sprintf("A key has at most %d characters, without spaces.", most))
		}
	}
	if p.Kind == builtIn.Kind {
		if in.BaseURL != "" || in.APIKey.Set && in.APIKey.Value != nil && *in.APIKey.Value != "" {
			return bad("baseUrl", "excluded", "The built-in provider has no address and no key.")
		}
		return p, nil
	}
	if in.BaseURL != "" {
		url, err := embedding.Endpoint(in.BaseURL)
		if err != nil {
			return bad("baseUrl", "url", fault.ProblemOf(err).Detail)
		}
		if url != own[p.Kind] {
			p.BaseURL = url
		}
	}
	if p.Kind == api.ProviderOpenRouter && p.BaseURL != "" {
		return bad("baseUrl", "fixed", "OpenRouter's address is fixed. For another one take the kind openai.")
	}
	return p, nil
}

// checkRole judges a role of a config whose providers are settled.
func (s *Store) checkRole(c config, name string, r role) error {
	bad := func(field, rule, message string) error {
		return fault.BadField("roles."+name+"."+field, rule, "", message)
	}
	p, ok := c.find(r.Provider)
	if !ok {
		return bad("provider", "unknown", fmt.Sprintf("The role %s names the provider %q, which is not there.", name, r.Provider))
	}
	if strings.TrimSpace(r.Model) == "" {
		return bad("model", "required", fmt.Sprintf("The role %s needs a model.", name))
	}
	switch {
	case name != api.RoleEmbedding && p.Kind == builtIn.Kind:
		return bad("provider", "kind", "The built-in models are for embedding only.")
	case name != api.RoleEmbedding && r.Dimensions != 0:
		return bad("dimensions", "excluded", "Only the embedding role has a width.")
	case name == api.RoleEmbedding && r.Window != 0:
		return bad("window", "excluded", "The embedding role has no context.")
	case name == api.RoleEmbedding && p.Kind == api.ProviderAnthropic:
		return bad("provider", "kind", "Anthropic has no embedding models.")
	case name == api.RoleEmbedding && p.Kind == builtIn.Kind:
		if r.Dimensions != 0 {
			return bad("dimensions", "excluded", "The width of a built-in model cannot be chosen.")
		}
		if _, err := s.o.Local.Space(r.Model); err != nil {
			return bad("model", "unknown", fault.ProblemOf(err).Detail)
		}
	}
	return nil
}

// changed is the config with a change, and the providers whose keys go because
// their address is another now.
func (s *Store) changed(was config, in api.ModelsChange) (now config, moved []string, err error) {
	now = config{Providers: was.Providers, Roles: map[string]role{}}
	for name, r := range was.Roles {
		now.Roles[name] = r
	}
	if in.Providers != nil {
		now.Providers = nil
		for i, change := range in.Providers {
			p, err := checkProvider(fmt.Sprintf("providers[%d].", i), change)
			if err != nil {
				return now, nil, err
			}
			if _, twice := now.find(p.ID); twice {
				return now, nil, fault.BadField(fmt.Sprintf("providers[%d].id", i), "unique", "", fmt.Sprintf("There are two providers %q.", p.ID))
			}
			now.Providers = append(now.Providers, p)
		}
		if _, ok := now.find(builtIn.ID); !ok {
			now.Providers = append([]provider{builtIn}, now.Providers...)
		}
	}
	for _, p := range was.Providers {
		if n, ok := now.find(p.ID); !ok || n.Kind != p.Kind || n.address() != p.address() {
			moved = append(moved, p.ID)
		}
	}
	for name, r := range in.Roles {
		if r == nil {
			delete(now.Roles, name)
			continue
		}
		chosen := role{Provider: r.Provider, Model: strings.TrimSpace(r.Model)}
		if r.Dimensions != nil {
			chosen.Dimensions = *r.Dimensions
		}
		if r.Window != nil {
			chosen.Window = *r.Window
		}
		now.Roles[name] = chosen
	}
	for _, name := range roles {
		if r, ok := now.Roles[name]; ok {
			if err := s.checkRole(now, name, r); err != nil {
				return now, nil, err
			}
		}
	}
	return now, moved, nil
}

// roles are their names, in the order in which they are judged.
var roles = []string{api.RoleChat, api.RoleUtility, api.RoleEmbedding, api.RoleMaintenance}
