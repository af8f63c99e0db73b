// Package journal keeps conversations: what was said in them, and what a model was
// shown, exactly, durably and so that it can be shown again.
//
// # Concepts
//
// A conversation belongs to an account and has a kind: a chat, a room of several, the
// words of a voice session, or another agent's session. Its entries form a tree: each
// has a parent, or is the first of its branch. The conversation points at a leaf; the
// active branch is the path from the root to it. Append adds below any entry and makes
// the last one added the leaf, so that to say something else after an earlier entry is
// to begin a branch; Go moves the leaf to an entry that is there; Fork copies a branch
// into a conversation of its own.
//
// What an entry holds is its Payload: a Message, a Compaction (a summary of what was
// before the first entry that is kept), a TurnContext (a block that was put before the
// model after the entry that it is anchored to, with what it delivered), a
// ContextCleared (which takes such blocks out again), or a Label of an entry.
//
// Project tells what the model sees: a pure function of the branch. It begins with the
// latest compaction's summary and its first kept entry; each block stands behind its
// anchor; labels and what only people see (a tool result's Details) are not in it. What
// a longer branch adds stands behind what was there, but for a compaction and a
// clearing, which are there to take something away.
//
// A Snapshot is a branch with its projection. Since nothing of it can change, Snapshots
// keep the one that was used last of each conversation, and read on from there.
//
// # Tables
//
// conversation, journal_entry. No other package's SQL names them.
//
// # Invariants
//
// No statement without the owner. An entry is never changed, which the database itself
// refuses; it goes only with its whole conversation. A parent is an entry of the same
// conversation, and older than its children. What an entry refers to (an anchor, a first
// kept entry, blocks that are cleared) was on its branch when it was appended. Each
// append is one line of the account's change log, its conversation, however many entries
// it has: whoever follows the log looks into the conversation.
//
// # What it does not do
//
// It renders nothing, asks no model, counts no use, and knows no memory: a delivery is an
// id and a hash to it. Where a conversation came from as a whole is package transcript's.
package journal
