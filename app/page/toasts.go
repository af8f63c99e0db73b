package page

import (
	"slices"

	"elowen/app/part"
)

// toastsMost is how many toasts stand at a time.
const toastsMost = 3

// withToast adds a toast. It takes the place of an older one of its kind, unless
// that one has a way back: nothing that could still be undone is lost for a word
// more. Where there are too many, the oldest without a way back goes first.
func withToast(old []part.Toast, t part.Toast) []part.Toast {
	list := slices.DeleteFunc(slices.Clone(old), func(o part.Toast) bool { return o.Kind == t.Kind && o.Undo == nil })
	list = append(list, t)
	for len(list) > toastsMost {
		gone := slices.IndexFunc(list[:len(list)-1], func(o part.Toast) bool { return o.Undo == nil })
		if gone < 0 {
			gone = 0
		}
		list = slices.Delete(list, gone, gone+1)
	}
	return list
}
