package audit

import "testing"

// No number of a category is ever shown: it says nothing to people.
func TestCategoriesInHistoryHaveNames(t *testing.T) {
	names := map[int64]string{7: "Work"}
	for id, want := range map[string]string{"7": "Work", "8": deletedCategory, "": "", "Boats": "Boats", "category 8": deletedCategory, "category of one": "category of one"} {
		if got := categoryName(id, names); got != want {
			t.Errorf("%q is called %q", id, got)
		}
	}
}
