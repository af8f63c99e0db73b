// Package token cuts texts into the pieces that the built-in models know, and
// gives the pieces' numbers.
//
// Two tokenizers. [Unigram] is SentencePiece's, of the multilingual model: each
// character is replaced as the model's file says, spaces become a mark that begins
// a word, and of all ways to cut the text into pieces the likeliest is taken
// (Kudo 2018, https://arxiv.org/abs/1804.10959). [WordPiece] is BERT's, of the
// English model: letters lose case and accents, punctuation and ideographs stand
// alone, and each word is cut greedily, longest piece first. Both give what the
// programs give that the models were made with, number by number; where those are
// odd, so are these (an unknown character gives a number of its own each time, and
// "[MASK]" in a text is the mask).
//
// [Windows] cuts what is too long for a model into sequences that overlap.
//
// Invariants. Any string is a text: bytes that aren't UTF-8 count as U+FFFD. NUL is
// dropped. The time is linear in the text, the memory a few times the text. The
// pieces stay in the bytes that a tokenizer was made from; beside them it keeps a
// trie of about eight bytes a piece. Tokenizers are safe for many goroutines.
//
// What it doesn't do: no files, no models, no words; server/words knows those.
package token
