package browser

import (
	"strings"
	"testing"
)

// away is a window of somebody with these memories beside the first, after the server
// went away.
func away(t *testing.T, bodies ...string) (*Server, *Browser, *Window) {
	t.Helper()
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("here")
	signUp(t, s, w)
	for _, body := range bodies {
		add(w, body)
	}
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	installed(w)
	kept(w, "memories", firstOne)
	for _, body := range bodies {
		kept(w, "memories", body)
	}
	w.Tolerate(gone...)
	s.Kill()
	w.See("not connected")
	return s, b, w
}

// An edit of what went to the trash meanwhile: both are shown, and the person chooses.
func TestAnEditOfWhatWentToTheTrashIsNotLost(t *testing.T) {
	s, b, w := away(t, "Second one.")
	w.Tolerate("status of 400", "status of 422", "status of 409")
	for old, now := range map[string]string{firstOne: "First, typed here.", "Second one.": "Second, typed here."} {
		w.ClickText(".row .row-body", old)
		w.SeeIn(".detail-body", old)
		w.Press("Edit")
		w.Fill("Memory", now)
		w.Press("Save")
		w.SeeIn(".detail-body", now)
	}
	w.See("2 changes wait")
	w.Visit("about:blank")
	s.Start()
	other := b.Person().Window("there")
	signIn(other, s, person)
	call(other, "DELETE", "api/memory/1", "")
	call(other, "DELETE", "api/memory/2", "")

	w.Visit(s.URL("/memory"))
	w.See("2 changes need a look")
	w.Press("Show")
	w.SeeIn(".unsent", "in the trash meanwhile")
	w.SeeIn(".unsent .ba", "First, typed here.")
	w.SeeIn(".unsent .ba", firstOne)
	w.Shot("queue-trashed")
	press := func(body, button string) {
		t.Helper()
		w.click("press "+button, `[...[...document.querySelectorAll(".unsent")].find(e => e.innerText.includes(`+quote(body)+`))?.querySelectorAll("button") ?? []].find(e => e.innerText.trim() === `+quote(button)+`)`)
	}
	press("First, typed here.", "Restore and save mine")
	w.Await("one is left", `document.querySelectorAll(".unsent").length === 1`)
	press("Second, typed here.", "Leave it in the trash")
	w.See("Nothing waits to be sent.")
	w.Press("Close")
	w.SeeIn(".row", "First, typed here.")
	out := exported(s)
	if !strings.Contains(out, `"body":"First, typed here."`) || strings.Contains(out, "Second, typed here.") {
		t.Error(out)
	}
}

// The same while one types and the server is there.
func TestTheFormOfWhatWentToTheTrashKeepsItsText(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("form")
	signUp(t, s, w)
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Press("Edit")
	w.Fill("Memory", "Typed while it went.")
	call(w, "DELETE", "api/memory/1", "")
	w.SeeIn(".conflict", "This went to the trash while you were typing.")
	w.SeeIn(".conflict", "Typed while it went.")
	w.Press("Restore and save mine")
	w.SeeIn(".detail-body", "Typed while it went.")
	w.SeeIn(".row", "Typed while it went.")
}

// A search without the server looks through the kept rows, and says so.
func TestASearchWithoutTheServerLooksThroughWhatIsKept(t *testing.T) {
	s, _, w := away(t, "The ferry leaves at nine.", "Tomatoes like the south wall.")
	w.Fill("Search memories", "FERRY nine")
	w.See("Searching the 3 rows kept here.")
	w.SeeIn(".row", "The ferry leaves at nine.")
	w.Await("the others are left out", `![...document.querySelectorAll(".row")].some(e => e.innerText.includes("Tomatoes"))`)
	w.Shot("offline-search")
	w.Visit(s.URL("/memory?q=submarine"))
	w.See("Searching the 3 rows kept here.")
	w.See("Nothing found")
	w.Visit(s.URL("/memory?importance=9"))
	w.See("Searching the 3 rows kept here.")
	w.Await("none is that important", `document.querySelectorAll(".row .row-body").length === 0`)
	s.Start()
	w.tryNow()
	w.Visit(s.URL("/memory?q=ferry"))
	w.SeeIn(".row", "The ferry leaves at nine.")
	w.Gone("Searching the")
}

