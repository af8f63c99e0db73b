// Package db is the store's floor: opening, migrations, transactions, the change
// log, and the differences between the two engines. Nouns build on it; adapters
// never see it.
//
// # Transactions
//
// View runs a function on a snapshot of one of a few readers. Update and Do run
// it on the one writer. Decisions that wait at the same time share one engine
// transaction, each in a savepoint of its own, and one full sync: a decision is
// acknowledged only when the group's commit is durable, and a decision that
// fails takes nothing of the others with it. Tx.Now is the only clock inside.
//
// # Change log
//
// Tx.Emit notes that a row of an account changed. The notes are written in the
// same transaction, with numbers from a counter row that the transaction locks:
// each account's stream is gapless, in commit order, and tells nothing of other
// accounts. After the commit a hint goes to the function given to Notify; the
// rows are the truth, so a lost hint loses nothing. A write by another process
// is noticed by polling and hinted as one that could be anybody's.
//
// # Repeating a write safely
//
// A context made by WithIdempotency makes the next Do remember its result under
// the caller's key, in the same transaction. The same key again returns that
// result and runs nothing.
//
// # Engines
//
// SQLite (one file in the data directory) is the default. PostgreSQL serves the
// same nouns from the same SQL: placeholders are `?`, identity columns, blobs and
// the like are tokens of the migrations, errors become fault kinds here. What an
// engine does its own way is in its own file: sqlite.go and postgres.go.
//
// # Tables
//
// meta, change_head, change, idempotency are this package's own. The schema of
// all tables is made by the files in migration/ and nowhere else.
//
// The package decides nothing about memories, and holds no cache of rows.
package db
