package browser

import "testing"

// The trash has the keys of the list, and its search.
func TestTheTrashByKeysAndBySearch(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("trash-keys")
	signUp(t, s, w)
	for _, body := range []string{"The ferry leaves at nine.", "The tram takes 24 minutes.", "The tram is full at eight."} {
		call(w, "DELETE", "api/memory/"+add(w, body), "")
	}
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.Keys("gt")
	w.See("3 in the trash")
	w.Await("the keyboard is on the first row", `document.querySelector(".trow[data-active]")?.getAttribute("aria-rowindex") === "2" && document.activeElement.getAttribute("aria-activedescendant") === document.querySelector(".trow[data-active]").id`)
	w.HasFocus("in the trash")
	w.Keys("jx")
	w.See("1 of 3 selected")
	w.Await("the second row is picked", `document.querySelector(".trow[aria-selected=true]")?.getAttribute("aria-rowindex") === "3"`)
	w.Keys("KJ")
	w.See("2 of 3 selected")
	w.Keys(Escape)
	w.See("0 selected")

	// Purging asks, as ever.
	w.Keys(Home + "#")
	w.Has("[role$=dialog]")
	w.Keys(Escape)
	w.Await("nothing was purged", `document.querySelector("[role$=dialog]") === null && document.body.innerText.includes("3 in the trash")`)

	// A memory is opened, and closed again into the trash.
	w.FocusOn("#trash-rows")
	w.Keys(Home + Enter)
	w.Has(".detail-body")
	w.Keys(Escape)
	w.See("3 in the trash")

	w.Keys("/")
	w.Await("the search has the focus", `document.activeElement.id === "search"`)
	w.Keys("tram")
	w.See("2 found in the trash")
	w.SeeIn("#trash mark", "tram")
	w.Await("the search is in the address", `new URL(location).searchParams.get("q") === "tram"`)
	w.Shot("trash-search")
	w.Reload()
	w.See("2 found in the trash")
	w.Await("the words are in the field", `document.querySelector("#search").value === "tram"`)
	w.FocusOn("#search")
	w.Keys(ArrowDown)
	w.Await("the keyboard is in the rows", `document.activeElement.id === "trash-rows" && document.querySelector(".trow[data-active]")`)
	w.Keys("/")
	w.Keys("xyz")
	w.See("Nothing found")
	w.Press("Clear search and filters")
	w.See("3 in the trash")
	w.Await("the field is empty", `document.querySelector("#search").value === ""`)

	// Space picks the row, but a checkbox and a button keep their own.
	w.FocusOn("#trash-rows")
	w.Keys(Home + " ")
	w.See("1 of 3 selected")
	w.FocusOn(".trow .check")
	w.Keys(" ")
	w.Await("the box and the row agree", `[...document.querySelectorAll(".trow .check")].every(b => b.checked === (b.closest(".trow").getAttribute("aria-selected") === "true"))`)
	for _, width := range []int64{390, 360} {
		w.Resize(width, 844)
		w.Visit(s.URL("/memory/trash"))
		w.SeeIn("#trash", "The tram takes 24 minutes.")
		if wrong := Eval[string](w, outside); wrong != "" {
			t.Errorf("at %d: %s", width, wrong)
		}
		w.Shot("trash-search-390")
	}
}
