// Package cache keeps on disk what the built-in models made of texts, for programs
// that are run by hand, again and again, over the same texts.
//
// A file holds the results of one model for one kind of text, one record after the
// other; what a record is of is its key, the hash of the text. Files are named by the
// model's hash, so another model finds nothing. A record that was cut off by the
// program's end is written again.
//
// What it doesn't do: it is never used by the server, bounds no size and removes
// nothing. Only one program may write at a time.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"

	"elowen/server/embedding"
	"elowen/server/embedding/local"
)

// Model is a built-in model that is asked for each text once. Not for concurrent use.
type Model struct {
	*local.Model
	dir   string
	files map[string]*file
}

// Over puts a folder before a model. An empty dir keeps nothing.
func Over(m *local.Model, dir string) *Model {
	return &Model{Model: m, dir: dir, files: map[string]*file{}}
}

// Close closes the files.
func (m *Model) Close() error {
	var err error
	for _, f := range m.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Vectors gives the vectors of each text, one for each window.
func (m *Model) Vectors(ctx context.Context, texts []string, kind embedding.Kind) ([][][]float32, error) {
	name := "passages"
	if kind == embedding.Query {
		name = "queries"
	}
	f, err := m.file(name)
	if err != nil {
		return nil, err
	}
	list := make([][][]float32, len(texts))
	for i, text := range texts {
		numbers, ok, err := f.get(text)
		if err != nil {
			return nil, err
		}
		if !ok {
			if kind == embedding.Query {
				rows, err := m.Queries(ctx, []string{text})
				if err != nil {
					return nil, err
				}
				numbers = rows[0]
			} else {
				rows, err := m.Passages(ctx, []string{text})
				if err != nil {
					return nil, err
				}
				for _, row := range rows[0] {
					numbers = append(numbers, row...)
				}
			}
			if err := f.put(text, numbers); err != nil {
				return nil, err
			}
		}
		for len(numbers) > 0 {
			list[i] = append(list[i], numbers[:local.Width:local.Width])
			numbers = numbers[local.Width:]
		}
	}
	return list, nil
}

// Tokens gives the pieces of a text and their last hidden states, as local.Model does.
func (m *Model) Tokens(ctx context.Context, text string, query bool) (ids []int32, states []float32, err error) {
	name := "passage-tokens"
	if query {
		name = "query-tokens"
	}
	f, err := m.file(name)
	if err != nil {
		return nil, nil, err
	}
	numbers, ok, err := f.get(text)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		if ids, states, err = m.Model.Tokens(ctx, text, query); err != nil {
			return nil, nil, err
		}
		for _, id := range ids {
			numbers = append(numbers, float32(id))
		}
		return ids, states, f.put(text, append(numbers, states...))
	}
	n := len(numbers) / (local.Width + 1)
	for _, id := range numbers[:n] {
		ids = append(ids, int32(id))
	}
	return ids, numbers[n:], nil
}

type file struct {
	*os.File
	at  map[[sha256.Size]byte]span
	end int64
}

type span struct {
	at int64
	n  int
}

const headSize = sha256.Size + 4

func (m *Model) file(name string) (*file, error) {
	if f, ok := m.files[name]; ok {
		return f, nil
	}
	f := &file{at: map[[sha256.Size]byte]span{}}
	m.files[name] = f
	if m.dir == "" {
		return f, nil
	}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		return nil, err
	}
	var err error
	if f.File, err = os.OpenFile(filepath.Join(m.dir, m.Hash()[:16]+"-"+name), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var head [headSize]byte
	for {
		if _, err := f.ReadAt(head[:], f.end); err != nil {
			if errors.Is(err, io.EOF) {
				return f, nil
			}
			return nil, err
		}
		n := int(binary.LittleEndian.Uint32(head[sha256.Size:]))
		next := f.end + headSize + int64(4*n)
		if next > info.Size() {
			return f, nil
		}
		f.at[[sha256.Size]byte(head[:sha256.Size])] = span{f.end + headSize, n}
		f.end = next
	}
}

func (f *file) get(text string) ([]float32, bool, error) {
	s, ok := f.at[sha256.Sum256([]byte(text))]
	if !ok {
		return nil, false, nil
	}
	raw := make([]byte, 4*s.n)
	if _, err := f.ReadAt(raw, s.at); err != nil {
		return nil, false, err
	}
	numbers := make([]float32, s.n)
	for i := range numbers {
		numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return numbers, true, nil
}

func (f *file) put(text string, numbers []float32) error {
	if f.File == nil {
		return nil
	}
	key := sha256.Sum256([]byte(text))
	record := append(make([]byte, 0, headSize+4*len(numbers)), key[:]...)
	record = binary.LittleEndian.AppendUint32(record, uint32(len(numbers)))
	for _, x := range numbers {
		record = binary.LittleEndian.AppendUint32(record, math.Float32bits(x))
	}
	if _, err := f.WriteAt(record, f.end); err != nil {
		return err
	}
	f.at[key] = span{f.end + headSize, len(numbers)}
	f.end += int64(len(record))
	return nil
}
