package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"

	"elowen/server/transfer/foreign"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// staged is the input of an import, whole and in a file: nothing that is slow or
// may break off is read while the writer waits.
type staged struct {
	f     *os.File
	size  int64
	close func()
}

// stage brings the input into a file of ours, or takes one that is a file already.
func stage(r io.Reader, dir string) (*staged, error) {
	most := int64(setting.Int("import.file"))
	tooLarge := fault.Newf(fault.TooLarge, "The import is larger than %d MiB. Split it; nothing was changed.", most>>20)
	if s, ok := r.(*Scratch); ok {
		r = s.File
	}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			if info.Size() > most {
				return nil, tooLarge
			}
			return &staged{f, info.Size(), func() {}}, nil
		}
	}
	f, err := ImportScratch(dir)
	if err != nil {
		return nil, err
	}
	s := &staged{f: f.File, close: func() { f.Close() }}
	s.size, err = io.Copy(f, io.LimitReader(r, most+1))
	switch {
	case err == nil && s.size > most:
		err = tooLarge
	case err != nil:
		err = fault.Wrap(fault.Cancelled, err, "The import did not arrive whole. Nothing was changed.")
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Stage adds what a reader gives to a bundle, as a file of that name, once it is here
// whole. What is larger than import.file, or comes after import.parts others, is
// fault.TooLarge: each stays open until the bundle is closed, whatever is in it.
func Stage(b *foreign.Bundle, name string, r io.Reader, dir string) error {
	if most := setting.Int("import.parts"); b.Parts() >= most {
		return fault.Newf(fault.TooLarge, "There are more than %d files in one upload. Put them into a zip; nothing was changed.", most)
	}
	f, err := ImportScratch(dir)
	if err != nil {
		return err
	}
	most := int64(setting.Int("import.file"))
	size, err := io.Copy(f, io.LimitReader(r, most+1))
	switch {
	case err != nil:
		err = fault.Wrap(fault.Cancelled, err, "The import did not arrive whole. Nothing was changed.")
	case size > most:
		err = fault.Newf(fault.TooLarge, "The import is larger than %d MiB. Split it; nothing was changed.", most>>20)
	}
	if err != nil {
		f.Close()
		return err
	}
	return b.Add(name, f, size, 0)
}

// rawLine is a line as it stands in the file.
type rawLine struct {
	number int
	data   []byte // nil where it was too long to keep
	head   []byte // then how it begins
	end    int64  // where it ends in the file
}

// lines goes through the file's lines that are not blank, until each answers an
// error. data is the callee's to keep. More lines than import.lines are
// fault.TooLarge: what an import has to remember grows with them.
func (s *staged) lines(each func(rawLine) error) error {
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return fault.Wrap(fault.Unavailable, err, "The import cannot be read again.")
	}
	most, linesMost := setting.Int("import.line"), setting.Int("import.lines")
	in := bufio.NewReaderSize(s.f, 256<<10)
	var at int64
	for number := 1; ; number++ {
		var data []byte
		long := false
		var head []byte
		var err error
		for {
			var part []byte
			part, err = in.ReadSlice('\n')
			at += int64(len(part))
			if long = long || len(data)+len(part) > most+2; !long {
				data = append(data, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fault.Wrap(fault.Unavailable, err, "The import cannot be read: "+err.Error())
		}
		if number == 1 {
			data = bytes.TrimPrefix(data, []byte("\ufeff"))
			if bytes.HasPrefix(data, []byte("SQLite format 3\x00")) {
				return fault.New(fault.Invalid, "This is a SQLite database, not JSONL. An older system's is brought in with --from elowen.")
			}
		}
		data = bytes.TrimRight(data, "\r\n")
		switch {
		case long:
			head, data = bytes.Clone(data[:min(len(data), headBytes)]), nil
		case len(bytes.TrimSpace(data)) == 0:
			data = []byte{}
		}
		if long || len(data) > 0 {
			if number > linesMost {
				return fault.Newf(fault.TooLarge, "The import has more than %d lines. Split it; nothing was changed.", linesMost)
			}
			if err := each(rawLine{number, data, head, at}); err != nil {
				return err
			}
		}
		if err != nil {
			return nil // the end
		}
	}
}

// A chunk is as many lines as one decision writes.
const (
	chunkLines = 2000
	chunkBytes = 4 << 20
)

type chunk struct {
	lines []*parsed
	end   int64 // where it ends in the file
}

// chunks reads and judges the lines on other goroutines, a chunk ahead of write,
// which gets them in order.
func (s *staged) chunks(ctx context.Context, j judge, write func(*chunk) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready := make(chan *chunk, 1)
	var readErr error
	go func() {
		defer close(ready)
		var raw []rawLine
		bytes := 0
		hand := func() error {
			if len(raw) == 0 {
				return nil
			}
			lines, err := j.lines(raw)
			if err != nil {
				return err
			}
			c := &chunk{lines: lines, end: raw[len(raw)-1].end}
			raw, bytes = nil, 0
			select {
			case ready <- c:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		readErr = guard(j.log, func() error {
			err := s.lines(func(l rawLine) error {
				raw = append(raw, l)
				if bytes += len(l.data); len(raw) < chunkLines && bytes < chunkBytes {
					return nil
				}
				return hand()
			})
			if err != nil {
				return err
			}
			return hand()
		})
	}()
	for c := range ready {
		if err := write(c); err != nil {
			cancel()
			for range ready { // let the reader end
			}
			return err
		}
	}
	if readErr != nil && ctx.Err() != nil {
		return fault.Wrap(fault.Cancelled, readErr, "The import was cancelled. What was written before stands; the same file again goes on from there.")
	}
	return readErr
}

// parser is parseLine.
type parser func(number int, data []byte, now int64, foreign bool) *parsed

// judge is how lines are parsed.
type judge struct {
	parse   parser
	log     *slog.Logger
	now     int64
	foreign bool
}

// lines parses lines on every processor.
func (j judge) lines(raw []rawLine) ([]*parsed, error) {
	out := make([]*parsed, len(raw))
	workers := runtime.GOMAXPROCS(0)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			errs[w] = guard(j.log, func() error {
				for i := w; i < len(raw); i += workers {
					if raw[i].data == nil {
						out[i] = &parsed{number: raw[i].number, head: string(raw[i].head), err: fault.Newf(fault.TooLarge, "The line is longer than %d bytes.", setting.Int("import.line"))}
						continue
					}
					out[i] = j.parse(raw[i].number, raw[i].data, j.now, j.foreign)
				}
				return nil
			})
		})
	}
	wg.Wait()
	return out, errors.Join(errs...)
}
