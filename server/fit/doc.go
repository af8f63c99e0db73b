// Package fit gets to know a model: how its cosines are to be read.
//
// # Concepts
//
// A profile (package embedding) is fitted to a model by what it makes of texts of our
// own (package background): what passages have in common, and questions, and in which
// directions languages lie apart, which are taken off; in which direction questions of
// the world at large lie from those of what people keep; the line that makes the sums
// of recall relevance, so that 0 is the median of the best stranger and 1 that of what
// a question is about; what late interaction would say of a row without token vectors; the floor
// at which a twentieth of questions about something else are answered; and the
// thresholds from which two texts say the same.
//
// The same functions give the profiles that are shipped (program write, run by hand)
// and that of a model nothing is known of, in the first pass of its space.
//
// # What it does not do
//
// It stores nothing and decides nothing: whoever asks for a profile saves it.
package fit
