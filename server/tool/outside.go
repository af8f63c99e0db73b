package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"elowen/server/render"
	"elowen/server/validation"
	"elowen/shared/fault"
)

// Field is an argument of a tool that isn't one of a Set.
type Field struct {
	Name, Kind, Doc string // Kind as JSON schema names it: string, integer, boolean
	Setting         string // the row of the setting table with its bounds; empty: none
	Needed          bool
}

// Input is the schema of an object with these fields and no others.
func Input(fields ...Field) json.RawMessage {
	list := make([]property, len(fields))
	for i, f := range fields {
		list[i] = property{name: f.Name, kind: f.Kind, doc: f.Doc, key: f.Setting, need: f.Needed}
	}
	return object(list...)
}

// Arguments reads and judges the arguments of a tool that isn't one of a Set, by the same
// rules. input is its schema. Errors: Invalid, saying what it takes.
func Arguments[T any](input json.RawMessage, args []byte) (in T, err error) {
	if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	if err = validation.DecodeBytes(args, &in); err == nil {
		err = validation.Nulls(args, &in)
	}
	var f *fault.Error
	if errors.As(err, &f) && len(f.Fields) > 0 && f.Fields[0].Rule == "unknown" {
		err = fault.Newf(fault.Invalid, "%s It takes: %s.", f.Detail, strings.Join(propertiesOf(input), ", "))
	}
	return in, err
}

// Failure is an error as an outcome: what happened, and what to do.
func Failure(err error) Outcome {
	text := strings.TrimSpace(fault.ProblemOf(err).Detail)
	switch k := fault.KindOf(err); k {
	case fault.NotFound, fault.Unavailable, fault.Forbidden:
		// What is to be done depends on the tool, whose error says it.
	default:
		if advice := advise(k); advice != "" {
			text = strings.TrimSuffix(text, ".") + ". " + advice
		}
	}
	return Outcome{Text: render.Harmless(text), Failed: true}
}
