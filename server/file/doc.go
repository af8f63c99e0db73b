// Package file is tools with which a model reads the files of a project: ListFiles,
// ReadFile and SearchFiles.
//
// # Concepts
//
// A project's roots are folders on the machine that the server runs on. Where an
// administrator allows it (runtime.fileTools), a conversation about a project may read
// below them, for whoever is a member of the project when the tool runs. Paths are
// relative to the root; where a project has several, a path begins with the root's name.
//
// # Invariants
//
// Nothing is written. Nothing outside of a root is reached, by whatever path or link:
// files are opened through os.Root. Only regular files are read, so that nothing waits
// for a pipe or a device. Every answer, and the work for it, is bounded; what is no text
// is said to be none. What a file says can't be taken for a memory.
//
// # What it does not do
//
// It has no tables, keeps no file open, and knows nothing of version control but that
// .git is left out of lists and searches.
package file
