package layout

import (
	"context"
	"math"
	"slices"
)

// neighbour is a row with its squared distance.
type neighbour struct {
	row  int32
	dist float32
}

const (
	neighbours = 12
	cellsFrom  = 2500 // rows from which not every pair is compared
	cellsSeen  = 6    // cells that are looked into for a row's nearest
	cellRounds = 5    // of finding the cells' centres
)

func distance(a, b []float32) (sum float32) {
	for i, v := range a {
		d := v - b[i]
		sum += d * d
	}
	return sum
}

// keep puts a neighbour into a list of at most k, the nearest first.
func keep(list []neighbour, n neighbour, k int) []neighbour {
	if len(list) == k && n.dist >= list[k-1].dist {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, n, func(a, b neighbour) int {
		if a.dist != b.dist {
			if a.dist < b.dist {
				return -1
			}
			return 1
		}
		return int(a.row) - int(b.row)
	})
	if len(list) < k {
		list = append(list, neighbour{})
	}
	copy(list[at+1:], list[at:])
	list[at] = n
	return list
}

// nearest finds the k nearest of every row. Past cellsFrom rows it looks only into the
// cells around a row, which misses few.
func nearest(ctx context.Context, m matrix, k int) ([][]neighbour, error) {
	n := m.rows()
	out := make([][]neighbour, n)
	cells, centres := [][]int32{nil}, matrix{width: m.width}
	if n >= cellsFrom {
		cells, centres = split(m, int(math.Sqrt(float64(n))))
	} else {
		for i := range n {
			cells[0] = append(cells[0], int32(i))
		}
	}
	for i := range n {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := m.row(i)
		seen := []neighbour{{row: 0}}
		if centres.rows() > 0 {
			seen = seen[:0]
			for c := range centres.rows() {
				seen = keep(seen, neighbour{int32(c), distance(row, centres.row(c))}, cellsSeen)
			}
		}
		list := make([]neighbour, 0, k)
		for _, cell := range seen {
			for _, j := range cells[cell.row] {
				if int(j) != i {
					list = keep(list, neighbour{j, distance(row, m.row(int(j)))}, k)
				}
			}
		}
		out[i] = list
	}
	return out, nil
}

// split makes cells of near rows (k-means, from centres spread over the rows).
func split(m matrix, k int) (cells [][]int32, centres matrix) {
	n := m.rows()
	centres = newMatrix(k, m.width)
	for c := range k {
		centres.add(m.row(c * n / k))
	}
	for range cellRounds {
		cells = make([][]int32, k)
		for i := range n {
			best, at := float32(math.MaxFloat32), 0
			for c := range k {
				if d := distance(m.row(i), centres.row(c)); d < best {
					best, at = d, c
				}
			}
			cells[at] = append(cells[at], int32(i))
		}
		for c, members := range cells {
			if len(members) == 0 {
				continue
			}
			centre := centres.row(c)
			clear(centre)
			for _, i := range members {
				for j, v := range m.row(int(i)) {
					centre[j] += v / float32(len(members))
				}
			}
		}
	}
	return cells, centres
}
