package lexicon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// fixture is an index with two accounts, and the bodies that should be in it.
type fixture struct {
	t        testing.TB
	d        *db.DB
	ann, bob db.AccountID
	last     int64
}

func newFixture(t testing.TB, d *db.DB) *fixture {
	f := &fixture{t: t, d: d}
	f.ann, f.bob = f.account("ann"), f.account("bob")
	return f
}

func each(t *testing.T, test func(t *testing.T, f *fixture)) {
	t.Helper()
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) { test(t, newFixture(t, d)) })
}

func open(t testing.TB) *fixture {
	return newFixture(t, dbtest.Open(t, dbtest.NewClock(dbtest.Start)))
}

func (f *fixture) account(name string) (owner db.AccountID) {
	f.t.Helper()
	f.update(func(tx *db.Tx) (err error) {
		owner, err = account.InsertLocked(tx, name, "", api.RoleMember, 0)
		return err
	})
	return owner
}

func (f *fixture) update(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.Update(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

func (f *fixture) view(fn func(*db.Tx) error) {
	f.t.Helper()
	if err := f.d.View(ctx, fn); err != nil {
		f.t.Fatalf("%+v", err)
	}
}

// add indexes bodies as new memories in one transaction, and tells their ids.
func (f *fixture) add(owner db.AccountID, bodies ...string) []int64 {
	f.t.Helper()
	ids := make([]int64, len(bodies))
	f.update(func(tx *db.Tx) error {
		var x Batch
		x.Fresh(f.last+1, len(bodies))
		for i, body := range bodies {
			f.last++
			ids[i] = f.last
			terms, length := words.Terms(body)
			x.Added(f.last, terms, length)
		}
		return x.Flush(tx, owner)
	})
	return ids
}

// found are the ids that a search finds in ann's memories.
func (f *fixture) found(q string, prefix bool) (ids []int64) {
	f.t.Helper()
	f.view(func(tx *db.Tx) error {
		hits, _, err := Search(tx, f.ann, q, prefix)
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return err
	})
	return ids
}

// index is an account's index in words.
func (f *fixture) index(owner db.AccountID) string {
	f.t.Helper()
	var b strings.Builder
	f.view(func(tx *db.Tx) error {
		st, err := StatsOf(tx, owner)
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

// rebuild makes an account's index anew from its bodies.
func (f *fixture) rebuild(owner db.AccountID, bodies map[int64]string) {
	f.t.Helper()
	f.update(func(tx *db.Tx) error {
		if err := EraseAccount(tx, owner); err != nil {
			return err
		}
		var x Batch
		for _, id := range slices.Sorted(maps.Keys(bodies)) {
			terms, length := words.Terms(bodies[id])
			x.Added(id, terms, length)
		}
		return x.Flush(tx, owner)
	})
}

// faults are what a tally of the bodies finds wrong with an account's index.
func (f *fixture) faults(owner db.AccountID, bodies map[int64]string) (faults []string) {
	f.t.Helper()
	var want Tally
	for id, body := range bodies {
		terms, length := words.Terms(body)
		want.Add(id, terms, length)
	}
	f.view(func(tx *db.Tx) error {
		return want.Compare(tx, owner, func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) })
	})
	return faults
}

func TestSearchFinds(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := map[string]int64{}
		for name, body := range map[string]string{
			"en": "The deployments run on Thursdays", "cs": "Žluťoučký kůň pěl ďábelské ódy", "ja": "会議は毎週火曜日です", "zh": "我們每週二開會",
			"ko": "회의는 매주 화요일입니다", "th": "ประชุมทุกวันอังคาร", "path": "config lives in /etc/app-x/v2.yaml", "quote": `she said "no: never - ever" ' / .`,
			"emoji": "party on Friday 🎉",
		} {
			ids[name] = f.add(f.ann, body)[0]
		}
		for q, want := range map[string]string{
			"when is the deployment running?": "en", "zlutoucky kun": "cs", "ŽLUŤOUČKÝ": "cs", "火曜": "ja", "會": "zh", "화요일": "ko", "อังคาร": "th",
			"v2.yaml": "path", "/etc/app-x": "path", `"never"`: "quote", "🎉": "emoji", "thursday": "en",
		} {
			if got := f.found(q, false); !slices.Contains(got, ids[want]) {
				t.Errorf("%q finds %v, not %s (%d)", q, got, want, ids[want])
			}
		}
		for _, q := range []string{"", " ", "/ - : ' . \"", "*", "AND OR NOT", "(", "\"", "NEAR(", "a\x00b", "\xff", "zzzqqq", strings.Repeat("long ", 5000)} {
			if got := f.found(q, false); len(got) > 0 && strings.TrimSpace(q) == "" {
				t.Errorf("%q finds %v", q, got)
			}
		}
		if got := f.found("nothing of the kind whatsoever here", false); slices.Contains(got, ids["ja"]) {
			t.Errorf("nonsense finds %v", got)
		}
	})
}

func TestSearchPrefix(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.add(f.ann, "Kubernetes runs the staging cluster", "running shoes are in the hall")
		for _, c := range []struct {
			q    string
			on   bool
			want []int64
		}{
			{"kube", true, ids[:1]}, {"kube", false, nil}, {"stag", true, ids[:1]}, {"runni", true, ids}, {"kube ", true, nil}, {"k", true, ids[:1]},
		} {
			if got := f.found(c.q, c.on); !slices.Equal(got, c.want) {
				t.Errorf("%q (as a beginning: %v) finds %v, want %v", c.q, c.on, got, c.want)
			}
		}
	})
}

