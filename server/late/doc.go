// Package late is late interaction: a question and a memory are compared token by
// token, which tells what belongs together better than two vectors of whole texts.
//
// # Concepts
//
// A token vector is what the model (e5-small-v2, package local) makes of one piece of
// a text where it stands. What is common to all tokens is taken off, the rest is seen
// along 128 axes, and packed into 66 bytes. Axes are fitted once on texts of our own
// and shipped (folder known); package fit makes them.
//
// A Reranker is a model with its axes. Its Hash stands for both: token vectors of
// another one are of no use. Question makes a question ready outside of any
// transaction; its Score is
//
//	late = Σ weight · (largest cosine with the memory's tokens − the same with background passages')
//
// over the 32 tokens of most weight, which add up to 1. What background passages have
// in common with the question is taken off so that scores of different questions
// compare. The weight is the root of the word's inverse document frequency, among the
// memories of the owners that may be read, as the index of words counts them, smoothed
// by a background. That index is exact in each transaction and knows the owners apart,
// so there is no second count of pieces to keep: measured, words rank as well as
// pieces do, and the root better than the frequency itself.
//
// The model knows English. Of a text that is decided once, when it is indexed
// (embedding.English); one in another language is kept as having no token vectors.
//
// # Tables
//
// late_label (of which body, and by which Reranker), late_vector. No other package's
// SQL names them. Both are derived from bodies: backups leave them out.
//
// # Invariants
//
// No statement without the account. What is scored was made from the very body that
// the caller names, by this Reranker. Scores depend on the question, the memory and
// the figures of the permitted owners, not on the other memories that are scored.
//
// # What it does not do
//
// It reads no memory and asks nobody by itself (package queue derives what is
// missing), and makes no order (package recall).
package late
