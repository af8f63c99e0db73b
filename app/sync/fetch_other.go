//go:build !js

package sync

import (
	"context"
	"errors"
)

// Fetch is the Transport of the browser.
type Fetch struct {
	Prefix string               // stands before every path
	Seen   func(release string) // is told which release of the server answered
}

// Do fails: there is no fetch outside a browser.
func (Fetch) Do(context.Context, Request) (Response, error) {
	return Response{}, errors.New("fetch needs a browser")
}
