// Package categorizer puts memories into categories that nobody has put there.
//
// # Concepts
//
// A new memory that nobody chose a category for is sorted in the background: the
// utility model is shown its body and its owner's categories with their descriptions,
// and answers with the name of one, or "none". Categories are never invented: a name
// that is none of theirs is no answer. Without a utility model the built-in embedding
// decides where it is sure (Nearest): the category whose description and members are
// nearest, by a margin. With neither, nothing happens at all.
//
// Between the question and the answer anything may change, so the answer is written in
// a transaction that looks again: the memory's revision, body and category, that the
// category is still called and described as it was, and, in a pool, that whoever wrote
// the memory may still read the pool. If one of them is another, nothing is written:
// what a person does always wins.
//
// Which memories a decision is about: one in a category that is bound to a project is
// in that project, and may go to another category of it or to a global one; any other
// to global ones only. Where nothing fits it stays; one that lost its category goes to
// the account's default.
//
// New are memories of the last hours (setting sorting.hours). Older ones are sorted
// when somebody asks for it (package job), which goes by Sort as well.
//
// # Tables
//
// None: what has been decided stands with the memory.
//
// # Invariants
//
// Nothing is asked without a model, nor where there is only one place to go. One
// request at a time, and none while a provider wants to be left alone. The audit names
// the model that decided.
//
// # What it does not do
//
// It makes and changes no category, and sorts nothing that is in the trash.
package categorizer
