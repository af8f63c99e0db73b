package words

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Parameters of BM25, tuned for texts of a sentence or three: on conversation
// turns these found more than the usual 1.2 and 0.75. Formula: S. Robertson and
// H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
// with idf ln(1 + (N − n + ½)/(n + ½)), which is never negative.
const (
	K1 = 0.9
	B  = 0.4
)

// A word is common if it is in more than half of the memories and in more than
// commonFrom of them. Common words alone don't bring in a memory if the question
// has others: they only order what those found.
const commonFrom = 1000

// Stats are the figures of the permitted owners together that scores depend on.
type Stats struct {
	Docs        int   // memories
	TotalLength int64 // the sum of their lengths, as Terms counts them
}

// Add gives the figures of both: an account's own memories and a pool's.
func (s Stats) Add(o Stats) Stats {
	return Stats{s.Docs + o.Docs, s.TotalLength + o.TotalLength}
}

// IDF is the inverse document frequency of a word in n memories.
func (s Stats) IDF(n int) float64 {
	docs := max(s.Docs, n)
	return math.Log1p((float64(docs-n) + 0.5) / (float64(n) + 0.5))
}

// TermPostings are a term's chunks, of one or several owners, in any order.
type TermPostings struct {
	Term   string
	Chunks []Chunk
}

// Chunk is a term's blob for one chunk.
type Chunk struct {
	Number int64
	Blob   []byte
}

// Hit is a memory that has at least one of the question's words.
type Hit struct {
	ID int64
	// Score is the BM25 sum, absolute: it depends on the question, the memory and
	// Stats, not on the other hits.
	Score float64
	// Matched is the share of the question's idf that is in the memory, 0 to 1. Like
	// Rarest it goes by idf as the background smooths it, where there is one.
	Matched float32
	// Rarest is the largest idf of the words matched.
	Rarest float32
}

// Score finds the memories that have any of the query's words, by ascending id.
// lists hold the postings of the query's terms and, if the caller wants words
// that only begin with the last one, those in the range of its Prefix and of its
// Completions; other lists are ignored, missing ones count as words found
// nowhere. Neither the order of lists nor that of the question's words matters.
// The error is ErrCorrupt.
func Score(stats Stats, q Query, lists []TermPostings) ([]Hit, error) {
	return ScoreAgainst(stats, q, lists, nil)
}

// Background tells how likely a word, as it stands in a question, is to be in a
// memory of anybody's, 0 to 1. joined words stand in a run without spaces.
type Background func(word string, joined bool) float64

// backgroundDocs is how many memories of nobody's are added to the owner's to tell
// how rare a word is, so that in a store of one memory not every word of it is
// common, and "Monday" is not as rare as a name.
const backgroundDocs = 10_000

// ScoreAgainst is Score with a background. By it Matched and Rarest are smoothed, and a
// word that is frequent anywhere counts for less than the owner's figures alone would
// have it: in a store of ten memories, "could" is as rare as a name. nil is no background.
func ScoreAgainst(stats Stats, q Query, lists []TermPostings, background Background) ([]Hit, error) {
	s := scorer{stats: stats, average: 1, background: background}
	if stats.Docs > 0 && stats.TotalLength > 0 {
		s.average = float64(stats.TotalLength) / float64(stats.Docs)
	}
	for i := range s.norms {
		s.norms[i] = s.norm(i)
	}
	if err := s.resolve(q, lists); err != nil {
		return nil, err
	}
	for from := 0; from < len(s.entries); {
		to := from
		for to < len(s.entries) && s.entries[to].chunk == s.entries[from].chunk {
			to++
		}
		if err := s.chunk(s.entries[from:to]); err != nil {
			return nil, err
		}
		from = to
	}
	return s.hits, nil
}

// Top gives the k best hits, best first, the newer (larger id) of equals first.
// It reorders hits and gives a part of it.
func Top(hits []Hit, k int) []Hit {
	if k <= 0 {
		return hits[:0]
	}
	if len(hits) > k {
		// A heap of k with the worst on top.
		heap := hits[:k]
		for i := k/2 - 1; i >= 0; i-- {
			sink(heap, i)
		}
		for i := k; i < len(hits); i++ {
			if better(hits[i], heap[0]) < 0 {
				hits[i], heap[0] = heap[0], hits[i]
				sink(heap, 0)
			}
		}
		hits = heap
	}
	slices.SortFunc(hits, better)
	return hits
}

func better(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
}

