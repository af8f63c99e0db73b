package words

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func all(t testing.TB, chunk int64, blob []byte) []Posting {
	t.Helper()
	postings := []Posting{}
	r := Decode(chunk, blob)
	for r.Next() {
		postings = append(postings, r.Posting())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	if n, err := Count(blob); err != nil || n != len(postings) {
		t.Fatalf("Count is %d, %v for %d postings", n, err, len(postings))
	}
	return postings
}

func TestChunkOf(t *testing.T) {
	for id, want := range map[int64]int64{0: 0, 1: 0, 1023: 0, 1024: 1, 1 << 40: 1 << 30, -1: -1} {
		if got := ChunkOf(id); got != want {
			t.Errorf("ChunkOf(%d) is %d, want %d", id, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	const chunk = 7
	var blob []byte
	want := []Posting{}
	var err error
	for i := range int64(ChunkSize) {
		p := Posting{chunk*ChunkSize + i, int(1 + i%5), int(5 + i*i)}
		if blob, err = Append(blob, p); err != nil {
			t.Fatal(err)
		}
		want = append(want, p)
	}
	if got := all(t, chunk, blob); !slices.Equal(got, want) {
		t.Fatalf("%v", got)
	}
	for _, id := range []int64{chunk * ChunkSize, chunk*ChunkSize + 1023} {
		if got, err := Append(blob, Posting{id, 1, 1}); !errors.Is(err, ErrOrder) || !bytes.Equal(got, blob) {
			t.Errorf("appending %d again: %v", id, err)
		}
	}
}

func TestPostingBounds(t *testing.T) {
	blob, err := Merge(nil, Posting{5, 0, 0}, Posting{6, 1 << 40, 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, 0, blob); !slices.Equal(got, []Posting{{5, 1, 1}, {6, maxCount, maxCount}}) {
		t.Errorf("%v", got)
	}
	if _, err := Merge(nil, Posting{1023, 1, 1}, Posting{1024, 1, 1}); !errors.Is(err, ErrOrder) {
		t.Errorf("two chunks: %v", err)
	}
	if blob, err := Remove(nil, 1); blob != nil || err != nil {
		t.Errorf("removing from nothing: %v, %v", blob, err)
	}
}

// A frequent word's posting takes two bytes.
func TestPostingIsSmall(t *testing.T) {
	var blob []byte
	for i := range int64(1000) {
		blob, _ = Append(blob, Posting{i, 1, 45})
	}
	if len(blob) > 5+2*1000 {
		t.Errorf("1000 postings take %d bytes", len(blob))
	}
}

func postingsOf(chunk int64) *rapid.Generator[[]Posting] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Posting {
		return Posting{
			chunk*ChunkSize + rapid.Int64Range(0, ChunkSize-1).Draw(t, "place"),
			rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 1<<20)).Draw(t, "tf"),
			rapid.OneOf(rapid.IntRange(1, 60), rapid.IntRange(1, maxCount)).Draw(t, "length"),
		}
	}), 0, 60)
}

// Merge and Remove do what they would to a map; what was merged and removed
// again leaves no trace, and blobs don't depend on the order of writes.
func TestMergeRemove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		chunk := rapid.Int64Range(0, 1<<40).Draw(rt, "chunk")
		model := map[int64]Posting{}
		var blob []byte
		var err error
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			before := bytes.Clone(blob)
			added := postingsOf(chunk).Draw(rt, "added")
			if blob, err = Merge(blob, added...); err != nil {
				rt.Fatal(err)
			}
			fresh := []int64{}
			for _, p := range added {
				if _, had := model[p.ID]; !had {
					fresh = append(fresh, p.ID)
				}
			}
			if len(fresh) == len(added) {
				back, err := Remove(blob, fresh...)
				if err != nil || !bytes.Equal(back, before) {
					rt.Fatalf("merge, remove: %x, %v; was %x", back, err, before)
				}
			}
			for _, p := range added {
				model[p.ID] = p
			}
			gone := []int64{}
			for _, p := range rapid.SliceOfN(rapid.Int64Range(0, ChunkSize-1), 0, 20).Draw(rt, "gone") {
				gone = append(gone, chunk*ChunkSize+p)
				delete(model, chunk*ChunkSize+p)
			}
			if blob, err = Remove(blob, gone...); err != nil {
				rt.Fatal(err)
			}
			want := slices.SortedFunc(maps.Values(model), byID)
			if got := all(t, chunk, blob); !slices.Equal(got, want) && len(want)+len(got) > 0 {
				rt.Fatalf("%v, want %v", got, want)
			}
			if len(want) == 0 && blob != nil {
				rt.Fatalf("an empty blob is %x", blob)
			}
			if at, err := Merge(nil, want...); err != nil || !bytes.Equal(at, blob) {
				rt.Fatalf("at once %x, %v; step by step %x", at, err, blob)
			}
		}
	})
}

