package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// holds waits until the form's text is this.
func holds(w *Window, text string) {
	w.t.Helper()
	w.Await("the form holds "+quote(text), `document.querySelector("#editor-body")?.value === `+quote(text))
}

// typed fills the form and waits until it is kept.
func typed(w *Window, text string) {
	w.t.Helper()
	w.Fill("Memory", text)
	w.Await("it is kept", `Object.values({...localStorage}).some(v => v.includes(`+quote(quote(text)[1:len(quote(text))-1])+`))`)
}

// merging picks rows and opens the form that makes one of them.
func merging(w *Window, bodies ...string) {
	w.t.Helper()
	for _, body := range bodies {
		w.SeeIn(".row", body)
		w.Eval(`[...document.querySelectorAll(".row")].find(e => e.innerText.includes(` + quote(body) + `)).querySelector("[data-do=pick]").dispatchEvent(new MouseEvent("click", {bubbles: true, cancelable: true}))`)
	}
	w.Press("Merge")
	w.Has("#editor-body")
}

// Whatever is typed into any form of a memory is there again after its tab was killed, says
// since when, and can be dropped.
func TestWhatIsTypedOutlivesItsTab(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("first")
	signUp(t, s, w)
	add(w, "Second one.")
	add(w, "Third one.")

	// A new memory.
	w.Visit(s.URL("/memory?new=1"))
	typed(w, "Typed into a new one.")
	w.KillTab()
	w = p.Window("after new")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".unsaved", "A new memory is not saved:")
	w.SeeIn(".unsaved", "Typed into a new one.")
	w.SeeIn(".unsaved", "kept from")
	w.Shot("draft-banner")
	w.Press("Go on")
	holds(w, "Typed into a new one.")
	w.SeeIn(".kept-from", "Your text is kept from")
	w.Shot("draft-form")
	w.Await("the banner is gone", `!document.querySelector(".unsaved")`)
	w.Press("Discard and start anew")
	holds(w, "")
	w.Press("Undo")
	holds(w, "Typed into a new one.")
	w.Press("Save memory")
	w.SeeIn(".row", "Typed into a new one.")
	w.Await("the banner stays away", `!document.querySelector(".unsaved")`)

	// An edit: by its banner, and by its address.
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Press("Edit")
	typed(w, "Edited, not saved.")
	w.KillTab()
	w = p.Window("after edit")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".unsaved", "An edit is not saved:")
	w.Visit(s.URL("/memory/1"))
	holds(w, "Edited, not saved.")
	w.SeeIn(".kept-from", "Your text is kept from")
	w.Press("Save")
	w.SeeIn(".detail-body", "Edited, not saved.")

	// A merge.
	w.Visit(s.URL("/memory"))
	merging(w, "Second one.", "Third one.")
	typed(w, "Two made one, not saved.")
	w.KillTab()
	w = p.Window("after merge")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".unsaved", "A merge is not saved:")
	w.Press("Go on")
	holds(w, "Two made one, not saved.")
	w.Press("Merge 2")
	w.SeeIn(".row", "Two made one, not saved.")
	w.Await("nothing is left", `!document.querySelector(".unsaved") && elowenDrafts.list() === "[]"`)
}

// A source of the merge is gone when one comes back: the text is kept as a new memory's.
func TestAMergeOfWhatIsGoneKeepsItsText(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("merge")
	signUp(t, s, w)
	add(w, "Second one.")
	w.Visit(s.URL("/memory"))
	w.See("2 memories")
	merging(w, firstOne, "Second one.")
	typed(w, "Both in one.")
	w.KillTab()
	w = p.Window("later")
	w.Visit(s.URL("/memory"))
	w.See("2 memories")
	call(w, "DELETE", "api/memory/1", "")
	w.Press("Go on")
	holds(w, "Both in one.")
	w.Press("Save memory")
	w.SeeIn(".row", "Both in one.")
}

func TestTheFirstMemoryOutlivesItsTab(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("setup")
	w.Visit(s.SetupLink())
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	typed(w, "The very first words.")
	w.KillTab()
	w = p.Window("again")
	w.Visit(s.URL("/memory?new=1"))
	holds(w, "The very first words.")
	w.Press("Save memory")
	w.SeeIn(".row", "The very first words.")
}

// Two tabs type at once: neither takes the other's text, and when one is killed the other
// offers what it had.
func TestTabsKeepTheirOwnDrafts(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	a := p.Window("a")
	signUp(t, s, a)
	b := p.Window("b")
	a.Visit(s.URL("/memory?new=1"))
	typed(a, "Typed in A.")
	b.Visit(s.URL("/memory?new=1"))
	b.Has("#editor-body")
	holds(b, "")
	typed(b, "Typed in B.")
	a.Reload()
	holds(a, "Typed in A.")
	b.KillTab()
	a.Press("Save memory")
	a.SeeIn(".row", "Typed in A.")
	a.SeeIn(".unsaved", "Typed in B.")
	// What is dropped can be had back, and what is dropped for good is gone.
	a.Click(".unsaved [data-do=draft-drop]")
	a.click("undo the discarding", `[...document.querySelectorAll(".toast")].find(e => e.innerText.includes("Edit discarded"))?.querySelector("button")`)
	holds(a, "Typed in B.")
	a.Press("Cancel")
	a.Await("nothing is kept", `!Object.keys({...localStorage}).some(k => k.startsWith("elowen.draft:"))`)
}

