//go:build !amd64

package late

func best(out []float32, query []int8, bias []float32, packed []byte) {
	bestPortable(out, query, bias, packed)
}
