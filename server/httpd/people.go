package httpd

import (
	"context"
	"net/http"
	"net/url"

	"elowen/server/account"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// people are the routes of accounts, sessions and tokens.
func (s *server) people() []*Route {
	person := api.PathPeople + "/{name}"
	return []*Route{
		get(api.PathSetup, open, "Whether the first account is still to be made", func(c *call) (api.SetupState, error) {
			needed, err := s.Accounts.SetupNeeded(c.ctx)
			return api.SetupState{Needed: needed}, err
		}),
		do(http.MethodPost, api.PathSetup, open, "Make the first account, with the code that the server printed", s.setUp).created(),
		do(http.MethodPost, api.PathLogin, open, "Sign in; the session is a cookie", s.logIn),
		do(http.MethodPost, api.PathLogout, api.ScopeRead, "Sign out", func(c *call, _ none) (none, error) {
			err := s.Accounts.Logout(c.ctx, c.id)
			if err == nil {
				s.Gate.signOut(c.w)
			}
			return none{}, err
		}).natural(),
		get(api.PathMe, api.ScopeRead, "One's own account", func(c *call) (api.Me, error) { return s.Accounts.Me(c.ctx, c.id) }),
		do(http.MethodPatch, api.PathMe, api.ScopeWrite, "Change one's own account", func(c *call, in api.MePatch) (api.Me, error) {
			return s.Accounts.PatchMe(c.ctx, c.id, c.ifMatch, in)
		}).revisioned(),

		get(api.PathPeople, api.ScopeAdmin, "All accounts", func(c *call) (api.Page[api.Person], error) {
			list, err := s.Accounts.People(c.ctx)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathPeople, api.ScopeAdmin, "Make an account", func(c *call, in api.PersonAdd) (api.Person, error) {
			p, err := s.Accounts.Add(c.ctx, in)
			c.located(api.PathPeople + "/" + url.PathEscape(p.Name))
			return p, err
		}).created(),
		get(person, api.ScopeAdmin, "An account", func(c *call) (api.Person, error) {
			return s.Accounts.Person(c.ctx, c.r.PathValue("name"))
		}),
		do(http.MethodPatch, person, api.ScopeAdmin, "Change an account: role, password, disabled", func(c *call, in api.PersonPatch) (api.Person, error) {
			return s.Accounts.Patch(c.ctx, c.id, c.r.PathValue("name"), c.ifMatch, in)
		}).revisioned(),
		do(http.MethodDelete, person, api.ScopeAdmin, "Erase an account with all that it owns", func(c *call, _ none) (none, error) {
			if s.Erase == nil {
				return none{}, fault.New(fault.Unavailable, "Erasing accounts is not configured here.")
			}
			return account.Once(c.ctx, s.Accounts, func(ctx context.Context) (none, error) {
				return none{}, s.Erase(ctx, c.id, c.r.PathValue("name"))
			})
		}),

		get(api.PathTokens, api.ScopeRead, "One's tokens, without their secrets", func(c *call) (api.Page[api.Token], error) {
			list, err := s.Accounts.Tokens(c.ctx, c.id.Owner)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathTokens, api.ScopeWrite, "Make a token; its secret is shown in this answer only", func(c *call, in api.TokenAdd) (api.Token, error) {
			if err := ownHand(c.id); err != nil {
				return api.Token{}, err
			}
			t, err := s.Accounts.AddToken(c.ctx, c.id.Owner, in)
			c.located(api.TokenPath(t.ID))
			return t, err
		}).created(),
		do(http.MethodDelete, api.PathTokens+"/{id}", api.ScopeWrite, "Revoke a token", func(c *call, _ none) (none, error) {
			if err := ownHand(c.id); err != nil {
				return none{}, err
			}
			id, err := c.pathID()
			if err != nil {
				return none{}, err
			}
			return none{}, s.Accounts.RevokeToken(c.ctx, c.id.Owner, id)
		}),
	}
}

// ownHand refuses a token that would make itself a successor or end another one:
// what was lent for a while must not be able to stay.
func ownHand(i account.Identity) error {
	if i.TokenID != 0 && !i.Can(api.ScopeAdmin) {
		return fault.New(fault.Forbidden, "Tokens are made and revoked, and sessions ended, by a person who is signed in, or by a token with the scope admin.")
	}
	return nil
}

func (s *server) setUp(c *call, in api.Setup) (api.Me, error) {
	o, err := s.Accounts.Setup(c.ctx, s.Gate.Client(c.r), in)
	return s.welcome(c, o, err)
}

func (s *server) logIn(c *call, in api.Login) (api.Me, error) {
	o, err := s.Accounts.Login(c.ctx, s.Gate.Client(c.r), in)
	if cookie, none := c.r.Cookie(s.Gate.cookie.Name); err == nil && none == nil {
		err = s.Accounts.Replace(c.ctx, cookie.Value)
	}
	return s.welcome(c, o, err)
}

// welcome answers a session that was just opened.
func (s *server) welcome(c *call, o account.Opened, err error) (api.Me, error) {
	if err != nil {
		return api.Me{}, err
	}
	s.Gate.signIn(c.w, o)
	return s.Accounts.Me(c.ctx, o.Identity)
}
