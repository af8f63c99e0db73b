package page

import (
	"maps"
	"testing"

	"elowen/shared/api"
)

// A change of one field on each side must survive both; only what both changed to
// different values clashes.
func TestMergeForm(t *testing.T) {
	form := func(grace, floor string, on bool) policyForm {
		return policyForm{values: map[string]string{fieldGrace: grace, fieldFloor: floor}, enabled: on}
	}
	old := form("7", "5", true)
	cases := []struct {
		name             string
		now, typed, want policyForm
		clash            []string
	}{
		{"nothing typed", form("9", "5", false), form("7", "5", true), form("9", "5", false), nil},
		{"different fields", form("7", "12", true), form("14", "5", true), form("14", "12", true), nil},
		{"same field", form("9", "5", true), form("14", "5", true), form("14", "5", true), []string{fieldGrace}},
		{"same field, same value", form("14", "5", true), form("14", "5", true), form("14", "5", true), nil},
		{"spaces are no change", form("9", "5", true), form(" 7 ", "5", true), form("9", "5", true), nil},
		{"typed nonsense is kept", form("7", "12", true), form("x", "5", true), form("x", "12", true), nil},
		{"switched here", form("7", "5", true), form("7", "5", false), form("7", "5", false), nil},
		{"switched by both", form("7", "5", false), form("7", "5", false), form("7", "5", false), nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, clash := mergeForm(old, c.now, c.typed)
			if !maps.Equal(got.values, c.want.values) || got.enabled != c.want.enabled {
				t.Errorf("merged %v, want %v", got, c.want)
			}
			if len(clash) != len(c.clash) {
				t.Errorf("clash %v, want %v", clash, c.clash)
			}
			for _, f := range c.clash {
				if !clash[f] {
					t.Errorf("%s doesn't clash", f)
				}
			}
		})
	}
}

// A form that nobody touched is always the policy in force.
func TestMergeUntouched(t *testing.T) {
	p := api.Policy{Enabled: true, GraceDays: 7, VitalityFloor: 5, DailyDeletionLimit: 5, HalfLifeDays: []float64{1, 2, 3}}
	q := p
	q.GraceDays, q.Enabled, q.HalfLifeDays = 3.5, false, []float64{1, 9, 3}
	got, clash := mergeForm(formOf(p), formOf(q), formOf(p))
	if !maps.Equal(got.values, valuesOf(q)) || got.enabled || len(clash) > 0 {
		t.Errorf("%v, clash %v", got, clash)
	}
}
