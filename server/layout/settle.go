package layout

import (
	"context"
	"math"
)

// point is a place on the plane.
type point struct{ X, Y float32 }

// The curve of UMAP by which places that are near attract each other: 1/(1+a·d^2b), of
// its minimal distance 0.1 and spread 1.
const (
	curveA = 1.577
	curveB = 0.895

	repelled = 4   // rows that one is pushed from, for each that it is pulled to
	farthest = 4.0 // most that a step moves in each direction
	spread   = 10  // of the first places
)

// rounds is how often every pair is looked at, so that the work stays bounded.
func rounds(rows int) int { return min(200, max(60, 400_000/max(rows, 1))) }

// first places rows by the first two components of their reduced vectors.
func first(reduced matrix) []point {
	at := make([]point, reduced.rows())
	var most float32
	for i := range at {
		row := reduced.row(i)
		at[i].X = row[0]
		if len(row) > 1 {
			at[i].Y = row[1]
		}
		most = max(most, abs(at[i].X), abs(at[i].Y))
	}
	r := chance(7)
	for i := range at {
		if most > 0 {
			at[i].X *= spread / most
			at[i].Y *= spread / most
		}
		// Equal texts begin apart by a hair: what stands on one spot is pushed nowhere.
		at[i].X += float32(r.unit()-0.5) * 0.02
		at[i].Y += float32(r.unit()-0.5) * 0.02
	}
	return at
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// settle moves places until neighbours are near: rounds times, ever less. strength is
// how far the first step goes; 1 is from scratch.
func settle(ctx context.Context, at []point, near [][]neighbour, rounds int, strength float64) error {
	weights := make([][]float64, len(near))
	for i, list := range near {
		weights[i] = strengths(list)
	}
	r := chance(11)
	for round := range rounds {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		alpha := strength * (1 - float64(round)/float64(rounds))
		for i, list := range near {
			for e, n := range list {
				if r.unit() > weights[i][e] {
					continue
				}
				j := int(n.row)
				dx, dy := float64(at[i].X-at[j].X), float64(at[i].Y-at[j].Y)
				if d := dx*dx + dy*dy; d > 0 {
					p := math.Pow(d, curveB)
					g := -2 * curveA * curveB * p / d / (1 + curveA*p)
					x, y := bounded(g*dx)*alpha, bounded(g*dy)*alpha
					at[i].X, at[i].Y = at[i].X+float32(x), at[i].Y+float32(y)
					at[j].X, at[j].Y = at[j].X-float32(x), at[j].Y-float32(y)
				}
				for range repelled {
					o := r.below(len(at))
					if o == i {
						continue
					}
					dx, dy := float64(at[i].X-at[o].X), float64(at[i].Y-at[o].Y)
					d := dx*dx + dy*dy
					g := 2 * curveB / ((0.001 + d) * (1 + curveA*math.Pow(d, curveB)))
					at[i].X += float32(bounded(g*dx) * alpha)
					at[i].Y += float32(bounded(g*dy) * alpha)
				}
			}
		}
	}
	return nil
}

func bounded(v float64) float64 { return min(max(v, -farthest), farthest) }

// strengths are how strongly a row is tied to each of its nearest: fully to the first,
// and the less the farther they are beyond it.
func strengths(list []neighbour) []float64 {
	out := make([]float64, len(list))
	if len(list) == 0 {
		return out
	}
	least, mean := math.Sqrt(float64(list[0].dist)), 0.0
	for _, n := range list {
		mean += math.Sqrt(float64(n.dist)) - least
	}
	mean /= float64(len(list))
	for i, n := range list {
		out[i] = 1
		if mean > 1e-9 {
			out[i] = math.Exp(-(math.Sqrt(float64(n.dist)) - least) / mean)
		}
	}
	return out
}
