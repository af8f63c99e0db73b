// Package memory keeps the memories of every account: adding, editing, merging,
// the trash, purging, their uses, and the guarded step of the sweep.
//
// # Concepts
//
// A memory is one row with a revision that rises by one at every edit. An edit
// names the revision it was made for; a stale one is refused with the memory as it
// is, and changes nothing. Its status says where it is: active, deleted (in the
// trash), or consolidated (taken up into another). A use is no edit: it moves the
// use count and the last use, and leaves the revision.
//
// A change is one transaction: the row, its entry in the audit (package audit), the
// text it replaced, its words in the index (package lexicon) and the entry of the change
// log. batch is where they come together. Exported methods own the transaction
// (db.Do, so a repeated request is answered and not done again); those that take a
// Tx are for the nouns above.
//
// Who may read an entry of the audit is decided here (Events): whoever may read the
// memory, or could before it was purged. The texts themselves are in versions, which a
// purge takes along; a diff is shown where both texts still exist.
//
// The index of words holds memories of every status; Search leaves the choice to
// the caller. Filters (Predicate) are said once and compiled twice, for SQL and
// for the resident catalogue.
//
// The forecast is kept with the row: order_key orders the memories of one
// importance as vitality does, fades_at is from when a sweep may take it. Both
// follow from the row and the policy, are written with every change of importance
// or use, and by Rekey after a change of policy. Due reads them as ranges.
//
// A change of many (Bulk, Merge, DeleteCategory) gives its events one number, by
// which Undo takes it back: each memory gets its own former values again. Who moved
// a memory to the trash, and by which action, stands with the row.
//
// A row says who decided its category: nobody, a hand, or sorting. File is how sorting
// writes: only if the memory is still as it was when somebody was asked about it.
//
// A merge makes a new memory, now; its sources go to the trash. An import (Insert)
// brings a memory in as it was.
//
// Who asks and where a memory is are two things. A pool's memories have the pool as
// their owner, so words, vectors, change log and audit are the pool's; writer_id says
// who wrote each: they count for the writer in a sweep, or for the pool itself where
// the writer is gone. Methods that are given an account and ids find them among the
// account's own, or in a pool that it may read at that moment (reach.go); what follows
// goes by the owner that the row has. Methods for the nouns above (Briefs, Due,
// Export, …) are about the one owner that they are given.
//
// # Tables
//
// memory, memory_version (bodies that were replaced, under the last revision that
// had them), usage_event. No other package's SQL names them.
//
// # Invariants
//
// No statement without an owner: what is another's does not exist, and access to a
// pool is looked up in the transaction that uses it. Ids never
// come back. A body is stored as it came, trimmed, or refused. The last use never
// goes back, though the clock may. Recalls are kept for the days that the setting
// memory.usageDays says, uses that only moved the last use for good. After a purge
// is acknowledged the body is in no file of the store; only PostgreSQL's own
// vacuum decides when that is so there.
//
// # What it does not do
//
// It holds no rows in memory (package projection), decides no plan and no policy
// (retention), reads no files (transfer), and knows no names but those of an owner's
// categories and of who wrote into a pool. What an entry of the audit says is decided
// by package audit. Its vitality is package vitality's, its
// terms package words', and the index of them package lexicon's.
package memory
