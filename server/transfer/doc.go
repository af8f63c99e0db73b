// Package transfer brings memories into the store and out of it.
//
// # Concepts
//
// An export is JSONL: a line a category, a line a memory with its uses, its
// earlier texts and its audit, a line for what is left of a purged one, and a line a
// transcript, or several where it is too long for one. What
// is exported comes back the same, apart from ids: imported into an empty account
// it has the same vitality at the same instant and the same events.
//
// Projects come first in it, then categories. What is shared is in the export of who
// wrote it, as long as they may read it, and goes to the project's pool again; projects
// themselves are made only for one who runs the instance.
//
// An import reads every line to its end before it takes the writer, and writes in
// small decisions, so that nobody waits long for it. Each line has its fate; a
// line that cannot be taken is refused with the reason, and the rest stands. The
// same file again changes nothing, and what was edited since stays edited: lines
// are remembered by what they were. A memory's line that says nothing of a category goes
// where an add would put it; null, which an export writes, is none. A dry run tells the same fates and writes
// nothing.
//
// What comes from other systems (package foreign reads it) is whole: all of it comes in,
// in one decision, or nothing, with what is refused and where. That decision has the writer
// to its end: what others write meanwhile waits for nearly all of its time (95% of it with
// 100,000 memories, by BenchmarkAddBesideAnImport), where our own lines let them in every
// 2,000. Parts that show themselves only at the end would shorten it little: rows, words,
// audit and change log are most of its time, and the end would have to write those, while
// every query and count before it would have to leave the rest out. A text that the account
// has already is there, whenever it was made and whatever it is filed under; in one
// import, too. Where it came from stands in the audit of each memory.
//
// The older system's file is read as it is, never written, and in one decision:
// people by name, projects, categories, memories of every status, uses and the audit. Its
// five ranks become the odd ones of ten, and that is audited too. What is filed in a
// project there is recalled in it alone here too, by those who had it: its members are
// those of the file and whoever has a category in it, and what it shares is in its pool,
// for those who read it there. A project that is here already is taken for it only where
// slug and root are the same, and nobody comes to read by that what they didn't.
//
// # Tables
//
// import_source: which memory an imported row became, and which category or project.
//
// # What it does not do
//
// It exports no conversations but transcripts, and no settings, accounts or tokens: only
// a backup of the store (package backup) has everything. It brings in no passwords, no
// vectors and no secrets of another system, and knows nothing of HTTP or flags.
package transfer
