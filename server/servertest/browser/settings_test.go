package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// old is an import file of n memories of minor importance that nobody used for long.
func old(n int) string {
	var b strings.Builder
	at := time.Now().UTC().AddDate(0, 0, -200).Format("2006-01-02T15:04:05.000Z")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"Leaf number %d of last summer","importance":2,"createdAt":%q}`+"\n", i, at)
	}
	return b.String()
}

func TestHalfLivesAreSeenAndSaved(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("retention")
	signUp(t, s, w)
	s.Run("admin", "import", "--user", person, s.File("old.jsonl", old(8)))
	w.Visit(s.URL("/settings"))
	w.Await("ten curves", `document.querySelectorAll(".curves .chart-curve").length === 10`)
	w.See("Below the floor of 10 after 2.9 days at importance 1, 62 days at 5, 531 days at 10.")
	w.SeeIn(".would", "Leaf number")

	// While one types, the curve moves, the saved one stays dashed, and the change is named.
	before := Eval[string](w, `document.querySelector(".curves .chart-curve[data-imp='10']").getAttribute("d")`)
	w.Fill("exceptional", "20")
	w.Await("the curve follows", `document.querySelector(".curves .chart-curve[data-imp='10']").getAttribute("d") !== `+quote(before))
	w.Await("the saved one is dashed", `document.querySelector(".chart-curve-old")?.getAttribute("d") === `+quote(before))
	w.SeeIn(".savebar", "half-life at importance 10: 180 → 20")
	w.SeeIn(".hl[data-state=dirty]", "was\u00a0180")
	w.Fill("Daily trash limit", "3")
	w.SeeIn(".savebar", "2 changes")
	w.SeeIn(".would", "not saved yet")
	w.SeeIn(".would", "instead of 5")

	// The keyboard reads the curves out.
	w.FocusOn(".curves")
	w.Keys(End)
	w.SeeIn(".curves-said", "After 365 days · 10: 0 · 9: 5")
	w.Keys(Escape)

	// Out of bounds is said beside the field, and can't be saved.
	w.Fill("Vitality floor", "0")
	w.SeeIn(".err", "The floor goes from 1 to 90.")
	w.Await("no saving", `[...document.querySelectorAll(".savebar .btn-primary")].every(b => b.disabled)`)
	w.Fill("Vitality floor", "10")
	w.Press("Save")
	w.See("Retention saved")
	w.Gone("not saved yet")

	// Two who change it at once: what is typed is kept, and nobody's value is lost unseen.
	other := p.Window("other")
	other.Tolerate("status of 409")
	w.Tolerate("status of 409")
	other.Visit(s.URL("/settings"))
	other.SeeIn(".would", "within 30 days")
	other.Fill("Grace period", "20")
	w.Fill("Grace period", "30")
	w.SeeIn(".savebar", "Grace period 14 → 30")
	w.Press("Save")
	w.Await("it is saved", `document.querySelector(".savebar") === null`)
	other.See("Somebody saved other values meanwhile.")
	if got := Eval[string](other, `document.querySelector("#ret-graceDays").value`); got != "20" {
		t.Errorf("what was typed became %q", got)
	}
	other.SeeIn(".savebar", "Grace period 30 → 20")
	other.Press("Save")
	other.Await("it is saved", `document.querySelector(".savebar") === null`)
	w.Await("the first one follows", `document.querySelector("#ret-graceDays").value === "20"`)

	// And back to where it began, seen before it is saved.
	w.Press("Reset all to defaults")
	w.SeeIn(".savebar", "half-life at importance 10: 20 → 180")
	w.SeeIn(".savebar", "Grace period 20 → 14")
	w.Press("Save")
	w.Await("it is saved", `document.querySelector(".savebar") === null`)
	if out := s.Run("admin", "retention", "show", "--json"); !strings.Contains(out, `"graceDays":14`) || !strings.Contains(out, "180]") {
		t.Errorf("the server has %s", out)
	}
}

func TestBackupsRoomAndHealthInTheApp(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("operate")
	signUp(t, s, w)
	w.Visit(s.URL("/settings?part=backups"))
	w.See("The next one is made")
	w.SeeIn("tr", "daily") // the server writes the day's at its start
	w.Press("Back up now")
	w.See("Backup written and read back")
	w.SeeIn("tr", "by hand")
	w.SeeIn("tr", "whole, read back")
	w.ClickText("tr .btn", "Check again")
	w.See("It is whole")
	w.SeeIn(".code", "elowen admin restore /")
	name := Eval[string](w, `[...document.querySelectorAll("tr a[download]")].map(a => a.getAttribute("href")).find(h => h.length > "/api/backups/elowen-2026-11-30.sqlite".length)`)
	if size := Promise[int](w, `fetch(`+quote(name)+`).then(r => r.arrayBuffer()).then(b => b.byteLength)`); size < 10_000 {
		t.Errorf("the download of %s has %d bytes", name, size)
	}
	w.Click(`tr:has(a[href="` + name + `"]) button[aria-label="Remove…"]`)
	w.Press("Remove the backup")
	w.See("Backup removed")
	w.Gone("by hand ·")

	w.Visit(s.URL("/settings?part=storage"))
	w.SeeIn(".use", "Index of words")
	w.SeeIn(".use", "Backups")
	w.See("free on the disk")

	w.Visit(s.URL("/settings?part=health"))
	for _, check := range []string{"Program", "Data directory", "Server", "Database", "Accounts", "Retention", "Backups"} {
		w.SeeIn(".finding", check)
	}
	w.SeeIn(".finding[data-state=ok]", "whole, schema")
	w.Press("Look again")
	w.SeeIn(".finding[data-state=ok]", "it answers this")
}

func TestTheAccountPage(t *testing.T) {
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("here")
	signUp(t, s, w)
	there := b.Person().Window("there")
	there.Visit(s.URL("/login"))
	there.Fill("Name", person)
	there.Fill("Password", password)
	there.Press("Sign in")
	there.SeeIn(".row", firstOne)

	// Where one is signed in, and out again there, at once.
	w.Visit(s.URL("/account"))
	w.SeeIn(".item", "this browser")
	w.Await("two sessions", `document.querySelectorAll(".item").length === 2`)
	there.Tolerate("401", "WebSocket")
	w.Press("End session")
	w.See("Signed out there.")
	there.See("Welcome back")

	// A token is shown once, and revoked.
	w.Visit(s.URL("/account?part=tokens"))
	w.See("No tokens yet.")
	w.Fill("What it is for", "A script")
	w.Press("read")
	w.Fill("Expires after", "30")
	w.Press("Create token")
	w.SeeIn(".token-made", "elw_")
	w.SeeIn(".item", "read · never used · expires")
	w.Press("I have it")
	w.Gone("elw_")
	w.Reload()
	w.SeeIn(".item", "A script")
	w.Gone("elw_")
	w.Press("Revoke…")
	w.Press("Revoke")
	w.See("Token revoked.")
	w.See("No tokens yet.")

	// A new password needs the right one.
	w.Visit(s.URL("/account"))
	w.Tolerate("status of 400")
	w.Fill("Current password", "not that")
	w.Fill("New password", "another horse battery")
	w.Press("Change the password")
	w.See("The current password is not right")
	w.Fill("Current password", password)
	w.Fill("New password", "another horse battery")
	w.Press("Change the password")
	w.See("Password changed.")
}

// Whoever comes to a server without accounts is told where the link is.
func TestLoginBeforeThereIsAnAccount(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("first")
	w.Visit(s.URL("/login"))
	w.See("This server has no account yet.")
	w.SeeIn(".code", "/setup#CODE")
	w.Press("I have the code")
	w.See("Make the first account")
	w.See("The part after # in the link")
	w.Visit(s.SetupLink())
	w.Reload()
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	w.Press("Skip")
	w.See("What now?")
	w.ClickText("a.option", "Import")
	w.See("Drop a file, a zip or several files here")
	again := Open(t).Person().Window("again")
	again.Visit(s.URL("/login"))
	again.See("Whoever looks after this server can set one.")
	again.Gone("no account yet")
}
