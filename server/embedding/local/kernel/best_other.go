//go:build !amd64 && !arm64

package kernel

// available are the kernels that this processor runs, the fastest last.
func available() []*Kernel { return []*Kernel{portable} }
