// Package turn is the one orchestrator of conversations of our own: a person's message,
// what is recalled for it, the model that answers and the tools that it calls.
//
// # Concepts
//
// A chat is a conversation of package journal that a model answers in, with what it is
// set to and how its turn stands. A message begins a turn, or waits in the queue for the
// end of the one that runs, or steers that one: it joins before the model is asked next.
//
// One turn runs at a time in a conversation, and so many in a program; others wait. Its row is held by the program that runs it,
// under a lease: another program on the same store leaves it alone, and one whose holder
// gives no sign any more was interrupted.
//
// A turn goes in rounds: what was recalled comes in, the model is asked, its tools run,
// until it calls none. What comes in stands as a block behind the newest message, in the
// journal before the model is asked, so that what was sent is what is stored, and each
// request begins with the one before.
//
// Recall for a message (start.go) is waited for a while, and joins a later round, or the
// next turn, where it comes late. Recall while a turn works (live.go) searches by what
// the tools and the model said, beside the turn, and is never waited for.
//
// Another program may keep a conversation itself and ask by way of us (relay.go): it sends
// all that was said each time. That is matched with what stands in the journal by its
// prints (chain.go), what is new is stored, and a turn runs whose one round is a model's
// answer to the program's own messages and tools, with our blocks where they stand. What
// the system says is the program's, and is not stored.
//
// # Tables
//
// chat, turn_queue, chat_compaction, relayed_name, relayed_entry.
//
// # Invariants
//
// What was accepted is stored before the answer says so. A memory is counted in the
// transaction that stores the entry which shows it; only where counting fails the entry
// is stored without. No version of a memory is put before the model while it stands there.
// A block stands behind a whole entry, never between a call of a tool and its result.
// Nothing is asked of a model while a transaction is open. All waiting is by Options.Wake.
//
// # What it does not do
//
// It talks to no provider (package model), finds nothing (recall), and knows no tool.
package turn
