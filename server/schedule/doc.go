// Package schedule decides when recurring work is done: the daily sweep, the daily
// copy of the store, and whatever else comes back after a while.
//
// # Concepts
//
// A Task has a name and a distance (Every). It is the store's, done once for all, or
// the accounts': each of those has turns of its own. When a turn comes next is a
// stored instant, so that dates which people are shown stay where they are, and a
// restart neither skips work nor does it twice.
//
// Whoever moves the instant on has claimed the turn, in one transaction: of several
// programs on one store only one does the work.
//
// A task that a server begins with (Boot) is done as soon as Run is called, and its
// next turn is a distance after that; Boot stores that instant before the server
// reports ready. Others are first done a distance after they were first heard of.
//
// Turns stand on a grid: one that comes late moves the next by whole distances. What
// comes within a moment of its instant (late) has that instant as its clock, so that a
// day lies between two daily turns. A clock that jumps ahead makes one turn due, not
// all that were missed; one that is put back draws the instant along its grid to
// within a distance.
//
// A turn that fails, or panics, is told to the log, and the others go on. It isn't
// repeated: the next turn is the next try. Work that must not be lost has a queue of
// its own.
//
// # Tables
//
// recurring_task: the instants, by task and owner; owner 0 is the store.
//
// # What it does not do
//
// It does no work itself, and knows none of what is done (package command puts the
// tasks together).
package schedule