// What is indexed is always what an index made anew would hold, and what a tally
// says: after any sequence of changes, in one transaction or several, of ids in
// several segments.
func TestAnyChangesAreTheIndexMadeAnew(t *testing.T) {
	f := open(t)
	word := rapid.SampledFrom(strings.Fields("alpha beta gamma delta epsilon zeta the of and 1 2 会議 žena wi-fi pgx/v5 don't"))
	rapid.Check(t, func(t *rapid.T) {
		owner := f.account("p" + strings.ToLower(db.NewSecret()))
		body := func() string { return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "body"), " ") }
		bodies := map[int64]string{}
		last := int64(0)
		for range rapid.IntRange(1, 6).Draw(t, "transactions") {
			f.update(func(tx *db.Tx) error {
				var x Batch
				n := rapid.IntRange(0, 3).Draw(t, "new")
				last += rapid.Int64Range(0, 2*segmentChunks*words.ChunkSize).Draw(t, "others' ids")
				x.Fresh(last+1, n)
				for range n {
					last++
					bodies[last] = body()
					terms, length := words.Terms(bodies[last])
					x.Added(last, terms, length)
				}
				for range rapid.IntRange(0, 4).Draw(t, "changes") {
					if len(bodies) == 0 {
						break
					}
					id := rapid.SampledFrom(slices.Sorted(maps.Keys(bodies))).Draw(t, "which")
					old := bodies[id]
					_, oldLength := words.Terms(old)
					if rapid.Bool().Draw(t, "gone") {
						x.Removed(id, old, oldLength)
						delete(bodies, id)
						continue
					}
					bodies[id] = body()
					terms, length := words.Terms(bodies[id])
					x.Replaced(id, old, oldLength, terms, length)
				}
				return x.Flush(tx, owner)
			})
		}
		before := f.index(owner)
		if faults := f.faults(owner, bodies); len(faults) > 0 {
			t.Fatalf("faults %v", faults)
		}
		f.rebuild(owner, bodies)
		if after := f.index(owner); after != before {
			t.Fatalf("the index was\n%s\nand made anew is\n%s", before, after)
		}
	})
}

