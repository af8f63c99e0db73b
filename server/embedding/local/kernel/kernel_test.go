package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// each calls f with each kernel that runs here, the portable one too, which is
// compared with itself or the definition.
func each(t *testing.T, f func(t *testing.T, k *Kernel)) {
	for _, k := range All() {
		t.Run(k.name, func(t *testing.T) { f(t, k) })
	}
}

func normal(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x
}

// activations have two columns far larger than the rest.
func activations(rng *rand.Rand, n, width int) []float32 {
	x := normal(rng, n*width, 1)
	for i := range n {
		x[i*width+width/3] *= 60
		x[i*width+width-1] += 90
	}
	return x
}

func random(t testing.TB, rng *rand.Rand, out, in int) (*Matrix, []float32, []float32) {
	t.Helper()
	w, bias := normal(rng, out*in, 0.05), normal(rng, out, 0.1)
	m, err := Pack(out, in, func(i int, dst []float32) { copy(dst, w[i*in:(i+1)*in]) }, bias)
	if err != nil {
		t.Fatal(err)
	}
	return m, w, bias
}

func cosine(a, b []float32) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

func near(t interface{ Fatalf(string, ...any) }, what string, got, want []float32, by float64) {
	for i := range want {
		if !(math.Abs(float64(got[i])-float64(want[i])) <= by*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: value %d of %d is %v, not %v", what, i, len(want), got[i], want[i])
		}
	}
}

// The integers of a product are the same in each kernel; only the sum over the blocks
// is rounded in another order.
func TestProductsAgree(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			n := rapid.IntRange(1, 29).Draw(t, "rows")
			out, in := 16*rapid.IntRange(1, 9).Draw(t, "panels"), 32*rapid.IntRange(1, 13).Draw(t, "inputs")
			w, bias := normal(rng, out*in, 0.05), normal(rng, out, 0.1)
			m, err := Pack(out, in, func(i int, dst []float32) { copy(dst, w[i*in:(i+1)*in]) }, bias)
			if err != nil {
				t.Fatal(err)
			}
			x := activations(rng, n, in)
			var a, b Rows
			k.Quantize(&a, x, in)
			portable.Quantize(&b, x, in)
			for i := range a.q {
				if d := int(a.q[i]) - int(b.q[i]); d < -1 || d > 1 {
					t.Fatalf("activation %v became %d and %d", x[i], a.q[i], b.q[i])
				}
			}
			got, want := make([]float32, n*out), make([]float32, n*out)
			k.Mul(got, m, &b)
			portable.Mul(want, m, &b)
			near(t, "product", got, want, 1e-5)
			k.Mul(got, m, &a)
			for i := range n {
				if c := cosine(got[i*out:(i+1)*out], want[i*out:(i+1)*out]); !(c >= 0.9999) {
					t.Fatalf("row %d: cosine %v", i, c)
				}
			}
		})
	})
}

// The real shapes, and more rows than are kept in the cache at once.
func TestProductsAgreeAtFullSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, out, in int }{{1, 1152, 384}, {13, 1536, 384}, {cachedRows/(2*1536) + 5, 384, 1536}} {
		m, _, _ := random(t, rng, c.out, c.in)
		var r Rows
		portable.Quantize(&r, activations(rng, c.n, c.in), c.in)
		got, want := make([]float32, c.n*c.out), make([]float32, c.n*c.out)
		portable.Mul(want, m, &r)
		for _, k := range All()[1:] {
			clear(got)
			k.Mul(got, m, &r)
			near(t, k.name, got, want, 2e-5)
		}
	}
}

// The largest integers everywhere don't overflow.
func TestExtremes(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		for _, in := range []int{32, 64, 1536} {
			for _, sign := range []float32{1, -1} {
				m, err := Pack(16, in, func(_ int, dst []float32) {
					for i := range dst {
						dst[i] = 2
					}
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				x := slices.Repeat([]float32{3 * sign}, 7*in)
				var r Rows
				k.Quantize(&r, x, in)
				got := make([]float32, 7*16)
				k.Mul(got, m, &r)
				near(t, "product", got, slices.Repeat([]float32{6 * sign * float32(in)}, 7*16), 1e-5)
			}
		}
	})
}

// A product is close to that of the numbers as they were, although some columns are
// large.
func TestPrecision(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		rng := rand.New(rand.NewPCG(3, 2))
		for _, in := range []int{384, 1536} {
			const n, out = 5, 384
			m, w, bias := random(t, rng, out, in)
			x := activations(rng, n, in)
			want := make([]float32, n*out)
			for i := range n {
				for o := range out {
					sum := float64(bias[o])
					for j := range in {
						sum += float64(x[i*in+j]) * float64(w[o*in+j])
					}
					want[i*out+o] = float32(sum)
				}
			}
			var r Rows
			k.Quantize(&r, x, in)
			got := make([]float32, n*out)
			k.Mul(got, m, &r)
			if c := cosine(got, want); !(c >= 0.9999) {
				t.Errorf("%d inputs: cosine %v", in, c)
			}
		}
	})
}