func sink(heap []Hit, i int) {
	for {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if better(heap[c], heap[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}

// scoring is a group of the query with what its postings say.
type scoring struct {
	key      string
	word     string
	joined   bool
	weight   float64
	bonus    bool
	docs     int
	idf      float64
	evidence float64 // idf against the background
	share    float32 // of the question's evidence, 0 for a bonus
	common   bool
}

// entry is one blob to read for one group.
type entry struct {
	chunk  int64
	group  int // rank of the group, rarest first
	weight float64
	blob   []byte
}

type scorer struct {
	stats   Stats
	average float64

	background Background   // nil: none
	norms      [256]float64 // of short texts
	groups     []scoring
	entries    []entry
	rare       bool // there is a group that isn't common
	hits       []Hit

	page   page
	decode [ChunkSize]posting // of one blob
	merged [ChunkSize]posting // of a group, by place
	weight [ChunkSize]float64
}

// posting is a decoded entry; its place is set in decode and implied in merged.
type posting struct {
	place, tf, length int32
}

// page sums up the scores of one chunk's memories.
type page struct {
	seen    places
	score   [ChunkSize]float64
	matched [ChunkSize]float32
	rarest  [ChunkSize]float32
}

// places is a set of places in a chunk.
type places [ChunkSize / 64]uint64

func (p *places) add(i int32)      { p[i/64] |= 1 << (i % 64) }
func (p *places) has(i int32) bool { return p[i/64]&(1<<(i%64)) != 0 }
func (p *places) empty() bool      { return *p == places{} }
func (p *places) count() (n int) {
	for _, w := range p {
		n += bits.OnesCount64(w)
	}
	return n
}

// norm is the part of BM25's denominator that grows with the text.
func (s *scorer) norm(length int) float64 {
	return K1 * (1 - B + B*float64(length)/s.average)
}

// resolve finds the blobs of each group, the groups' frequencies and their order.
func (s *scorer) resolve(q Query, lists []TermPostings) error {
	type place struct {
		group  int
		weight float64
	}
	at := make(map[string][]place, len(q.Terms))
	typed := -1
	for i, g := range q.groups {
		s.groups = append(s.groups, scoring{key: g.alternatives[0].term, word: g.word, joined: g.joined, weight: g.weight, bonus: g.bonus})
		for _, alt := range g.alternatives {
			at[alt.term] = append(at[alt.term], place{i, alt.weight})
		}
		if g.typed {
			typed = i
		}
	}
	for _, l := range lists {
		places := at[l.Term]
		if typed >= 0 && (strings.HasPrefix(l.Term, q.Prefix) || slices.Contains(q.Completions, l.Term)) &&
			!slices.ContainsFunc(places, func(p place) bool { return p.group == typed }) {
			places = append(slices.Clip(places), place{typed, prefixWeight})
		}
		for _, p := range places {
			for _, c := range l.Chunks {
				s.entries = append(s.entries, entry{c.Number, p.group, p.weight, c.Blob})
			}
		}
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.chunk, b.chunk))
	})
	if err := s.frequencies(); err != nil {
		return err
	}
	s.order()
	return nil
}

// frequencies counts the memories of each group. Entries are by group and chunk.
func (s *scorer) frequencies() error {
	for from := 0; from < len(s.entries); {
		e := s.entries[from]
		to := from + 1
		for to < len(s.entries) && s.entries[to].group == e.group && s.entries[to].chunk == e.chunk {
			to++
		}
		n, err := Count(e.blob)
		if err != nil {
			return err
		}
		if to-from > 1 {
			var union places
			for _, e := range s.entries[from:to] {
				found, err := s.read(e.blob)
				if err != nil {
					return err
				}
				for i := range found {
					union.add(found[i].place)
				}
			}
			n = union.count()
		}
		s.groups[e.group].docs += n
		from = to
	}
	return nil
}

// order ranks the groups, rarest first, and sorts the entries by chunk and rank,
// so that sums come out the same whatever order things came in.
func (s *scorer) order() {
	total := 0.0
	upper := 0
	for i := range s.groups {
		g := &s.groups[i]
		g.idf = s.stats.IDF(g.docs)
		g.evidence = s.evidence(g)
		g.idf *= s.plain(g)
		if !g.bonus {
			total += g.evidence * g.weight
		}
		g.common = g.docs > commonFrom && g.docs > s.stats.Docs/2
		s.rare = s.rare || !g.common && g.docs > 0
	}
	ranked := make([]int, len(s.groups))
	for i := range s.groups {
		g := &s.groups[i]
		if !g.bonus && total > 0 {
			g.share = float32(g.evidence * g.weight / total)
		}
		if !g.common || !s.rare {
			upper += g.docs
		}
		ranked[i] = i
	}
	slices.SortFunc(ranked, func(a, b int) int {
		x, y := &s.groups[a], &s.groups[b]
		return cmp.Or(cmp.Compare(y.idf, x.idf), strings.Compare(x.key, y.key))
	})
	rank := make([]int, len(ranked))
	groups := make([]scoring, len(ranked))
	for r, i := range ranked {
		rank[i], groups[r] = r, s.groups[i]
	}
	s.groups = groups
	for i := range s.entries {
		s.entries[i].group = rank[s.entries[i].group]
	}
	slices.SortFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.group, b.group))
	})
	s.hits = make([]Hit, 0, min(upper, max(s.stats.Docs, 1)))
}

