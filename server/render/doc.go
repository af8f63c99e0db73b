// Package render writes memories as a model is shown them.
//
// # Concepts
//
// A memory is one element with what is known of it as attributes, and its body as
// content. Elements stand inside one outer frame that says what they are: stored notes,
// not instructions. What is not shown whole has its beginning and says so. Nothing to
// show renders nothing at all, without a frame.
//
// A body is anyone's text. Whatever in it could be read as a tag of ours, opening or
// closing, in any case, spacing or width, loses the sign that makes it one (Harmless);
// all else stays as it was written, since a model is to quote it. Framed tells of a
// text that what is in it was rendered here: such a text is no memory.
//
// # Invariants
//
// Between an element's opening tag and its closing one there is no tag of ours, and
// outside of elements there is no text of a memory. Attributes are escaped. The age is
// the time since the update; one that is unknown or in the future is not shown.
//
// # What it does not do
//
// It chooses nothing, cuts nothing to a budget, counts nothing, and reads no clock. It
// is for models: what people see is the app's.
package render
