package command

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	encoders "elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// The ways to find memories by meaning.
const (
	memoryLocal      = "local"
	memoryReuse      = "reuse"
	memoryOpenRouter = "openrouter"
	memorySkip       = "skip"
)

type setupCommand struct {
	Memory         string   `enum:",local,reuse,openrouter,skip" default:"" placeholder:"WAY" help:"local (a built-in model, nothing leaves this machine), reuse (the provider that is set up for something else), openrouter, or skip (leave everything as it is)."`
	EmbeddingModel string   `placeholder:"MODEL" help:"The model that embeds; local ones are multilingual-e5-small and e5-small-v2 (English only)."`
	Weights        []string `sep:"none" placeholder:"FILE" help:"A file with the weights of a built-in model: its package, or a file out of it. May be given several times."`
	MemoryKey      string   `placeholder:"KEY" help:"OpenRouter's key; better in ELOWEN_MEMORY_KEY than here, where others may see it."`
	SkipTest       bool     `help:"Don't ask the model whether it answers."`
}

// inquire implements inquisitive: it asks what the command line doesn't say.
func (c *setupCommand) inquire(r *run) (more []string, err error) {
	ask := func(into *string, flag, prompt, usual string) error {
		text, err := r.Line(prompt + " [" + usual + "]: ")
		if err != nil {
			return err
		}
		if text == "" {
			text = usual
		}
		*into = text
		more = append(more, flag+"="+text)
		return nil
	}
	if c.Memory != "" {
		return nil, nil
	}
	fmt.Fprintln(r.Stderr, "How are memories to be found by meaning?\n"+
		"  local       by a built-in model; nothing leaves this machine\n"+
		"  reuse       by the provider that is set up for something else\n"+
		"  openrouter  by OpenRouter, with a key\n"+
		"  skip        leave everything as it is")
	for !slices.Contains([]string{memoryLocal, memoryReuse, memoryOpenRouter, memorySkip}, c.Memory) {
		if err := ask(&c.Memory, "--memory", "local, reuse, openrouter or skip", memoryLocal); err != nil {
			return nil, err
		}
		if len(more) > 1 {
			more = more[len(more)-1:] // an answer that was none
		}
	}
	if c.EmbeddingModel == "" && c.Memory == memoryLocal {
		if err := ask(&c.EmbeddingModel, "--embedding-model", "Model", encoders.Multilingual); err != nil {
			return nil, err
		}
	}
	if c.Memory == memoryOpenRouter && c.MemoryKey == "" {
		if c.MemoryKey, err = r.Ask("OpenRouter's key (empty: the one that is stored): "); err != nil {
			return nil, err
		}
		if c.MemoryKey != "" {
			more = append(more, "--memory-key="+c.MemoryKey)
		}
	}
	return more, nil
}

// set is what the command did, as JSON.
type set struct {
	Memory   string   `json:"memory"`
	Provider string   `json:"provider"` // of the embedding role; empty: nobody
	Model    string   `json:"model"`
	Weights  []string `json:"weights"` // files that were added
	Tested   bool     `json:"tested"`
	Width    int      `json:"width"` // of a vector; 0: not tested
}

// Run implements the command.
func (c *setupCommand) Run(r *run) error {
	return r.with(func(st *stores) error {
		out := set{Memory: c.Memory, Weights: []string{}}
		if out.Memory == "" {
			out.Memory = memoryLocal
		}
		for _, file := range c.Weights {
			pins, err := weight.Files{Dir: filepath.Join(r.data, weight.Folder)}.Add(r.path(file))
			if err != nil {
				return fault.Wrap(fault.KindOf(err), err, file+": "+fault.ProblemOf(err).Detail)
			}
			for _, p := range pins {
				out.Weights = append(out.Weights, p.Name)
			}
		}
		now, err := st.models.Settings(r.ctx, true)
		if err != nil {
			return err
		}
		if out.Memory != memorySkip {
			if now, err = c.choose(r, st, now, &out); err != nil {
				return err
			}
		}
		if role := now.Models.Roles.Embedding; role != nil {
			out.Provider, out.Model = role.Provider, role.Model
		}
		return r.show(out, func(w io.Writer) { out.tell(w, st) })
	})
}

func (s set) tell(w io.Writer, st *stores) {
	for _, name := range s.Weights {
		fmt.Fprintf(w, "Added the weights %s.\n", name)
	}
	switch {
	case s.Memory == memorySkip && s.Model == "":
		fmt.Fprintln(w, "Nothing was changed: memories are found by their words.")
	case s.Memory == memorySkip:
		fmt.Fprintf(w, "Nothing was changed: memories are found by meaning with %s of %s.\n", visible(s.Model), visible(s.Provider))
	case s.Tested:
		fmt.Fprintf(w, "Memories are found by meaning with %s of %s, which answers with vectors of %d numbers.\n", visible(s.Model), visible(s.Provider), s.Width)
	default:
		fmt.Fprintf(w, "Memories are found by meaning with %s of %s. It was not asked whether it answers.\n", visible(s.Model), visible(s.Provider))
	}
	if s.Memory != memorySkip && st.jobs == nil {
		fmt.Fprintln(w, "The server indexes them when it runs.")
	}
}

