package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/words"
	"elowen/shared/api"
)

// skip leaves n ids to others. It needs SQLite.
func (f *fixture) skip(n int64) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'memory'`, n)
		return err
	})
}

// alike is Similar without an index: every active memory is compared.
func alike(tx *db.Tx, owner db.AccountID, body string, memories map[int64]string) (map[int64]float64, int64, error) {
	var l likeness
	if err := l.weigh(tx, owner, body); err != nil || len(l.terms) == 0 {
		return nil, 0, err
	}
	list := map[int64]float64{}
	var newest int64
	for id, other := range memories {
		newest = max(newest, id)
		like := 1.0
		if other != body {
			like = min(l.of(other), likeMost)
		}
		if like >= similarFrom {
			list[id] = like
		}
	}
	chunk := words.ChunkOf(newest)
	if newest-chunk*words.ChunkSize < words.ChunkSize/4 {
		chunk--
	}
	return list, chunk, nil
}

// What the bounded look finds is what one at every memory finds: all of it among
// the recent ones, and elsewhere what has more than half in common, since keys that
// are more than 1 − similarFrom of a text hold candidateFrom of themselves then.
func TestSimilarIsWhatComparingAllFinds(t *testing.T) {
	const surely = 0.55
	f := open(t)
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		var owner db.AccountID
		n++
		f.update(func(tx *db.Tx) (err error) {
			owner, err = account.InsertLocked(tx, fmt.Sprintf("p%d", n), "", api.RoleMember, 0)
			return err
		})
		word := rapid.Map(rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(0, 40)), func(i int) string { return fmt.Sprintf("w%dx", i) })
		text := rapid.Map(rapid.SliceOfN(word, 1, 12), func(list []string) string { return strings.Join(list, " ") })
		active := map[int64]string{}
		for range rapid.IntRange(1, candidatesMost).Draw(t, "memories") {
			// Other people's memories are in between, so that it is in other chunks and segments.
			f.skip(rapid.SampledFrom([]int64{0, 0, words.ChunkSize, 20 * words.ChunkSize}).Draw(t, "gap"))
			body := text.Draw(t, "body")
			m, err := f.Add(ctx, owner, me, api.SourceUser, api.MemoryAdd{Body: body})
			if err != nil {
				t.Fatal(err)
			}
			active[m.ID] = body
			if rapid.IntRange(0, 5).Draw(t, "trash") == 0 {
				if _, err := f.Trash(ctx, owner, me, m.ID, m.Revision, ""); err != nil {
					t.Fatal(err)
				}
				delete(active, m.ID)
			}
		}
		body := text.Draw(t, "question")
		if len(active) > 0 && rapid.Bool().Draw(t, "a correction") {
			ids := slices.Sorted(maps.Keys(active))
			parts := strings.Fields(active[rapid.SampledFrom(ids).Draw(t, "of")])
			parts[rapid.IntRange(0, len(parts)-1).Draw(t, "place")] = word.Draw(t, "now")
			body = strings.Join(parts, " ")
		}
		got, err := f.resembling(ctx, owner, api.MemoryAdd{}, body)
		if err != nil {
			t.Fatal(err)
		}
		var want map[int64]float64
		var recent int64
		f.view(func(tx *db.Tx) (err error) { want, recent, err = alike(tx, owner, body, active); return err })
		found := map[int64]bool{}
		for i, s := range got {
			if want[s.ID] != s.Similarity || s.Body != active[s.ID] || i > 0 && s.Similarity > got[i-1].Similarity {
				t.Fatalf("%q: %+v, want %v", body, got, want)
			}
			found[s.ID] = true
		}
		for id, like := range want {
			if found[id] || len(got) == similarMost && got[similarMost-1].Similarity >= like {
				continue
			}
			if like >= surely || words.ChunkOf(id) == recent {
				t.Fatalf("%q: %+v lacks %d (%q, %v)", body, got, id, active[id], like)
			}
		}
	})
}

// The look reads a bounded number of rows, however large the store is.
func TestSimilarIsBounded(t *testing.T) {
	f := open(t)
	for i := range 40 { // ten thousands of memories, for the estimate
		f.skip(words.ChunkSize)
		f.add(fmt.Sprintf("common words everywhere %d rare%dx", i, i))
	}
	f.update(func(tx *db.Tx) error {
		return tx.Must(`UPDATE word_stat SET docs = 10000000 WHERE owner_id = ?`, int64(f.ann))
	})
	f.view(func(tx *db.Tx) error {
		for _, body := range []string{"common words everywhere", "common words everywhere 7 rare7x", strings.Repeat("a1 ", 100) + "b2 c3 d4 e5 f6 g7 h8 i9 j10 k11 l12 m13 n14 o15 p16 q17 r18 s19 t20 u21 v22 w23 x24 y25 z26 a27"} {
			var l likeness
			if err := l.weigh(tx, f.ann, body); err != nil {
				return err
			}
			keys, _ := l.keys()
			rows := 0
			for i := range keys {
				rows += l.sample.Rows(l.terms[i].sampled)
			}
			if len(keys) == 0 || len(keys) > keyTermsMost || len(keys) > 1 && rows > keyRowsMost {
				t.Errorf("%q: %d keys, %d rows", body, len(keys), rows)
			}
		}
		return nil
	})
}
