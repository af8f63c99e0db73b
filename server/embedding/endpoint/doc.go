// Package endpoint asks an embedding endpoint over HTTP. What is sent and how an
// answer is read is a Format's (packages openai and ollama); all else is here.
//
// # Concepts
//
// A call is split into requests by the Limits. A request is a POST that follows no
// redirect, ends before its caller does, and reads a bounded answer. What fails for
// reasons of the endpoint (429, 5xx, a cut answer) is tried again, a little later
// each time, or when the endpoint says.
//
// What may be the fault of one text (400, 413, 422, an error that stays, an answer
// that cannot be read) is asked again in halves, until the text that it is stands
// alone: a text that is too long is cut and asked again, another one gets its error,
// and the rest is answered. Where two texts fail that way and none was answered, it
// is the endpoint after all.
//
// The breaker counts calls that failed as a whole. After some of them nobody is
// asked for a while, which grows; then one call tries it (half open), and its
// success is the recovery.
//
// Why no client library: what matters here is what it would hide, namely bounds on
// each answer, no redirects, no retries of its own, and one text's failure apart
// from the others'. The protocol itself is one request.
//
// # What it does not do
//
// It keeps nothing, and knows no store. It cuts a long text rather than making
// windows of it: only the built-in model has those.
package endpoint
