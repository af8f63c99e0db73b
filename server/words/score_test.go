package words

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// bm25 is the formula written out for one memory and single-term words.
func bm25(stats Stats, terms map[string]int, length int, words []string, df map[string]int) float64 {
	score := 0.0
	for _, w := range words {
		tf := float64(terms[w])
		idf := math.Log(1 + (float64(stats.Docs)-float64(df[w])+0.5)/(float64(df[w])+0.5))
		score += idf * tf * (0.9 + 1) / (tf + 0.9*(1-0.4+0.4*float64(length)/(float64(stats.TotalLength)/float64(stats.Docs))))
	}
	return score
}

func TestScoreIsBM25(t *testing.T) {
	vocabulary := []string{"amber", "birch", "copper", "dune", "ember", "fjord", "grove"}
	rng := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for range 3000 { // three chunks
		var words []string
		for range 1 + rng.IntN(400) {
			words = append(words, vocabulary[min(rng.IntN(7), rng.IntN(7))])
			if rng.IntN(4) == 0 {
				break
			}
		}
		texts = append(texts, "and the "+strings.Join(words, " "))
	}
	x := newIndex(t, texts...)
	df := map[string]int{}
	counts := make([]map[string]int, len(texts))
	for i, text := range texts {
		counts[i] = map[string]int{}
		terms, _ := Terms(text)
		for _, term := range terms {
			counts[i][term.Text] = term.Count
			df[term.Text]++
		}
	}
	asked := []string{"fjord", "grove", "ember"}
	for _, w := range asked {
		if df[w] > len(texts)/2 {
			t.Fatalf("%s is common: choose another seed", w)
		}
	}
	hits := x.search(t, strings.Join(asked, " "), false)
	found := map[int64]Hit{}
	for _, h := range hits {
		found[h.ID] = h
	}
	n := 0
	for i := range texts {
		want := bm25(x.stats, counts[i], x.length[int64(i+1)], asked, df)
		got := found[int64(i+1)]
		if math.Abs(got.Score-want) > 1e-9 {
			t.Fatalf("memory %d scores %v, want %v", i+1, got.Score, want)
		}
		share, total, rarest := 0.0, 0.0, 0.0
		for _, w := range asked {
			total += x.stats.IDF(df[w])
			if counts[i][w] > 0 {
				share += x.stats.IDF(df[w])
				rarest = max(rarest, x.stats.IDF(df[w]))
			}
		}
		if math.Abs(float64(got.Matched)-share/total) > 1e-5 || math.Abs(float64(got.Rarest)-rarest) > 1e-5 {
			t.Fatalf("memory %d matches %v (rarest %v), want %v (%v)", i+1, got.Matched, got.Rarest, share/total, rarest)
		}
		if want > 0 {
			n++
		}
	}
	if n != len(hits) || n == 0 {
		t.Errorf("%d hits, want %d", len(hits), n)
	}
}

// The order of texts' lists, of their chunks and of the question's words is
// nothing to scores, to the last bit; nor is where a term's chunks are cut.
func TestScoreOrder(t *testing.T) {
	words := []string{"amber", "birch", "wi-fi", "hundarna", "喝水", "copper", "running", "кошки"}
	rapid.Check(t, func(rt *rapid.T) {
		x := newIndex(t)
		for i := range rapid.IntRange(1, 30).Draw(rt, "texts") {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 8).Draw(rt, "text"), " ")
			x.add(t, int64(i)*rapid.SampledFrom([]int64{1, 700}).Draw(rt, "spread")+int64(i), text)
		}
		question := rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(rt, "question")
		q := ParseQuery(strings.Join(question, " ") + " ")
		hits, err := Score(x.stats, q, x.lists(q, false))
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(a.ID - b.ID) }) {
			rt.Fatal("hits aren't by id")
		}
		q2 := ParseQuery(strings.Join(rapid.Permutation(question).Draw(rt, "other order"), " ") + " ")
		lists := rapid.Permutation(x.lists(q2, false)).Draw(rt, "lists")
		if len(lists) > 0 && len(lists[0].Chunks) > 1 { // one term in two parts, as from two owners
			l := lists[0]
			lists[0].Chunks = l.Chunks[:1]
			lists = append(lists, TermPostings{l.Term, l.Chunks[1:]})
		}
		again, err := Score(x.stats, q2, lists)
		if err != nil || !slices.Equal(hits, again) {
			rt.Fatalf("%v, %v; before %v", again, err, hits)
		}
		for _, h := range hits {
			if !(h.Score > 0) || math.IsInf(h.Score, 0) || h.Matched < 0 || h.Matched > 1 {
				rt.Fatalf("%+v", h)
			}
		}
	})
}

