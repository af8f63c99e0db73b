package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"elowen/shared/setting"
)

// errPrivate says that an address is one that a member's server must not have.
var errPrivate = errors.New("it is at a private address")

// closed are ranges beside those that package netip tells of: nothing that a server on
// the internet has, or another way to write an address of another range.
var closed = func() (list []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10", "3fff::/20", "5f00::/16",
	} {
		list = append(list, netip.MustParsePrefix(p))
	}
	return list
}()

// public tells whether an address is one of the internet's.
func public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// client is the HTTP client for one server. private lets it dial any address; headers
// are sent with each request.
func client(private bool, headers map[string]string) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	if !private {
		// After the name was resolved, so that no name leads anywhere else meanwhile.
		dialer.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil || !public(at.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Transport: &bounded{headers: headers, next: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, MaxIdleConnsPerHost: 2, MaxConnsPerHost: 8,
			IdleConnTimeout: 60 * time.Second, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// errRedirect says that a server sends its requests elsewhere.
var errRedirect = errors.New("it sends the request elsewhere")

// bounded sends headers with each request, and bounds each answer.
type bounded struct {
	headers map[string]string
	next    *http.Transport
}

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range b.headers {
		r.Header.Set(name, value)
	}
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: int64(setting.Int("server.answer"))}
	return resp, nil
}

// CloseIdleConnections implements what http.Client asks for.
func (b *bounded) CloseIdleConnections() { b.next.CloseIdleConnections() }

// errLong says that a server's answer is too long.
var errLong = errors.New("its answer is too long")

type boundedBody struct {
	io.ReadCloser
	left int64
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLong
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
