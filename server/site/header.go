package site

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// filePolicy is for files opened by themselves: an SVG may hold scripts, so it gets
// no rights at all.
const filePolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

// workerPolicy lets the service worker fetch what it keeps, and nothing else.
const workerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"

// pageHeaders sets what a page's answer says about itself.
func (s *site) pageHeaders(h http.Header, host string) {
	h.Set("Content-Security-Policy", s.pagePolicy(host))
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}

// pagePolicy allows the app's own origin and nothing else. The websocket's address
// is named too, since not every browser counts it under 'self'.
func (s *site) pagePolicy(host string) string {
	if u, err := url.Parse(s.publicURL); err == nil && u.Host != "" {
		host = u.Host
	}
	connect := "connect-src 'self'"
	if plainHost(host) {
		connect += " ws://" + host + " wss://" + host
	}
	return strings.Join([]string{
		"default-src 'self'",
		"script-src 'self' 'wasm-unsafe-eval'",
		"style-src 'self'",
		"img-src 'self' data:",
		connect,
		"worker-src 'self'",
		"manifest-src 'self'",
		"object-src 'none'",
		"base-uri 'none'",
		"frame-ancestors 'none'",
		"form-action 'self'",
	}, "; ")
}

var hostPattern = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)

// plainHost tells whether a Host header is nothing but a name or address and a port,
// so that it can't add to the policy it is put into.
func plainHost(host string) bool { return len(host) <= 260 && hostPattern.MatchString(host) }
