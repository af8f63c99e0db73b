// Package delivery knows what agents were handed through their tools, so that nothing
// is sent to one twice, and counts it as recalled.
//
// # Concepts
//
// A conversation is one agent's work at something, known by a handle. The server makes
// handles up, since models make up names; one that it doesn't know begins a new
// conversation under a new handle. Without a handle a result stands for itself.
//
// What was handed out in a conversation is taken to be in the agent's context while it
// holds: for agent.heldMinutes and agent.heldResults, since clients compact their
// contexts without a word. A memory counts with its body: one that was edited is new.
// Where a memory holds, a result has only its beginning, and counts nothing.
//
// A token's ledger is what was handed out to it and counted, in whatever conversation or
// in none. It is kept as a conversation under a handle that no agent can name, and holds
// for agent.heldMinutes. What stands there is sent again where it is asked for, but is not
// used once more: an agent that gives no handle, and lists every second, needs nothing
// more than others do. Who acts as the account itself has one ledger for all of it.
//
// Of a conversation of ours everything is known: what stands in its journal's active
// branch, as the model sees it, is what was delivered, and nothing else is (Of). Contexts
// add what was handed off and is on its way there (Hold), until it stands there or
// whatever moved the leaf came without it. What left a context is deliverable again. What
// a tool wrote counts as far as the model is shown it (Admit).
//
// HandOut is the one decision: which rows, as they are now, which of them whole, what
// is noted, and what is counted as used, in one transaction.
//
// # Tables
//
// agent_conversation, agent_delivery. What no longer holds is removed by the next
// result; the oldest conversations go when an account has agent.conversations.
//
// # Invariants
//
// What is handed out whole is counted once within agent.heldMinutes to a token, and what is not handed out is not counted.
// A restart forgets nothing. Another account's handle is one that nobody knows. Of a
// conversation of ours nothing is stored here: the journal is the only authority.
//
// # What it does not do
//
// It finds nothing and renders nothing. Of what went over a wire it knows only that it
// was handed out.
package delivery
