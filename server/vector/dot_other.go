//go:build !amd64

package vector

var kernel = "portable"

func dot(a, b []float32) float32 { return dotPortable(a, b) }

func dotAhead(a, b, _ []float32) float32 { return dotPortable(a, b) }
