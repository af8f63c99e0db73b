package lexicon

// Shelf is what an index is of. An account has an index on each, and they know nothing
// of one another: the same word may be rare on one and frequent on the other.
type Shelf uint8

// The shelves.
const (
	Memories Shelf = iota // by memory
	Turns                 // of transcripts, by entry
	Pairs                 // of transcripts, a turn with the one before it, by its entry
)

// posting and stat are a shelf's tables.
func (s Shelf) posting() string { return [...]string{"posting", "turn_posting", "pair_posting"}[s] }
func (s Shelf) stat() string    { return [...]string{"word_stat", "turn_stat", "pair_stat"}[s] }
