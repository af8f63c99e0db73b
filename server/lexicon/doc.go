// Package lexicon is the index of words of every account: which memories have a
// term, how often, and how long they are.
//
// # Concepts
//
// Terms, postings and scores are package words'; this package keeps them in the
// store. The postings of a term are in chunks of memory ids, one row each. Chunks
// that follow each other are a segment, and the table is ordered by segment, then
// by term: new memories write to the last segment, and the rest stays as it is.
//
// A Batch collects what a transaction changes and writes each row once. Search
// answers a question with the memories that have its words, by score; a Sample is
// for finding texts like one, and reads but a bounded part of the index. All of them work inside whatever transaction asks,
// so a search sees the change that it is part of.
//
// A Tally is the sum of what an index should hold, for comparing it with what it
// holds without keeping either in memory.
//
// What an index is of is its Shelf: memories, or the turns of transcripts, which are
// indexed alone and with the one before each. What is said of memories here holds for
// them too, by their entries.
//
// # Tables
//
// posting, word_stat; turn_posting, turn_stat; pair_posting, pair_stat. No other
// package's SQL names them.
//
// # Invariants
//
// No statement without the account, whose own memories alone move its scores. The
// index is what one made anew from the bodies would be, after any sequence of
// changes, as long as whoever changes a body says so here in the same transaction.
// It knows memories by id only: those of every status are in it, so that the trash
// can be searched and a restore costs nothing; a purge takes them out.
//
// # What it does not do
//
// It keeps no texts, filters nothing and reads no memory: what a memory is, and
// which of those found are wanted, is package memory's.
package lexicon
