package command

import (
	"fmt"
	"io"
	"strings"

	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type tokenCommand struct {
	Create tokenCreate `cmd:"" help:"Make a token. It is shown this once."`
	List   tokenList   `cmd:"" help:"List an account's tokens."`
	Revoke tokenRevoke `cmd:"" help:"End a token at once."`
}

type tokenCreate struct {
	User   string   `required:"" placeholder:"NAME" help:"Account that the token acts for."`
	Name   string   `default:"command line" placeholder:"TEXT" help:"What the token is for (${default})."`
	Scopes []string `default:"read,write" placeholder:"read,write,admin" help:"What the token may do (${default})."`
	Days   int      `placeholder:"N" help:"Days until it expires; without, it doesn't."`
}

// Run implements the command.
func (c *tokenCreate) Run(r *run) error {
	in := api.TokenAdd{Name: c.Name, Scopes: c.Scopes, Days: c.Days}
	if err := validation.Struct(in); err != nil {
		return err
	}
	return r.with(func(st *stores) error {
		p, err := st.accounts.Person(r.ctx, c.User)
		if err != nil {
			return err
		}
		t, err := st.accounts.AddToken(r.ctx, db.AccountID(p.ID), in)
		if err != nil {
			return err
		}
		return r.show(t, func(w io.Writer) { fmt.Fprintln(w, t.Token) })
	})
}

type tokenList struct {
	User string `placeholder:"NAME" help:"Account whose tokens to list; without, everybody's."`
}

// userToken is a token and whose it is.
type userToken struct {
	User string `json:"user"`
	api.Token
}

// Run implements the command.
func (c *tokenList) Run(r *run) error {
	return r.reading(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		list := []userToken{}
		for _, p := range people {
			tokens, err := st.accounts.Tokens(r.ctx, db.AccountID(p.ID))
			if err != nil {
				return err
			}
			for _, t := range tokens {
				list = append(list, userToken{p.Name, t})
			}
		}
		return r.show(list, func(w io.Writer) {
			table(w, []string{"ID", "USER", "NAME", "SCOPES", "MADE", "LAST USED", "EXPIRES"}, func(add func(...any)) {
				for _, t := range list {
					add(t.ID, t.User, t.Name, strings.Join(t.Scopes, ","), short(t.CreatedAt), instant(t.LastUsedAt), instant(t.ExpiresAt))
				}
			})
		})
	})
}

type tokenRevoke struct {
	ID   int64  `arg:"" help:"Number of the token, from the list."`
	User string `placeholder:"NAME" help:"Account of the token; without, whoever's it is."`
}

// Run implements the command.
func (c *tokenRevoke) Run(r *run) error {
	return r.with(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		for _, p := range people {
			err := st.accounts.RevokeToken(r.ctx, db.AccountID(p.ID), c.ID)
			if fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			return r.show(map[string]any{"revoked": c.ID}, func(w io.Writer) { fmt.Fprintf(w, "Revoked token %d of %s.\n", c.ID, visible(p.Name)) })
		}
		return fault.Newf(fault.NotFound, "There is no token %d. `elowen admin token list` lists them.", c.ID)
	})
}

// whose are the accounts that a command is about: the named one, or all.
func whose(r *run, st *stores, name string) ([]api.Person, error) {
	if name == "" {
		return st.accounts.People(r.ctx)
	}
	p, err := st.accounts.Person(r.ctx, name)
	return []api.Person{p}, err
}
