package embedding_test

import (
	"context"
	"math"
	"testing"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/shared/api"
	"elowen/shared/fault"
)

var ctx = context.Background()

// people makes accounts, whom vectors refer to.
func people(t *testing.T, d *db.DB, names ...string) []db.AccountID {
	t.Helper()
	accounts := account.New(d, account.Options{Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}})
	var ids []db.AccountID
	for _, name := range names {
		p, err := accounts.Add(ctx, api.PersonAdd{Name: name, Role: api.RoleMember})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, db.AccountID(p.ID))
	}
	return ids
}

func update(t *testing.T, d *db.DB, fn func(tx *db.Tx) error) {
	t.Helper()
	if err := d.Update(ctx, fn); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, d *db.DB, fn func(tx *db.Tx) error) {
	t.Helper()
	if err := d.View(ctx, fn); err != nil {
		t.Fatal(err)
	}
}

func activate(t *testing.T, d *db.DB, s embedding.Space) (out embedding.Stored) {
	t.Helper()
	update(t, d, func(tx *db.Tx) (err error) {
		out, _, err = embedding.Activate(tx, s)
		return err
	})
	return out
}

func item(id int64, hash string, vectors ...[]float32) embedding.Item {
	return embedding.Item{Memory: id, BodyHash: hash, Script: "Latn", Vectors: vectors}
}

func put(d *db.DB, owner db.AccountID, space embedding.SpaceID, items ...embedding.Item) (n int, err error) {
	err = d.Update(ctx, func(tx *db.Tx) (err error) {
		n, err = embedding.Put(tx, owner, space, items)
		return err
	})
	return n, err
}

func indexed(t *testing.T, d *db.DB, owner db.AccountID, bodies ...embedding.Body) (got map[int64]bool) {
	t.Helper()
	view(t, d, func(tx *db.Tx) (err error) {
		got, err = embedding.Indexed(tx, owner, bodies)
		return err
	})
	return got
}

var (
	spaceA = embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://a.example/v1", Model: "m"}
	spaceB = embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://b.example/v1", Model: "m"}
)

func TestVectorsBelongToTheirSpaceAndBody(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		who := people(t, d, "ann", "ben")
		one := embedding.Body{Memory: 1, Hash: "h1"}
		if got := indexed(t, d, who[0], one); len(got) != 0 {
			t.Errorf("indexed while off: %v", got)
		}
		a := activate(t, d, spaceA)
		if n, err := put(d, who[0], a.ID, item(1, "h1", []float32{3, 4}, []float32{0, 2})); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		if got := indexed(t, d, who[0], one, embedding.Body{Memory: 2, Hash: "h1"}); !got[1] || got[2] {
			t.Errorf("indexed: %v", got)
		}
		if got := indexed(t, d, who[0], embedding.Body{Memory: 1, Hash: "h2"}); got[1] {
			t.Error("fresh for another body")
		}
		if got := indexed(t, d, who[1], one); got[1] {
			t.Error("another account has it")
		}
		b := activate(t, d, spaceB)
		if got := indexed(t, d, who[0], one); got[1] {
			t.Error("fresh in another space")
		}
		// What comes late for the space before is refused.
		if n, err := put(d, who[0], a.ID, item(1, "h3", []float32{1, 0})); err != nil || n != 0 {
			t.Errorf("a late vector: %d, %v", n, err)
		}
		if n, err := put(d, who[0], b.ID, item(1, "h1", []float32{1, 0, 0})); err != nil || n != 1 {
			t.Errorf("another width in another space: %d, %v", n, err)
		}
		if back := activate(t, d, spaceA); back.ID != a.ID || back.Width != 2 {
			t.Errorf("back in the first space: %+v", back)
		}
		if got := indexed(t, d, who[0], one); !got[1] {
			t.Error("switching back lost a vector")
		}
		var parts [][]float32
		view(t, d, func(tx *db.Tx) error {
			for v, err := range embedding.Vectors(tx, who[0], a.ID, nil) {
				if err != nil {
					return err
				}
				x := make([]float32, v.Width)
				if !embedding.Decode(x, v.Raw) || v.Memory != 1 || v.Part != len(parts) || v.BodyHash != "h1" || v.Script != "Latn" {
					t.Errorf("%+v", v)
				}
				parts = append(parts, x)
			}
			return nil
		})
		if len(parts) != 2 || math.Abs(float64(parts[0][0])-0.6) > 1e-6 || parts[1][1] != 1 {
			t.Errorf("vectors %v", parts)
		}
		// Fewer windows leave none of the old ones.
		if _, err := put(d, who[0], a.ID, item(1, "h4", []float32{1, 1})); err != nil {
			t.Fatal(err)
		}
		count := 0
		view(t, d, func(tx *db.Tx) error {
			for _, err := range embedding.Vectors(tx, who[0], a.ID, []int64{1, 7}) {
				if err != nil {
					return err
				}
				count++
			}
			return nil
		})
		if count != 1 {
			t.Errorf("%d vectors", count)
		}
	})
}

func TestBadVectorsAreRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	d := dbtest.Open(t, nil)
	owner := people(t, d, "ann")[0]
	s := activate(t, d, spaceA)
	if _, err := put(d, owner, s.ID, item(1, "h", []float32{1, 2})); err != nil {
		t.Fatal(err)
	}
	for name, it := range map[string]embedding.Item{
		"none": item(2, "h"), "empty": item(2, "h", []float32{}), "nan": item(2, "h", []float32{1, nan}),
		"inf": item(2, "h", []float32{inf, 0}), "zero": item(2, "h", []float32{0, 0}), "width": item(2, "h", []float32{1, 2, 3}),
		"two widths": item(2, "h", []float32{1, 2}, []float32{1}), "no hash": item(2, "", []float32{1, 2}),
		"too wide": item(2, "h", make([]float32, 8193)),
	} {
		n, err := put(d, owner, s.ID, item(3, "h", []float32{2, 1}), it)
		if n != 0 || !fault.Is(err, fault.Corrupt) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	asked := activate(t, d, embedding.Space{Kind: api.ProviderOpenAI, Endpoint: "http://a.example/v1", Model: "m", Asked: 3})
	if _, err := put(d, owner, asked.ID, item(1, "h", []float32{1, 2})); !fault.Is(err, fault.Corrupt) {
		t.Errorf("a width that was not asked for: %v", err)
	}
	if got := indexed(t, d, owner, embedding.Body{Memory: 1, Hash: "h"}, embedding.Body{Memory: 3, Hash: "h"}); len(got) != 0 {
		t.Error(got)
	}
}

