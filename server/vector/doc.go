// Package vector finds the memories of an account whose vectors are nearest to a
// question's.
//
// # Concepts
//
// An index is the vectors of one account in one space, resident: a matrix of
// float32 in blocks, and for each memory where its rows are, its category, its
// status and a mark of the body they are of. A memory may have several rows, one
// for each window of its body; its cosine is the largest of theirs.
//
// A Filter is asked before a row is looked at: what is not permitted is not even
// compared. It is turned into a table over the account's categories and a bit for
// each excluded memory, so that many exclusions cost nothing.
//
// The means of the model's Profile are taken off passages when they are loaded, and
// off a question when it is asked.
//
// An index follows the store: each search compares, inside its own transaction, the
// account's change log and the revision of its vectors with what the index has seen,
// and reads what changed. So a hit is never stale, whoever wrote.
//
// While one reads much into an index, others that want it wait; within db.ViewAgain they
// do so without a transaction, so that they keep no reader from other accounts.
//
// An index may be ahead of a transaction that began earlier. What a hit is of is
// told by its mark: Hit.Of compares it with the body that the transaction sees.
//
// # Memory
//
// Indexes are held within a budget: the one that was used longest ago goes first. The
// one in use stays, also where it alone is larger. Of an account only the space in
// use is held.
//
// # Tables
//
// None: it reads through packages memory and embedding.
//
// # What it does not do
//
// It decides nothing about relevance, embeds nothing, and knows no texts.
package vector
