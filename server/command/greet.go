package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// greetTime is how long a server may take to answer a greeting.
const greetTime = 10 * time.Second

// greetMost bounds the answer, in bytes.
const greetMost = 1 << 20

// greet asks the server at an address whether it is an elowen that takes a token, before
// a client is told of both. Redirects are not followed: they would take the token along.
// Errors: Unavailable, NotFound where something else answers, Unauthenticated, Forbidden.
func greet(ctx context.Context, address, token string) error {
	ctx, cancel := context.WithTimeout(ctx, greetTime)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address+api.PathMe, nil)
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "The server's address cannot be used.")
	}
	q.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	a, err := client.Do(q)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return unchecked(fault.Unavailable, "No elowen answers at "+address+": "+err.Error()+". Is the address right, and does the server run?")
	}
	defer a.Body.Close()
	body, err := io.ReadAll(io.LimitReader(a.Body, greetMost))
	if err != nil {
		return unchecked(fault.Unavailable, "The answer of "+address+" broke off.")
	}
	var me api.Me
	var p fault.Problem
	switch {
	case a.StatusCode == http.StatusOK && json.Unmarshal(body, &me) == nil && me.Name != "":
		if !slices.Contains(me.Scopes, api.ScopeRead) {
			return unchecked(fault.Forbidden, "The server at "+address+" knows this token, but it may not read memories.")
		}
		return nil
	case a.StatusCode >= 300 && a.StatusCode < 400:
		return unchecked(fault.NotFound, "The address "+address+" leads elsewhere: "+visible(a.Header.Get("Location"))+". Give the one that it leads to.")
	case a.StatusCode >= 400 && json.Unmarshal(body, &p) == nil && p.Code != "" && p.Detail != "":
		return unchecked(fault.KindOfCode(p.Code), "The server at "+address+" refuses: "+visible(strings.TrimSpace(p.Detail)))
	}
	return unchecked(fault.NotFound, "What answers at "+address+" is no elowen ("+visible(a.Status)+"). Is the address right?")
}

// unchecked is why nothing is written, and how it is all the same.
func unchecked(k fault.Kind, why string) error {
	return fault.New(k, why+" Nothing was written; --no-check writes without asking.")
}