// Ids of several accounts share chunks; a bulk insert of one must not take what
// another wrote there for its own.
func TestChunksAreShared(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		bodies := map[int64]string{}
		add := func(list ...string) {
			for i, id := range f.add(f.ann, list...) {
				bodies[id] = list[i]
			}
		}
		add("alpha one")
		f.add(f.bob, "alpha his")
		many := make([]string, words.ChunkSize+50)
		for i := range many {
			many[i] = fmt.Sprintf("filler number %d", i)
		}
		add(many...)
		add("alpha two")
		if got := f.found("alpha", false); len(got) != 2 || got[1] != f.last {
			t.Errorf("found %v", got)
		}
		before := f.index(f.ann)
		f.rebuild(f.ann, bodies)
		if f.index(f.ann) != before {
			t.Error("the index made anew is another")
		}
	})
}

func TestOverlaps(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		ids := f.add(f.ann, "alpha beta", "alpha gamma", "delta")
		f.add(f.bob, "alpha beta gamma delta")
		f.last = 40 * words.ChunkSize // two segments later
		later := f.add(f.ann, "gamma beta", "alpha", "epsilon")
		weight := map[string]float64{"alpha": 1, "gamma": 4}
		overlaps := func(chunk int64, most int, keys ...string) map[Overlap]bool {
			set := map[Overlap]bool{}
			f.view(func(tx *db.Tx) error {
				s, err := SampleOf(tx, f.ann, chunk, []string{"alpha", "gamma"})
				if err != nil {
					return err
				}
				list, err := s.Overlaps(tx, f.ann, keys, weight, most)
				for _, o := range list {
					set[o] = true
				}
				return err
			})
			return set
		}
		old := []Overlap{{ids[0], 1, true}, {ids[1], 5, true}}
		for name, c := range map[string]struct{ got, want map[Overlap]bool }{
			"both keys":   {overlaps(0, 100, "alpha", "gamma"), map[Overlap]bool{old[0]: true, old[1]: true, {later[0], 4, false}: true, {later[1], 1, false}: true}},
			"one key":     {overlaps(0, 100, "gamma"), map[Overlap]bool{old[0]: true, old[1]: true, {later[0], 4, false}: true}},
			"of the late": {overlaps(40, 100, "gamma"), map[Overlap]bool{{ids[1], 4, false}: true, {later[0], 4, true}: true, {later[1], 1, true}: true}},
			"nothing":     {overlaps(0, 0, "alpha"), map[Overlap]bool{old[0]: true, old[1]: true}},
		} {
			if !maps.Equal(c.got, c.want) {
				t.Errorf("%s: %v, want %v", name, c.got, c.want)
			}
		}
		f.view(func(tx *db.Tx) error {
			s, err := SampleOf(tx, f.ann, 0, []string{"delta", "alpha", "nothing"})
			if err != nil || !slices.Equal(s.Counts, []int{1, 2, 0}) || s.Stats.Docs != 6 {
				t.Errorf("%+v %v", s, err)
			}
			if none, few := s.Rows(0), s.Rows(1); none != 3 || few < none {
				t.Errorf("%d rows, %d", none, few)
			}
			return nil
		})
	})
}

func TestOutdated(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		outdated := func() (yes bool) {
			f.view(func(tx *db.Tx) (err error) { yes, err = Outdated(tx, f.ann); return err })
			return yes
		}
		if outdated() {
			t.Error("without an index")
		}
		id := f.add(f.ann, "x")[0]
		if outdated() {
			t.Error("with one of today")
		}
		f.update(func(tx *db.Tx) error {
			return tx.Must(`UPDATE word_stat SET version = ? WHERE owner_id = ?`, words.Version-1, int64(f.ann))
		})
		if !outdated() {
			t.Error("with one of yesterday")
		}
		if faults := f.faults(f.ann, nil); len(faults) > 0 {
			t.Errorf("one of yesterday is no fault: %v", faults)
		}
		f.rebuild(f.ann, map[int64]string{id: "x"})
		if outdated() {
			t.Error("after it was made anew")
		}
	})
}

