// Package module rewrites a program that Go's linker made for the browser, so that
// it does the same and less of it has to be downloaded.
//
// Concepts. The linker writes the initial memory as up to 100,000 segments, to leave
// out zeroes; what is compressed anyway gets smaller as one piece, since tables keep
// their rhythm, and the browser has one copy to make instead of many. In that memory
// stands the table by which the runtime knows functions by their program counters
// (pclntab). Half of it says which line of which file an instruction comes from, and
// is read only to print a stack.
//
// Invariants. Code, addresses and what the program computes stay as they are. Every
// function keeps its name in a printed stack; those that the caller asks for keep
// files and lines. Nothing is guessed: a module that isn't laid out as it is here
// known to be is an error, and nothing is written.
//
// What it doesn't do: it takes no functions out. That's the linker's, and wasm/overlay
// helps it.
package module

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Slim returns the program rewritten. traced tells which functions, by their full
// names as in a stack, keep files and lines.
func Slim(program []byte, traced func(function string) bool) ([]byte, error) {
	const header = "\x00asm\x01\x00\x00\x00"
	rest, ok := bytes.CutPrefix(program, []byte(header))
	if !ok {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	out := bytes.NewBufferString(header)
	found := false
	for len(rest) > 0 {
		r := reader{b: rest}
		id := r.byte()
		body := r.take(r.uint())
		if r.failed {
			return nil, errors.New("a section is broken off")
		}
		whole := rest[:r.at]
		rest = rest[r.at:]
		if id != dataSection {
			out.Write(whole)
			continue
		}
		if found {
			return nil, errors.New("two data sections")
		}
		found = true
		m, err := readMemory(body)
		if err != nil {
			return nil, fmt.Errorf("data section: %w", err)
		}
		if err := m.trim(traced); err != nil {
			return nil, fmt.Errorf("function table: %w", err)
		}
		section := m.section()
		out.WriteByte(dataSection)
		out.Write(binary.AppendUvarint(nil, uint64(len(section))))
		out.Write(section)
	}
	if !found {
		return nil, errors.New("no data section")
	}
	return out.Bytes(), nil
}

// Parts of the binary format, WebAssembly Core Specification 1.0, chapter 5.
const (
	dataSection = 11
	i32Const    = 0x41
	end         = 0x0b
)

// A reader takes values off the front of b. After something that doesn't fit, failed
// is set and everything is zero.
type reader struct {
	b      []byte
	at     int
	failed bool
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

func (r *reader) take(n uint64) []byte {
	if r.failed || n > uint64(len(r.b)-r.at) {
		r.failed = true
		return nil
	}
	b := r.b[r.at : r.at+int(n)]
	r.at += int(n)
	return b
}

// uint is an unsigned number in LEB128, as encoding/binary writes them.
func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b[r.at:])
	if r.failed || n <= 0 {
		r.failed = true
		return 0
	}
	r.at += n
	return v
}

// int is a signed number in LEB128, which is not the zigzag of encoding/binary.
func (r *reader) int() int64 {
	var v int64
	for shift := uint(0); shift < 64; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b&0x80 == 0 {
			if b&0x40 != 0 && shift+7 < 64 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.failed = true
	return 0
}

func appendInt(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if v == 0 && low&0x40 == 0 || v == -1 && low&0x40 != 0 {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}
