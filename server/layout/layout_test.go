package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// heaps are rows around k centres of a space of many dimensions, and which centre each
// belongs to.
func heaps(k, each, width int) (ids []int64, vectors matrix, of []int) {
	r := chance(5)
	centres := newMatrix(k, width)
	for range k * width {
		centres.data = append(centres.data, float32(r.unit()-0.5))
	}
	vectors = newMatrix(k*each, width)
	for i := range k * each {
		ids = append(ids, int64(10+i))
		of = append(of, i%k)
		for _, v := range centres.row(i % k) {
			vectors.data = append(vectors.data, v+float32(r.unit()-0.5)*0.3)
		}
	}
	return ids, vectors, of
}

func must(t testing.TB, was *picture, ids []int64, vectors matrix) *picture {
	t.Helper()
	p, err := next(context.Background(), was, 1, ids, vectors, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// together is the part of points whose nearest neighbour on the plane is of their heap.
func together(p *picture, of []int) float64 {
	n := 0
	for i := range p.at {
		best, least := -1, math.MaxFloat64
		for j := range p.at {
			if d := math.Hypot(float64(p.at[i].X-p.at[j].X), float64(p.at[i].Y-p.at[j].Y)); j != i && d < least {
				best, least = j, d
			}
		}
		if of[i] == of[best] {
			n++
		}
	}
	return float64(n) / float64(len(p.at))
}

func TestNearInMeaningIsNearInPlace(t *testing.T) {
	ids, vectors, of := heaps(6, 50, 64)
	p := must(t, nil, ids, vectors)
	if part := together(p, of); part < 0.97 {
		t.Errorf("only %.2f stand beside one of their own", part)
	}
	// Many go through cells, and still stand together.
	ids, vectors, of = heaps(8, 400, 32)
	if part := together(must(t, nil, ids, vectors), of); part < 0.95 {
		t.Errorf("of many only %.2f stand beside one of their own", part)
	}
}

func TestTheSameVectorsGiveTheSamePicture(t *testing.T) {
	ids, vectors, _ := heaps(4, 40, 48)
	a, b := must(t, nil, ids, vectors), must(t, nil, ids, vectors)
	if !slices.Equal(a.at, b.at) {
		t.Error("two pictures of the same differ")
	}
	if again := must(t, a, ids, vectors); again != a {
		t.Error("nothing changed, and the picture is another one")
	}
}

// What is new is placed among its own, and moves nothing.
func TestWhatIsNewMovesNothing(t *testing.T) {
	ids, vectors, of := heaps(5, 40, 48)
	n := len(ids) - 10
	was := must(t, nil, ids[:n], matrix{vectors.width, vectors.data[:n*vectors.width]})
	now := must(t, was, ids, vectors)
	if !slices.Equal(was.at, now.at[:n]) {
		t.Error("what was there moved")
	}
	if part := together(now, of); part < 0.95 {
		t.Errorf("only %.2f stand beside one of their own", part)
	}
	if now.frame != was.frame || now.made != was.made {
		t.Error("the frame moved")
	}
	// Much that is new settles everything again, from where it was.
	ids, vectors, of = heaps(5, 120, 48)
	again := must(t, was, ids, vectors)
	if again.added != 0 || again.frame == was.frame {
		t.Error("it did not settle again")
	}
	if part := together(again, of); part < 0.95 {
		t.Errorf("after settling again only %.2f stand beside one of their own", part)
	}
	// Another space is another picture.
	p, err := next(context.Background(), was, 2, ids, vectors, 2000)
	if err != nil || p.made != 2000 || p.space != 2 {
		t.Errorf("%v, %+v", err, p.space)
	}
}

// Whatever the vectors are, every place is a number, and on the map.
func TestPlacesAreNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 30).Draw(t, "width")
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		value := rapid.SampledFrom([]float32{-1, -0.5, 0, 0, 0.25, 1})
		ids, vectors := make([]int64, n), newMatrix(n, width)
		for i := range ids {
			ids[i] = int64(i + 1)
			for range width {
				vectors.data = append(vectors.data, value.Draw(t, "v"))
			}
		}
		p, err := next(context.Background(), nil, 1, ids, vectors, 1)
		if err != nil {
			t.Fatal(err)
		}
		list := make([]placed, n)
		for i := range list {
			list[i] = placed{id: ids[i], category: int64(i % 3), meant: i%4 != 0}
		}
		for _, members := range arrange(list, p) {
			ellipse(list, members)
		}
		for _, m := range list {
			if !(m.x > -0.5 && m.x < 1.5 && m.y > -0.5 && m.y < 1.5) {
				t.Fatalf("%v, %v", m.x, m.y)
			}
		}
	})
}

func TestACallThatEndsStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ids, vectors, _ := heaps(4, 40, 16)
	if _, err := next(ctx, nil, 1, ids, vectors, 1); err == nil {
		t.Error("it went on")
	}
}

func TestHubsWithoutAnEmbedding(t *testing.T) {
	list := make([]placed, 90)
	for i := range list {
		list[i] = placed{id: int64(i), category: int64(i % 3), meant: true}
	}
	groups := arrange(list, nil)
	if len(groups) != 3 || len(groups[0]) != 30 {
		t.Fatalf("%d groups", len(groups))
	}
	for i, a := range list {
		if a.meant {
			t.Fatal("placed by meaning")
		}
		for _, b := range list[:i] {
			if same := a.category == b.category; math.Hypot(a.x-b.x, a.y-b.y) < 0.0005 || same != (math.Hypot(a.x-b.x, a.y-b.y) < 0.3) {
				t.Fatalf("%+v and %+v", a, b)
			}
		}
	}
}

func TestClustersHaveTheirWords(t *testing.T) {
	var list []placed
	for i := range 60 {
		x := 0.2
		if i%2 == 1 {
			x = 0.8
		}
		dx, dy := seed(i/2, 0.01)
		list = append(list, placed{id: int64(i), x: x + dx, y: 0.5 + dy, category: int64(1 + i%2), meant: true})
	}
	groups := hills(list)
	if len(groups) != 2 || len(groups[0]) != 30 || len(groups[1]) != 30 {
		t.Fatalf("%d groups", len(groups))
	}
	c := ellipse(list, groups[0])
	if c.Count != 30 || c.CategoryID != 1 || c.Major < c.Minor || math.Abs(float64(c.X)/65535-0.2) > 0.02 {
		t.Errorf("%+v", c)
	}
	texts := make([][]string, 2)
	for i := range 20 {
		texts[0] = append(texts[0], fmt.Sprintf("The tomato seedlings number %d like warm soil", i))
		texts[1] = append(texts[1], fmt.Sprintf("The deploy number %d went to Harbor again", i))
	}
	words := rareWords(texts)
	if !slices.Contains(words[1], "deploy") && !slices.Contains(words[1], "harbor") || slices.Contains(words[0], "number") {
		t.Errorf("%v", words)
	}
}

func BenchmarkPicture(b *testing.B) {
	for _, n := range []int{1000, 20000} {
		ids, vectors, _ := heaps(20, n/20, 384)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for range b.N {
				must(b, nil, ids, vectors)
			}
		})
	}
}
