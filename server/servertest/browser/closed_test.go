package browser

import "testing"

// Whoever comes to the setup page of a server that has its accounts is told so.
func TestSetupOnceThereIsAnAccount(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("owner")
	w.Visit(s.SetupLink())
	w.See("Make the first account")
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	w.Fill("Memory", firstOne)
	w.Eval(`document.querySelector("#setup-body").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true, cancelable: true}))`)
	w.ClickText("a.option", "See the memory")
	w.SeeIn(".detail-body", firstOne)

	w.Visit(s.URL("/setup"))
	w.See("There is an account already")
	w.Await("nobody is asked for a code", `document.querySelector(".setup-form input") === null`)
	w.ClickText("a.btn", "To the memories")
	w.SeeIn(".memory-text", firstOne)

	// A filter that means nothing is out of the address, and said to be.
	w.Visit(s.URL("/memory?importance=77&q=zzz"))
	w.See("A filter in the address means nothing here")
	w.Await("the rest is kept", `location.search === "?q=zzz"`)

	stranger := Open(t).Person().Window("stranger")
	stranger.Visit(s.URL("/setup#ANY-CODE"))
	stranger.See("There is an account already")
	stranger.ClickText("a.btn", "Sign in")
	stranger.See("Welcome back")
}

// The parts of the settings and of the account are found by their names.
func TestPaletteFindsPartsOfPages(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("parts")
	signUp(t, s, w)
	for typed, found := range map[string]string{"backup": "Backups", "token": "Tokens", "health": "Health"} {
		w.Visit(s.URL("/memory"))
		w.SeeIn(".memory-text", firstOne)
		w.Eval(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`)
		w.Await("the palette has the focus", `document.activeElement.id === "palette-input"`)
		w.Keys(typed)
		w.SeeIn("#offer-0", found)
		w.Keys(Enter)
		w.SeeIn("h1", found)
	}
}
