package encoder

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"elowen/server/embedding/local/kernel"
	"elowen/shared/fault"
)

func must(t rapid.TB, k *kernel.Kernel, w Weights) *Encoder {
	t.Helper()
	e, err := newWith(k, w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every state of every token is that of a float64 evaluation of the same weights,
// through layers of the real models' shape, also after what all states have in
// common has been taken off. Weights of few bits, as all models here have, are kept by
// packing and come closer than those of any value, which it rounds to 8 bits.
func TestReference(t *testing.T) {
	for _, c := range []struct {
		name           string
		bits           bool
		layers         int
		plain, centred float64
	}{{"4-bit and 8-bit weights", true, 12, 0.9999, 0.9999}, {"float weights", false, 2, 0.999, 0.99}} {
		t.Run(c.name, func(t *testing.T) {
			w := random(1, 384, 1536, 12, c.layers, 64, 100)
			if c.bits {
				fewBits(&w)
			}
			e := must(t, kernel.Best(), w)
			rng := rand.New(rand.NewPCG(1, 9))
			var ids [][]int32
			var want []float64
			var wantMeans [][]float64
			for _, n := range []int{1, 9, 4} {
				ids = append(ids, sequence(rng, n, w.Vocab))
				mean := make([]float64, w.Width)
				for _, row := range reference(w, ids[len(ids)-1]) {
					want = append(want, row...)
					for j, x := range row {
						mean[j] += x / float64(n)
					}
				}
				wantMeans = append(wantMeans, mean)
			}
			got, err := e.Hidden(t.Context(), ids)
			if err != nil {
				t.Fatal(err)
			}
			plain := worst(got, want, w.Width)
			means, err := e.Mean(t.Context(), ids)
			if err != nil {
				t.Fatal(err)
			}
			for i, mean := range means {
				plain = min(plain, cosine(mean, wantMeans[i]))
			}
			common := make([]float64, w.Width)
			for i, x := range want {
				common[i%w.Width] += x / float64(len(want)/w.Width)
			}
			for i := range want {
				want[i] -= common[i%w.Width]
				got[i] -= float32(common[i%w.Width])
			}
			centred := worst(got, want, w.Width)
			t.Logf("cosine of the worst token %.7f, centred %.7f", plain, centred)
			if !(plain >= c.plain) || !(centred >= c.centred) {
				t.Errorf("cosine of the worst token %v, centred %v", plain, centred)
			}
		})
	}
}

// worst is the smallest cosine of all rows.
func worst[A, B float32 | float64](a []A, b []B, width int) float64 {
	least := 1.0
	for i := 0; i < len(b); i += width {
		if c := cosine(a[i:i+width], b[i:i+width]); !(c >= least) {
			least = c
		}
	}
	return least
}

// All kernels agree with the portable one, in models of any shape and batches of any
// lengths.
func TestKernelsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		heads := rapid.IntRange(1, 3).Draw(t, "heads")
		width := heads * 32 * rapid.IntRange(1, 2).Draw(t, "length of a head")
		w := random(seed, width, 32*rapid.IntRange(1, 6).Draw(t, "inner"), heads, rapid.IntRange(1, 2).Draw(t, "layers"), 60, 40)
		rng := rand.New(rand.NewPCG(seed, 9))
		var ids [][]int32
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 60), 1, 4).Draw(t, "lengths") {
			ids = append(ids, sequence(rng, n, 40))
		}
		agree(t, w, ids)
	})
}

func TestKernelsAgreeAtFullSize(t *testing.T) {
	w := random(3, 384, 1536, 12, 1, 512, 50)
	rng := rand.New(rand.NewPCG(3, 9))
	agree(t, w, [][]int32{sequence(rng, 1, 50), sequence(rng, 512, 50), sequence(rng, 13, 50)})
}

