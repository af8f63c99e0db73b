// Package job runs long work that somebody asked for, and keeps its receipts.
//
// # Concepts
//
// A job is an operation (reindex, recategorize) on one account's own memories. It goes
// in steps; after each, how far it is stands in its row, with a place from which the
// operation can go on. A job ends completed, failed, or stopped by somebody; one that
// was running when the program ended is found at the next start and becomes
// interrupted. Starting the operation again then makes a new job that goes on from that
// place, with the counts so far.
//
// A receipt is a job that has ended. It is its account's alone, is shown among the
// newest (setting maintenance.shown), and goes after maintenance.hours. Acknowledging
// one notes that somebody has seen its end.
//
// # Tables
//
// maintenance.
//
// # Invariants
//
// One job runs per account and operation: a unique index says so, so of two starts at
// once the second one finds the first one's job and answers it. Each step's progress is
// written only while the job still runs; whoever stops it needs no word with the one
// who works. Every change is told in the account's log.
//
// # What it does not do
//
// It knows nothing of indexes and categories: an operation is a Work. Why a single
// memory failed is in the log, never in the receipt.
package job
