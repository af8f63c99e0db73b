package words

import (
	"slices"
	"strings"
	"testing"
)

// index is a store of postings as package memory keeps them, for tests.
type index struct {
	stats  Stats
	blobs  map[string]map[int64][]byte
	length map[int64]int
}

func newIndex(t testing.TB, texts ...string) *index {
	x := &index{blobs: map[string]map[int64][]byte{}, length: map[int64]int{}}
	for i, text := range texts {
		x.add(t, int64(i+1), text)
	}
	return x
}

func (x *index) add(t testing.TB, id int64, text string) {
	t.Helper()
	terms, length := Terms(text)
	for _, term := range terms {
		if x.blobs[term.Text] == nil {
			x.blobs[term.Text] = map[int64][]byte{}
		}
		blob, err := Merge(x.blobs[term.Text][ChunkOf(id)], Posting{id, term.Count, length})
		if err != nil {
			t.Fatal(err)
		}
		x.blobs[term.Text][ChunkOf(id)] = blob
	}
	x.length[id] = length
	x.stats = x.stats.Add(Stats{1, int64(length)})
}

func (x *index) remove(t testing.TB, id int64, text string) {
	t.Helper()
	terms, length := Terms(text)
	for _, term := range terms {
		blob, err := Remove(x.blobs[term.Text][ChunkOf(id)], id)
		if err != nil {
			t.Fatal(err)
		}
		x.blobs[term.Text][ChunkOf(id)] = blob
	}
	delete(x.length, id)
	x.stats = x.stats.Add(Stats{-1, -int64(length)})
}

func (x *index) postings(term string) TermPostings {
	p := TermPostings{Term: term}
	for n, blob := range x.blobs[term] {
		p.Chunks = append(p.Chunks, Chunk{n, blob})
	}
	return p
}

// lists gives the query's postings; with typed also those of its prefix.
func (x *index) lists(q Query, typed bool) []TermPostings {
	var lists []TermPostings
	for _, term := range q.Terms {
		lists = append(lists, x.postings(term))
	}
	if typed && q.Prefix != "" {
		for term := range x.blobs {
			if term >= q.Prefix && term < q.PrefixEnd() && !slices.Contains(q.Terms, term) {
				lists = append(lists, x.postings(term))
			}
		}
		for _, term := range q.Completions {
			lists = append(lists, x.postings(term))
		}
	}
	return lists
}

func (x *index) search(t testing.TB, text string, typed bool) []Hit {
	t.Helper()
	q := ParseQuery(text)
	hits, err := Score(x.stats, q, x.lists(q, typed))
	if err != nil {
		t.Fatalf("search %q: %v", text, err)
	}
	return Top(hits, len(hits))
}

// find gives the ids that a question finds, best first.
func (x *index) find(t testing.TB, text string) []int64 {
	t.Helper()
	return ids(x.search(t, text, false))
}

func ids(hits []Hit) []int64 {
	out := []int64{}
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

// termList gives a text's terms without roots, sorted and joined.
func termList(text string) string {
	terms, _ := Terms(text)
	var list []string
	for _, t := range terms {
		if !strings.HasPrefix(t.Text, rootMark) {
			list = append(list, t.Text)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
