// Package command is the program: one subcommand a file, and the only place where
// the parts are put together (serve.go for the server, stores.go for everything).
//
// # Concepts
//
// A System is what the program takes from its surroundings: arguments, streams,
// environment, clock. The same System runs a subcommand in a process of its own,
// inside a running server on behalf of one that asked, and in a test.
//
// One server owns a data directory: it holds a lock there while it lives, and a
// second one is refused. While it lives, the admin commands send their whole
// invocation through a socket that only the same user can open, and the server
// runs them against its open store; without a server they open the store
// themselves. What a killed server leaves behind is recognized: a lock dies with
// its process, and a socket that nobody listens on is no server.
//
// Restoring and compacting need the store for themselves, so they are refused
// while anybody has it open.
//
// Flags come from, in this order: the command line, ELOWEN_* variables, a config
// file, the setting table.
//
// Exit codes: 0 done, 1 failed, 2 not understood: the command line, the config file,
// or a value in them that is out of bounds (fault.Invalid).
//
// # What it does not do
//
// It has no tables and no rules; those are the nouns'.
package command
