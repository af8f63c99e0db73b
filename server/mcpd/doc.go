// Package mcpd is the door for agents: the Model Context Protocol, over HTTP and over
// the standard streams.
//
// # Concepts
//
// A Handler answers POST /mcp (Streamable HTTP). It is stateless and answers in JSON:
// each request stands for itself, so that one handler serves the revision 2026-07-28
// and those before it, and neither a restart nor a session id from yesterday breaks
// anybody. The official SDK speaks the protocol; in front of it a door reads each
// message strictly, and makes sure that whatever a client sends gets an answer in
// JSON-RPC that it can go on from.
//
// Tools are package tool's. Memories are resources too (memory://ID), and three prompts
// help people to recall, remember and review. Instructions tell agents when to search
// and when to save.
//
// A Bridge carries messages between the standard streams of a program and whatever
// answers one message: a Handler in the same program, one behind the socket of a data
// directory, or a server elsewhere. It keeps nothing of a conversation but the revision
// that was agreed on, so what answers may change from one message to the next.
//
// # Invariants
//
// Nothing answers 500, and only an unknown method 404, in the revision that asks for
// it. Bodies, lines and results are bounded. Who calls is found out for each request,
// before its body is read, and holds for all of that request: once for a batch, whose
// calls all came with the same token. Nothing of it is kept for the next one. All that is cacheable is private.
//
// # What it does not do
//
// It starts nothing by itself towards a client: no notifications, no subscriptions, no
// sampling, no sessions. It signs nobody in; tokens and hosts are the Gate's.
package mcpd