func agree(t rapid.TB, w Weights, ids [][]int32) {
	t.Helper()
	want, err := must(t, kernel.Portable(), w).Hidden(context.Background(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernel.All()[1:] {
		got, err := must(t, k, w).Hidden(context.Background(), ids)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d values, not %d", k.Name(), len(got), len(want))
		}
		if c := worst(got, want, w.Width); !(c >= 0.9999) {
			t.Fatalf("%s: cosine %v of a token", k.Name(), c)
		}
	}
}

// What else is in a batch, and how it is cut into parts, changes nothing.
func TestBatchIsTextByText(t *testing.T) {
	w := random(4, 64, 128, 4, 2, 300, 50)
	for _, k := range kernel.All() {
		e := must(t, k, w)
		rng := rand.New(rand.NewPCG(4, 9))
		var ids [][]int32
		for _, n := range []int{1, 7, 100, 91, 1, 300, 2, 33, 192, 5} {
			ids = append(ids, sequence(rng, n, 50))
		}
		all, err := e.Hidden(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		means, err := e.Mean(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for i, seq := range ids {
			alone, err := e.Hidden(t.Context(), ids[i:i+1])
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(alone, all[:len(alone)]) {
				t.Errorf("%s: text %d of %d tokens differs alone", e.Kernel(), i, len(seq))
			}
			all = all[len(alone):]
			mean := make([]float64, w.Width)
			for j, x := range alone {
				mean[j%w.Width] += float64(x)
			}
			for j := range mean {
				if math.Abs(mean[j]/float64(len(seq))-float64(means[i][j])) > 1e-4 {
					t.Fatalf("%s: mean %d of text %d is %v, not %v", e.Kernel(), j, i, means[i][j], mean[j]/float64(len(seq)))
				}
			}
		}
		if len(all) != 0 {
			t.Errorf("%d values too many", len(all))
		}
	}
}

func TestNothingInNothingOut(t *testing.T) {
	e := must(t, kernel.Best(), random(5, 32, 32, 2, 1, 8, 10))
	if all, err := e.Hidden(t.Context(), nil); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if means, err := e.Mean(t.Context(), nil); err != nil || len(means) != 0 {
		t.Errorf("%v, %v", means, err)
	}
}

func TestRefusedSequences(t *testing.T) {
	e := must(t, kernel.Best(), random(5, 32, 32, 2, 1, 8, 10))
	for name, ids := range map[string][]int32{"empty": {}, "long": make([]int32, 9), "negative": {-1}, "unknown": {3, 10}} {
		if _, err := e.Mean(t.Context(), [][]int32{{1}, ids}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := e.Hidden(t.Context(), [][]int32{{1}, ids}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Mean(t.Context(), [][]int32{{9}, make([]int32, 8)}); err != nil {
		t.Error(err)
	}
}

// A context that ends between two layers ends the call there.
func TestCancelled(t *testing.T) {
	w := random(6, 32, 64, 2, 5, 8, 10)
	e := must(t, kernel.Best(), w)
	ctx := &ending{Context: t.Context(), after: 3}
	_, err := e.Hidden(ctx, [][]int32{{1, 2, 3}})
	if !fault.Is(err, fault.Cancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if ctx.asked != 4 {
		t.Errorf("the context was looked at %d times, should end at the 4th", ctx.asked)
	}
}

// ending is a context that is cancelled once it has been asked a few times.
type ending struct {
	context.Context
	after, asked int
}

func (c *ending) Err() error {
	c.asked++
	if c.asked > c.after {
		return context.Canceled
	}
	return nil
}

func TestManyAtOnce(t *testing.T) {
	e := must(t, kernel.Best(), random(7, 64, 128, 4, 2, 100, 50))
	rng := rand.New(rand.NewPCG(7, 9))
	var ids [][]int32
	for n := range 24 {
		ids = append(ids, sequence(rng, 1+n*4, 50))
	}
	want, err := e.Mean(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range ids {
				i = (i + g*5) % len(ids)
				got, err := e.Mean(context.Background(), ids[i:i+1])
				if err != nil {
					t.Error(err)
				} else if !slices.Equal(got[0], want[i]) {
					t.Errorf("text %d differs beside others", i)
				}
			}
		})
	}
	all.Wait()
}

func TestBadWeights(t *testing.T) {
	good := func() Weights { return random(8, 32, 64, 2, 2, 8, 10) }
	for name, spoil := range map[string]func(*Weights){
		"width":       func(w *Weights) { w.Width = 48 },
		"inner":       func(w *Weights) { w.Inner = 65 },
		"heads":       func(w *Weights) { w.Heads = 3 },
		"thin heads":  func(w *Weights) { w.Heads = 4 },
		"no heads":    func(w *Weights) { w.Heads = 0 },
		"position":    func(w *Weights) { w.Position = w.Position[1:] },
		"words":       func(w *Weights) { w.Word = nil },
		"vocabulary":  func(w *Weights) { w.Vocab = 0 },
		"type":        func(w *Weights) { w.Type = nil },
		"epsilon":     func(w *Weights) { w.Eps = float32(math.NaN()) },
		"layers":      func(w *Weights) { w.Layers = nil },
		"norm":        func(w *Weights) { w.EmbNorm.Gain = nil },
		"attn norm":   func(w *Weights) { w.Layers[1].AttnNorm.Bias = nil },
		"ff norm":     func(w *Weights) { w.Layers[0].FFNorm.Bias = make([]float32, 33) },
		"row":         func(w *Weights) { w.Layers[1].Down.Row = nil },
		"bias":        func(w *Weights) { w.Layers[1].K.Bias = make([]float32, 31) },
		"transposed":  func(w *Weights) { w.Layers[0].Up.Out, w.Layers[0].Up.In = 32, 64 },
		"not finite":  func(w *Weights) { w.Layers[0].O.Row = func(i int, dst []float32) { dst[3] = float32(math.Inf(1)) } },
		"no number":   func(w *Weights) { w.Layers[1].Q.Row = func(i int, dst []float32) { dst[3] = float32(math.NaN()) } },
		"zero tokens": func(w *Weights) { w.MaxTokens, w.Position = 0, nil },
	} {
		w := good()
		spoil(&w)
		if _, err := New(w); err == nil || !strings.Contains(err.Error(), "weights") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w := good()
	w.Layers[0].Q.Bias = nil // allowed: zeros
	if _, err := New(w); err != nil {
		t.Error(err)
	}
}
