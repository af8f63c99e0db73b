// Command elowen is long-term memory for AI assistants: memories that fade when
// they are not used, and a window in which they are seen to.
//
// This is the guided tour of the server, from the ground up. Each package's
// own comment says its concepts, tables and invariants; here is how they stand on
// each other, and how a thing that happens runs through them. A test (package
// [elowen/server/structure]) holds the order: nobody imports what is above.
//
// # What both sides know
//
// [elowen/shared/fault] is the closed list of kinds of error and its one table to
// HTTP and back. [elowen/shared/setting] is the one table of limits, defaults and
// bounds. [elowen/shared/api] and [elowen/shared/live] are the types of the wire.
//
// # The ground
//
// [elowen/server/db] opens the store (SQLite in one file, or PostgreSQL), brings
// its schema up to date, and runs transactions: View on a snapshot, Update and Do
// on the single writer, which takes what is waiting into one commit. The clock
// inside a transaction is Tx.Now. Tx.Emit writes the account's change log in the
// same transaction; driver errors become faults here and nowhere else.
//
// Two packages are pure arithmetic: [elowen/server/vitality] (how alive a memory
// is, when it falls below the floor, and in what order a level fades whatever the
// clock says) and [elowen/server/words] (words of any script, postings, BM25).
// [elowen/server/markdown] makes a typed tree of a body that is Markdown.
// [elowen/server/validation] reads JSON strictly and judges it by the tags of api.
//
// The built-in models are worked out without any store: under
// [elowen/server/embedding/local] are the tokenizers (token), the readers of the
// files of weights and the way from their packages (weight), the encoder and its
// kernels. Texts go in, vectors come out.
//
// # The nouns, from below
//
// [elowen/server/account] is people, sessions and tokens; [elowen/server/project] what
// several of them work on, and who reads what a project shares: its pool, an owner of
// its own, so that whatever has an owner can be a pool's. [elowen/server/category] is
// the categories, and with them what an account may recall and where; [elowen/server/lexicon] the index of words, which knows memories
// by their ids only; [elowen/server/audit] the record of who changed which memory how and
// why, with the words in which people read it and the ledger of the sweep;
// [elowen/server/memory] the memories with their uses and versions, and tells the audit
// and the index of their words in the same transaction.
// [elowen/server/embedding] has the vectors, each with the space that made it and the
// hash of the body that it is of; below it stand the providers that are asked for
// them. [elowen/server/settings] keeps groups of settings under one revision;
// [elowen/server/model] is one of them: who is asked for what, with keys that
// [elowen/server/secret] seals; below it stands what is said to models that answer in
// words ([elowen/server/model/chat]) and how each API says it. [elowen/server/schedule] knows when recurring work is done;
// [elowen/server/retention] has the policy, and the sweep that moves what faded to
// the trash. [elowen/server/transfer] brings memories in and out (what other systems write
// is read in [elowen/server/transfer/foreign]), and
// [elowen/server/backup] copies, restores and checks whole stores.
//
// Two stand on memory and look at its vectors: [elowen/server/embedding/queue] finds
// what has none yet and sees to it in the background, and [elowen/server/vector] holds
// them resident and finds the nearest. On those stands [elowen/server/layout], the places
// of memories on a map, and [elowen/server/recall], which finds what belongs to a
// question, by meaning, by words and word by word ([elowen/server/late]), and says why.
//
// [elowen/server/journal] is conversations, each a tree of entries that only grows, and
// what a model sees of a branch; [elowen/server/transcript] those that were held elsewhere
// and came whole, with the search that finds their turns by what stands around them.
//
// [elowen/server/categorizer] files what nobody has filed, by asking the utility model or
// the built-in embedding; [elowen/server/job] runs long work that somebody asked for and
// goes on with it after a kill; [elowen/server/calibration] measures thresholds.
//
// A noun owns its tables: no other package names them in SQL. Its exported methods
// own their transaction; what composes takes a *db.Tx. Every method takes the
// account as a type of its own (db.AccountID), so there is no way to ask without.
//
// # What others see
//
// [elowen/server/feed] follows the change logs: wakes without content, and reading
// on from a number. [elowen/server/projection] keeps, for accounts that are looked
// at, a catalogue of every memory without its text, ordered windows over it by
// rank, and the frames that lead a window from one state to the next. What windows
// show of other nouns is in [elowen/server/projection/view], a file a view.
//
// Agents use [elowen/server/tool]: what a model may do with memories, each tool a file,
// the same for every agent. [elowen/server/render] writes memories as a model is shown
// them, so that no body gets out of its element; [elowen/server/delivery] knows what an
// agent was handed lately, and counts what it is handed now. [elowen/server/connect] has the
// table of the programs that agents live in, and changes their config files: what the
// app shows and what `elowen connect` writes.
//
// In a conversation of ours a model has more tools. [elowen/server/script] lets it write
// scripts that call the others; they run in [elowen/server/code], each in a process of its
// own, this program once more, which can do nothing but compute, print and call tools over
// a pipe. [elowen/server/output] stands around all of them: it bounds what one puts before
// the model, and keeps the rest to be read on. [elowen/server/file] reads the files of a
// project, where an administrator allows it; [elowen/server/remote] has the servers of
// others that an account adds, and what their tools answer.
//
// [elowen/server/turn] is where many nouns meet: it runs the conversations of our own, with
// what is recalled before a model is asked and while it works, its tools, the queue of
// messages, and how a turn ends. delivery tells it what stands before the model already.
// Other programs' conversations go through it as well, a request at a time.
//
// Six adapters decode, call and encode: [elowen/server/httpd] (REST, from one table
// of routes, which the OpenAPI document is made from too), [elowen/server/live] (the
// websocket), [elowen/server/mcpd] (agents, by the Model Context Protocol),
// [elowen/server/openaid] (programs that speak OpenAI's API),
// [elowen/server/site] (the prerendered frame and the files of the app),
// and the command line. They don't know each other, nor the store.
//
// [elowen/server/command] puts it all together: stores.go the nouns, web.go the
// adapters, serve.go the server. It owns the locks of a data directory and the
// socket through which admin commands reach a running server.
//
// # Walks
//
// Somebody adds a memory. httpd decodes and judges the api type and calls
// memory.Store.Add. One transaction inserts the row with its order key and the
// instant from which it may fade, its words, its audit event, and a line in the
// account's change log; then the group of decisions commits with one full sync.
// The hint that follows wakes the feed; the projection reads the changed row again
// and every window that shows it, or its rank, gets a delta with the log's number.
// Had the program died before the hint, the next look at the log would find it.
//
// A sweep. The schedule finds the stored instant come and moves it on a day, which
// claims the sweep. For each account retention reads what is due from the order
// key's index, the lowest vitality first, lets Plan decide within what the audit
// leaves of the daily limit, and hands each candidate to memory.Store.AutoEvict:
// one transaction that looks at the row, the policy and the audit again, and only
// then trashes. The same Plan with its reasons is the preview and the dry run.
//
// A question. recall.Store.Retrieve makes it ready outside of any transaction: its
// vector, or why there is none. Then one transaction asks what the account may be
// recalled (category.Scope), opens the indexes of those owners, searches their words,
// blends, reads the rows of the best again, which decide whatever an index says, and
// packs. Nothing is counted: who delivers what was found tells package memory.
//
// An agent searches. mcpd reads the message strictly and finds out whose token it is; the
// SDK finds the tool, which asks who it is for, reads its arguments, and has recall find.
// What was found goes to delivery: one transaction reads the rows again, leaves what the
// agent has to a line each, notes the rest in its conversation, and counts it. An agent
// on standard streams has its messages carried, one by one, to the server that owns the
// data directory at that moment, or else answered by its own program.
//
// A turn. A person's message is stored, and with it that its turn runs here. Recall for it
// begins at once, and is waited for a while; what it found is rendered, stored behind the
// message and counted in one transaction. Then the model is asked with what the journal
// shows of the branch; what it says goes to open windows as it comes, and into the journal
// once it is whole. Its tools run and are stored one by one; before it is asked again, a
// search by what they said, which went on beside, may have found more. What was sent is
// what is stored, so a restart sends the same again.
//
// A memory gets its vector. A model that is quick enough gives it to the add itself. Else
// the add is committed, and says nothing of vectors; the
// hint wakes the queue, which reads what the account's log has since it last looked
// and asks which of those bodies have no fresh vector. It takes the newest, waits for
// questions that are being asked, and asks the model outside of any transaction. One
// more transaction stores what came: if the body is still that body, and if that
// model's space is still in use, which the statement itself asks. The memory's entry in
// the log brings the vector to the resident index, and "indexed" to the windows.
//
// A transcript. One transaction begins a conversation, appends a message a turn and takes
// the words of each turn, alone and with the one before, into indexes of their own. The
// queue gives turns their vectors as it does memories, after them, request by request. A
// question is looked for in both windows; the best of the blend are compared word by word,
// with the turns before and after; what is found is read again from the journal.
//
// A command. `elowen admin …` finds the server's socket in the data directory,
// sends its arguments, and plays the answer; without a server it takes a share of
// the directory's lock and opens the store itself. Either way the same code runs
// over the same stores, so what it does appears in every open window.
//
// # Where tests are
//
// Each package tests itself on real stores ([elowen/server/db/dbtest] gives one on
// either engine). [elowen/server/servertest] runs the whole program in a test with
// a clock that the test moves, [elowen/server/servertest/browser] drives Chromium
// against it, [elowen/server/servertest/scripted] plays the providers of models, testdata/script holds stories of the command line, and kill_test.go
// kills the server under writes. [elowen/server/bench] measures.
package main
