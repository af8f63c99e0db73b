// Package output bounds what a tool's output puts before a model, and keeps the rest.
//
// # Concepts
//
// Limit cuts a text to its beginning and its end, with a note of ours between them, and
// tells which spans of the text still stand in what came out. A Store keeps a whole
// output as a file of its conversation, under a number, so that the model can read on
// where it was cut. A Kit (package tool) stands around the other tools: what any of them
// answers goes through both, and the tool ReadOutput reads what was kept.
//
// A memory of an output counts as long as its element stands whole in one of the spans;
// one that a note only seems to complete is taken from the output's list. What ReadOutput
// shows of a kept output brings the memories along that stand whole in it.
//
// # Files
//
// outputs/OWNER/CONVERSATION/NUMBER.txt in the data directory, and beside it .json with
// the memories in it. They are for their user alone (0600), bounded in number and size,
// the oldest going first, and they go with their conversation. They are no part of a
// backup: a conversation is whole without them.
//
// # What it does not do
//
// It runs no tool of its own but ReadOutput, and knows neither journal nor turn.
package output
