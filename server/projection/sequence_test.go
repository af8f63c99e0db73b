package projection

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/server/words"
)

// shelf is rows in slots as a catalogue has them.
type shelf struct {
	rows []brief
	in   map[int32]bool
	next int64
}

const testNow = 1_795_996_800_000

func drawBrief(t *rapid.T, id int64, p vitality.Policy) brief {
	// Few distinct values, so that ties are common.
	instant := func(label string) int64 {
		return testNow - int64(rapid.IntRange(0, 40).Draw(t, label))*vitality.DayMillis/4
	}
	m := brief{
		ID: id, Status: rapid.SampledFrom([]memory.Status{memory.Active, memory.Deleted}).Draw(t, "status"),
		Importance: int8(rapid.IntRange(1, 10).Draw(t, "importance")),
		CreatedAt:  instant("created"), UpdatedAt: instant("updated"), UseCount: int64(rapid.IntRange(0, 3).Draw(t, "uses")),
	}
	if m.UseCount > 0 {
		m.LastUsedAt = instant("used")
	}
	v := m.Vital()
	var err error
	if m.OrderKey, err = vitality.OrderKey(v, p); err != nil {
		t.Fatal(err)
	}
	if m.FadesAt, err = vitality.FadesAt(v, p); err != nil {
		t.Fatal(err)
	}
	return m
}

// less is the order that a sequence should have, the slow and plain way.
func less(s sequence, a, b *brief, now int64) int {
	l, ok := s.(*levels)
	if !ok {
		p := s.(*plain)
		return p.by.compare(p.by.keyOf(a), p.by.keyOf(b))
	}
	x, y := l.placeOf(a), l.placeOf(b)
	c := 0
	switch {
	case l.before(x, l.height(y.level, y.key, now), y, now):
		c = -1
	case l.before(y, l.height(x.level, x.key, now), x, now):
		c = 1
	}
	if l.desc {
		return -c
	}
	return c
}

func TestSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := vitality.DefaultPolicy()
		by := ordering{
			sort: rapid.SampledFrom([]sorting{byUpdated, byCreated, byVitality, byImportance, byUsed, byEvictable, byRelevance}).Draw(t, "sort"),
			desc: rapid.Bool().Draw(t, "desc"),
		}
		for id := range int64(400) {
			if score := rapid.IntRange(-2, 2).Draw(t, "score"); score != 0 {
				by.hits = append(by.hits, words.Hit{ID: id, Score: float64(score)})
			}
		}
		s := newSequence(by, policy)
		shelf := shelf{in: map[int32]bool{}}
		add := func() int32 {
			shelf.next++
			shelf.rows = append(shelf.rows, drawBrief(t, shelf.next, policy))
			return int32(len(shelf.rows) - 1)
		}
		some := func() []int32 {
			var list []int32
			for slot := range shelf.in {
				list = append(list, slot)
			}
			slices.Sort(list)
			if len(list) == 0 {
				return nil
			}
			return list[:rapid.IntRange(0, len(list)).Draw(t, "some")]
		}
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(*rapid.T) {
				slot := add()
				s.insert(shelf.rows, slot)
				shelf.in[slot] = true
			},
			"insertAll": func(t *rapid.T) {
				var slots []int32
				for range rapid.IntRange(0, 20).Draw(t, "many") {
					slots = append(slots, add())
					shelf.in[slots[len(slots)-1]] = true
				}
				s.insertAll(shelf.rows, slots)
			},
			"remove": func(*rapid.T) {
				for _, slot := range some() {
					s.remove(shelf.rows, slot)
					delete(shelf.in, slot)
				}
			},
			"removeAbsent": func(*rapid.T) {
				slot := add()
				s.remove(shelf.rows, slot)
			},
			"removeAll": func(*rapid.T) {
				gone := some()
				s.removeAll(shelf.rows, func(slot int32) bool { return slices.Contains(gone, slot) })
				for _, slot := range gone {
					delete(shelf.in, slot)
				}
			},
			"": func(t *rapid.T) {
				now := testNow + int64(rapid.IntRange(-20, 400).Draw(t, "now"))*vitality.DayMillis/3
				var want []int32
				for slot := range shelf.in {
					want = append(want, slot)
				}
				slices.SortFunc(want, func(a, b int32) int { return less(s, &shelf.rows[a], &shelf.rows[b], now) })
				if s.length() != len(want) {
					t.Fatalf("length %d, want %d", s.length(), len(want))
				}
				from := rapid.IntRange(0, len(want)+3).Draw(t, "from")
				limit := rapid.IntRange(0, 30).Draw(t, "limit")
				wantPart := want[min(from, len(want)):min(from+limit, len(want))]
				if got := s.part(shelf.rows, from, limit, now); !slices.Equal(got, wantPart) {
					t.Fatalf("part(%d, %d) = %v, want %v", from, limit, got, wantPart)
				}
				for i, slot := range want {
					if got := s.rank(shelf.rows, s.placeOf(&shelf.rows[slot]), now); got != i {
						t.Fatalf("rank of %d is %d, want %d", slot, got, i)
					}
				}
				if len(shelf.rows) > 0 {
					m := &shelf.rows[len(shelf.rows)-1] // perhaps one that is not in the sequence
					ahead := 0
					for _, slot := range want {
						if less(s, &shelf.rows[slot], m, now) < 0 {
							ahead++
						}
					}
					if got := s.rank(shelf.rows, s.placeOf(m), now); got != ahead {
						t.Fatalf("rank of a place is %d, want %d", got, ahead)
					}
				}
			},
		})
	})
}