func TestQuantizedZerosAndSmallValues(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		x := make([]float32, 4*32)
		for i := range 32 {
			x[32+i], x[64+i], x[96+i] = 1e-38, float32(i)*1e-20, float32(i-31)*1e30
		}
		var r Rows
		k.Quantize(&r, x, 32)
		for i, v := range x {
			got := float64(r.q[i]) * float64(r.scale[i/32])
			if !(math.Abs(got-float64(v)) <= float64(r.scale[i/32])*0.51+1e-30) {
				t.Errorf("%v became %v", v, got)
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			n := rapid.IntRange(1, 512).Draw(t, "values")
			x := normal(rng, n, rapid.SampledFrom([]float64{0, 0.1, 3, 50}).Draw(t, "scale"))
			row := make([]float32, (n+15)/16*16)
			for i := copy(row, x); i < len(row); i++ {
				row[i] = -math.MaxFloat32
			}
			most, sum := float64(slices.Max(x)), 0.0
			for _, v := range x {
				sum += math.Exp(float64(v) - most)
			}
			k.softmax(row)
			for i, v := range row {
				want := 0.0
				if i < n {
					want = math.Exp(float64(x[i])-most) / sum
				}
				if !(math.Abs(float64(v)-want) <= 1e-30+3e-6*want) {
					t.Fatalf("weight %d is %v, not %v", i, v, want)
				}
			}
		})
	})
}

func TestGELU(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		x := make([]float32, 4096)
		for i := range x {
			x[i] = float32(i-2048) / 128
		}
		x[0], x[1], x[2], x[3] = -1e20, 1e20, -40, 1e-30
		got := slices.Clone(x)
		k.GELU(got)
		for i, v := range x {
			want := float64(v) / 2 * math.Erfc(-float64(v)/math.Sqrt2)
			if !(math.Abs(float64(got[i])-want) <= 5e-7*max(1, math.Abs(want))) {
				t.Errorf("GELU(%v) is %v, not %v", v, got[i], want)
			}
		}
	})
}

func TestNorm(t *testing.T) {
	each(t, func(t *testing.T, k *Kernel) {
		rapid.Check(t, func(t *rapid.T) {
			rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
			n := 16 * rapid.IntRange(1, 40).Draw(t, "width")
			x, y, gain, bias := activations(rng, 1, n), normal(rng, n, 2), normal(rng, n, 1), normal(rng, n, 1)
			mean, variance := 0.0, 0.0
			for i := range x {
				mean += (float64(x[i]) + float64(y[i])) / float64(n)
			}
			for i := range x {
				d := float64(x[i]) + float64(y[i]) - mean
				variance += d * d / float64(n)
			}
			want := make([]float32, n)
			for i := range x {
				want[i] = float32((float64(x[i])+float64(y[i])-mean)/math.Sqrt(variance+1e-5)*float64(gain[i]) + float64(bias[i]))
			}
			k.Norm(x, y, gain, bias, 1e-5)
			near(t, "norm", x, want, 1e-5)
		})
	})
}

func TestAttend(t *testing.T) {
	var mem, plain Attention
	agree := func(t rapid.TB, seed uint64, n, heads, head int) {
		rng := rand.New(rand.NewPCG(seed, 1))
		width := heads * head
		qkv := normal(rng, 3*n*width, 1)
		want := make([]float32, n*width)
		portable.Attend(want, qkv, n, width, heads, &plain)
		for _, k := range All()[1:] {
			got := normal(rng, n*width, 1)
			k.Attend(got, qkv, n, width, heads, &mem)
			near(t, k.name, got, want, 2e-5)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		agree(t, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 60).Draw(t, "tokens"),
			rapid.IntRange(1, 3).Draw(t, "heads"), 16*rapid.IntRange(1, 3).Draw(t, "length of a head"))
	})
	for _, n := range []int{2 * queryRows, 2*queryRows + 1, 511, 512} {
		agree(t, 7, n, 2, 32)
	}
}

// Attend, in the portable kernel too, is what its definition says.
func TestAttendDefinition(t *testing.T) {
	const n, width, heads, head = 50, 96, 3, 32
	rng := rand.New(rand.NewPCG(5, 1))
	qkv := normal(rng, 3*n*width, 1)
	want := make([]float32, n*width)
	for h := 0; h < width; h += head {
		for i := range n {
			var weight [n]float64
			sum := 0.0
			for j := range n {
				dot := 0.0
				for d := range head {
					dot += float64(qkv[3*i*width+h+d]) * float64(qkv[(3*j+1)*width+h+d])
				}
				weight[j] = math.Exp(dot)
				sum += weight[j]
			}
			for d := range head {
				v := 0.0
				for j := range n {
					v += weight[j] / sum * float64(qkv[(3*j+2)*width+h+d])
				}
				want[i*width+h+d] = float32(v)
			}
		}
	}
	for _, k := range All() {
		got := make([]float32, n*width)
		k.Attend(got, qkv, n, width, heads, new(Attention))
		near(t, k.name, got, want, 2e-5)
	}
}

