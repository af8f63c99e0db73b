// Package api holds the types of the wire, one file a noun, with their validate
// tags, and the routes. REST, the websocket, MCP and the command line speak them.
//
// The tags are read by the server's validation package; beside validator's own
// rules there are `setting=KEY` (a number within the row's bounds), `line=KEY`
// (text of a row's length, without control characters), `label` (a kind), `body`
// (a memory's body) and `ids=KEY` (a list of distinct positive ids of a row's
// length). A field with the tag secret:"true" holds what must not be kept or shown.
// The package holds no rules of its own and no I/O.
package api
