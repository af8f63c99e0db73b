package fit

import (
	"elowen/server/lexicon"
	"elowen/server/words"
)

// index is an index of words in memory, of texts by their place.
type index struct {
	terms map[string][]words.Chunk
	stats words.Stats
}

func newIndex(texts []string) (*index, error) {
	x := &index{terms: map[string][]words.Chunk{}}
	for i, text := range texts {
		terms, length := words.Terms(text)
		x.stats.Docs++
		x.stats.TotalLength += int64(length)
		number := words.ChunkOf(int64(i))
		for _, t := range terms {
			list := x.terms[t.Text]
			if len(list) == 0 || list[len(list)-1].Number != number {
				list = append(list, words.Chunk{Number: number})
			}
			last := &list[len(list)-1]
			var err error
			if last.Blob, err = words.Append(last.Blob, words.Posting{ID: int64(i), TF: t.Count, Length: length}); err != nil {
				return nil, err
			}
			x.terms[t.Text] = list
		}
	}
	return x, nil
}

// find is lexicon.Find.
func (x *index) find(question string, background words.Background) (lexicon.Found, error) {
	f := lexicon.Found{Query: words.ParseQuery(question), Stats: x.stats, Docs: map[string]int{}}
	var lists []words.TermPostings
	for _, t := range f.Query.Terms {
		chunks := x.terms[t]
		lists = append(lists, words.TermPostings{Term: t, Chunks: chunks})
		for _, c := range chunks {
			n, err := words.Count(c.Blob)
			if err != nil {
				return f, err
			}
			f.Docs[t] += n
		}
	}
	var err error
	f.Hits, err = words.ScoreAgainst(x.stats, f.Query, lists, background)
	return f, err
}
