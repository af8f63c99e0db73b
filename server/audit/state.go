package audit

import (
	"encoding/json"
	"slices"
	"strings"

	"elowen/shared/fault"
)

// State builds what an entry says of a memory before or after: its fields, by the
// names that they have in the audit. Its zero value has none.
type State struct {
	buf []byte
	err error
}

// Set gives it a field. A body is given as its Hash.
func (s *State) Set(name string, v any) {
	if s.err != nil {
		return
	}
	value, err := json.Marshal(v)
	if err != nil {
		s.err = fault.Wrap(fault.Internal, err, "")
		return
	}
	sep := byte(',')
	if len(s.buf) == 0 {
		sep = '{'
	}
	s.buf = append(s.buf, sep, '"')
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, '"', ':')
	s.buf = append(s.buf, value...)
}

// Text is the JSON; an empty state has none.
func (s *State) Text() (string, error) {
	if len(s.buf) == 0 || s.err != nil {
		return "", s.err
	}
	return string(s.buf) + "}", nil
}

// change is one field of an entry, as stored: raw JSON, nil where the entry doesn't
// have it.
type change struct {
	field         string
	before, after json.RawMessage
}

// FieldSources is the field, after a merge, that says what it was made of.
const FieldSources = "sources"

// fieldOrder is the order in which people read the fields of a change.
var fieldOrder = []string{"body", "kind", "importance", "confidence", "categoryId", "subject", "status", "source", "useCount", "lastUsedAt", "reviewedAt", FieldSources}

// otherNames are the names that the older system's audit has for the same.
var otherNames = map[string]string{"category_id": "categoryId", "use_count": "useCount", "last_used_at": "lastUsedAt"}

// ownBusiness are fields of other systems' states that say nothing of a change.
var ownBusiness = []string{"id", "user_id", "created_at", "updated_at"}

// changes are the fields that differ between an entry's two states.
func (e *Entry) changes() []change {
	before, after := Fields(e.Before), Fields(e.After)
	var list []change
	for name, v := range after {
		if old, ok := before[name]; !ok || string(old) != string(v) {
			list = append(list, change{name, old, v})
		}
	}
	for name, old := range before {
		if _, ok := after[name]; !ok {
			list = append(list, change{name, old, nil})
		}
	}
	rank := func(c change) int {
		if i := slices.Index(fieldOrder, c.field); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	slices.SortFunc(list, func(a, b change) int {
		if x, y := rank(a), rank(b); x != y {
			return x - y
		}
		return strings.Compare(a.field, b.field)
	})
	return list
}

// Fields reads a state, by the names that fields have here. What isn't one has none.
func Fields(state string) map[string]json.RawMessage {
	if state == "" {
		return nil
	}
	var s map[string]json.RawMessage
	if json.Unmarshal([]byte(state), &s) != nil {
		return nil
	}
	for other, name := range otherNames {
		if v, ok := s[other]; ok {
			s[name] = v
			delete(s, other)
		}
	}
	for _, name := range ownBusiness {
		delete(s, name)
	}
	return s
}
