package encoder

import (
	"math"
	"math/rand/v2"
)

// random is a model of random weights, shaped like real ones: what goes into a linear
// has a few columns much larger than the rest, which is what the gains of BERT's norms
// do, and weights have a scale that differs from row to row and heavy tails. The large
// columns of one norm are small in the next, or else they would drown what tells one
// token from another.
func random(seed uint64, width, inner, heads, layers, tokens, vocab int) Weights {
	rng := rand.New(rand.NewPCG(seed, 5))
	values := func(n int, scale float64) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64() * scale)
		}
		return v
	}
	linear := func(out, in int) Linear {
		w := make([]float32, out*in)
		for i := range out {
			scale := math.Exp(rng.NormFloat64()*0.3) / math.Sqrt(float64(in))
			for j := range in {
				w[i*in+j] = float32(rng.NormFloat64() * scale)
				if rng.IntN(200) == 0 {
					w[i*in+j] *= 5
				}
			}
		}
		return Linear{Out: out, In: in, Bias: values(out, 0.1), Row: func(i int, dst []float32) {
			copy(dst, w[i*in:(i+1)*in])
		}}
	}
	var large []int
	norm := func() Norm {
		n := Norm{Gain: values(width, 0.1), Bias: values(width, 0.1)}
		for i := range n.Gain {
			n.Gain[i]++
		}
		for _, i := range large {
			n.Gain[i] /= 10
		}
		large = rng.Perm(width)[:max(1, width/128)]
		for _, i := range large {
			n.Gain[i] *= 10
			n.Bias[i] *= 10
		}
		return n
	}
	words := values(vocab*width, 1)
	w := Weights{
		Width: width, Inner: inner, Heads: heads, MaxTokens: tokens, Vocab: vocab, Eps: 1e-12,
		Word:     func(id int32, dst []float32) { copy(dst, words[int(id)*width:][:width]) },
		Position: values(tokens*width, 0.3), Type: values(width, 0.1), EmbNorm: norm(),
	}
	for range layers {
		w.Layers = append(w.Layers, Layer{
			Q: linear(width, width), K: linear(width, width), V: linear(width, width), O: linear(width, width),
			AttnNorm: norm(), Up: linear(inner, width), Down: linear(width, inner), FFNorm: norm(),
		})
	}
	return w
}

// fewBits rounds the linears as files do: those of odd layers to 4 bits with a scale for
// 32, the others to 64 steps on each side with a scale a row.
func fewBits(w *Weights) {
	round := func(l *Linear, block int, levels float64) {
		rounded := make([]float32, l.Out*l.In)
		for i := range l.Out {
			row := rounded[i*l.In:][:l.In]
			l.Row(i, row)
			for at := 0; at < l.In; at += min(block, l.In) {
				part, most := row[at:min(at+block, l.In)], 0.0
				for _, x := range part {
					most = max(most, math.Abs(float64(x)))
				}
				scale := float32(most / levels)
				for j, x := range part {
					part[j] = float32(math.Round(float64(x/scale))) * scale
				}
			}
		}
		in := l.In
		l.Row = func(i int, dst []float32) { copy(dst, rounded[i*in:(i+1)*in]) }
	}
	for i := range w.Layers {
		l := &w.Layers[i]
		for _, linear := range []*Linear{&l.Q, &l.K, &l.V, &l.O, &l.Up, &l.Down} {
			if i%2 == 1 {
				round(linear, 32, 7)
			} else {
				round(linear, linear.In, 64)
			}
		}
	}
}

func sequence(rng *rand.Rand, n, vocab int) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = int32(rng.IntN(vocab))
	}
	return ids
}

// reference evaluates the same weights in float64, as the definition says.
func reference(w Weights, ids []int32) [][]float64 {
	x := make([][]float64, len(ids))
	buf := make([]float32, w.Width)
	for t, id := range ids {
		w.Word(id, buf)
		x[t] = make([]float64, w.Width)
		for i := range buf {
			x[t][i] = float64(buf[i]) + float64(w.Position[t*w.Width+i]) + float64(w.Type[i])
		}
	}
	normalize(x, w.EmbNorm, float64(w.Eps))
	head := w.Width / w.Heads
	for _, l := range w.Layers {
		q, k, v := apply(l.Q, x), apply(l.K, x), apply(l.V, x)
		mixed := make([][]float64, len(ids))
		for t := range ids {
			mixed[t] = make([]float64, w.Width)
			for h := 0; h < w.Width; h += head {
				weights, sum := make([]float64, len(ids)), 0.0
				for u := range ids {
					dot := 0.0
					for d := h; d < h+head; d++ {
						dot += q[t][d] * k[u][d]
					}
					weights[u] = math.Exp(dot / math.Sqrt(float64(head)))
					sum += weights[u]
				}
				for u := range ids {
					for d := h; d < h+head; d++ {
						mixed[t][d] += weights[u] / sum * v[u][d]
					}
				}
			}
		}
		add(x, apply(l.O, mixed))
		normalize(x, l.AttnNorm, float64(w.Eps))
		inner := apply(l.Up, x)
		for _, row := range inner {
			for i, v := range row {
				row[i] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		add(x, apply(l.Down, inner))
		normalize(x, l.FFNorm, float64(w.Eps))
	}
	return x
}

func apply(l Linear, x [][]float64) [][]float64 {
	y := make([][]float64, len(x))
	for t := range y {
		y[t] = make([]float64, l.Out)
	}
	row := make([]float32, l.In)
	for i := range l.Out {
		l.Row(i, row)
		for t := range x {
			sum := 0.0
			for j, w := range row {
				sum += float64(w) * x[t][j]
			}
			if l.Bias != nil {
				sum += float64(l.Bias[i])
			}
			y[t][i] = sum
		}
	}
	return y
}

func add(x, y [][]float64) {
	for t := range x {
		for i := range x[t] {
			x[t][i] += y[t][i]
		}
	}
}

func normalize(x [][]float64, n Norm, eps float64) {
	for _, row := range x {
		mean, variance := 0.0, 0.0
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			variance += (v - mean) * (v - mean) / float64(len(row))
		}
		for i, v := range row {
			row[i] = (v-mean)/math.Sqrt(variance+eps)*float64(n.Gain[i]) + float64(n.Bias[i])
		}
	}
}

// cosine compares what two ways of computing gave.
func cosine[A, B float32 | float64](a []A, b []B) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
