package validation

import (
	"errors"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestNulls(t *testing.T) {
	for _, c := range []struct {
		into      any
		in, field string
	}{
		{&api.MemoryPatch{}, `{"body":null}`, "body"},
		{&api.MemoryPatch{}, `{"body":"x","reviewed":null}`, "reviewed"},
		{&api.MemoryPatch{}, `{"categoryId":null,"body":"x"}`, ""},
		{&api.MemoryPatch{}, `{}`, ""},
		{&api.MePatch{}, `{"memory":{"autoSave":null}}`, "memory.autoSave"},
		{&api.MePatch{}, `{"memory":null}`, "memory"},
		{&api.MePatch{}, `{"defaultCategoryId":null,"memory":{"autoSave":true}}`, ""},
		{&api.PersonPatch{}, `{"disabled":null}`, "disabled"},
		{&api.CategoryPatch{}, `{"name":null}`, "name"},
		{&api.CategoryChoice{}, `{"categoryId":null}`, ""},
		{&api.PolicyChange{}, `{"revision":1,"graceDays":null}`, "graceDays"},
		{&api.PolicyChange{}, `{"revision":1,"halfLifeDays":null}`, "halfLifeDays"},
	} {
		if err := Unmarshal([]byte(c.in), c.into); err != nil {
			t.Fatal(err)
		}
		err := Nulls([]byte(c.in), c.into)
		var e *fault.Error
		if c.field == "" && err != nil || c.field != "" && (!errors.As(err, &e) || e.Kind != fault.Invalid || len(e.Fields) != 1 || e.Fields[0].Field != c.field) {
			t.Errorf("%s into %T: %v", c.in, c.into, err)
		}
	}
}
