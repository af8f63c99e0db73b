package code

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// say tells of an error that ended the script; nil: none did.
func (s *script) say(err error) ending {
	if s.stopped != "" {
		return ending{said: s.stopped}
	}
	var deep *goja.StackOverflowError
	var thrown *goja.Exception
	switch {
	case err == nil:
		return ending{}
	case errors.As(err, &deep):
		return ending{said: overDepth}
	case errors.As(err, &thrown):
		return s.sayThrown(thrown.Value())
	}
	return ending{thrown: sayable(err.Error())}
}

// sayThrown tells of what a script threw, with the line where it did.
func (s *script) sayThrown(v goja.Value) ending {
	text := "something that can't be shown"
	// What is thrown may have a getter that throws again.
	_ = s.vm.Try(func() {
		text = s.thrown(v)
		if object, ok := v.(*goja.Object); ok {
			if at := place(field(object, "stack")); at != "" {
				text += " (line " + at + ")"
			}
		}
	})
	how := ending{thrown: sayable(text)}
	switch {
	case s.stopped != "":
		return ending{said: s.stopped}
	case s.missed != "" && strings.Contains(text, s.missed):
		how.said = sayable("There is no tool " + s.missed + "; there are: " + strings.Join(slices.Sorted(maps.Keys(s.tools)), ", ") + ".")
	}
	return how
}

// sayable is a text as it is told.
func sayable(text string) string {
	return beginning(strings.ToValidUTF8(text, "\uFFFD"), mostError)
}

// place is the line of the first place in the script that a stack names.
func place(stack string) string {
	_, after, ok := strings.Cut(stack, "script:")
	if !ok {
		return ""
	}
	end := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 || end > 10 {
		return ""
	}
	return after[:end]
}
