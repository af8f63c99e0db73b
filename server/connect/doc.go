// Package connect knows how the programs that people talk to agents in (clients) are
// told of elowen: the one table of them, and the change of their config files.
//
// # Concepts
//
// A Client is a program with a config file, JSON with or without comments or TOML, in
// which an object lists the servers of the Model Context Protocol by name. An Entry is
// how elowen is reached from there: over HTTP with a token, or as a program on standard
// streams. Set puts elowen's entry into a config and Unset takes it out; a Change is
// what would be written, to be looked at before File.Write does it.
//
// # Invariants
//
// Only elowen's own entry is touched: all other bytes of a config stay what they are,
// with comments, order and indentation. Every change is read again before it is
// answered: everything but the entry must mean the same as before, else the change is
// refused. What isn't understood (broken, ambiguous, of another shape) is refused with
// the reason, never guessed at or begun anew. Setting the same entry again changes
// nothing. What people added to elowen's entry beside how it is reached stays.
//
// A file is replaced whole or not at all, is its owner's alone afterwards since it may
// hold a token, and what it was before stays beside it. One that a program changed
// meanwhile is not overwritten.
//
// # Tables
//
// None. It asks no store and no network.
package connect
