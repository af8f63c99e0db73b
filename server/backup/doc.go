// Package backup copies a store to a file, brings one back, and checks whether a
// store is whole.
//
// # Concepts
//
// A backup is a SQLite file of ours that holds one instant of the store, without
// free pages, so nothing deleted travels along. It is written under a temporary
// name, synced, verified as a reader would find it, and only then given its name:
// a file with a backup's name is a good backup. Token vectors (package late) are left
// out: they take more room than all else and follow from the bodies, so a server makes
// them anew after a restore.
//
// Verify checks the file's pages and indexes and then what the program promises
// of its rows: change logs without gaps, an event for each memory, bodies with
// their hashes and versions, an index of words that says what the bodies say,
// orders that the policy gives. A fault is a line for a person.
//
// Restore verifies first, puts the present file aside, never over another one,
// and begins a new epoch, so that no open window takes the old instant for the
// present one.
//
// # Daily
//
// Daily writes one backup a day into a folder and keeps the newest few of its own;
// other files there are left alone.
//
// # What it does not do
//
// It has no tables, takes no locks between programs (package command does, before
// it restores), and copies nothing but the database.
package backup
