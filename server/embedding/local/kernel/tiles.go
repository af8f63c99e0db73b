package kernel

// A tile multiplies one panel of weights with a few rows: 16 outputs of each. It
// reads blocks·pairs pairs of weights from w and as many pairs of activations from
// each row of a, and writes sum·rowScale + bias. Strides are in bytes.
type tile func(w *int8, scale *float32, a *int16, strideA, blocks, pairs int,
	out *float32, strideOut int, rowScale, bias *float32)

// tiles are the tiles of an instruction set, by how many rows they take.
type tiles []struct {
	rows int
	run  tile
}

// cachedRows is how many bytes of activations are gone over for one panel after the
// other: they stay in the second-level cache.
const cachedRows = 256 << 10

// mul covers the product with tiles, the largest first.
func (t tiles) mul(dst []float32, m *Matrix, r *Rows) {
	group := max(1, cachedRows/(2*m.in)/t[0].rows) * t[0].rows
	for from := 0; from < r.n; from += group {
		to := min(from+group, r.n)
		for o := 0; o < m.out; o += panel {
			weights, scale := m.panelAt(o)
			i := from
			for _, tile := range t {
				for ; i+tile.rows <= to; i += tile.rows {
					tile.run(&weights[0], &scale[0], &r.q[i*m.in], 2*m.in, m.in/block, block/2,
						&dst[i*m.out+o], 4*m.out, &r.scale[i], &m.bias[o])
				}
			}
		}
	}
}
