package code

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// say is an error as its script's author is told of it; empty: there is none.
func (s *script) say(err error) string {
	if s.stopped != "" {
		return s.stopped
	}
	var deep *goja.StackOverflowError
	var thrown *goja.Exception
	switch {
	case err == nil:
		return ""
	case errors.As(err, &deep):
		return overDepth
	case errors.As(err, &thrown):
		return s.sayThrown(thrown.Value())
	}
	return beginning(strings.ToValidUTF8(err.Error(), "\uFFFD"), mostError)
}

// sayThrown is what a script threw, with the line where it did.
func (s *script) sayThrown(v goja.Value) (said string) {
	if s.stopped != "" {
		return s.stopped
	}
	said = "something that can't be shown"
	// What is thrown may have a getter that throws again.
	if s.vm.Try(func() {
		said = s.thrown(v)
		if object, ok := v.(*goja.Object); ok {
			if at := place(field(object, "stack")); at != "" {
				said += " (line " + at + ")"
			}
		}
	}) != nil && s.stopped != "" {
		return s.stopped
	}
	if s.missed != "" && strings.Contains(said, s.missed) {
		said += ". There is no tool " + s.missed + "; there are: " + strings.Join(slices.Sorted(maps.Keys(s.tools)), ", ")
	}
	return beginning(strings.ToValidUTF8(said, "\uFFFD"), mostError)
}

// place is the first place in the script that a stack names, as line:column.
func place(stack string) string {
	_, after, ok := strings.Cut(stack, "script:")
	if !ok {
		return ""
	}
	end := strings.IndexFunc(after, func(r rune) bool { return r != ':' && (r < '0' || r > '9') })
	if end < 0 || end > 20 {
		return ""
	}
	line, _, _ := strings.Cut(after[:end], ":")
	return line
}