// Merge never writes into the blob it was given.
func TestMergeLeavesItsInput(t *testing.T) {
	blob, _ := Merge(nil, Posting{10, 1, 1}, Posting{20, 2, 2})
	before := bytes.Clone(blob)
	for _, id := range []int64{5, 10, 15, 20, 30} {
		grown := append(make([]byte, 0, 100), blob...)
		if _, err := Merge(grown, Posting{id, 3, 3}); err != nil {
			t.Fatal(err)
		}
		if id < 30 && !bytes.Equal(grown, before) {
			t.Errorf("merging %d changed the blob to %x", id, grown)
		}
	}
	if _, err := Remove(blob, 10); err != nil || !bytes.Equal(blob, before) {
		t.Errorf("removing changed the blob to %x, %v", blob, err)
	}
}

func TestCorrupt(t *testing.T) {
	good, _ := Merge(nil, Posting{3, 1, 45}, Posting{9, 4, 300}, Posting{700, 1, 7})
	for n := 1; n < len(good); n++ {
		cut := good[:n]
		if err := readAll(cut); !errors.Is(err, ErrCorrupt) {
			t.Errorf("cut to %d: %v", n, err)
		}
		if _, err := Merge(cut, Posting{5, 1, 1}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("merge into a blob cut to %d: %v", n, err)
		}
		if _, err := Remove(cut, 5); !errors.Is(err, ErrCorrupt) {
			t.Errorf("remove from a blob cut to %d: %v", n, err)
		}
		q := ParseQuery("word")
		if _, err := Score(Stats{10, 100}, q, []TermPostings{{"word", []Chunk{{0, cut}}}}); !errors.Is(err, ErrCorrupt) {
			t.Errorf("score with a blob cut to %d: %v", n, err)
		}
	}
	for _, blob := range [][]byte{append(bytes.Clone(good), 2), {2, 1, 0, 0, 0, 2, 1}, {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0, 1}, {1, 1, 0, 0, 0, 2, 0}, {1, 1, 0, 0, 0, 3, 1, 1}, {1, 1, 0, 5, 0, 2, 1}} {
		if err := readAll(blob); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%x: %v", blob, err)
		}
	}
}

func readAll(blob []byte) error {
	r := Decode(0, blob)
	for r.Next() {
	}
	return r.Err()
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	var blob []byte
	for i := range int64(1000) {
		blob, _ = Append(blob, Posting{i, int(1 + i%2), 300})
	}
	sum := 0
	if n := testing.AllocsPerRun(10, func() {
		for r := Decode(0, blob); r.Next(); {
			sum += r.Posting().TF
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Whatever the bytes are: no panic, ascending ids of the chunk, and the three
// readers agree on what is a blob.
func FuzzDecode(f *testing.F) {
	good, _ := Merge(nil, Posting{3, 1, 45}, Posting{9, 4, 300}, Posting{700, 1, 7})
	f.Add([]byte{})
	f.Add(good)
	f.Add([]byte{1, 1, 0, 0, 0, 2, 1})
	f.Add([]byte{1, 255, 255, 255, 255, 2, 1})
	f.Fuzz(func(t *testing.T, blob []byte) {
		r := Decode(3, blob)
		postings := []Posting{}
		for r.Next() {
			p := r.Posting()
			if ChunkOf(p.ID) != 3 || p.TF < 1 || p.Length < 1 || len(postings) > 0 && postings[len(postings)-1].ID >= p.ID {
				t.Fatalf("%v after %v", p, postings)
			}
			postings = append(postings, p)
		}
		var s scorer
		found, err := s.read(blob)
		if (err == nil) != (r.Err() == nil) || err == nil && len(found) != len(postings) {
			t.Fatalf("Decode: %d, %v; Score: %d, %v", len(postings), r.Err(), len(found), err)
		}
		if _, err := Merge(bytes.Clone(blob), Posting{3 * ChunkSize, 1, 1}); err != nil && r.Err() == nil {
			t.Fatalf("Merge: %v", err)
		}
		kept, err := Remove(blob)
		if (err == nil) != (r.Err() == nil) {
			t.Fatalf("Decode: %v; Remove: %v", r.Err(), err)
		}
		if err == nil && !slices.Equal(all(t, 3, kept), postings) {
			t.Fatalf("rewritten as %x", kept)
		}
	})
}
