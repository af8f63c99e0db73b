package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

func random(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	sum := 0.0
	for i := range v {
		v[i] = float32(r.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// The kernels agree with each other and with a sum in float64, at every length and
// wherever a vector begins.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 200; n++ {
		a, b := random(r, n+3)[3:], random(r, n+1)[1:]
		want := 0.0
		for i := range a {
			want += float64(a[i]) * float64(b[i])
		}
		for name, got := range map[string]float32{kernel: Dot(a, b), kernel + ", ahead": dotAhead(a, b, a), "plain Go": dotPortable(a, b)} {
			if math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("%s, %d numbers: %v, want %v", name, n, got, want)
			}
		}
	}
	for _, n := range []int{384, 768, 1024, 1536} {
		a := random(r, n)
		if got := Dot(a, a); math.Abs(float64(got)-1) > 1e-4 {
			t.Errorf("%d numbers with themselves: %v", n, got)
		}
	}
	if Dot(nil, nil) != 0 || Dot([]float32{1}, []float32{1, 2}) != 0 {
		t.Error("vectors that cannot be compared")
	}
}

// The k nearest are those that sorting everything gives, also where many are
// equally near.
func TestNearestIsTheHeadOfTheSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n, k := 1+r.IntN(200), 1+r.IntN(60)
		x := newIndex(4, n)
		ids := r.Perm(n)
		for _, id := range ids {
			v := make([]float32, 4)
			v[r.IntN(2)] = 1
			v[2+r.IntN(2)] = float32(r.IntN(3))
			copy(x.put(fact{id: int64(id + 1)}, ""), v)
		}
		question := []float32{0.5, 0.25, 1, 2}
		all, _, compared := x.search([][]float32{question}, Filter{}, n, 0)
		some, _, _ := x.search([][]float32{question}, Filter{}, k, 0)
		if compared != n || len(all) != n || len(some) != min(k, n) {
			t.Fatalf("%d compared, %d and %d found of %d", compared, len(all), len(some), n)
		}
		for i := range some {
			if some[i] != all[i] {
				t.Fatalf("at %d of %d: %+v, want %+v", i, k, some[i], all[i])
			}
			if i > 0 && before(all[i-1], all[i]) >= 0 {
				t.Fatalf("%+v stands before %+v", all[i-1], all[i])
			}
		}
	}
}

// bench makes an index of n memories, and a question.
func bench(n, width int) (*index, []float32) {
	r := rand.New(rand.NewPCG(5, 6))
	x := newIndex(width, n)
	for i := range n {
		row := x.put(fact{id: int64(i + 1), category: int64(i % 7)}, "")
		for j := range row {
			row[j] = r.Float32() - 0.5
		}
		normalize(row)
	}
	return x, random(r, width)
}

func normalize(v []float32) {
	by := float32(1 / math.Sqrt(float64(Dot(v, v))))
	for i := range v {
		v[i] *= by
	}
}

func benchmarkSearch(b *testing.B, n int, f Filter) {
	x, q := bench(n, 384)
	b.ResetTimer()
	for range b.N {
		if hits, _, _ := x.search([][]float32{q}, f, 300, 0); len(hits) != 300 {
			b.Fatal(len(hits))
		}
	}
}

func BenchmarkSearch10k(b *testing.B)  { benchmarkSearch(b, 10_000, Filter{}) }
func BenchmarkSearch100k(b *testing.B) { benchmarkSearch(b, 100_000, Filter{}) }

// BenchmarkSearch100kExcluded passes 5,000 memories over.
func BenchmarkSearch100kExcluded(b *testing.B) {
	ids := make([]int64, 5_000)
	for i := range ids {
		ids[i] = int64(i*20 + 1)
	}
	benchmarkSearch(b, 100_000, Filter{Excluded: ids, Permitted: func(id int64) bool { return id < 6 }})
}

// BenchmarkRead100k is the time to read the matrix once, for comparison.
func BenchmarkRead100k(b *testing.B) {
	x, _ := bench(100_000, 384)
	b.ResetTimer()
	var sum float32
	for range b.N {
		for _, block := range x.blocks {
			sum += readOnce(block)
		}
	}
	if sum == 42 {
		b.Log(sum)
	}
}

// readOnce is the fastest way to read everything that the kernels here know: a
// product with itself reads each line of the cache once.
func readOnce(v []float32) float32 { return Dot(v, v) }
