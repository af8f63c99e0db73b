package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
)

// Hash names a body where the body itself must not stand: SHA-256, in hex.
func Hash(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}

// isHash tells a Hash from a text.
func isHash(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// hashed is a state in which each body's text became its hash, at any depth.
func hashed(state string) (string, error) {
	if !strings.Contains(state, `"body"`) && !strings.Contains(state, `\`) {
		return state, nil
	}
	var s any
	d := json.NewDecoder(strings.NewReader(state))
	d.UseNumber()
	if d.Decode(&s) != nil || d.More() {
		return "", nil // nobody can read it, and a body may be in it
	}
	// Of a name that stands twice the reader sees one: the text is kept as it came
	// only where that is all there is.
	if !hashBodies(s) && jsontext.Value(state).IsValid() {
		return state, nil
	}
	out, err := json.Marshal(s)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "")
	}
	return string(out), nil
}

// hashBodies replaces what stands under the name body, and tells whether it did.
func hashBodies(v any) (changed bool) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if text, ok := inner.(string); name == "body" && inner != nil && !(ok && isHash(text)) {
				if !ok {
					text = fmt.Sprint(inner)
				}
				v[name] = Hash(text)
				changed = true
			} else if hashBodies(inner) {
				changed = true
			}
		}
	case []any:
		for _, inner := range v {
			if hashBodies(inner) {
				changed = true
			}
		}
	}
	return changed
}
