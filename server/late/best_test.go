package late

import (
	"math"
	"math/rand/v2"
	"testing"
)

// spread gives n vectors of length 1 that have most in their first numbers, as what
// principal axes give.
func spread(r *rand.Rand, n int) []float32 {
	out := make([]float32, n*Width)
	for t := range n {
		v := out[t*Width : (t+1)*Width]
		sum := 0.0
		for i := range v {
			v[i] = float32(r.NormFloat64() / math.Sqrt(1+float64(i)/8))
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
	}
	return out
}

func product(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// A packed vector is nearly the vector, and of length 1.
func TestPackedVectorsAreNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v := spread(r, 200)
	packed := pack(nil, v)
	if len(packed) != 200*TokenBytes {
		t.Fatalf("%d bytes", len(packed))
	}
	back := unpack(nil, packed)
	for i := 0; i < len(v); i += Width {
		a, b := v[i:i+Width], back[i:i+Width]
		if c := product(a, b) / math.Sqrt(product(b, b)); c < 0.96 {
			t.Errorf("cosine %v", c)
		}
		if l := product(b, b); math.Abs(l-1) > 0.02 {
			t.Errorf("length² %v", l)
		}
	}
	for _, x := range unpack(nil, pack(nil, make([]float32, Width))) {
		if x != 0 {
			t.Fatal("nothing became something")
		}
	}
}

// Both kernels agree to the last bit, at any number of tokens, and their best is that
// of the vectors themselves.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 4, 5, 17, 32} {
		for _, m := range []int{1, 2, 40, 512} {
			q, p := spread(r, n), spread(r, m)
			if m == 2 {
				clear(p[Width:])
			}
			if n == 3 {
				clear(q[Width : 2*Width])
			}
			a, packed := newAsked(q), pack(nil, p)
			got := a.best(packed)
			want := make([]float32, len(a.bias))
			for i := range want {
				want[i] = -math.MaxFloat32
			}
			bestPortable(want, a.query, a.bias, packed)
			if len(got) != n {
				t.Fatalf("%d of %d", len(got), n)
			}
			back := unpack(nil, packed)
			for i, g := range got {
				if g != want[i]*a.scale[i] {
					t.Errorf("%d×%d: %v, portable %v", n, m, g, want[i]*a.scale[i])
				}
				most := -1.0
				for j := 0; j < len(back); j += Width {
					most = max(most, product(q[i*Width:(i+1)*Width], back[j:j+Width]))
				}
				if math.Abs(float64(g)-most) > 0.01 {
					t.Errorf("%d×%d, token %d: %v, want %v", n, m, i, g, most)
				}
			}
		}
	}
	for i, x := range newAsked(spread(r, 2)).best(nil) {
		if x != -1 {
			t.Errorf("token %d is like nothing: %v", i, x)
		}
	}
}

func benchmarkBest(b *testing.B, kernel func([]float32, []int8, []float32, []byte)) {
	r := rand.New(rand.NewPCG(5, 6))
	a, packed := newAsked(spread(r, 32)), pack(nil, spread(r, 4500))
	out := make([]float32, len(a.bias))
	for b.Loop() {
		kernel(out, a.query, a.bias, packed)
	}
}

// A question of 32 tokens over 100 memories of 45.
func BenchmarkBest(b *testing.B)         { benchmarkBest(b, best) }
func BenchmarkBestPortable(b *testing.B) { benchmarkBest(b, bestPortable) }