func TestRevisionMovesWithEachChange(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		owner := people(t, d, "ann")[0]
		s := activate(t, d, spaceA)
		revision := func() (n int64) {
			view(t, d, func(tx *db.Tx) (err error) { n, err = embedding.Revision(tx, owner); return err })
			return n
		}
		last := revision()
		rises := func(what string, want bool) {
			t.Helper()
			now := revision()
			if (now > last) != want {
				t.Errorf("%s: revision %d after %d", what, now, last)
			}
			last = now
		}
		if _, err := put(d, owner, s.ID, item(1, "a", []float32{1}), item(2, "b", []float32{1})); err != nil {
			t.Fatal(err)
		}
		rises("a write", true)
		before := last
		if _, err := put(d, owner, s.ID, item(2, "c", []float32{1})); err != nil {
			t.Fatal(err)
		}
		rises("a change", true)
		view(t, d, func(tx *db.Tx) error {
			ids, err := embedding.ChangedSince(tx, owner, s.ID, before)
			if len(ids) != 1 || ids[0] != 2 {
				t.Errorf("changed: %v", ids)
			}
			return err
		})
		update(t, d, func(tx *db.Tx) error { return embedding.Remove(tx, owner, []int64{9}) })
		rises("a removal of nothing", false)
		activate(t, d, spaceB)
		update(t, d, func(tx *db.Tx) error { return embedding.Remove(tx, owner, []int64{1, 9}) })
		rises("a removal", true)
		for _, table := range []string{"embedding", "embedding_vector"} {
			view(t, d, func(tx *db.Tx) error {
				var n int
				err := tx.Row(`SELECT COUNT(*) FROM `+table+` WHERE memory_id = 1`, nil, &n)
				if n != 0 {
					t.Errorf("%s keeps %d rows", table, n)
				}
				return err
			})
		}
		update(t, d, func(tx *db.Tx) error { return embedding.Forget(tx, owner, s.ID) })
		rises("forgetting", true)
		view(t, d, func(tx *db.Tx) error {
			n, err := embedding.Count(tx, owner, s.ID)
			if n != 0 {
				t.Errorf("%d are left", n)
			}
			return err
		})
		activate(t, d, spaceA)
		if n, err := put(d, owner, s.ID, item(1, "a", []float32{1, 2})); n != 1 || err != nil {
			t.Errorf("another width after all was forgotten: %d, %v", n, err)
		}
		update(t, d, func(tx *db.Tx) error { return embedding.EraseAccount(tx, owner) })
		update(t, d, func(tx *db.Tx) error {
			changed, err := embedding.Deactivate(tx)
			again, err2 := embedding.Deactivate(tx)
			if !changed || again || err2 != nil {
				t.Error("switching off", changed, again, err2)
			}
			return err
		})
	})
}

func TestEndpoint(t *testing.T) {
	for in, want := range map[string]string{
		"HTTPS://API.Example.org:443/v1/": "https://api.example.org/v1",
		" http://localhost:11434 ":        "http://localhost:11434",
		"http://[::1]:80/a//b/../c":       "http://[::1]/a/c",
		"http://h.:8080/":                 "http://h:8080",
		"ftp://h":                         "", "h/v1": "", "http://": "", "http://u:p@h/": "", "http://h/?k=1": "", "http://h/#x": "", "http:h": "", "": "", "http://h/v1?": "",
	} {
		got, err := embedding.Endpoint(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", in, got, err)
		}
		if again, err := embedding.Endpoint(got); want != "" && (again != got || err != nil) {
			t.Errorf("%q is not stable: %q", got, again)
		}
	}
}

func TestIdentityTellsAllParts(t *testing.T) {
	base := embedding.Space{Kind: "openai", Endpoint: "http://a", Model: "m", Asked: 2, File: "f"}
	seen := map[string]bool{base.Identity(): true}
	for _, s := range []embedding.Space{
		{"ollama", "http://a", "m", 2, "f"}, {"openai", "http://b", "m", 2, "f"}, {"openai", "http://a", "n", 2, "f"},
		{"openai", "http://a", "m", 0, "f"}, {"openai", "http://a", "m", 2, ""}, {"openai", `http://a" "m`, "", 2, "f"},
	} {
		if seen[s.Identity()] {
			t.Errorf("%+v is not told from another", s)
		}
		seen[s.Identity()] = true
	}
}

