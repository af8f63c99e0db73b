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
// # Tables
//
// provider_secret. The rest is the group "models" of package settings.
//
// # Invariants
//
// Saving makes no request. A role names a provider that is there.
//
// # What it does not do
//
// It asks no model but in Test, when a person wants to know whether one answers.
package model
