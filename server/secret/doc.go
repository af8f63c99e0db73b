// Package secret encrypts what must be stored and never be read by who reads the
// store: the keys of model providers.
//
// # Concepts
//
// A Box seals texts with XChaCha20-Poly1305 under one key of 32 bytes, which is in a
// file beside the store (secret.key, for its owner alone) or wherever the program is
// told. Each sealed text is bound to a name, so that one cannot be put in another's
// place. The key is made when the first text is sealed.
//
// # Invariants
//
// No store, backup or export holds the key. Where it is lost, sealed texts are
// lost (fault.Gone: give them again), and nothing else is. A file that is there but is
// no key is never overwritten.
//
// It has no tables, and logs nothing.
package secret
