package browser

import (
	"fmt"
	"strings"
	"testing"
)

// What one reads stays where it is while one types, picks and leaves.

// topOf is where the first visible element of a selector begins, in CSS pixels.
func topOf(w *Window, selector string) float64 {
	w.t.Helper()
	w.Has(selector)
	return Eval[float64](w, `[...document.querySelectorAll(`+quote(selector)+`)].find(e => e.checkVisibility({visibilityProperty: true})).getBoundingClientRect().top`)
}

// The first letter of a search and the first picked row bring more to press, and move
// no row.
func TestNoRowMovesForWhatCanBePressed(t *testing.T) {
	s, w := withScene(t)
	call(w, "POST", "api/projects", `{"name":"Harbor works"}`)
	call(w, "POST", "api/projects/1/members", `{"name":`+quote(person)+`}`)
	w.Visit(s.URL("/memory"))
	w.AwaitLong("all are indexed", `(() => { // until then there is a filter more
		const ask = new XMLHttpRequest();
		ask.open("GET", "api/memory/stats", false);
		ask.send();
		return JSON.parse(ask.responseText).notIndexed === 0;
	})()`)
	for _, width := range []int64{1440, 1120, 800, 390} {
		w.Resize(width, 844)
		w.Visit(s.URL("/memory"))
		w.Has(".row .row-body")
		w.Has(`.filter[data-arg=project]`)
		w.Await("the typefaces are there", `document.fonts.status === "loaded"`) // in others the filters may need a second line
		still := func(when string, was float64) {
			t.Helper()
			if is := topOf(w, "#list"); is != was {
				t.Errorf("at %d px, %s: the rows moved from %v to %v", width, when, was, is)
			}
		}
		top := topOf(w, "#list")
		w.Fill("Search memories", "a")
		w.Has(".search .seg")
		still("with a letter in the search", top)
		w.Shot(fmt.Sprintf("steady-search-%d", width))
		w.Keys(Escape)
		w.Await("the search is empty", `document.querySelector(".search .seg") === null`)
		w.FocusOn("#list")
		w.Keys(Home + "x")
		w.See("1 selected")
		still("with a row picked", top)
		w.Keys("jx")
		w.See("2 selected")
		w.Has("[data-do=bulk-merge]")
		still("with two rows picked", top)
		if cut := Eval[string](w, `[...document.querySelectorAll(".bulk .btn")].filter(e => e.getBoundingClientRect().right > e.closest(".pane").getBoundingClientRect().right).map(e => e.innerText).join()`); cut != "" {
			t.Errorf("at %d px these are cut off: %s", width, cut)
		}
		w.Shot(fmt.Sprintf("steady-picked-%d", width))
	}
}

// Extending a selection adds to it, whatever was picked before.
func TestExtendingASelectionLetsNoneGo(t *testing.T) {
	s, w := withScene(t)
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.FocusOn("#list")
	picked := func(keys string, want ...int) {
		t.Helper()
		w.Await("after "+quote(keys)+" these are picked: "+fmt.Sprint(want), `JSON.stringify([...document.querySelectorAll(".row[aria-selected=true]")].map(e => +e.getAttribute("aria-posinset")).sort((a, b) => a - b)) === `+quote(strings.ReplaceAll(fmt.Sprint(want), " ", ",")))
	}
	w.Keys(Home + "x")
	picked("x", 1)
	w.Keys("J")
	picked("J", 1)
	w.Keys("J")
	picked("J", 1, 2)
	w.Keys("K")
	picked("K", 1, 2, 3)
	w.Keys("KK")
	picked("KK", 1, 2, 3)
	w.Keys(Escape + Home + "jjx")
	picked("x", 3)
	w.Chord(shift, ArrowDown)
	picked("Shift and down", 3, 4)
	w.Chord(shift, ArrowUp)
	picked("Shift and up", 3, 4)
	w.Chord(shift, ArrowUp)
	picked("Shift and up", 2, 3, 4)
}

// A page that is opened from the menu begins at the top; going back, forward and loading
// it again lead to where one was.
func TestAPageOpenedAnewBeginsAtTheTop(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("anew")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", oldNotes()))
	w.Visit(s.URL("/memory"))
	w.See("901 memories")
	at := func(when string, top int) {
		t.Helper()
		w.Await(fmt.Sprintf("%s it is scrolled to %d", when, top), fmt.Sprintf(`Math.abs(document.querySelector("#list")?.scrollTop - %d) < 2 && document.querySelector(".row .row-body")`, top))
	}
	w.Eval(`document.querySelector("#list").scrollTop = 8400`)
	at("after scrolling", 8400)
	w.Await("its rows are there", `[...document.querySelectorAll(".row")].some(e => e.getAttribute("aria-posinset") === "102")`)
	w.Click(`.nav a[href$="/settings"]`)
	w.See("What this would do")
	w.Back()
	at("gone back to", 8400)
	w.Reload()
	at("loaded again", 8400)
	w.Click(`.nav a[href$="/settings"]`)
	w.See("What this would do")
	w.Click(`.nav a[href$="/memory"]`)
	w.See("901 memories")
	at("opened anew", 0)
	w.Back()
	w.See("What this would do")
	w.Back()
	at("gone back to, twice", 8400)

	// A memory that is opened and closed leaves the list where it is.
	w.Resize(390, 844)
	w.Visit(s.URL("/memory?sort=created"))
	w.Has(".row .row-body")
	w.Eval(`document.querySelector("#list").scrollTop = 8200`)
	w.Await("its rows are there", `[...document.querySelectorAll(".row")].some(e => e.getAttribute("aria-posinset") === "103")`)
	w.Eval(`[...document.querySelectorAll(".row")].find(e => e.getAttribute("aria-posinset") === "103").click()`)
	w.Has(".detail-body")
	w.Click("[data-do=back].detail-back")
	at("back from a memory", 8200)
}

// After a key that leads to a page, the focus is in it, and no frame goes around all of
// it.
func TestTheFocusOfAPageIsNoFrameAroundIt(t *testing.T) {
	s, w := withScene(t)
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.FocusOn("#list")
	for _, to := range []struct{ keys, ready, at string }{
		{"gt", `document.querySelector("#trash .trow .memory-text")`, "#trash-rows"},
		{"gs", `document.querySelector(".curves svg")`, "h1"},
		{"gm", `document.querySelector(".row .row-body")`, "#list"},
		{"gc", `document.querySelector(".shelf")`, "h1"},
		{"gr", `document.querySelector(".check-form")`, "#search"},
		{"ga", `document.querySelector(".item")`, "h1"},
		{"gp", `document.querySelector("#map")`, "h1"},
		{"gt", `document.querySelector("#trash .trow .memory-text")`, "#trash-rows"},
	} {
		if to.keys == "ga" {
			w.Eval(`document.activeElement.blur()`) // a field takes letters
		}
		w.Keys(to.keys)
		w.Await(to.keys+" is drawn", to.ready)
		w.Await("the focus is at "+to.at, `document.activeElement.matches(`+quote(to.at)+`)`)
		if to.at[0] == '#' {
			w.HasFocus("after " + to.keys)
		}
		if framed := Eval[string](w, `(() => { for (let e = document.activeElement; e; e = e.parentElement) { const s = getComputedStyle(e), r = e.getBoundingClientRect();
			if (s.outlineStyle !== "none" && r.width * r.height > innerWidth * innerHeight / 4) return e.outerHTML.slice(0, 100); } return ""; })()`); framed != "" {
			t.Errorf("after %s there is a frame around %s", to.keys, framed)
		}
	}
	w.Shot("focus-trash")
}
