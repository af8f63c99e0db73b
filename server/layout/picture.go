package layout

import (
	"context"
	"math"
	"slices"

	"elowen/server/embedding"
)

// picture is where memories with vectors are. It never changes once it is made.
type picture struct {
	space embedding.SpaceID
	basis basis
	ids   []int64 // ascending
	slots map[int64]int
	rows  matrix // reduced
	at    []point
	frame frame
	added int // since everything settled
	made  int64
}

const (
	followed = 5   // of a new row's nearest, between which it is placed
	renewed  = 0.2 // part of the rows that may be added before everything settles again
	least    = 24  // rows that may be, however few there are
	resettle = 0.3 // strength of settling again from where everything was
)

// next is the picture of ids (ascending) with their vectors, after was (nil: none).
// now is when it is made, in Unix milliseconds.
func next(ctx context.Context, was *picture, space embedding.SpaceID, ids []int64, vectors matrix, now int64) (*picture, error) {
	p := &picture{space: space, ids: ids, slots: make(map[int64]int, len(ids)), made: now}
	for i, id := range ids {
		p.slots[id] = i
	}
	if was != nil && (was.space != space || len(was.basis.mean) != vectors.width) {
		was = nil
	}
	if was != nil {
		p.basis = was.basis
		p.rows = p.basis.reduce(vectors)
		if fresh := p.follow(was); fresh >= 0 {
			p.added, p.made, p.frame = was.added+fresh, was.made, was.frame
			if fresh == 0 && len(was.ids) == len(ids) {
				return was, nil
			}
			return p, nil
		}
	}
	err := p.make(ctx, was, vectors)
	p.frame = framed(p.at)
	return p, err
}

// follow takes places over from was, and places what is new between its nearest. It
// answers how many those are; −1 where they are too many.
func (p *picture) follow(was *picture) (fresh int) {
	p.at = make([]point, len(p.ids))
	var missing []int
	for i, id := range p.ids {
		if slot, ok := was.slots[id]; ok && slices.Equal(p.rows.row(i), was.rows.row(slot)) {
			p.at[i] = was.at[slot]
		} else {
			missing = append(missing, i)
		}
	}
	if len(missing)+was.added > max(int(renewed*float64(len(p.ids))), least) {
		return -1
	}
	for _, i := range missing {
		list := make([]neighbour, 0, followed)
		for j := range was.ids {
			list = keep(list, neighbour{int32(j), distance(p.rows.row(i), was.rows.row(j))}, followed)
		}
		var x, y, sum float64
		for _, n := range list {
			w := 1 / (float64(n.dist) + 1e-6)
			x, y, sum = x+w*float64(was.at[n.row].X), y+w*float64(was.at[n.row].Y), sum+w
		}
		r := chance(p.ids[i])
		p.at[i] = point{float32(x/max(sum, 1e-12) + (r.unit()-0.5)*0.3), float32(y/max(sum, 1e-12) + (r.unit()-0.5)*0.3)}
	}
	return len(missing)
}

// make settles everything: from scratch, or from where it was.
func (p *picture) make(ctx context.Context, was *picture, vectors matrix) error {
	p.basis = fit(vectors)
	p.rows = p.basis.reduce(vectors)
	near, err := nearest(ctx, p.rows, neighbours)
	if err != nil {
		return err
	}
	n := len(p.ids)
	if was == nil {
		p.at = first(p.rows)
		return settle(ctx, p.at, near, rounds(n), 1)
	}
	p.at = make([]point, n)
	known := make([]bool, n)
	for i, id := range p.ids {
		if slot, ok := was.slots[id]; ok {
			p.at[i], known[i] = was.at[slot], true
		}
	}
	for i, id := range p.ids {
		if known[i] {
			continue
		}
		r := chance(id)
		for _, near := range near[i] {
			if known[near.row] {
				p.at[i] = p.at[near.row]
				break
			}
		}
		p.at[i].X += float32(r.unit() - 0.5)
		p.at[i].Y += float32(r.unit() - 0.5)
	}
	return settle(ctx, p.at, near, rounds(n)/2, resettle)
}

// frame is how a picture's plane becomes the map's square.
type frame struct{ x, y, scale float64 }

// margin is what is left free on each side of a map, as a part of it.
const margin = 0.06

// framed is the frame that all points fit into.
func framed(at []point) frame {
	if len(at) == 0 {
		return frame{scale: 1}
	}
	lo, hi := at[0], at[0]
	for _, p := range at {
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, p.X), min(lo.Y, p.Y), max(hi.X, p.X), max(hi.Y, p.Y)
	}
	side := math.Max(float64(max(hi.X-lo.X, hi.Y-lo.Y)), 1e-6)
	return frame{x: float64(lo.X+hi.X) / 2, y: float64(lo.Y+hi.Y) / 2, scale: (1 - 2*margin) / side}
}

// of is a place in the square of 0 to 1.
func (f frame) of(p point) (x, y float64) {
	return 0.5 + (float64(p.X)-f.x)*f.scale, 0.5 + (float64(p.Y)-f.y)*f.scale
}

// golden is the angle of a sunflower's seeds, so that what stands around a hub is
// evenly apart however many there are.
const golden = 2.399963229728653

// seed is the place of the i-th of what stands around a hub, in units of step.
func seed(i int, step float64) (x, y float64) {
	r, a := step*math.Sqrt(float64(i)+0.5), golden*float64(i)
	return r * math.Cos(a), r * math.Sin(a)
}