// Where a browser has no Web Locks, nobody knows which tabs are there: a draft stays its
// tab's for a minute, over reloads too, and goes to the next one that looks after that.
func TestDraftsWithoutWebLocks(t *testing.T) {
	const bare = `Object.defineProperty(Navigator.prototype, "locks", {get: () => undefined})`
	s := Serve(t)
	p := Open(t).Person()
	a := p.Window("a")
	a.Before(bare)
	signUp(t, s, a)
	a.Visit(s.URL("/memory?new=1"))
	typed(a, "Typed in A.")
	a.Reload()
	holds(a, "Typed in A.")
	b := p.Window("b")
	b.Before(bare)
	b.Visit(s.URL("/memory"))
	b.SeeIn(".row", firstOne)
	b.Await("A keeps its own", `!navigator.locks && elowenDrafts.list() === "[]" && !document.querySelector(".unsaved")`)
	a.KillTab()
	b.Reload()
	b.SeeIn(".row", firstOne)
	b.Await("nobody knows that A is gone", `elowenDrafts.list() === "[]" && !document.querySelector(".unsaved")`)
	b.Before(`{ const now = Date.now; Date.now = () => now() + 61_000; }`)
	b.Reload()
	b.SeeIn(".unsaved", "Typed in A.")
	b.Press("Go on")
	holds(b, "Typed in A.")
	b.Press("Save memory")
	b.SeeIn(".row", "Typed in A.")
	b.Await("nothing is kept", `!Object.keys({...localStorage}).some(k => k.startsWith("elowen.draft:"))`)
}

func TestSigningOutLeavesNoDraft(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w, beside := p.Window("out"), p.Window("beside")
	signUp(t, s, w)
	killed := p.Window("killed")
	killed.Visit(s.URL("/memory?new=1"))
	typed(killed, "A secret of a killed tab.")
	killed.KillTab()
	w.Visit(s.URL("/memory?new=1"))
	holds(w, "A secret of a killed tab.")
	beside.Visit(s.URL("/memory/1"))
	beside.Press("Edit")
	typed(beside, "A secret beside.")
	w.Visit(s.URL("/account"))
	if before := Promise[stored](w, everything); strings.Count(before.Text, "A secret") < 2 {
		t.Error("the drafts were not kept; the test would prove nothing")
	}
	w.Press("Sign out")
	w.See("Welcome")
	beside.See("Welcome")
	for _, tab := range []*Window{w, beside} {
		if after := Promise[stored](tab, everything); strings.Contains(after.Text, "A secret") || strings.Contains(after.Text, person) {
			t.Errorf("%s: after the sign-out it is readable: %s", tab.name, clip(after.Text, 2000))
		}
	}
}

// endSession makes the browser forget that somebody is signed in.
func endSession(w *Window) {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		w.t.Fatal(err)
	}
}

func TestASessionThatEndsWhileTypingSaysSo(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("ends")
	signUp(t, s, w)
	w.Tolerate("status of 401")
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Press("Edit")
	typed(w, "Typed while it ended.")
	endSession(w)
	w.Press("Save")
	w.SeeIn("[role=dialog]", "Your session has ended")
	w.SeeIn("[role=dialog]", "What you typed is kept")
	w.Shot("session-ended")
	w.Fill("Password of "+person, "not the password")
	w.Click("[role=dialog] [type=submit]")
	w.Has("[role=dialog] .form-problem .banner")
	w.Fill("Password of "+person, password)
	w.Click("[role=dialog] [type=submit]")
	w.Await("the dialog is gone", `!document.querySelector("[role=dialog]")`)
	holds(w, "Typed while it ended.")
	w.Press("Save")
	w.SeeIn(".detail-body", "Typed while it ended.")
	// What happens elsewhere comes in again.
	patch(w, "1", `{"body":"Changed behind the form."}`)
	w.SeeIn(".detail-body", "Changed behind the form.")

	// By the sign-in page, and back to it.
	w.Press("Edit")
	typed(w, "Typed once more.")
	endSession(w)
	w.Press("Save")
	w.Press("Go to the sign-in page")
	w.See("Your session has ended")
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Sign in")
	holds(w, "Typed once more.")
	w.Press("Cancel")

	// Who isn't typing is told on the sign-in page.
	endSession(w)
	w.Press("Move to trash")
	w.See("Your session has ended")
	w.Reload()
	w.See("Welcome")
	w.Gone("Your session has ended")
}