// What isn't kept is said to be that, not to be empty, nor shown as about to come.
func TestWhatIsNotKeptSaysSo(t *testing.T) {
	s, _, w := away(t, "Second one.")
	for path, want := range map[string]string{
		"/memory/trash":              "Not kept offline",
		"/settings":                  "Not kept offline.",
		"/settings?part=maintenance": "",
		"/settings?part=people":      "",
		"/settings?part=health":      "",
		"/categories":                "",
	} {
		w.Visit(s.URL(path))
		w.See("not connected")
		if want != "" {
			w.See(want)
		}
		w.Await(path+" shows no shape of what never comes", `![...document.querySelectorAll("main .skeleton")].some(e => e.checkVisibility({visibilityProperty: true}))`)
		if strings.Contains(w.Text("main"), "is empty") {
			t.Errorf("%s: says that there is nothing, which isn't known", path)
		}
		w.Shot("offline" + strings.NewReplacer("/", "-", "?", "-", "=", "-").Replace(path))
	}
}

// A new memory that waits is opened from the list, mended and discarded.
func TestANewMemoryThatWaitsCanBeOpened(t *testing.T) {
	s, _, w := away(t)
	for _, body := range []string{"Made without a network.", "To be discarded."} {
		w.Press("New memory")
		w.Fill("Memory", body)
		w.Press("Save memory")
		w.SeeIn(".unsent-news", body)
	}
	w.See("2 changes wait")
	w.ClickText(".unsent-new", "To be discarded.")
	w.SeeIn(".detail-body", "To be discarded.")
	w.SeeIn(".detail", "is not sent yet")
	w.Reload()
	w.SeeIn(".detail-body", "To be discarded.")
	w.Shot("unsent")
	w.Press("Discard")
	w.See("1 change waits")
	w.ClickText(".unsent-new", "Made without a network.")
	w.SeeIn(".detail-body", "Made without a network.")
	w.Press("Edit")
	holds(w, "Made without a network.")
	w.SeeIn(".unsent-news", "open in the form")
	w.Press("Cancel")
	w.Await("it waits again", `document.querySelector(".unsent-news .flag")?.innerText.trim() === "waiting"`)
	w.ClickText(".unsent-new", "Made without a network.")
	w.Press("Edit")
	w.Fill("Memory", "Made without a network, and mended.")

	// The server is back while the form is open: what is mended isn't sent before.
	s.Start()
	w.tryNow()
	w.Gone("not connected")
	w.Press("Save memory")
	w.SeeIn(".row", "Made without a network, and mended.")
	w.Gone("wait")
	out := exported(s)
	if n := strings.Count(out, `"body":"Made without a network`); n != 1 || strings.Contains(out, "To be discarded.") {
		t.Errorf("%d of it: %s", n, out)
	}
}

// What was done without the server is taken back as what was done with it, by its toast
// or by z.
func TestWhatWaitsIsTakenBack(t *testing.T) {
	s, _, w := away(t, "Second one.")
	w.ClickText(".row .row-body", firstOne)
	w.SeeIn(".detail-body", firstOne)
	w.Press("Move to trash")
	w.See("1 change waits")
	w.Press("Undo")
	w.Gone("change waits")
	w.Press("Edit")
	w.Fill("Memory", "Typed by mistake.")
	w.Press("Save")
	w.SeeIn(".row", "Typed by mistake.")
	w.FocusOn("#main")
	w.Keys("z")
	w.Gone("change waits")
	w.SeeIn(".row", firstOne)
	w.SeeIn(".detail-body", firstOne)
	w.Press("New memory")
	w.Fill("Memory", "Not to be kept.")
	w.Press("Save memory")
	w.SeeIn(".unsent-news", "Not to be kept.")
	w.Press("Undo")
	w.Await("no new one waits", `!document.querySelector(".unsent-news")?.innerText`)

	// The map, which isn't kept, says so in words of ours.
	w.Visit(s.URL("/memory/map"))
	w.SeeIn(".map-empty", "The server does not answer.")
	s.Start()
	w.tryNow()
	w.Gone("not connected")
	if out := exported(s); !strings.Contains(out, `"body":`+quote(firstOne)) || strings.Contains(out, "mistake") || strings.Contains(out, "Not to be kept") || strings.Contains(out, `"status":"deleted"`) {
		t.Error(out)
	}
}