// What is damaged is refused by whoever reads it, and found by a tally; what is
// another account's stays.
func TestDamageAndErasure(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.add(f.ann, "alpha beta")
		his := f.add(f.bob, "alpha his")[0]
		before := f.index(f.bob)
		f.update(func(tx *db.Tx) error {
			return tx.Must(`UPDATE posting SET body = ? WHERE owner_id = ? AND term = ?`, []byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 255}, int64(f.ann), "alpha")
		})
		for what, read := range map[string]func(tx *db.Tx) error{
			"search": func(tx *db.Tx) error { _, _, err := Search(tx, f.ann, "alpha", false); return err },
			"sample": func(tx *db.Tx) error { _, err := SampleOf(tx, f.ann, 0, []string{"alpha"}); return err },
			"overlaps": func(tx *db.Tx) error {
				s, err := SampleOf(tx, f.ann, 7, []string{"alpha"})
				if err == nil {
					_, err = s.Overlaps(tx, f.ann, []string{"alpha"}, nil, 100)
				}
				return err
			},
		} {
			if err := f.d.View(ctx, read); !fault.Is(err, fault.Corrupt) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if faults := f.faults(f.ann, map[int64]string{1: "alpha beta"}); len(faults) != 2 {
			t.Errorf("faults %v", faults)
		}
		f.update(func(tx *db.Tx) error { return EraseAccount(tx, f.ann) })
		if got := f.index(f.ann); got != "0 0\n" {
			t.Errorf("left: %s", got)
		}
		if faults := f.faults(f.bob, map[int64]string{his: "alpha his"}); len(faults) > 0 || f.index(f.bob) != before {
			t.Errorf("another's index moved: %v", faults)
		}
	})
}

// What a search, a write and a check run goes by the primary key, whatever the index
// holds.
func TestQueryPlans(t *testing.T) {
	f := open(t)
	bodies := make([]string, 3000)
	for i := range bodies {
		bodies[i] = fmt.Sprintf("body number %d of %d", i, i%7)
	}
	f.add(f.ann, bodies...)
	list := dbtest.Plans(t, f.d, func() {
		ids := f.add(f.ann, "body number 3 is a word of its own", "and another")
		f.update(func(tx *db.Tx) error {
			var x Batch
			terms, length := words.Terms("body number 4")
			x.Replaced(ids[0], "body number 3 is a word of its own", 8, terms, length)
			x.Removed(ids[1], "and another", 2)
			return x.Flush(tx, f.ann)
		})
		f.view(func(tx *db.Tx) error {
			if _, _, err := Search(tx, f.ann, "body num", true); err != nil {
				return err
			}
			_, err := Find(tx, []db.AccountID{f.ann, f.bob}, "body number 3", nil)
			return err
		})
	})
	dbtest.Indexed(t, list, nil)
	for query, step := range map[string]string{
		"SELECT COALESCE(MIN(segment), 0) FROM posting":                           "PRIMARY KEY (owner_id=?)",
		"SELECT COALESCE(MAX(segment), 0) FROM posting":                           "PRIMARY KEY (owner_id=?)",
		"SELECT term, chunk, body FROM posting WHERE owner_id = ? AND segment IN": "PRIMARY KEY (owner_id=? AND segment=? AND term=?)",
		"SELECT term, body FROM posting":                                          "PRIMARY KEY (owner_id=? AND segment=? AND term=? AND chunk=?)",
		"AND term >= ? AND term < ?":                                              "PRIMARY KEY (owner_id=? AND segment=? AND term>? AND term<?)",
		"UPDATE posting SET body = ?":                                             "PRIMARY KEY (owner_id=? AND segment=? AND term=? AND chunk=?)",
	} {
		dbtest.Uses(t, list, query, step)
	}
}
