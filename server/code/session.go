package code

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
)

// Answer is what a tool answers a script: a value, or why there is none.
type Answer struct {
	Value json.RawMessage
	Error string // instead of Value
}

// Caller runs a tool for a script. It is called from several goroutines.
type Caller func(ctx context.Context, name string, arguments json.RawMessage) Answer

// Job is what is to be run.
type Job struct {
	Script string
	Tools  []string // names of those that the script may call
	Call   Caller
}

// Ran is what came of a script.
type Ran struct {
	Printed string
	Calls   int
	Error   string // what ended it, in words of ours; empty: nothing that we know of
	Thrown  string // what ended it, in its own words; empty: nothing did
}

// session is the parent's end of one run. The child on the other end of in and out is
// believed nothing.
type session struct {
	job Job
	in  io.Reader
	out *lines
	// quit ends the child, which has nothing more to say.
	quit func()

	printed strings.Builder
	ran     Ran
	ended   bool
}

// What a session ends with beside the errors of its pipes.
var (
	errEnded   = errors.New("the script ended")
	errPrinted = errors.New("printed too much")
	errCalls   = errors.New("called too often")
)

// run speaks with the child until the script ends, and gives what came of it: whole
// where the error is nil.
func (s *session) run(ctx context.Context) (Ran, error) {
	ctx, cancel := context.WithCancel(ctx)
	var calls sync.WaitGroup
	err := s.out.write(order{Script: s.job.Script, Tools: s.job.Tools})
	if err == nil {
		free := make(chan struct{}, mostAtOnce)
		err = read(s.in, func(e event) error { return s.take(ctx, e, free, &calls) })
	}
	// What is still being called is of no use to anybody: without its script it ends.
	s.quit()
	cancel()
	calls.Wait()
	s.ran.Printed = s.printed.String()
	if errors.Is(err, errEnded) {
		err = nil
	}
	return s.ran, err
}

func (s *session) take(ctx context.Context, e event, free chan struct{}, calls *sync.WaitGroup) error {
	switch {
	case !e.check():
		return errLine
	case e.End:
		s.ran.Error, s.ran.Thrown = beginning(e.Error, mostError), beginning(e.Thrown, mostError)
		return errEnded
	case e.Print != "":
		room := mostPrinted - s.printed.Len()
		s.printed.WriteString(beginning(e.Print, room))
		if len(e.Print) > room {
			return errPrinted
		}
		return nil
	}
	if e.Call != s.ran.Calls+1 || !s.may(e.Name) {
		return errLine
	}
	if s.ran.Calls++; s.ran.Calls > mostCalls {
		return errCalls
	}
	calls.Go(func() {
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		case <-ctx.Done():
			return
		}
		s.answer(ctx, e)
	})
	return nil
}

func (s *session) may(name string) bool {
	for _, t := range s.job.Tools {
		if t == name {
			return true
		}
	}
	return false
}

// answer runs a tool and sends what it answers. A child that is gone hears nothing.
func (s *session) answer(ctx context.Context, e event) {
	var a Answer
	if err := fault.Guarded(func() { a = s.job.Call(ctx, e.Name, json.RawMessage(e.Arguments)) }); err != nil {
		a = Answer{Error: fault.Internal.Title()}
	}
	o := order{Answer: e.Call, Value: jsontext.Value(a.Value), Error: strings.ToValidUTF8(a.Error, "\uFFFD")}
	if a.Error != "" || len(a.Value) == 0 {
		o.Value = nil
		if o.Error == "" {
			o.Error = "The tool answered nothing."
		}
	}
	if err := s.out.write(o); err != nil && ctx.Err() == nil {
		_ = s.out.write(order{Answer: e.Call, Error: "The tool answered more than a script can be given. Ask for less."})
	}
}
