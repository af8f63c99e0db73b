package weight

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"sync"

	"elowen/shared/fault"
)

// source is a file that is read in place. The first failure of a read that can't
// report it stays.
type source struct {
	io.ReaderAt
	size    int64
	mu      sync.Mutex
	err     error // guarded by mu
	buffers sync.Pool
}

func newSource(r io.ReaderAt, size int64) *source {
	return &source{ReaderAt: r, size: size, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// Err is the first failure to read.
func (s *source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// part reads n bytes, which are fresh.
func (s *source) part(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > s.size || n > s.size-at {
		return nil, broken("%d bytes at %d are outside the %d of the file", n, at, s.size)
	}
	b := make([]byte, n)
	if got, err := s.ReadAt(b, at); int64(got) < n {
		return nil, fault.Wrap(fault.Internal, err, "The weights can't be read.")
	}
	return b, nil
}

// floats reads n float32.
func (s *source) floats(at int64, n int) ([]float32, error) {
	b, err := s.part(at, 4*int64(n))
	if err != nil {
		return nil, err
	}
	return floatsOf(b)
}

// floatsOf reads little-endian float32, all of which must be finite.
func floatsOf(b []byte) ([]float32, error) {
	list := make([]float32, len(b)/4)
	for i := range list {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, broken("a weight isn't finite")
		}
		list[i] = v
	}
	return list, nil
}

// row hands n bytes to use, which must not keep them. It was found to be within the
// file before.
func (s *source) row(at int64, n int, use func([]byte)) {
	buffer := s.buffers.Get().(*[]byte)
	defer s.buffers.Put(buffer)
	if cap(*buffer) < n {
		*buffer = make([]byte, n)
	}
	b := (*buffer)[:n]
	if got, err := s.ReadAt(b, at); got < n {
		s.mu.Lock()
		if s.err == nil {
			s.err = fault.Wrap(fault.Internal, err, "The weights can't be read any more.")
		}
		s.mu.Unlock()
		clear(b)
	}
	use(b)
}

// broken is the error of a file that isn't what it should be.
func broken(format string, args ...any) error {
	return fault.New(fault.Invalid, "weights: "+fmt.Sprintf(format, args...))
}