func TestScript(t *testing.T) {
	for text, want := range map[string]string{
		"The boiler is serviced in March.": "Latn", "Kotel se čistí v březnu.": "Latn", "Котёл чистят в марте.": "Cyrl",
		"锅炉三月检修": "Hani", "ボイラーは三月に点検します": "Jpan", "보일러는 3월에 점검한다": "Hang", "หม้อต้มตรวจเดือนมีนาคม": "Thai",
		"": "", "12:30 ☕": "", "用 Go 写的程序": "Hani", "Ο λέβητας": "Grek",
	} {
		if got := embedding.Script(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestProfileIsKeptWithTheSpace(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, _ *dbtest.Clock) {
		s := activate(t, d, spaceA)
		of := func() (p embedding.Profile) {
			view(t, d, func(tx *db.Tx) (err error) { p, err = embedding.ProfileOf(tx, s); return err })
			return p
		}
		if p := of(); p.Known() || p.QueryBy != "" {
			t.Errorf("an unknown model has %+v", p)
		}
		p := embedding.Profile{
			Model: "m", Relevance: embedding.Line{Zero: 0.2, One: 0.7}, Words: 0.7, Floor: 0.2,
			Passages:   embedding.Means{All: []float32{0.5, 0}, Apart: [][]float32{{0, 1}}, Tongues: map[string][]float32{"en": {0}, "Hani": {0.5}}},
			Thresholds: embedding.Thresholds{Reinforce: 0.92}, Foreign: embedding.Foreign{Axis: []float32{0, 1}, Middle: 0.25},
		}
		update(t, d, func(tx *db.Tx) error { return embedding.SaveProfile(tx, s.ID, p) })
		got := of()
		if got.Passages.All[0] != 0.5 || got.Passages.Apart[0][1] != 1 || got.Passages.Tongues["Hani"][0] != 0.5 || math.Abs(got.Relevance.At(0.45)-0.5) > 1e-9 || got.Thresholds.Reinforce != 0.92 || got.Floor != 0.2 || !got.Known() {
			t.Errorf("%+v", got)
		}
		if of := got.Foreign.Of([]float32{0.6, 0.8}); math.Abs(of-0.55) > 1e-6 || got.Foreign.Of([]float32{1}) != 0 || (embedding.Foreign{}).Of([]float32{1, 0}) != 0 {
			t.Errorf("a question lies at %v", of)
		}
		if got.Queries.All != nil || got.Queries.Apart != nil {
			t.Error("means from nowhere")
		}
		// One with a mean for each language, as they were kept, is known no more.
		older := `{"model":"m","passages":{"all":"AAAAPwAAAAA=","Hani":"AAAAAAAAAD8="},"thresholds":{"reinforce":0.9},"relevance":{"zero":0.2,"one":0.7},"floor":0.2,"words":0.7}`
		if err := got.UnmarshalText([]byte(older)); err != nil || got.Known() || got.Passages.All != nil || got.Foreign.Axis != nil || got.Words != 0.7 {
			t.Errorf("%+v %v", got, err)
		}
	})
	if p := embedding.KnownProfile(embedding.Space{Kind: api.ProviderOllama, Model: "nomic-embed-text:latest"}); p.QueryBy != "search_query: " {
		t.Errorf("%+v", p)
	}
	if p := embedding.KnownProfile(embedding.Space{Kind: api.ProviderLocal, Model: embedding.ModelE5English}); p.Words != 0.6 || p.PassageBy != "passage: " {
		t.Errorf("%+v", p)
	}
}

func TestCentre(t *testing.T) {
	v := []float32{0.6, 0.8}
	embedding.Means{All: []float32{0.6, 0}}.Centre(v)
	if v[0] != 0 || v[1] != 1 {
		t.Error(v)
	}
	embedding.Means{All: []float32{1}}.Centre(v)
	embedding.Means{}.Centre(v)
	if v[1] != 1 {
		t.Error("a mean of another width was taken off")
	}
	embedding.Means{All: []float32{0, 1}}.Centre(v)
	if v[0] != 0 || v[1] != 0 {
		t.Error(v)
	}
	// What lies along the way between languages goes, and tells which language it is.
	m := embedding.Means{All: []float32{0, 0, 0}, Apart: [][]float32{{1, 0, 0}}, Tongues: map[string][]float32{"en": {0}, "Hani": {0.5}}}
	for _, c := range []struct {
		v     []float32
		group string
	}{{[]float32{0.6, 0.8, 0}, "Hani"}, {[]float32{0.1, 0.99, 0}, "en"}, {[]float32{0.25, 0.9, 0}, "Hani"}} {
		if got := m.Centre(c.v); got != c.group || c.v[0] != 0 || math.Abs(float64(c.v[1])-1) > 1e-6 {
			t.Errorf("%v of %q, want %q", c.v, got, c.group)
		}
	}
	if got := (embedding.Means{All: []float32{0, 1}}).Centre([]float32{1, 0}); got != "" {
		t.Errorf("%q", got)
	}
}
