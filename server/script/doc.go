// Package script is the tool Code: a model writes a script that calls the other tools,
// works on what they answer, and prints what it wants to know.
//
// # Concepts
//
// Package code runs the script. Here its calls find their tools: a Kit that is within,
// asked as the model itself would, with an identity that is looked up for each call. A
// script is given a result's object where it has one, else its text.
//
// Only what is printed reaches the model, so a memory of a nested result is delivered only
// if its whole body stands in what is printed: as it is, or as JSON writes it. Each memory
// needs a place of its own there, which no longer memory covers. What is then cut from
// the output, package output judges like any other.
//
// # Invariants
//
// What is printed is no tag of ours, whatever it says: render.Harmless goes over all of it.
// Sentences of ours stand behind it and hold no memory.
//
// # What it does not do
//
// It delivers and counts nothing: it says what would be delivered.
package script
