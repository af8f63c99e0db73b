// Package queue derives from the bodies of memories, and from what else has Bodies, what
// is missing, in the background: vectors, and whatever else is made from a body (Kind).
//
// # Concepts
//
// Nothing is queued: what is missing follows from the rows, so a crash loses
// nothing and a second look finds the same. At the start, and whenever another model
// is in use, every account's bodies are compared with what was derived from them;
// from then on the change logs say which to look at again. The newest come first, the
// accounts take turns.
//
// A pass makes at most the setting embedding.requests; then it looks again what is
// newest. Before each request, questions go first. Kinds are worked off in their
// order: token vectors wait until the vectors are there. A kind may derive from other
// bodies than memories (Elsewhere): it waits for memories, request by request.
//
// A Run is a Kind with one model, from one snapshot of the configuration. What it
// derives is stored in one transaction, which looks again whether the body is still
// that body and, by the Run's own guarded statement, whether that model is still in
// use.
//
// What cannot be derived from one body is kept with a growing time until it is tried
// again, and never stops the others. Where nobody answers at all, the whole kind
// waits: as long as the endpoint's breaker says, or longer each time.
//
// # Tables
//
// derivation_failure. No other package's SQL names it.
//
// # Invariants
//
// While a kind is off nothing is read and nobody is asked. No transaction waits for
// a model.
//
// # What it does not do
//
// It decides nothing about models (package model), and keeps no vectors (package
// embedding). Two programs on one store both work; what one has done the other does
// not do again, but for what they do at the same time.
package queue
