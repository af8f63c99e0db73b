package browser

import (
	"fmt"
	"strings"
	"testing"
)

// Filters are chips that are set and taken away, and the address has them.
func TestFilters(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("filters")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	w.Press("Category")
	w.ClickText(".menu-item", "Harbor")
	w.See("3 memories")
	w.Press("Importance")
	w.ClickText(".menu-item", "or more")
	w.Await("both are in the address", `new URL(location).searchParams.get("importance") === "9" && new URL(location).searchParams.has("category")`)
	w.See("Nothing found")
	w.Shot("filters-none")
	w.Press("Clear importance 9+")
	w.See("3 memories")
	w.Press("Fades within…")
	w.Has(".menu input")
	w.Keys("400")
	w.SeeIn(".menu-item", "fades within 400 days")
	w.Keys(Enter)
	w.Await("the number of days is in the address", `new URL(location).searchParams.get("fades") === "400"`)
	w.SeeIn(".filter-on", "Harbor")
	w.Shot("filters")
	w.Reload()
	w.SeeIn(".filters", "fades within 400 days")
	w.Press("Clear all")
	w.See("13 memories")
	w.Await("the address has none", `new URL(location).search === ""`)
	if small := Eval[string](w, `[...document.querySelectorAll(".filters button")].filter(e => e.getBoundingClientRect().height < 24 || e.getBoundingClientRect().width < 24).map(e => e.innerText).join()`); small != "" {
		t.Errorf("too small to hit: %s", small)
	}
}

// What is done to very many is undone as one, each with what it had.
func TestAChangeOfVeryManyIsUndone(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("many")
	signUp(t, s, w)
	const n = 450
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"Note number %d of many.","importance":%d}`+"\n", i, i%3+4)
	}
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", b.String()))
	w.Visit(s.URL("/memory?importance=6"))
	w.See("150 memories")
	w.Visit(s.URL("/memory"))
	w.See("451 memories")
	w.FocusOn("#list")
	w.Keys("j")
	w.Keys("x")
	w.See("1 selected")
	w.Press("Select all 451 that match")
	w.See("451 selected")
	w.Shot("bulk")
	w.Press("Importance")
	w.ClickText(".menu-item", "9")
	w.See("451 memories: importance 9") // what had it already isn't counted; none had
	w.Visit(s.URL("/memory?importance=9"))
	w.See("451 memories")
	w.Back()
	w.See("451 memories")
	w.FocusOn("#list")
	w.Keys("j")
	w.Keys("x")
	w.Press("Select all 451 that match")
	w.Press("Kind")
	w.ClickText(".menu-item", "project")
	w.See("451 memories: now of kind project")
	undoNewest(w)
	w.See("Undone: 451 memories as before")
	w.Visit(s.URL("/memory?kind=project"))
	w.See("Nothing found")
}

// oldNotes is an import of 900 memories that are older than today.
func oldNotes() string {
	var b strings.Builder
	for i := range 900 {
		fmt.Fprintf(&b, `{"type":"memory","body":"Old note number %d.","createdAt":"2026-%02d-%02dT10:00:00.000Z"}`+"\n", i, i%9+1, i%28+1)
	}
	return b.String()
}
