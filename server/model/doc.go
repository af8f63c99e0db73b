// Package model keeps who is asked for what: the providers of models, their keys,
// and the roles they have. It makes what the embedding role names ready to be asked.
//
// # Concepts
//
// A provider is an address with a kind and, perhaps, a key; the built-in one, local,
// is always there. A role (chat, utility, embedding, maintenance) is a provider's
// model, or nobody.
//
// The embedding role makes the space in use and the embedding.Snapshot: both are
// made from one reading of the settings, and the space is switched in the transaction
// that saves them. A new instance has the built-in model for it, where the program has
// its weights.
//
// A key is written, never read: what is served says only that there is one. It is
// sealed (package secret), and goes when the provider's address changes.
//
// A conversation asks in two steps. Preflight makes a Ready of what is saved, and asks
// nobody. Chat asks it, and streams the answer. Ask does both, for an answer in one piece.
// What is said, and each API's client, is in the packages below (chat, openai).
//
// # Tables
//
// provider_secret, model_usage, model_window. The rest is the group "models" of package settings.
//
// # Invariants
//
// Saving makes no request. A role names a provider that is there.
//
// # What it does not do
//
// It decides nothing of what is asked, nor whether to ask again once an answer has begun.
package model