// The merged order is that of vitality itself.
func TestLevelsOrderAsVitality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := vitality.DefaultPolicy()
		s := newSequence(ordering{sort: byVitality, desc: true}, policy)
		var rows []brief
		for id := range int64(rapid.IntRange(1, 60).Draw(t, "rows")) {
			rows = append(rows, drawBrief(t, id+1, policy))
			s.insert(rows, int32(id))
		}
		now := testNow + int64(rapid.IntRange(0, 300).Draw(t, "days"))*vitality.DayMillis
		last := 101.0
		for _, slot := range s.part(rows, 0, len(rows), now) {
			m := rows[slot]
			v, err := vitality.Vitality(m.Vital(), policy, now)
			if err != nil {
				t.Fatal(err)
			}
			if v > last*(1+1e-9) {
				t.Fatalf("%v after %v", v, last)
			}
			last = v
		}
	})
}

func TestSortableNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if (a < b) != (sortable(a) < sortable(b)) {
			t.Fatalf("%v and %v", a, b)
		}
		if number(sortable(a)) != a {
			t.Fatalf("%v became %v", a, number(sortable(a)))
		}
	})
}

// Many rows at once are sorted another way than few; both ways agree.
func TestManyRowsAreSortedAsFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := vitality.DefaultPolicy()
		by := ordering{sort: rapid.SampledFrom([]sorting{byUpdated, byCreated, byVitality, byImportance, byUsed, byEvictable, byRelevance}).Draw(t, "sort"), desc: rapid.Bool().Draw(t, "desc")}
		kinds := make([]brief, 12) // drawing a thousand rows one by one would take long
		for i := range kinds {
			kinds[i] = drawBrief(t, 0, policy)
		}
		backwards := rapid.Bool().Draw(t, "backwards")
		rows := make([]brief, radixLeast+rapid.IntRange(0, 300).Draw(t, "rows"))
		slots := make([]int32, len(rows))
		for i := range rows {
			rows[i] = kinds[i*7919%len(kinds)]
			rows[i].ID = int64(i + 1)
			if backwards {
				rows[i].ID = int64(len(rows) - i)
			}
			rows[i].UpdatedAt += int64(i % 5)
			slots[i] = int32(i)
			if i%3 == 0 {
				by.hits = append(by.hits, words.Hit{ID: int64(i + 1), Score: float64(i%7) - 3})
			}
		}
		r := run{by: by}
		got := r.sorted(rows, slots)
		want := slices.Clone(slots)
		slices.SortFunc(want, func(a, b int32) int { return by.compare(by.keyOf(&rows[a]), by.keyOf(&rows[b])) })
		if !slices.Equal(got, want) {
			t.Fatalf("%v\nwant\n%v", got, want)
		}
	})
}
