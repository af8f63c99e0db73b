// Package projection shows memories in any order, from any rank, at any instant,
// and rows of any other noun, and keeps what it showed up to date. It is what lists
// and live windows read.
//
// # Concepts
//
// A catalogue holds every memory of one account without its text: the columns
// that lists filter, sort and count by. It is read once, in one snapshot together
// with the number of the last entry of the account's change log, and from then on
// follows the log, reading again only what changed.
//
// A selection is what a query selects from a catalogue, in its order, so that a
// rank leads to its row and a row to its rank at once. Equal queries share one.
// The order of vitality is ten runs, one for each importance, each in an order
// that no clock moves; a rank is found by merging them at an instant. Words are
// searched again when memories changed, not at every change.
//
// A window is what somebody watches, as rows that were last sent, encoded once:
// some ranks of a selection (the views memories and trash), or what a View shows.
// Each advance gives it a version; a reader that stands at an earlier version gets
// one delta that leads from there to the present, however many changes lie between,
// and shares it with all who stand there. So nothing waits for a slow reader and
// nothing is kept for one; where its version is forgotten it is sent the window.
//
// A View is rows with ids of some noun, and what news of the log they are touched
// by. Two are here (a memory with all that its page shows, and the counts); the
// others come in through Config.Views, so that this package need not know every
// noun. Package view has them.
//
// A Viewer is one reader with its windows: a websocket.
//
// # Invariants
//
// Everything belongs to one account by construction: a resident has one owner and
// each of its statements names it. A frame with number seq shows everything up to
// seq and nothing later; its asOf is the instant at which all its numbers and its
// order hold. List shows everything that was committed before it was called. A
// window whose content did not change sends nothing. A view that fails is tried
// again and keeps no other window from the present.
//
// # Memory
//
// The catalogues are held within a budget: the longest unused account without
// viewers goes first and is read again when asked for. One that nobody asks for
// in an hour, or that is erased, goes by itself. Selections and windows go with
// their last user.
//
// # Tables
//
// None: it reads through package memory, and what its views read. It changes
// nothing, and computes no vitality itself: package vitality does.
package projection
