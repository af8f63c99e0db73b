// Package chat is what is said to a model that answers in words, and what comes back:
// the types that every provider's client takes and gives, and what they have in common.
//
// # Concepts
//
// A Request is a list of Messages with the Tools that may be called. What is sent is
// exactly that list, in that order, and one list is always the same bytes: providers
// keep what they have read of a beginning, and charge less for it.
//
// An answer is a stream of Events: pieces of text, whole Calls, and Done at the end.
//
// The Guard stands between an official client and the network. It bounds what is read,
// ends what is silent, and turns what a provider refuses into an error of ours, so that
// nothing of what the provider wrote is in it. An endpoint that answers whole although
// it was asked to stream is shown to the client as a stream of one.
//
// # Invariants
//
// A client asks once. Again asks again, and only where nothing of an answer was handed
// out yet.
//
// # What it does not do
//
// It knows no settings, no keys' home and no accounts (package model), and it writes
// no provider's format (packages openai and anthropic).
package chat
