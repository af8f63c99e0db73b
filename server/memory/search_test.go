package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/lexicon"
	"elowen/server/words"
	"elowen/shared/api"
)

// A search in the transaction of a change sees it.
func TestSearchInTransaction(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.update(func(tx *db.Tx) error {
			ids, err := f.Insert(tx, f.ann, me, "", []Carried{{Body: "fresh as paint", Importance: 5}})
			if err != nil {
				return err
			}
			hits, _, err := f.Search(tx, f.ann, "paint", false)
			if len(hits) != 1 || hits[0].ID != ids[0] {
				t.Errorf("hits %v", hits)
			}
			return err
		})
	})
}

// What is indexed is always what an index made anew would hold: after any
// sequence of inserts, edits, purges, in one transaction or several.
func TestIndexIsTheBodies(t *testing.T) {
	f := open(t)
	word := rapid.SampledFrom(strings.Fields("alpha beta gamma delta epsilon zeta the of and 1 2 会議 žena wi-fi pgx/v5 don't"))
	rapid.Check(t, func(t *rapid.T) {
		owner := f.account("p" + strings.ToLower(db.NewSecret()))
		body := func() string { return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "body"), " ") }
		var ids []int64
		for range rapid.IntRange(1, 6).Draw(t, "transactions") {
			f.update(func(tx *db.Tx) error {
				b, err := f.batch(tx, owner, me)
				if err != nil {
					return err
				}
				for range rapid.IntRange(1, 5).Draw(t, "changes") {
					switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
					case op == 0 || len(ids) == 0:
						rows := []*row{{revision: 1, body: body(), kind: "fact", importance: 5, source: "user", status: api.StatusActive}, {revision: 1, body: body(), kind: "fact", importance: 5, source: "user", status: api.StatusDeleted}}
						if err := b.insert(rows, nil); err != nil {
							return err
						}
						ids = append(ids, rows[0].id, rows[1].id)
					case op == 1:
						i := rapid.IntRange(0, len(ids)-1).Draw(t, "which")
						r, err := read(tx, owner, ids[i])
						if err != nil {
							return err
						}
						r.status = api.StatusDeleted
						if _, err := b.purged([]*row{&r}); err != nil {
							return err
						}
						ids = slices.Delete(ids, i, i+1)
					default:
						was, err := read(tx, owner, ids[rapid.IntRange(0, len(ids)-1).Draw(t, "which")])
						if err != nil {
							return err
						}
						now := was
						now.body = body()
						if _, err := b.update(&was, &now, audit.ActionUpdate, ""); err != nil {
							return err
						}
					}
				}
				return b.flush()
			})
		}
		before := f.indexOf(owner)
		if n, err := f.Reindex(ctx, owner); err != nil || n != len(ids) {
			t.Fatalf("reindexed %d of %d: %v", n, len(ids), err)
		}
		if after := f.indexOf(owner); after != before {
			t.Fatalf("the index was\n%s\nand made anew is\n%s", before, after)
		}
	})
}

// indexOf is an account's index in words.
func (f *fixture) indexOf(owner db.AccountID) string {
	f.t.Helper()
	var b strings.Builder
	f.view(func(tx *db.Tx) error {
		st, err := lexicon.StatsOf(tx, owner)
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, st.Docs, st.TotalLength)
		rows := tx.Query(`SELECT term, chunk, body FROM posting WHERE owner_id = ? ORDER BY term, chunk`, int64(owner))
		defer rows.Close()
		for rows.Next() {
			var term string
			var chunk int64
			var blob []byte
			if err := rows.Scan(&term, &chunk, &blob); err != nil {
				return err
			}
			fmt.Fprint(&b, term, " ", chunk, ":")
			r := words.Decode(chunk, blob)
			for r.Next() {
				fmt.Fprint(&b, " ", r.Posting())
			}
			fmt.Fprintln(&b)
			if r.Err() != nil {
				return r.Err()
			}
		}
		return rows.Err()
	})
	return b.String()
}

// Ids of several accounts share chunks; a bulk insert of one must not take what
// another wrote there for its own.
func TestChunksAreShared(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.add("alpha one")
		if _, err := f.Add(ctx, f.bob, me, api.SourceUser, api.MemoryAdd{Body: "alpha his"}); err != nil {
			t.Fatal(err)
		}
		f.insert(carried(words.ChunkSize+50, f.clock.Now()))
		last := f.add("alpha two")
		if got := f.found("alpha"); len(got) != 2 || got[1] != last.ID {
			t.Errorf("found %v", got)
		}
		before := f.indexOf(f.ann)
		if _, err := f.Reindex(ctx, f.ann); err != nil {
			t.Fatal(err)
		}
		if f.indexOf(f.ann) != before {
			t.Error("the index made anew is another")
		}
	})
}

func TestIndexOutdated(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		outdated := func() (yes bool) {
			f.view(func(tx *db.Tx) (err error) { yes, err = f.IndexOutdated(tx, f.ann); return err })
			return yes
		}
		if outdated() {
			t.Error("without an index")
		}
		f.add("x")
		if outdated() {
			t.Error("with one of today")
		}
		f.update(func(tx *db.Tx) error {
			return tx.Must(`UPDATE word_stat SET version = ? WHERE owner_id = ?`, words.Version-1, int64(f.ann))
		})
		if !outdated() {
			t.Error("with one of yesterday")
		}
		if _, err := f.Reindex(ctx, f.ann); err != nil || outdated() {
			t.Errorf("after it was made anew: %v", err)
		}
	})
}
