// Package embedding keeps the vectors of memories, and knows what they are
// comparable with.
//
// # Concepts
//
// A Space is what makes two vectors comparable: the kind of provider, its address,
// the model, the width that was asked for, and for the built-in model its file. It
// holds no secret. One space is in use at a time, or none; the vectors of the
// others stay, so that going back costs nothing.
//
// A memory's vectors in a space, one for each window of its body, are fresh while
// they are of the body as it is. That decision is Fresh, for whoever reads, looks
// what is missing, or writes; Unindexed says the same in SQL.
//
// An Embedder turns texts into vectors: a provider (packages openai and ollama) or
// the built-in model (package local). A Snapshot is an Embedder with its space, as
// one value, so that no request is made under one configuration and stored under
// another. What it answers is written by Put only if that space is still in use.
//
// A Profile says how the cosines of a model are to be read. Known models bring
// theirs; one may be fitted to a space; others have none.
//
// # Tables
//
// embedding_space, embedding_active, embedding_head, embedding, embedding_vector.
// No other package's SQL names them.
//
// # Invariants
//
// No vector is empty, of length 0, or has a number that is none, and all vectors
// of a space are of one width: that of the first that came. A vector is stored
// under the space that made it and the hash of the body that it was made from, or
// not at all. With each write or removal the account's revision rises, in the same
// transaction, and each write is told in the change log.
//
// # What it does not do
//
// It reads no memory and knows no body: that a hash is still a memory's is for the
// transaction that calls Put to see to. It searches nothing (package vector), and
// asks nobody by itself (package queue).
package embedding
