//go:build !js

package sync

import (
	"context"
	"errors"
)

// Fetch is the Transport of the browser. Prefix stands before every path.
type Fetch struct{ Prefix string }

// Do fails: there is no fetch outside a browser.
func (Fetch) Do(context.Context, Request) (Response, error) {
	return Response{}, errors.New("fetch needs a browser")
}
