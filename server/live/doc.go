// Package live is the door at /api/live: it carries the windows of package
// projection over websockets, in the frames of elowen/shared/live.
//
// # Concepts
//
// A session is one socket with one projection.Viewer. What the client sends is
// read, judged and answered one frame after another; a frame that makes no sense
// is answered with an error frame and changes nothing. What the client is to
// receive waits nowhere: the session asks its viewer for the next frame when the
// last one is written. A client that reads slowly is left behind by its windows and
// sent them whole; one that does not take a frame within Options.Patience is closed.
//
// Who a session belongs to is decided once, by the handler that command passes
// in, and looked at again at each heartbeat and when the account changes; a
// session whose sign-in no longer holds is closed with live.CloseSignedOut.
//
// # Invariants
//
// A session sees its own account and nothing else. It holds at most one frame
// being written and a bounded list of answers. No frame of a client can end
// another session or the server.
//
// It has no tables, decides nothing about memories, and knows no store.
package live
