package browser

import (
	"testing"
)

// Everything is reached from the palette, without a pointer.
func TestPalette(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("palette")
	signUp(t, s, w)
	add(w, "Schema migrations only on Tuesdays.")
	add(w, "The outage of 18 March: a migration locked orders.")
	w.Visit(s.URL("/memory"))
	w.See("3 memories")
	open := func() {
		t.Helper()
		w.Eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
		w.Await("the palette has the focus", `document.activeElement.id === "palette-input"`)
	}
	open()
	w.Shot("palette-empty")
	w.Keys("migr")
	w.SeeIn(".palette-list mark", "igr")
	w.See("Show all 2 matches in the list")
	w.Await("the first is chosen", `document.querySelector("#palette-input").getAttribute("aria-activedescendant") === "offer-0" && document.querySelector("#offer-0").ariaSelected === "true"`)
	w.Shot("palette")
	w.Keys(Enter)
	w.Await("the palette is gone", `document.querySelector(".palette") === null`)
	w.Has(".detail-body")

	open() // with a memory open, what can be done to it
	w.SeeIn(".palette-list", "Move to trash")
	w.Keys("imp 9")
	w.SeeIn("#offer-0", "Importance 9")
	w.Keys(Enter)
	w.See("1 memory: importance 9")
	w.SeeIn(".fields", "critical")
	undoNewest(w)
	w.See("Undone: 1 memory as before")

	open()
	w.Keys("#gen")
	w.SeeIn("#offer-0", "General")
	w.Keys(Enter)
	w.Await("the category is the filter", `new URL(location).searchParams.get("category") === "1"`)

	open()
	w.Keys(">sett")
	w.SeeIn("#offer-0", "Settings")
	w.Keys(Enter)
	w.See("Memory retention")

	w.Keys("gc")
	w.SeeIn(".shelf", "General")
	w.Keys("gm")
	w.See("3 memories")

	open()
	w.Keys("Something new to keep")
	w.SeeIn(".palette-list", "New memory “Something new to keep”")
	w.Eval(`[...document.querySelectorAll(".palette [role=option]")].find(e => e.innerText.includes("New memory “")).click()`)
	w.Await("it is in the form", `document.querySelector("#editor-body")?.value === "Something new to keep"`)
	w.Press("Cancel")

	w.Visit(s.URL("/memory"))
	w.See("3 memories")
	w.Keys("?")
	w.SeeIn(".dialog", "Search and commands")
	w.Shot("help")
	w.Keys(Escape)
	w.Eval(`localStorage.setItem("elowen.theme", "dark")`)
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	open()
	w.Shot("palette-dark")
	w.Keys(Escape)
	w.Resize(390, 844)
	open()
	w.Keys("outage")
	w.SeeIn(".palette-list mark", "outage")
	w.Shot("palette-390")
}

// What is typed before the field is there that it is meant for is typed into it: no
// letter is lost, and none is taken for an order.
func TestLettersTypedAheadOfTheirField(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("quick")
	signUp(t, s, w)
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	const quick = "xjenkg fast"
	for _, c := range []struct{ key, with, field string }{
		{"k", "ctrlKey: true,", "#palette-input"},
		{"/", "", "#search"},
		{"n", "", "#editor-body"},
	} {
		// All in one task, so nothing can be drawn between the keys. A letter that
		// nobody takes is typed where the focus is, as a browser does.
		w.Eval(`(() => {
			const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more}))
				&& !more && document.execCommand("insertText", false, key);
			press(` + quote(c.key) + `, {` + c.with + ` repeat: false});
			for (const letter of ` + quote(quick) + `) press(letter);
		})()`)
		w.Await(c.key+" and what was typed after it", `document.querySelector(`+quote(c.field)+`)?.value === `+quote(quick))
		w.Await("the field has the focus", `document.activeElement === document.querySelector(`+quote(c.field)+`)`)
		w.Keys(Escape)
		w.Eval(`sessionStorage.clear(), document.activeElement.blur()`)
		w.Visit(s.URL("/memory"))
		w.SeeIn(".row", firstOne)
	}
	// So is the palette that is closed and opened in one moment: it begins anew.
	w.Eval(`(() => {
		const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more}));
		press("k", {ctrlKey: true});
	})()`)
	w.Await("the palette", `document.activeElement?.id === "palette-input"`)
	w.Keys("old")
	w.Eval(`(() => {
		const press = (key, more) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true, ...more}));
		press("Escape");
		document.activeElement.blur();
		press("k", {ctrlKey: true});
		for (const letter of "new") press(letter);
	})()`)
	w.Await("it begins anew", `document.activeElement?.id === "palette-input" && document.activeElement.value === "new"`)
	w.Keys(Escape)
	// Afterwards letters are orders again.
	w.FocusOn("#list")
	w.Keys("jx")
	w.See("1 selected")
}
