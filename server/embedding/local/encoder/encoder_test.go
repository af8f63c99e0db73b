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

	"elowen/server/embedding/local/kernel"
	"elowen/shared/fault"
)

func must(t testing.TB, k *kernel.Kernel, w Weights) *Encoder {
	t.Helper()
	e, err := newWith(k, w)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Every state of every token stays with a float64 evaluation of the same weights,
// through all 12 layers of the real models' shape.
func TestReference(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		w := random(seed, 384, 1536, 12, 12, 64, 100)
		e := must(t, kernel.Best(), w)
		rng := rand.New(rand.NewPCG(seed, 9))
		for _, n := range []int{1, 2, 17} {
			ids := sequence(rng, n, w.Vocab)
			got, err := e.Hidden(t.Context(), [][]int32{ids})
			if err != nil {
				t.Fatal(err)
			}
			worst := 1.0
			want := reference(w, ids)
			mean := make([]float64, w.Width)
			for i, row := range want {
				worst = min(worst, cosine(got[i*w.Width:(i+1)*w.Width], row))
				for j := range row {
					mean[j] += row[j]
				}
			}
			means, err := e.Mean(t.Context(), [][]int32{ids})
			if err != nil {
				t.Fatal(err)
			}
			c := cosine(means[0], mean)
			t.Logf("seed %d, %d tokens: worst token %.6f, mean %.6f", seed, n, worst, c)
			if worst < 0.999 || c < 0.999 {
				t.Errorf("seed %d, %d tokens: cosine %v of a token, %v of the mean", seed, n, worst, c)
			}
		}
	}
}

// The best kernel and the portable one agree, also at the longest text.
func TestKernelsAgree(t *testing.T) {
	w := random(3, 384, 1536, 12, 3, 512, 50)
	best, plain := must(t, kernel.Best(), w), must(t, kernel.Portable(), w)
	rng := rand.New(rand.NewPCG(3, 9))
	ids := [][]int32{sequence(rng, 1, 50), sequence(rng, 512, 50), sequence(rng, 13, 50), sequence(rng, 45, 50), sequence(rng, 16, 50)}
	a, err := best.Hidden(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	b, err := plain.Hidden(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(a); i += w.Width {
		if c := cosine(a[i:i+w.Width], b[i:i+w.Width]); !(c >= 0.9999) {
			t.Fatalf("token %d: cosine %v between %s and portable", i/w.Width, c, best.Kernel())
		}
	}
}

// What else is in a batch, and how it is cut into parts, changes nothing.
func TestBatchIsTextByText(t *testing.T) {
	w := random(4, 64, 128, 4, 2, 300, 50)
	for _, k := range []*kernel.Kernel{kernel.Portable(), kernel.Best()} {
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

func benchmark(b *testing.B, texts, tokens int) {
	w := random(9, 384, 1536, 12, 12, 512, 1000)
	e := must(b, kernel.Best(), w)
	rng := rand.New(rand.NewPCG(9, 9))
	var ids [][]int32
	for range texts {
		ids = append(ids, sequence(rng, tokens, w.Vocab))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Mean(b.Context(), ids); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*texts)/1e6, "ms/text")
}

func BenchmarkQuery12(b *testing.B)         { benchmark(b, 1, 12) }
func BenchmarkText45(b *testing.B)          { benchmark(b, 1, 45) }
func BenchmarkText512(b *testing.B)         { benchmark(b, 1, 512) }
func BenchmarkBatchOf8Times45(b *testing.B) { benchmark(b, 8, 45) }
