package late

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2

func best(out []float32, query []int8, bias []float32, packed []byte) {
	if fast {
		bestAVX2(&out[0], &query[0], &bias[0], len(out)/group, &packed[0], len(packed)/TokenBytes)
		return
	}
	bestPortable(out, query, bias, packed)
}

// bestAVX2 is bestPortable by AVX2; groups and n are at least 1.
//
//go:noescape
func bestAVX2(out *float32, query *int8, bias *float32, groups int, packed *byte, n int)