// choose makes a model the one that embeds, if it answers.
func (c *setupCommand) choose(r *run, st *stores, now api.Settings, out *set) (api.Settings, error) {
	p, model, err := c.provider(now, out.Memory)
	if err != nil {
		return now, err
	}
	role := &api.Role{Provider: p.ID, Model: model}
	if !c.SkipTest {
		tested, err := st.models.Test(r.ctx, api.ModelTest{Role: api.RoleEmbedding, Provider: &p, Choice: role})
		if err != nil {
			return now, err
		}
		if !tested.OK {
			return now, fault.Newf(fault.Unavailable, "%s Nothing was changed; --skip-test sets it up all the same.", tested.Message)
		}
		out.Tested, out.Width = true, tested.Width
	}
	in := api.ModelsChange{Revision: now.Revision, Roles: map[string]*api.Role{api.RoleEmbedding: role}}
	known := false
	for _, one := range now.Models.Providers {
		change := api.ProviderChange{ID: one.ID, Kind: one.Kind, BaseURL: one.BaseURL}
		if one.ID == p.ID {
			known, change = true, p
		}
		in.Providers = append(in.Providers, change)
	}
	if !known {
		in.Providers = append(in.Providers, p)
	}
	return st.models.Save(r.ctx, in)
}

// usualModels are what embeds at a kind of provider where nothing else is said.
var usualModels = map[string]string{
	api.ProviderOpenAI: "text-embedding-3-small", api.ProviderOpenRouter: "openai/text-embedding-3-small", api.ProviderOllama: "nomic-embed-text",
}

// provider is whom a way asks, for which model.
func (c *setupCommand) provider(now api.Settings, way string) (p api.ProviderChange, model string, err error) {
	model = strings.TrimSpace(c.EmbeddingModel)
	if c.MemoryKey != "" && way != memoryOpenRouter {
		return p, "", fault.New(fault.Invalid, "--memory-key is OpenRouter's key: it goes with --memory openrouter.")
	}
	switch way {
	case memoryLocal:
		p = api.ProviderChange{ID: api.ProviderLocal, Kind: api.ProviderLocal}
		if model == "" {
			model = encoders.Multilingual
		}
		return p, model, nil
	case memoryOpenRouter:
		p = api.ProviderChange{ID: api.ProviderOpenRouter, Kind: api.ProviderOpenRouter}
		stored := false
		for _, one := range now.Models.Providers {
			if one.Kind == api.ProviderOpenRouter {
				p.ID, stored = one.ID, one.HasKey
			}
		}
		if c.MemoryKey != "" {
			p.APIKey = api.Some(c.MemoryKey)
		} else if !stored {
			return p, "", fault.New(fault.Invalid, "OpenRouter wants a key: give it with --memory-key, or in ELOWEN_MEMORY_KEY.")
		}
	case memoryReuse:
		one, err := reusable(now.Models)
		if err != nil {
			return p, "", err
		}
		p = api.ProviderChange{ID: one.ID, Kind: one.Kind, BaseURL: one.BaseURL}
		if role := now.Models.Roles.Embedding; model == "" && role != nil && role.Provider == p.ID {
			model = role.Model
		}
	}
	if model == "" {
		model = usualModels[p.Kind]
	}
	return p, model, nil
}

// reusable is the provider that has another role, the chat's first, or the only one
// that there is beside the built-in one.
func reusable(m *api.Models) (api.Provider, error) {
	var can []api.Provider
	for _, p := range m.Providers {
		if usualModels[p.Kind] != "" {
			can = append(can, p)
		}
	}
	for _, role := range []*api.Role{m.Roles.Chat, m.Roles.Utility, m.Roles.Maintenance, m.Roles.Embedding} {
		for _, p := range can {
			if role != nil && role.Provider == p.ID {
				return p, nil
			}
		}
	}
	if len(can) == 1 {
		return can[0], nil
	}
	if len(can) == 0 {
		return api.Provider{}, fault.New(fault.NotFound, "There is no provider to reuse that has embedding models. Set one up in the app, under Settings, or take --memory local.")
	}
	return api.Provider{}, fault.New(fault.NotFound, "There are several providers, and none has a role that says which one is meant. Choose the embedding model in the app, under Settings.")
}
