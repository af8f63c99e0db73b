// Package httpd is the REST door: everything under /api but the websocket, and
// /healthz, /readyz and /metrics.
//
// Concepts. One table of routes (see Routes) says for each: method, path, the
// scope it needs, what it takes, what it answers, and the function that does it.
// The multiplexer and the OpenAPI document are both made from that table, so
// neither can know what the other doesn't. A function gets a call (who asks, with
// which preconditions), decoded and judged input, and returns a value or an error;
// one place turns errors into problem documents (RFC 9457).
//
// A Gate decides who is let in: which hosts the server may be called by, which
// origins may act through a browser, and whose session or token it is. The
// command puts it before every handler of the program, the others' too.
//
// Invariants. A browser's session acts only from our own origin; tokens need no
// such check, since no browser sends them by itself. No answer under /api is
// cached. A panic answers a problem without details. Internal errors are logged
// with their cause and answered without it. Under an Idempotency-Key a write
// happens once; what is remembered of the request is a hash, made without the
// passwords in it. Unknown fields and parameters, and preconditions that a route
// can't keep, are refused, never ignored.
//
// What it doesn't do: rules about memories (nouns), TLS, timeouts of connections
// and the base path (the command), pages (package site), and /api/live (package
// live).
package httpd
