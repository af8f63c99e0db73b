// Package recall finds the memories that belong to a question, and says why.
//
// # Concepts
//
// A question goes three ways at once: by meaning (the cosine of its vector with the
// memories', package vector), by words (BM25, package lexicon), and word by word
// (late interaction, through the interface Late), each as far as it is there. What is
// not permitted, not active or excluded takes no part at all. Scope says what is
// permitted, inside the transaction.
//
// The best pool by cosine and the best pool by words are blended, and the best goOn
// of them go on:
//
//	blend = w · words/(words + 12) + (1 − w) · 2.5 · cosine
//	relevance = a line of late + 0.3 · blend, or of the blend alone
//
// What the blend lacks of 0.12, with the doubt below in it, is taken off late: token by
// token a question is like much that has another meaning.
//
// Words are the BM25, less where they carry under half of the question's rarity; the
// cosine is one with what all texts have in common taken off, their language too.
//
// The line is the model profile's: 0 is the best of what has nothing to do with a
// question, 1 what belongs to it, both in the median. A question of the world at large,
// as what it means tells, is read by a stricter line than one of what people keep: what
// it is about is seldom in anybody's memories, and found where it is. All of it is absolute: nothing
// is scaled by what else was found, so a question about nothing in the store finds
// nothing. The line rises with the number of memories; of fewer than ten it is the line
// of ten.
//
// What is in another language than the question stands behind what is in its own, little
// where the question is English, which people ask in of whatever they keep.
//
// What is below the floor is out, unless words alone say that it belongs: they carry
// half of the question's rarity, and one of them is rare. Importance and vitality only
// order what is left. Packing takes from the top: so many, within so many bytes,
// nothing twice in other words.
//
// Where embeddings are off or cannot be asked, words and recency do, and the answer
// says so.
//
// # Tables
//
// None.
//
// # Invariants
//
// Nothing is counted: who delivers a memory says so to package memory. A question
// without words, or that only agrees ("ok", "go on"), asks no model and finds nothing.
// Excluded memories leave no gap: the next ones take their places; and where all that
// were relevant are excluded, nothing is found. One transaction sees permission,
// status and text as they are at one instant.
//
// # What it does not do
//
// It delivers nothing and renders nothing, files nothing, and measures no likeness of
// models (the profiles are package embedding's).
package recall
