package browser

import (
	"testing"
)

// Two go to the trash one after the other: each has its way back. The trash says who
// and why, by kind.
func TestTheTrashTellsWho(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("trash")
	signUp(t, s, w)
	one, two := add(w, "The first to go."), add(w, "The second to go.")
	left, right := add(w, "The door code is 4711."), add(w, "Door: 4711.")
	for _, id := range []string{one, two} {
		w.Visit(s.URL("/memory/" + id))
		w.Has(".detail-body")
	}
	w.Visit(s.URL("/memory"))
	w.See("5 memories")
	w.ClickText(".row .row-body", "The first to go.")
	w.SeeIn(".detail-body", "The first to go.")
	w.Press("Move to trash")
	w.See("Moved to the trash: The first to go.")
	w.ClickText(".row .row-body", "The second to go.")
	w.SeeIn(".detail-body", "The second to go.")
	w.Press("Move to trash")
	w.See("Moved to the trash: The second to go.")
	w.Await("both can be undone", `[...document.querySelectorAll(".toast button")].filter(e => e.innerText === "Undo").length === 2`)
	w.Shot("toasts")
	w.Eval(`[...document.querySelectorAll(".toast")].find(e => e.innerText.includes("The first")).querySelector("button").click()`)
	w.SeeIn("#list", "The first to go.")

	// A merge, from the bar of the picked rows.
	for _, body := range []string{"The door code is 4711.", "Door: 4711."} {
		w.Eval(`[...document.querySelectorAll(".row")].find(e => e.innerText.includes(` + quote(body) + `)).querySelector("[data-do=pick]").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	}
	w.See("2 selected")
	w.Press("Merge")
	w.See("Make one of 2 memories")
	w.Fill("Memory", "The door's code is 4711.")
	w.Press("Merge 2")
	w.SeeIn(".detail-body", "The door's code is 4711.")
	w.SeeIn(".event-others", "Door: 4711.")
	w.Shot("merged")

	w.Visit(s.URL("/memory/trash"))
	w.See("3 in the trash")
	w.SeeIn("#trash", "You")
	w.SeeIn("#trash", "Merged")
	w.Shot("trash-who")
	w.ClickText(".seg button", "Merged")
	w.Await("the part is in the address", `new URL(location).searchParams.get("by") === "merge"`)
	w.Gone("The second to go.")
	w.SeeIn("#trash", "Door: 4711.")
	w.ClickText(".seg button", "Faded")
	w.See("None of these")
	w.Visit(s.URL("/memory/" + left))
	w.See("It was made one with others")
	w.ClickText(".event-others a", "The door's code")
	w.SeeIn(".detail-body", "The door's code is 4711.")
	w.Visit(s.URL("/memory/" + right + "?status=deleted"))
	w.See("It was made one with others")
	w.Shot("trash-detail")
	w.Press("Restore")
	w.See("Restored")
	w.Resize(390, 844)
	w.Visit(s.URL("/memory/trash"))
	w.See("The second to go.")
	w.Shot("trash-who-390")
}

// An edit is taken back from its toast, and a version from the history.
func TestAnEditIsUndone(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("edit")
	signUp(t, s, w)
	w.Press("Edit")
	w.Fill("Memory", "# Deploys\n\nOnly on **Tuesdays**, see [the plan](https://plan.example/) and not [this](javascript:alert(1)).\n\n- one\n- two\n\n```\nmake ship\n```\n\n<img src=x onerror=alert(1)>")
	w.Press("Save")
	w.SeeIn(".markdown strong", "Tuesdays")
	w.Await("only safe links, no markup of the text's own", `document.querySelectorAll(".markdown a").length === 1 && document.querySelector(".markdown img") === null && document.querySelector(".markdown a").rel.includes("noopener")`)
	w.Shot("markdown")
	w.Press("Text")
	w.SeeIn(".detail-body", "**Tuesdays**")
	w.See("Saved as revision 2")
	undoNewest(w)
	w.SeeIn(".detail-body", firstOne)
	w.Press("Put this version back")
	w.SeeIn(".detail-body", "**Tuesdays**")
	w.Shot("history")
}

// A memory that is edited goes to the top of the list, and the keyboard with it: what a
// key does to "this one" is done to it, not to the one that stands there now.
func TestAKeyIsAboutTheMemoryThatIsOpen(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("keys")
	signUp(t, s, w)
	for _, body := range []string{"The second one.", "The third one.", "The fourth one."} {
		add(w, body)
	}
	w.Visit(s.URL("/memory"))
	w.See("4 memories")
	w.ClickText(".row .row-body", "The second one.")
	w.SeeIn(".detail-body", "The second one.")
	w.Keys("e")
	w.Fill("Memory", "The second one, changed.")
	w.Chord(ctrl, Enter)
	w.SeeIn(".detail-body", "The second one, changed.")
	w.SeeIn(".row", "The second one, changed.")
	w.Await("the keyboard is where it went", `[...document.querySelectorAll(".row")].every(e => !e.matches("[data-at], [data-active]") || e.innerText.includes("changed"))`)
	w.Keys("#")
	w.See("3 memories")
	w.Visit(s.URL("/memory/trash"))
	w.SeeIn("#trash", "The second one, changed.")
	w.Visit(s.URL("/memory"))
	for _, body := range []string{firstOne, "The third one.", "The fourth one."} {
		w.SeeIn(".row", body)
	}
}

// A memory that is in no category says what that means, and is filed with one click.
func TestWhatIsFiledNowhereSaysSo(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("unfiled")
	signUp(t, s, w)
	w.ClickText(".field-edit", "General")
	w.ClickText(".menu-item", "No category")
	w.See("In no category, so it is never recalled.")
	w.SeeIn(".row .flag", "never recalled")
	w.Shot("unfiled")
	w.Press("File it")
	w.ClickText(".menu-item", "General")
	w.Gone("In no category, so it is never recalled.")
}

// A memory that is opened by its address says where it stands, however far down.
func TestWhereAFarMemoryStands(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("far")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", oldNotes()))
	w.Visit(s.URL("/memory/1?sort=created&order=desc"))
	w.SeeIn(".detail-body", firstOne)
	w.See("1 of 901")
	w.Visit(s.URL("/memory/1?sort=created&order=asc"))
	w.See("901 of 901")
	w.Await("its row is in view", `document.querySelector(".row[aria-current]")?.getBoundingClientRect().bottom <= innerHeight`)
}

// undoNewest presses Undo in the newest toast.
func undoNewest(w *Window) {
	w.t.Helper()
	w.Await("the newest toast can be undone", `[...document.querySelectorAll(".toast")].at(-1)?.innerText.includes("Undo")`)
	w.Eval(`[...document.querySelectorAll(".toast")].at(-1).querySelector("[data-do=undo]").click()`)
}
