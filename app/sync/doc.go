// Package sync connects the app with its server: REST through a Transport, and the
// websocket of /api/live with its windows.
//
// Concepts. A Client holds one connection and the windows that were asked for. It
// connects again by itself, with exponential backoff and jitter, at once when the
// device wakes; every window is then taken up where it was (since, epoch, as of,
// the ids it has), so that nothing is missed or seen twice. A Watch is one such
// window; without a connection it can be given what was kept of it before, which the
// first answer of the server replaces. An Intention is something a person wants done, with the key that makes
// repeating it safe.
//
// Invariants. A frame is applied to the window it names or to none; a window that
// the server can't bring up to date is asked for anew. Status goes through
// OnStatus in order. Every goroutine runs under Options.Guard.
//
// What it doesn't do: no go-app, no net/http client, no decisions about what is
// shown. Clock, randomness and network are passed in.
package sync
