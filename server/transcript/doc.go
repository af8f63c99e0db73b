// Package transcript keeps conversations that were held elsewhere (a voice session, a
// chat, a team's chat), and finds their turns.
//
// # Concepts
//
// A transcript comes whole and is never changed. It is a conversation of package
// journal, each turn a message of it, so what stands on the journal reads both alike.
//
// A turn says little without what it answers, so turns are looked for in windows: a turn
// alone, and a turn with the one before it. How well a turn answers a question:
//
//	words  = 0.3 · bm25(turn) + 0.7 · bm25(the one before and turn)
//	cosine = half the turn's, half that of it with the one before
//	blend  = w · words/(words + 12) + (1 − w) · 2.5 · cosine
//	score  = late + 0.5 · blend, for the best 50 of the blend
//
// where late interaction (package late) takes, for each token of the question, the
// larger of the turn's own cosine and 0.85 of its neighbours', before and after. What
// counts is turns, though they are indexed in windows. There is no floor: the score is
// told, and absolute.
//
// The texts that are indexed begin with the day on which the turn was said, so that a
// question can name it, and the speaker. Words are indexed when a transcript comes;
// vectors and token vectors follow in the background (package embedding/queue), after
// those of memories.
//
// # Tables
//
// transcript; turn_head, turn_embedding and turn_vector, the vectors of turns;
// turn_late_label and turn_late_vector, their token vectors. No other package's SQL
// names them. The words are package lexicon's, on shelves of their own.
//
// # Invariants
//
// No statement without the account. A turn that is found is read again from the journal
// in the same transaction. What is derived from a turn goes with its transcript, in one
// transaction, and from every file of the store. Vectors of a space that is no longer in
// use are neither stored nor compared.
//
// # What it does not do
//
// It extracts nothing from what was said, renders nothing, and counts nothing as used.
package transcript
