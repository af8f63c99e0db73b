package projection

import (
	"testing"

	"pgregory.net/rapid"

	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestCursorRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vital := rapid.Bool().Draw(t, "vitality")
		c := cursor{asOf: rapid.Int64().Draw(t, "asOf")}
		c.a, c.b, c.id = rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b"), rapid.Int64().Draw(t, "id")
		if vital {
			c.level = rapid.IntRange(1, 10).Draw(t, "level")
			c.a = sortable(rapid.Float64().Draw(t, "key"))
		} else {
			c.last = rapid.Bool().Draw(t, "last")
		}
		print := fingerprint(3, "query")
		got, err := decodeCursor(c.encode(print), print, vital)
		if err != nil || got != c {
			t.Fatalf("%+v became %+v, %v", c, got, err)
		}
	})
}

func TestACursorBelongsToOneListOfOneAccount(t *testing.T) {
	key := queryKey(api.MemoryQuery{})
	c := cursor{place: place{key: keyWith(5)}}.encode(fingerprint(1, key))
	if _, err := decodeCursor(c, fingerprint(1, key), false); err != nil {
		t.Fatal(err)
	}
	for name, print := range map[string][8]byte{
		"another account": fingerprint(2, key),
		"another query":   fingerprint(1, queryKey(api.MemoryQuery{Kind: "fact"})),
	} {
		if _, err := decodeCursor(c, print, false); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func keyWith(id int64) key { return key{a: 1, id: id} }

func TestEqualQueriesAreOneList(t *testing.T) {
	same := []api.MemoryQuery{{}, {Status: "active"}, {Sort: "updated", Order: "desc"}, {Match: "words"}, {Sort: "relevance"}}
	for _, q := range same {
		if queryKey(q) != queryKey(same[0]) {
			t.Errorf("%+v is not the plain list", q)
		}
	}
	at := api.Time(5)
	again := api.Time(5)
	if queryKey(api.MemoryQuery{After: &at}) != queryKey(api.MemoryQuery{After: &again}) {
		t.Error("equal instants differ")
	}
	if queryKey(api.MemoryQuery{Q: "a"}) == queryKey(api.MemoryQuery{Q: "b"}) {
		t.Error("different words are equal")
	}
}

// Whatever arrives as a cursor is one of this list, or refused; one that is taken
// is written the same again.
func FuzzCursor(f *testing.F) {
	print := fingerprint(1, "q")
	f.Add(cursor{place: place{key: key{a: 1, b: 2, id: 3}}}.encode(print))
	f.Add(cursor{place: place{level: 5, key: key{a: sortable(1e12), b: 2, id: 3}}, asOf: 7}.encode(print))
	f.Add(cursor{place: place{level: 11}}.encode(print))
	f.Add("")
	f.Add("AAAA")
	f.Add("====")
	f.Fuzz(func(t *testing.T, text string) {
		for _, vital := range []bool{false, true} {
			c, err := decodeCursor(text, print, vital)
			if err != nil {
				if !fault.Is(err, fault.Invalid) {
					t.Errorf("%q: %v", text, err)
				}
				continue
			}
			if again := c.encode(print); again != text {
				t.Errorf("%q is read, but written as %q", text, again)
			}
		}
	})
}
