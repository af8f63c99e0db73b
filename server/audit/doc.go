// Package audit is the record of what was done to memories: who changed what, when,
// and why. What an entry says, by whom and in which words, is decided here.
//
// # Concepts
//
// An Entry is one change of one memory: an action, the Actor who made it, a reason,
// the revision that it led to, and the changed fields before and after. Bodies stand
// in it as hashes (Hash), so a purge of a memory need not touch its record. A State
// builds the fields that are written, Fields reads what was written, also by the
// older system under names of its own.
//
// Entries that one change of many wrote have one number, a group, by which they are
// found together. An entry that was carried over from elsewhere says so: it counts
// in no ledger, and the numbers in it name nothing here.
//
// Evicted is the ledger of the sweep: what an account lost to it in the last 24
// hours is counted where it is written down, so restarts and other processes count.
//
// A Teller puts entries into the words in which people read them. The texts and names
// that it needs beside the entries it is given by whoever owns them.
//
// # Tables
//
// memory_event. No other package's SQL names it.
//
// # Invariants
//
// An entry is written in the transaction of what it tells, and is never changed: the
// store itself refuses that, and to delete one but for an account that is being
// erased. No statement without an owner. No text of a body is in an entry, wherever
// the entry came from.
//
// # What it does not do
//
// It decides nothing about memories, and who may read an entry is the business of
// who may read the memory (package memory). It has no transactions of its own:
// everything takes a *db.Tx.
package audit
