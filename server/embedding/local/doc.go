// Package local is the built-in models: texts in, vectors out, in this process and
// without a network.
//
// Concepts. There are two. [Multilingual] is multilingual-e5-small, which knows a
// hundred languages and is the embedding of a fresh install; [English] is
// e5-small-v2, whose token vectors are compared in late interaction and which may be
// the embedding too. Both are 12 layers of 384, so that one encoder runs them
// (package encoder), over two tokenizers (package token) and two formats of files
// (package weight). [Models] has them over what files there are; a [Model] is loaded
// when it is first asked and then kept: 21 MB for the packed layers, a few for the
// tokenizer, and the word vectors where they are in the program or the file.
//
// A passage is what is stored, a query what is asked; the models want to be told by
// a prefix. A passage that is too long for a model becomes windows of 512 tokens, 64
// of which each shares with the one before, and at most 16: one vector each. A query
// is seen to 512 tokens.
//
// Passages are encoded in the background: one call at a time in the whole process,
// so on one core, which stops between two layers as long as a query is being
// encoded. Queries wait for nobody.
//
// Invariants. Vectors are as the model gives them, of length 1, all numbers finite;
// background means are not subtracted here. The same text gives the same vector, to
// the bit, whatever is encoded beside it. All is safe for concurrent use.
//
// What it doesn't do: it stores nothing, knows no memories, and doesn't decide which
// model is used.
package local
