package page

import (
	"testing"

	"elowen/app/part"
)

func TestToastsKeepTheWaysBack(t *testing.T) {
	undo := func() {}
	var list []part.Toast
	add := func(id int, kind string, back bool) {
		toast := part.Toast{ID: id, Kind: kind, Text: kind}
		if back {
			toast.Undo = undo
		}
		list = withToast(list, toast)
	}
	ids := func(want ...int) {
		t.Helper()
		ok := len(list) == len(want)
		for i := range list {
			ok = ok && list[i].ID == want[i]
		}
		if !ok {
			t.Errorf("%+v, want %v", list, want)
		}
	}
	add(1, "Moved to the trash", true)
	add(2, "Moved to the trash", true)
	ids(1, 2)
	add(3, "Copied", false)
	add(4, "Copied", false)
	ids(1, 2, 4)
	add(5, "Moved to the trash", true)
	ids(1, 2, 5)
	add(6, "Failed", false)
	ids(2, 5, 6) // the new word is read, the oldest way back goes
	add(7, "Restored", true)
	ids(2, 5, 7)
}
