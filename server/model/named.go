package model

import (
	"context"
	"slices"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// OwnName is what other programs call the chat role's model.
const OwnName = "elowen"

// Named is the model that another program calls so; nil is the chat role's. It is a role's
// model of that name, else one that a provider lists, else a provider's where the name
// begins with its id and a slash. A name that stands in no list is the chat role's
// provider's, where that has no list that could be read. Errors: NotFound.
func (s *Store) Named(ctx context.Context, name string) (*api.ModelPick, error) {
	if name == "" || name == OwnName {
		return nil, nil
	}
	var c config
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		c, _, err = s.load(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, role := range []string{api.RoleChat, api.RoleMaintenance, api.RoleUtility} {
		if r := c.Roles[role]; r.Model == name {
			return &api.ModelPick{Provider: r.Provider, Model: name}, nil
		}
	}
	list, err := s.List(ctx, "", true)
	if err != nil {
		return nil, err
	}
	for _, m := range list.Items {
		if m.ID == name {
			return &api.ModelPick{Provider: m.Provider, Model: name}, nil
		}
	}
	for _, p := range c.Providers {
		if rest, ok := strings.CutPrefix(name, p.ID+"/"); ok && rest != "" && p.Kind != builtIn.Kind {
			return &api.ModelPick{Provider: p.ID, Model: rest}, nil
		}
	}
	chat := c.Roles[api.RoleChat].Provider
	if slices.ContainsFunc(list.Problems, func(p api.ModelProblem) bool { return p.Provider == chat }) {
		return &api.ModelPick{Provider: chat, Model: name}, nil
	}
	return nil, fault.Newf(fault.NotFound, "There is no model %q. GET /v1/models lists those that there are.", name)
}

// Names are what other programs may ask for by name: the chat role, where there is one,
// and what the providers list for conversations, each with who has it.
func (s *Store) Names(ctx context.Context) ([]api.ListedModel, error) {
	out := []api.ListedModel{}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		if _, ok, err := s.Has(tx, api.RoleChat); err != nil || !ok {
			return err
		}
		out = append(out, api.ListedModel{Provider: OwnName, ID: OwnName, Chat: true})
		return nil
	})
	if err != nil {
		return nil, err
	}
	list, err := s.List(ctx, "", true)
	seen := map[string]bool{OwnName: true}
	for _, m := range list.Items {
		if m.Chat && !seen[m.ID] {
			seen[m.ID] = true
			out = append(out, m)
		}
	}
	return out, err
}