// evidence is how much it says of a memory that it has a group's word.
func (s *scorer) evidence(g *scoring) float64 {
	if s.background == nil {
		return g.idf
	}
	n := float64(g.docs) + backgroundDocs*min(max(s.background(g.word, g.joined), 0), 1)
	docs := float64(max(s.stats.Docs, g.docs)) + backgroundDocs
	return math.Log1p((docs - n + 0.5) / (n + 0.5))
}

// fullRarity is the idf in the background from which a word counts in full. Below, it
// counts in proportion. Chosen on conversations, where it changes little, for small
// stores in many languages, where it keeps small words from deciding.
const fullRarity = 6

// plain is what part of its idf a group's word counts.
func (s *scorer) plain(g *scoring) float64 {
	if s.background == nil {
		return 1
	}
	p := min(max(s.background(g.word, g.joined), 1e-9), 1)
	return min(1, math.Log1p((1-p)/p)/fullRarity)
}

// read decodes a blob; the result is valid until the next read.
func (s *scorer) read(blob []byte) ([]posting, error) {
	count, last, err := header(blob)
	if err != nil || count == 0 {
		return nil, err
	}
	rest := blob[headerSize:]
	at := -1
	for i := range count {
		var step, tf, length int
		var ok bool
		step, tf, length, rest, ok = readPosting(rest)
		at += step
		if !ok || at >= ChunkSize {
			return nil, ErrCorrupt
		}
		s.decode[i] = posting{int32(at), int32(tf), int32(length)}
	}
	if at != last || len(rest) > 0 {
		return nil, ErrCorrupt
	}
	return s.decode[:count], nil
}

// chunk scores the memories of one chunk; entries are by group, rarest first.
func (s *scorer) chunk(entries []entry) error {
	p := &s.page
	*p = page{}
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].group == entries[from].group {
			to++
		}
		g := &s.groups[entries[from].group]
		capped := g.common && s.rare
		if !capped || !p.seen.empty() {
			if err := s.group(g, entries[from:to], capped); err != nil {
				return err
			}
		}
		from = to
	}
	base := entries[0].chunk << chunkBits
	for w, set := range p.seen {
		for ; set != 0; set &= set - 1 {
			i := w*64 + bits.TrailingZeros64(set)
			s.hits = append(s.hits, Hit{base + int64(i), p.score[i], min(p.matched[i], 1), p.rarest[i]})
		}
	}
	return nil
}

// group adds one group's scores to the page.
func (s *scorer) group(g *scoring, entries []entry, capped bool) error {
	if len(entries) == 1 {
		found, err := s.read(entries[0].blob)
		if err != nil {
			return err
		}
		for i := range found {
			s.add(g, found[i].place, found[i], entries[0].weight, capped)
		}
		return nil
	}
	// Several spellings of one word: the strongest counts, with the most
	// occurrences that any of them has.
	var union places
	for _, e := range entries {
		found, err := s.read(e.blob)
		if err != nil {
			return err
		}
		for _, f := range found {
			m, w := &s.merged[f.place], &s.weight[f.place]
			if !union.has(f.place) {
				union.add(f.place)
				*m, *w = f, e.weight
				continue
			}
			m.tf, m.length, *w = max(m.tf, f.tf), max(m.length, f.length), max(*w, e.weight)
		}
	}
	for w, set := range union {
		for ; set != 0; set &= set - 1 {
			i := int32(w*64 + bits.TrailingZeros64(set))
			s.add(g, i, s.merged[i], s.weight[i], capped)
		}
	}
	return nil
}

// add adds a word's score to one memory.
func (s *scorer) add(g *scoring, i int32, f posting, weight float64, capped bool) {
	p := &s.page
	if capped && !p.seen.has(i) {
		return
	}
	p.seen.add(i)
	var norm float64
	if int(f.length) < len(s.norms) {
		norm = s.norms[f.length]
	} else {
		norm = s.norm(int(f.length))
	}
	tf := float64(f.tf)
	p.score[i] += g.idf * g.weight * weight * (K1 + 1) * tf / (tf + norm)
	if g.bonus {
		return
	}
	p.matched[i] += g.share * float32(weight)
	p.rarest[i] = max(p.rarest[i], float32(g.evidence))
}
