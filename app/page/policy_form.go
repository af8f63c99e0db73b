package page

import (
	"strings"

	"elowen/shared/api"
)

// policyForm is the retention policy as it stands in the form.
type policyForm struct {
	values  map[string]string // by field
	enabled bool
}

func formOf(pol api.Policy) policyForm {
	return policyForm{values: valuesOf(pol), enabled: pol.Enabled}
}

// fieldEnabled is the switch among the fields of the form.
const fieldEnabled = "enabled"

// mergeForm carries what is typed over to a newer policy. A field that nobody
// touched here takes the new value, so that saving doesn't quietly put the old one
// back; a field that was touched keeps what is typed. clash holds the fields that
// both sides changed, each to something else.
func mergeForm(old, now, typed policyForm) (merged policyForm, clash map[string]bool) {
	merged = policyForm{values: make(map[string]string, len(now.values)), enabled: typed.enabled}
	clash = map[string]bool{}
	for field, theirs := range now.values {
		before, mine := old.values[field], strings.TrimSpace(typed.values[field])
		if mine == before {
			merged.values[field] = theirs
			continue
		}
		merged.values[field] = typed.values[field]
		if theirs != before && theirs != mine {
			clash[field] = true
		}
	}
	// A switch has two sides: who changed it against the old one agrees with whoever
	// else did.
	if typed.enabled == old.enabled {
		merged.enabled = now.enabled
	}
	return merged, clash
}
