//go:build !amd64

package vector

const kernel = "portable"

func dot(a, b []float32) float32 { return dotPortable(a, b) }
