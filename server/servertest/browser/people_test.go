package browser

import "testing"

func TestPeopleInTheApp(t *testing.T) {
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("admin")
	signUp(t, s, w)
	w.Visit(s.URL("/settings?part=people"))
	w.SeeIn(".item-person", "you")
	w.Fill("Name", "Pavel")
	w.Press("Add a person")
	w.See("Added Pavel")
	w.SeeIn(".item-person", "no password yet")
	w.Tolerate("status of 409")
	w.Fill("Name", "PAVEL")
	w.Press("Add a person")
	w.See("There is an account of that name already")

	// A password, in the row, from the menu, by keyboard.
	menu := func(what string) {
		t.Helper()
		w.Press("What to do with Pavel")
		w.ClickText(".menu-item", what)
	}
	menu("Set a password…")
	w.Has("#per-secret")
	w.Keys("short" + Enter)
	w.See("Too short")
	w.Fill("New password", password)
	w.Press("Set the password")
	w.See("Password set.")
	w.Gone("no password yet")

	pavel := b.Person().Window("pavel")
	pavel.Tolerate("401", "403", "WebSocket")
	in := func() {
		t.Helper()
		pavel.Visit(s.URL("/login"))
		pavel.See("Welcome back")
		pavel.Fill("Name", "pavel")
		pavel.Fill("Password", password)
		pavel.Press("Sign in")
	}
	in()
	pavel.See("No memories yet")
	pavel.Visit(s.URL("/settings?part=people"))
	pavel.See("Only administrators see this page.")
	pavel.Visit(s.URL("/settings"))
	pavel.See("Only administrators change this.")
	pavel.Await("the fields are closed", `document.querySelector("#ret-graceDays").disabled`)

	menu("Make an administrator")
	w.See("Role changed")
	pavel.Visit(s.URL("/settings?part=health"))
	pavel.SeeIn(".finding", "Database")
	menu("Make a member")
	w.See("Role changed")

	menu("Sign out everywhere")
	w.See("1 session of Pavel signed out")
	pavel.See("Welcome back")
	in()
	pavel.See("No memories yet")
	menu("Disable…")
	w.Press("Disable")
	w.SeeIn(".item-person", "disabled")
	pavel.See("Welcome back")
	in()
	pavel.See("This account is disabled.")
	menu("Enable")
	w.See("They can sign in again")

	// Erasing needs the name.
	menu("Erase…")
	w.Has("#dialog-phrase")
	w.Await("the button waits for the name", `document.querySelector("[role=alertdialog] .btn-danger").disabled`)
	w.FocusOn("#dialog-phrase")
	w.Keys("Pavel")
	w.Click("[role=alertdialog] .btn-danger:not(:disabled)")
	w.See("Erased.")
	w.Await("nobody else is there", `document.querySelectorAll(".item-person").length === 1`)
	in()
	pavel.See("The name or the password is not right.")
}
