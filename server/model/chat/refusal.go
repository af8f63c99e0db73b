package chat

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"elowen/server/embedding/endpoint"
	"elowen/shared/fault"
)

// passing is the cause of an error that another try soon may not meet.
type passing struct{ error }

func (p passing) Unwrap() error { return p.error }

// Passes tells whether another try soon may go better.
func Passes(err error) bool {
	var p passing
	return errors.As(err, &p)
}

// unwanted is the cause of a refusal that names a part of the request which is of use
// but not needed.
type unwanted struct{ part string }

func (u unwanted) Error() string { return "the provider doesn't know " + u.part }

// Unwanted tells whether an error is that the provider refused a part of the request by
// its name.
func Unwanted(err error, part string) bool {
	var u unwanted
	return errors.As(err, &u) && u.part == part
}

// errStatus is the cause of a refusal.
type errStatus int

func (s errStatus) Error() string { return "status " + strconv.Itoa(int(s)) }

// refused is the error of an answer with another status than 200. Nothing of what the
// provider wrote is in it.
func (g *Guard) refused(resp *http.Response, wrote string) error {
	code := resp.StatusCode
	says := " (" + strconv.Itoa(code) + ")."
	kind, detail := fault.Unavailable, ""
	var cause error = errStatus(code)
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		detail = g.Host + " refuses the key" + says
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		detail = g.Host + " has no such model, or its address is another" + says
	case code == http.StatusPaymentRequired:
		detail = g.Host + " wants to be paid" + says
	case code == http.StatusTooManyRequests:
		detail, cause = g.Host+" asks for fewer requests"+says, passing{cause}
	case code == http.StatusRequestEntityTooLarge:
		kind, detail = fault.Invalid, g.Host+" takes no request that long"+says
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity:
		kind, detail = fault.Invalid, g.Host+" refuses what it was asked"+says
		for _, part := range g.Spare {
			if strings.Contains(wrote, part) {
				cause = unwanted{part}
			}
		}
	case code >= 300 && code < 400:
		detail = g.Host + " sends the request elsewhere" + says + " Name the final address: redirects are not followed."
	default:
		detail = g.Host + " failed" + says
		if code >= 500 {
			cause = passing{cause}
		}
	}
	out := fault.Wrap(kind, cause, detail)
	out.RetryAfterMillis = endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.UnixMilli(g.Clock())).Milliseconds()
	return out
}

// Unreadable is the error of an answer that is none.
func (g *Guard) Unreadable(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, g.Host+" answered something that is no chat completion.")
}

// Cut is the error of an answer that ended before its end.
func (g *Guard) Cut(cause error) error {
	return fault.Wrap(fault.Unavailable, cause, "The answer of "+g.Host+" broke off.")
}

// Failed is the error of a provider that says within an answer that it failed.
func (g *Guard) Failed(cause error) error {
	return fault.Wrap(fault.Unavailable, passing{cause}, g.Host+" failed while it answered.")
}

// tooLong is the error of an answer over its bound.
func (g *Guard) tooLong() error {
	return fault.Newf(fault.Unavailable, "%s answered more than %d bytes.", g.Host, g.Most)
}
