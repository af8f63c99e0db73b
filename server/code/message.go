package code

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// order is what the parent tells the child: first what to run, then answers to calls.
type order struct {
	Script string   `json:"script,omitzero"`
	Tools  []string `json:"tools,omitzero"`

	Answer int            `json:"answer,omitzero"` // the number of the call
	Value  jsontext.Value `json:"value,omitzero"`
	Error  string         `json:"error,omitzero"` // instead of a value
}

// event is what the child tells the parent. Exactly one of Print, Call and End is set.
type event struct {
	Print string `json:"print,omitzero"`

	Call      int            `json:"call,omitzero"` // counted from 1
	Name      string         `json:"name,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`

	End    bool   `json:"end,omitzero"`
	Error  string `json:"error,omitzero"`  // what ended it, in words of ours; empty: nothing did
	Thrown string `json:"thrown,omitzero"` // what ended it, in the script's own words
}

// errLine says that what came is no line of ours.
var errLine = errors.New("not a line of the protocol")

// lines writes one value a line, from several goroutines.
type lines struct {
	mu sync.Mutex
	w  io.Writer
}

// errTooLong says that a value makes no line that the other end would read.
var errTooLong = errors.New("too long for a line")

func (l *lines) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) >= mostLine {
		return errTooLong
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.w.Write(append(text, '\n'))
	return err
}

// read hands each line of r to use, until one ends it with an error, or r does.
// A line that is longer than mostLine, or cut off, is errLine.
func read[T any](r io.Reader, use func(T) error) error {
	b := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		piece, err := b.ReadSlice('\n')
		if len(line)+len(piece) > mostLine {
			return errLine
		}
		line = append(line, piece...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return errLine
		case err != nil:
			return err
		}
		var v T
		if json.Unmarshal(line, &v, json.RejectUnknownMembers(true)) != nil {
			return errLine
		}
		if err := use(v); err != nil {
			return err
		}
		if line = line[:0]; cap(line) > 1<<20 {
			line = nil
		}
	}
}

// check tells whether an event is one of the three kinds, and no more than that.
func (e *event) check() bool {
	printed, called, ended := e.Print != "", e.Call != 0, e.End
	switch {
	case printed:
		return !called && !ended && e.Name == "" && e.Arguments == nil && e.Error == "" && e.Thrown == ""
	case called:
		return !ended && e.Call > 0 && e.Name != "" && e.Arguments.Kind() == '{' && e.Error == "" && e.Thrown == ""
	case ended:
		return e.Name == "" && e.Arguments == nil
	}
	return false
}
