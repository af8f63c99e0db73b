package kernel

import "math"

// queryRows is how many queries are weighed together, so that their weights over a
// long text stay in the cache: 48 · 512 · 4 bytes. It is a multiple of the rows that
// the assembler takes at a time.
const queryRows = 48

// Attention is the memory that [Kernel.Attend] works in. The zero value is ready.
type Attention struct {
	keys, values, weights []float32
}

// Attend sets dst, n rows of width, to softmax(Q·Kᵀ)·V for each head, over all
// tokens of one text. qkv has n rows of 3·width: a token's query, key and value.
// Queries have been divided by the root of a head's length, which is width/heads
// and a multiple of 16.
func (k *Kernel) Attend(dst, qkv []float32, n, width, heads int, mem *Attention) {
	head := width / heads
	checkWidth(head)
	if len(dst) != n*width || len(qkv) != 3*n*width {
		panic("kernel: attention over rows that don't fit")
	}
	padded := (n + panel - 1) / panel * panel
	mem.keys = grow(mem.keys, head*padded)
	mem.values = grow(mem.values, n*head)
	mem.weights = grow(mem.weights, min(n, queryRows)*padded)
	for h := range heads {
		at := h * head
		for t := range n {
			token := qkv[t*3*width:][:3*width]
			copy(mem.values[t*head:][:head], token[2*width+at:])
			for d, x := range token[width+at:][:head] {
				mem.keys[d*padded+t] = x
			}
		}
		for d := range head {
			clear(mem.keys[d*padded+n : (d+1)*padded])
		}
		for from := 0; from < n; from += queryRows {
			rows := min(n-from, queryRows)
			k.dense(mem.weights, padded, qkv[from*3*width+at:], 3*width, mem.keys, padded, rows, head, padded)
			for i := range rows {
				row := mem.weights[i*padded:][:padded]
				for j := n; j < padded; j++ {
					row[j] = -math.MaxFloat32 // no token: no weight
				}
				k.softmax(row)
			}
			k.dense(dst[from*width+at:], width, mem.weights, padded, mem.values, head, rows, n, head)
		}
	}
}
