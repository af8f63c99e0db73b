package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A person without a mouse does all there is to do, and always sees where they are.
func TestEverythingByKeyboard(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("keys")
	// The window in front, also after a page was loaded anew.
	if _, err := chromedp.Call(w.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	enter := func(name string) {
		t.Helper()
		w.TabTo(name)
		w.Keys(Enter)
	}
	put := func(text string) {
		t.Helper()
		w.Chord(ctrl, "a")
		w.Eval(`document.activeElement.select?.()`) // the driver's Ctrl A edits nothing
		w.Keys(text)
	}

	// Set up.
	w.Visit(s.SetupLink())
	w.See("Make the first account")
	w.TabTo("Name")
	w.Keys(person)
	w.TabTo("Password")
	w.Keys(password)
	enter("Make the account")
	w.See("Write down one thing worth keeping")
	w.HasFocus("at the first memory")
	if name := Eval[string](w, named+`(document.activeElement)`); name != "Memory" {
		w.TabTo("Memory")
	}
	w.Keys(firstOne)
	enter("Save and go on")
	w.See("See the memory")
	w.HasFocus("at the end of the setup")
	w.Await("the way on", `[...document.querySelectorAll("a.option")].some(e => e.innerText.includes("See the memory"))`)
	for range 12 {
		if strings.Contains(Eval[string](w, `document.activeElement.innerText ?? ""`), "See the memory") {
			break
		}
		w.Keys(Tab)
	}
	w.Keys(Enter)
	w.SeeIn(".detail-body", firstOne)

	// Add.
	for _, body := range []string{"Pavel prefers short answers.", "The ferry leaves at nine.", "The tram takes 24 minutes."} {
		w.Keys("n")
		w.Await("the form has the focus", `document.activeElement.id === "editor-body"`)
		w.Keys(body)
		w.HasFocus("while typing")
		w.Chord(ctrl, Enter)
		w.AwaitLong("the form is saved and gone", `!document.querySelector("#editor-body")`)
		w.SeeIn(".row", body)
		w.HasFocus("after saving a new memory")
	}

	// The skip link is the first stop, and leads past the rail.
	w.Reload()
	w.See("4 memories")
	w.Await("the rows are there", `document.querySelectorAll(".row .row-body").length === 4`)
	w.Keys(Tab)
	if got := Eval[string](w, named+`(document.activeElement)`); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	w.HasFocus("on the skip link")
	w.Keys(Enter)
	w.Await("the focus is at the content", `document.activeElement.id === "main"`)
	w.TabTo("Search memories")
	w.Keys(ArrowDown)
	w.Await("the list has the focus", `document.activeElement.id === "list" && document.querySelector(".row[data-active]")`)
	w.HasFocus("in the list")

	// The list is one stop: the next Tab leaves it.
	w.Keys(Tab)
	if Eval[bool](w, `document.activeElement.closest("#list") !== null`) {
		t.Error("a row is a stop of its own")
	}
	w.Chord(shift, Tab)
	w.Await("back in the list", `document.activeElement.id === "list"`)

	// Find, open, edit.
	w.Keys("/")
	w.Keys("ferry")
	w.See("1 memory")
	w.Keys(ArrowDown)
	w.Await("the row has the keyboard", `document.querySelector(".row[data-active]")?.innerText.includes("ferry")`)
	w.Keys(Enter)
	w.SeeIn(".detail-body", "The ferry leaves at nine.")
	w.HasFocus("with the detail open")
	w.Keys("e")
	w.Await("the form has the focus", `document.activeElement.id === "editor-body"`)
	put("The ferry leaves at ten.")
	w.Chord(ctrl, Enter)
	w.SeeIn(".detail-body", "The ferry leaves at ten.")
	w.HasFocus("after saving an edit")

	// Its importance, from a menu; the focus returns to what opened it.
	w.TabTo("5")
	w.Keys(Enter)
	w.Await("the menu has the focus", `document.activeElement.closest(".menu")`)
	w.HasFocus("in a menu")
	w.Keys(ArrowDown + ArrowDown + Enter)
	w.Await("the menu is gone", `document.querySelector(".menu") === null`)
	w.Await("another importance", `[...document.querySelectorAll(".fields [data-do=edit-importance]")].some(e => !e.innerText.startsWith("5"))`)
	w.HasFocus("after the menu")
	w.Await("where it was", `document.activeElement.dataset.do === "edit-importance"`)

	// The chart can be read out.
	w.Await("the chart is there", `document.querySelector("svg.chart")`)
	for range 12 {
		w.Keys(Tab)
		if Eval[bool](w, `document.activeElement.matches("svg.chart")`) {
			break
		}
	}
	w.HasFocus("on the chart")
	w.Keys(ArrowRight)
	w.Await("the read-out follows", `document.querySelector("output.chart-said")?.dataset.state === "reading"`)

	// An earlier version comes back.
	enter("Put this version back")
	w.SeeIn(".detail-body", "The ferry leaves at nine.")
	w.HasFocus("after a version was put back")

	// Leave, clear the search, pick two, change both.
	w.Keys(Escape)
	w.Await("the detail is closed", `document.querySelector(".detail-body") === null`)
	w.HasFocus("after the detail was closed")
	w.Keys("/")
	w.HasFocus("in the search")
	w.Keys(Escape)
	w.See("4 memories")
	w.Keys(Escape)
	w.Await("the list has the focus", `document.activeElement.id === "list"`)
	w.Keys(Home + "xjx")
	w.See("2 selected")
	enter("Importance")
	w.Await("the menu has the focus", `document.activeElement.closest(".menu")`)
	w.Keys(Home + Enter)
	w.See("importance 10")
	w.HasFocus("after a change of many")

	// To the trash, back by a key, and again.
	if Eval[bool](w, `!document.body.innerText.includes("2 selected")`) {
		w.FocusOn("#list")
		w.Keys(Home + "xjx")
		w.See("2 selected")
	}
	w.Keys("#")
	w.See("2 memories moved to the trash")
	w.See("2 memories")
	w.HasFocus("after the trash")
	w.Keys("z")
	w.SeeIn(".listfoot", "4 memories")
	w.HasFocus("after the undo")
	w.Keys(Home + "#")
	w.SeeIn(".listfoot", "3 memories")
	w.HasFocus("after one went to the trash")

	// Out of the trash.
	w.Keys("gt")
	w.See("1 in the trash")
	enter("Restore")
	w.Gone("1 in the trash")
	w.HasFocus("after the last one left the trash")

	// A category.
	w.Keys("gc")
	enter("New category")
	w.Has(".category-form")
	w.HasFocus("in the form of a category")
	if name := Eval[string](w, named+`(document.activeElement)`); name != "Name" {
		w.TabTo("Name")
	}
	w.Keys("Boats")
	w.Chord(ctrl, Enter)
	w.SeeIn(".shelf", "Boats")
	w.HasFocus("after a category was saved")

	// The palette, and what it gives back.
	w.Keys("gm")
	w.See("4 memories")
	w.TabTo("Search memories")
	w.Chord(ctrl, "k")
	w.Await("the palette has the focus", `document.activeElement.id === "palette-input"`)
	w.HasFocus("in the palette")
	w.Keys(Escape)
	w.Await("the focus is back", `document.activeElement.id === "search"`)
	w.Chord(ctrl, "k")
	w.Await("the palette has the focus", `document.activeElement.id === "palette-input"`)
	w.Keys(">keys")
	w.Await("the command is offered", `document.querySelector(".palette [role=option]")`)
	w.Keys(Enter)
	w.Has("[role=dialog] .keys")

	// A dialog keeps the focus inside, and gives it back.
	for range 4 {
		w.Keys(Tab)
		if !Eval[bool](w, `document.activeElement.closest("[role=dialog]") !== null`) {
			t.Error("the focus left the dialog")
		}
	}
	w.Keys(Escape)
	w.Await("the dialog is gone", `document.querySelector("[role=dialog]") === null`)
	w.HasFocus("after the dialog")

	// Settings.
	w.Keys(Escape)
	w.FocusOn("#main")
	w.Keys("gs")
	w.See("What this would do")
	w.Await("the form is filled", `[...document.querySelectorAll("input")].some(i => i.value === "14")`)
	for range 40 {
		w.Keys(Tab)
		if Eval[bool](w, `document.activeElement.matches("input.num-input")`) {
			break
		}
	}
	w.HasFocus("in a setting")
	put("21")
	w.Has(".savebar")
	enter("Save")
	w.Await("saved", `document.querySelector(".savebar .btn-primary") === null || document.querySelector(".savebar .btn-primary").disabled`)
	w.HasFocus("after the settings were saved")

	// Out.
	w.FocusOn("#main")
	w.Keys("ga")
	enter("Sign out")
	w.See("Welcome back")
	w.HasFocus("signed out")
	w.TabTo("Password")
}
