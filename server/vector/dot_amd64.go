package vector

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA

var kernel = func() string {
	if fast {
		return "avx2"
	}
	return "portable"
}()

func dot(a, b []float32) float32 {
	if fast {
		return dotAVX2(&a[0], &b[0], len(a))
	}
	return dotPortable(a, b)
}

// dotAhead is dot, and fetches ahead, which is as long, into the cache meanwhile.
func dotAhead(a, b, ahead []float32) float32 {
	if fast {
		return dotAheadAVX2(&a[0], &b[0], &ahead[0], len(a))
	}
	return dotPortable(a, b)
}

// dotAVX2 is Dot of n values, by AVX2 and FMA.
//
//go:noescape
func dotAVX2(a, b *float32, n int) float32

//go:noescape
func dotAheadAVX2(a, b, ahead *float32, n int) float32