// Two owners' postings of one term share a chunk.
func TestScoreOfTwoOwners(t *testing.T) {
	mine, pool := newIndex(t), newIndex(t)
	mine.add(t, 1, "harbor lights")
	pool.add(t, 2, "harbor master")
	both := newIndex(t, "harbor lights", "harbor master")
	q := ParseQuery("the harbor")
	want, err := Score(both.stats, q, both.lists(q, false))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Score(mine.stats.Add(pool.stats), q, append(mine.lists(q, false), pool.lists(q, false)...))
	if err != nil || !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// A memory that is gone leaves scores as if it had never been.
func TestScoreAfterRemoval(t *testing.T) {
	x := newIndex(t, "the red harbor", "the blue harbor")
	before := x.search(t, "red harbor", false)
	x.add(t, 3, "a red harbor with wi-fi, 港口 and more words")
	if len(x.search(t, "red harbor", false)) != 3 {
		t.Fatal("the third isn't found")
	}
	x.remove(t, 3, "a red harbor with wi-fi, 港口 and more words")
	if after := x.search(t, "red harbor", false); !slices.Equal(before, after) {
		t.Errorf("%v, before %v", after, before)
	}
	for term, chunks := range x.blobs {
		if strings.HasPrefix(term, "港") && len(chunks[0]) > 0 {
			t.Errorf("%s is left", term)
		}
	}
}

// Common words alone find memories; beside a rare word they only order what it
// found.
func TestCommonWords(t *testing.T) {
	x := newIndex(t)
	for id := int64(1); id <= 2*commonFrom; id++ {
		text := "harbor"
		if id%500 == 0 {
			text = "harbor lighthouse"
		}
		if id == 700 {
			text = "lighthouse keeper"
		}
		x.add(t, id, text)
	}
	if n := len(x.find(t, "harbor")); n != 2*commonFrom-1 {
		t.Errorf("the common word alone finds %d", n)
	}
	got := x.find(t, "harbor lighthouse")
	if !slices.Equal(got, []int64{2000, 1500, 1000, 500, 700}) {
		t.Errorf("with a rare one: %v", got)
	}
	if n := len(x.find(t, "harbor nowhere")); n != 2*commonFrom-1 {
		t.Errorf("with one found nowhere: %d", n)
	}
}

func TestMatchedShare(t *testing.T) {
	x := newIndex(t, "my e-mail at work", "my email at home", "hunden sover på mattan", "nothing", "他喝水", "harbor prod")
	for _, c := range []struct {
		query    string
		id       int64
		min, max float32
	}{
		{"e-mail", 1, 1, 1},
		{"e-mail", 2, 1, 1},
		{"email", 1, 1, 1},
		{"harbor-prod", 6, 1, 1},
		{"harbor zebra", 6, 0.3, 0.5}, // zebra is rarer
		{"hunden", 3, 1, 1},
		{"hundarna", 3, 0.5, 0.5},
		{"喝水", 5, 1, 1},
	} {
		found := false
		for _, h := range x.search(t, c.query, false) {
			if h.ID == c.id {
				found = true
				if h.Matched < c.min-1e-5 || h.Matched > c.max+1e-5 {
					t.Errorf("%q matches %v of %d, want %v to %v", c.query, h.Matched, c.id, c.min, c.max)
				}
			}
		}
		if !found {
			t.Errorf("%q doesn't find %d", c.query, c.id)
		}
	}
}

func TestScoreOfNothing(t *testing.T) {
	for _, c := range []struct {
		stats Stats
		query string
		lists []TermPostings
	}{
		{Stats{}, "", nil},
		{Stats{}, "harbor", nil},
		{Stats{5, 50}, "harbor", []TermPostings{{"harbor", nil}, {"harbor", []Chunk{{3, nil}}}, {"other", []Chunk{{0, []byte("not a blob")}}}}},
	} {
		hits, err := Score(c.stats, ParseQuery(c.query), c.lists)
		if err != nil || len(hits) != 0 || hits == nil {
			t.Errorf("%q: %v, %v", c.query, hits, err)
		}
	}
	// Statistics that lag behind the postings don't make scores negative.
	x := newIndex(t, "harbor", "harbor", "harbor")
	q := ParseQuery("harbor")
	hits, err := Score(Stats{1, 0}, q, x.lists(q, false))
	if err != nil || len(hits) != 3 || hits[0].Score <= 0 {
		t.Errorf("%v, %v", hits, err)
	}
}

func TestTop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var hits []Hit
		for i := range rapid.IntRange(0, 60).Draw(rt, "hits") {
			hits = append(hits, Hit{ID: int64(i), Score: float64(rapid.IntRange(0, 9).Draw(rt, "score"))})
		}
		hits = rapid.Permutation(hits).Draw(rt, "order")
		k := rapid.IntRange(-1, 70).Draw(rt, "k")
		want := slices.Clone(hits)
		slices.SortFunc(want, better)
		want = want[:min(max(k, 0), len(want))]
		if got := Top(hits, k); !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestIDF(t *testing.T) {
	s := Stats{Docs: 100}
	for n := range 100 {
		if s.IDF(n) <= s.IDF(n+1) || s.IDF(n+1) <= 0 {
			t.Errorf("idf of %d is %v, of %d %v", n, s.IDF(n), n+1, s.IDF(n+1))
		}
	}
}

func BenchmarkScore(b *testing.B) {
	const docs = 100_000
	rng := rand.New(rand.NewPCG(3, 4))
	names := []string{"amber", "birch", "copper", "rare"}
	shares := []float64{0.6, 0.45, 0.55, 0.001}
	lists := make([]TermPostings, len(names))
	for i, name := range names {
		lists[i].Term = name
		var blob []byte
		for id := range int64(docs) {
			if id > 0 && id%ChunkSize == 0 {
				lists[i].Chunks = append(lists[i].Chunks, Chunk{id/ChunkSize - 1, blob})
				blob = nil
			}
			if rng.Float64() < shares[i] {
				blob, _ = Append(blob, Posting{id, 1 + rng.IntN(3)/2, 10 + rng.IntN(80)})
			}
		}
		lists[i].Chunks = append(lists[i].Chunks, Chunk{docs / ChunkSize, blob})
	}
	for _, n := range []int{3, 4} {
		q := ParseQuery(strings.Join(names[:n], " "))
		b.Run(fmt.Sprint(strings.Join(names[:n], " ")), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				hits, err := Score(Stats{docs, docs * 45}, q, lists[:n])
				if err != nil {
					b.Fatal(err)
				}
				Top(hits, 300)
			}
		})
	}
}