// Weights on a grid, as those of files with few bits are, lose nothing; others lose
// half a step of 127 at most.
func TestPackKeepsGrids(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		largest := rapid.IntRange(1, 127).Draw(t, "largest")
		exact := rapid.Bool().Draw(t, "on a grid")
		const in = 96
		w := make([]float32, 16*in)
		for i := range 16 {
			for at := 0; at < in; at += 32 {
				unit := float32(math.Exp(rng.NormFloat64() * 4))
				for j := range 32 {
					x := float32(rng.IntN(2*largest+1) - largest)
					if !exact {
						x += rng.Float32()
					}
					w[i*in+at+j] = x * unit
				}
			}
		}
		m, err := Pack(16, in, func(i int, dst []float32) { copy(dst, w[i*in:(i+1)*in]) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 16 {
			for k := range in {
				scale := m.scale[k/32*16+i]
				got, want := float32(m.weights[k/2*32+i*2+k%2])*scale, w[i*in+k]
				by := scale * 0.5001
				if exact {
					by = abs(want) * 1e-6
				}
				if !(abs(got-want) <= by) {
					t.Fatalf("weight %d of output %d became %v, was %v", k, i, got, want)
				}
			}
		}
	})
}

func TestPackRefuses(t *testing.T) {
	zeros := func(int, []float32) {}
	for _, c := range []struct {
		out, in int
		bias    []float32
	}{{0, 32, nil}, {15, 32, nil}, {16, 0, nil}, {16, 48, nil}, {16, 32, make([]float32, 15)}, {-16, -32, nil}} {
		if _, err := Pack(c.out, c.in, zeros, c.bias); err == nil {
			t.Errorf("packed %d × %d with %d biases", c.out, c.in, len(c.bias))
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := Pack(16, 32, func(i int, dst []float32) { dst[5] = float32(x) }, nil); err == nil {
			t.Errorf("packed %v", x)
		}
	}
	if _, err := Pack(16, 32, zeros, nil); err != nil {
		t.Error(err)
	}
}

func TestNothingAllocates(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	m, _, _ := random(t, rng, 96, 32)
	x, gain, bias := activations(rng, 13, 32), normal(rng, 32, 1), normal(rng, 32, 1)
	qkv, dst := make([]float32, 13*96), make([]float32, 13*32)
	for _, k := range All() {
		var r Rows
		var mem Attention
		step := func() {
			k.Quantize(&r, x, 32)
			k.Mul(qkv, m, &r)
			k.Attend(dst, qkv, 13, 32, 2, &mem)
			k.Norm(x, dst, gain, bias, 1e-5)
			k.GELU(qkv)
		}
		if n := testing.AllocsPerRun(10, step); n != 0 {
			t.Errorf("%s allocates %v times", k.name, n)
		}
	}
}

func TestNames(t *testing.T) {
	if Portable().Name() != "portable" || Name() != Best().Name() || All()[0] != Portable() || !slices.Contains(All(), Best()) {
		t.Errorf("%s and %s", Portable().Name(), Name())
	}
}

func benchmarkMul(b *testing.B, k *Kernel, n, out, in int) {
	rng := rand.New(rand.NewPCG(1, 2))
	m, _, _ := random(b, rng, out, in)
	var r Rows
	k.Quantize(&r, activations(rng, n, in), in)
	dst := make([]float32, n*out)
	for b.Loop() {
		k.Mul(dst, m, &r)
	}
	b.ReportMetric(float64(n)*float64(out)*float64(in)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "products/ns")
}

func BenchmarkMul45Up(b *testing.B)     { benchmarkMul(b, Best(), 45, 1536, 384) }
func BenchmarkMul45Down(b *testing.B)   { benchmarkMul(b, Best(), 45, 384, 1536) }
func BenchmarkMul12Up(b *testing.B)     { benchmarkMul(b, Best(), 12, 1536, 384) }
func BenchmarkMul1Up(b *testing.B)      { benchmarkMul(b, Best(), 1, 1536, 384) }
func BenchmarkMulPortable(b *testing.B) { benchmarkMul(b, portable, 45, 1536, 384) }

func BenchmarkAttend(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, n := range map[string]int{"45": 45, "512": 512} {
		b.Run(name, func(b *testing.B) {
			qkv, dst := normal(rng, 3*n*384, 1), make([]float32, n*384)
			var mem Attention
			for b.Loop() {
				Best().Attend(dst, qkv, n, 384, 12, &mem)
			}
		})
	}
}

func BenchmarkGELU(b *testing.B) {
	x := normal(rand.New(rand.NewPCG(1, 2)), 1536, 1)
	for b.Loop() {
		Best().GELU(x)
	}
}

func BenchmarkNorm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y, gain, bias := normal(rng, 384, 1), normal(rng, 384, 1), normal(rng, 384, 1), normal(rng, 384, 1)
	for b.Loop() {
		Best().Norm(x, y, gain, bias, 1e-5)
	}
}

func BenchmarkQuantize(b *testing.B) {
	var r Rows
	x := normal(rand.New(rand.NewPCG(1, 2)), 1536, 1)
	for b.Loop() {
		Best().Quantize(&r, x, 1536)
	}
}
