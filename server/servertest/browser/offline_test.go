package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// gone are the words of Chromium about a server that doesn't answer; they are expected
// where a test takes it away.
var gone = []string{"ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_SOCKET_NOT_CONNECTED", "ERR_INTERNET_DISCONNECTED", "WebSocket connection to", "ERR_FAILED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "status of 502"}

// installed waits until the shell of the page's release is kept.
func installed(w *Window) {
	w.t.Helper()
	w.Await("a service worker is in charge", `navigator.serviceWorker?.controller?.state === "activated"`)
}

// kept waits until the browser has kept a window.
func kept(w *Window, key, text string) {
	w.t.Helper()
	w.Await("kept: "+key, `(globalThis.keptNow ??= {}, elowenKeep.recall(`+quote(key)+`).then(t => keptNow[`+quote(key)+`] = t), keptNow[`+quote(key)+`]?.includes(`+quote(text)+`))`)
}

func TestWithoutTheServerTheLastIsShown(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("offline")
	signUp(t, s, w)
	add(w, "The ferry leaves at nine.")
	w.Visit(s.URL("/settings"))
	w.See("What this would do")
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Has("svg.chart")
	installed(w)
	kept(w, "memory1", firstOne)
	kept(w, "memories", "The ferry leaves at nine.")
	kept(w, "settings", "halfLifeDays")
	kept(w, "stats", "active")

	w.Tolerate(gone...)
	s.Kill()
	w.See("not connected")
	for _, again := range []bool{false, true} {
		w.Visit(s.URL("/memory"))
		w.SeeIn(".row", firstOne)
		w.SeeIn(".row", "The ferry leaves at nine.")
		w.See("As of a moment ago, not connected.")
		w.SeeIn(".listfoot", "2 memories kept on this device")
		w.Visit(s.URL("/memory/1"))
		w.SeeIn(".detail-body", firstOne)
		w.Has("svg.chart")
		w.SeeIn(".event", "You")
		w.See("not connected")
		w.Visit(s.URL("/settings"))
		w.See("Half-li")
		w.See("not connected")
		w.Await("the policy is shown", `[...document.querySelectorAll("input")].some(i => i.value === "14")`)
		if !again {
			// As after the browser was closed.
			w.Visit("about:blank")
		}
	}
	// What was never looked at says so.
	w.Visit(s.URL("/memory/trash"))
	w.See("not kept on this device")
	w.Visit(s.URL("/memory/77"))
	w.See("This memory is not kept on this device")

	// The server comes back, and the page with it.
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	s.Start()
	w.tryNow()
	w.Gone("not connected")
	w.SeeIn(".listfoot", "2 memories")
	w.Gone("kept on this device")
}

func TestChangesWaitForTheServer(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("queue")
	signUp(t, s, w)
	for _, body := range []string{"Second one.", "Third one.", "To be trashed."} {
		add(w, body)
	}
	w.Visit(s.URL("/memory"))
	w.See("4 memories")
	installed(w)
	kept(w, "memories", "To be trashed.")
	w.Tolerate(gone...)
	s.Kill()
	w.See("not connected")

	edit := func(old, now string) {
		t.Helper()
		w.ClickText(".row .row-body", old)
		w.SeeIn(".detail-body", old)
		w.Press("Edit")
		w.Fill("Memory", now)
		w.Press("Save")
		w.SeeIn(".detail-body", now)
		w.SeeIn(".row", now)
	}
	edit(firstOne, "First, edited.")
	w.See("1 change waits")
	edit("First, edited.", "First, edited twice.")
	edit("Second one.", "Second, edited.")
	w.See("3 changes wait")
	w.Press("New memory")
	w.Fill("Memory", "Added without a network.")
	w.Press("Save memory")
	w.SeeIn(".unsent-news", "Added without a network.")
	w.ClickText(".row .row-body", "To be trashed.")
	w.SeeIn(".detail-body", "To be trashed.")
	w.Press("Move to trash")
	w.SeeIn(".row", "waiting: trash")
	w.See("5 changes wait")

	// Closing and opening again loses nothing.
	w.Visit("about:blank")
	w.Visit(s.URL("/memory"))
	w.See("5 changes wait")
	w.SeeIn(".row", "First, edited twice.")
	w.SeeIn(".unsent-news", "Added without a network.")
	w.Press("Show")
	w.Await("all are listed", `document.querySelectorAll(".unsent").length === 5`)
	w.Press("Close")

	s.Start()
	w.tryNow()
	w.Gone("wait")
	w.SeeIn(".row", "Added without a network.")
	w.SeeIn(".row", "First, edited twice.")
	w.SeeIn(".row", "Second, edited.")
	w.Await("the trashed one is gone", `![...document.querySelectorAll(".row")].some(e => e.innerText.includes("To be trashed."))`)
	out := exported(s)
	for text, n := range map[string]int{"First, edited twice.": 1, "Second, edited.": 1, "Added without a network.": 1, "Third one.": 1} {
		if got := strings.Count(out, `"body":`+quote(text)); got != n {
			t.Errorf("%q is there %d times:\n%s", text, got, out)
		}
	}
}

// exported is all that the person has.
func exported(s *Server) string {
	s.t.Helper()
	s.Run("admin", "export", "--user", person, s.Path("check.jsonl"))
	return s.Read("check.jsonl")
}

func TestAConflictShowsBothAndLosesNeither(t *testing.T) {
	s := Serve(t)
	b := Open(t)
	p := b.Person()
	w := p.Window("here")
	signUp(t, s, w)
	add(w, "Second one.")
	add(w, "Third one.")
	w.Visit(s.URL("/memory"))
	w.See("3 memories")
	installed(w)
	kept(w, "memories", "Third one.")
	w.Tolerate(gone...)
	w.Tolerate("status of 409", "status of 404")
	s.Kill()
	w.See("not connected")
	edit := func(old, now string) {
		t.Helper()
		w.ClickText(".row .row-body", old)
		w.SeeIn(".detail-body", old)
		w.Press("Edit")
		w.Fill("Memory", now)
		w.Press("Save")
		w.SeeIn(".detail-body", now)
	}
	edit(firstOne, "First, typed here.")
	edit("First, typed here.", "First, typed here again.")
	edit("Second one.", "Second, typed here.")
	edit("Third one.", "Third, typed here.")
	w.See("4 changes wait")
	w.Visit("about:blank")

	// Meanwhile somebody else is at it.
	s.Start()
	other := b.Person().Window("there")
	signIn(other, s, person)
	patch(other, "1", `{"body":"First, typed there."}`)
	purge(other, "3")

	w.Visit(s.URL("/memory"))
	w.See("needs a look")
	w.SeeIn(".row", "Second, typed here.")
	w.SeeIn(".row", "changed elsewhere too")
	w.Press("Show")
	w.SeeIn(".unsent .ba", "First, typed here.")
	w.SeeIn(".unsent .ba", "First, typed there.")
	w.SeeIn(".unsent", "First, typed here again.")
	w.SeeIn(".unsent", "Third, typed here.") // refused, since it is gone
	w.SeeIn(".unsent", "not accepted")
	w.Shot("queue-conflict")
	w.Press("Save mine as revision 3")
	w.Await("the ones on top of it follow", `document.querySelectorAll(".unsent").length === 1`)
	// What was thrown away can be had back.
	w.Press("Discard")
	w.Press("Undo")
	w.SeeIn(".unsent", "not accepted")
	w.Press("Discard")
	w.See("Nothing waits to be sent.")
	w.Press("Close")
	w.SeeIn(".row", "First, typed here again.")
	w.Gone("needs a look")
	out := exported(s)
	for _, body := range []string{"First, typed here again.", "Second, typed here."} {
		if !strings.Contains(out, `"body":`+quote(body)) {
			t.Errorf("%q is lost:\n%s", body, out)
		}
	}
}

func TestTheFormTakesAConflictOver(t *testing.T) {
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("here")
	signUp(t, s, w)
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	installed(w)
	kept(w, "memory1", firstOne)
	w.Tolerate(gone...)
	w.Tolerate("status of 409")
	s.Kill()
	w.See("not connected")
	w.Press("Edit")
	w.Fill("Memory", "Typed here.")
	w.Press("Save")
	w.See("1 change waits")
	w.Visit("about:blank")
	s.Start()
	other := b.Person().Window("there")
	signIn(other, s, person)
	patch(other, "1", `{"body":"Typed there."}`)
	w.Visit(s.URL("/memory"))
	w.See("1 change needs a look")
	w.Press("Show")
	w.Press("Open in the form")
	w.SeeIn(".conflict", "Typed here.")
	w.SeeIn(".conflict", "Typed there.")
	w.Press("Edit both together")
	w.Await("both texts stand in the form", `document.querySelector("#editor-body").value === "Typed here.\n\nTyped there."`)
	w.Press("Save")
	w.SeeIn(".detail-body", "Typed there.")
	w.SeeIn(".detail-body", "Typed here.")
	w.Gone("needs a look")
}

func TestTwoTabsSendOnce(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	a := p.Window("a")
	signUp(t, s, a)
	a.Visit(s.URL("/memory"))
	a.SeeIn(".row", firstOne)
	installed(a)
	b := p.Window("b")
	b.Visit(s.URL("/memory"))
	b.SeeIn(".row", firstOne)
	a.Tolerate(gone...)
	b.Tolerate(gone...)
	s.Kill()
	a.See("not connected")
	b.See("not connected")
	for i, w := range []*Window{a, b, a} {
		w.Press("New memory")
		w.Fill("Memory", "Note "+string(rune('A'+i))+" of a tab.")
		w.Press("Save memory")
		w.SeeIn(".unsent-news", "Note "+string(rune('A'+i))+" of a tab.")
	}
	a.See("3 changes wait")
	b.See("3 changes wait")
	s.Start()
	for _, w := range []*Window{a, b} {
		w.Gone("wait")
		w.SeeIn(".row", "Note A of a tab.")
		w.SeeIn(".row", "Note B of a tab.")
		w.SeeIn(".row", "Note C of a tab.")
	}
	out := exported(s)
	last := -1
	for _, note := range []string{"A", "B", "C"} {
		body := `"body":"Note ` + note + ` of a tab."`
		if n := strings.Count(out, body); n != 1 {
			t.Errorf("note %s is there %d times", note, n)
		}
		if at := strings.Index(out, body); at < last {
			t.Errorf("note %s came out of turn", note)
		} else {
			last = at
		}
	}
}

// everything is all text in the browser's stores of the page's origin.
const everything = `(async () => {
	const found = [JSON.stringify({...localStorage}), JSON.stringify({...sessionStorage})];
	for (const {name} of await indexedDB.databases()) {
		const db = await new Promise((yes, no) => { const r = indexedDB.open(name); r.onsuccess = () => yes(r.result); r.onerror = () => no(r.error); });
		for (const store of db.objectStoreNames) {
			const rows = await new Promise((yes, no) => { const r = db.transaction(store).objectStore(store).getAll(); r.onsuccess = () => yes(r.result); r.onerror = () => no(r.error); });
			found.push(store + " " + JSON.stringify(rows));
		}
		db.close();
	}
	let answers = 0;
	for (const name of await caches.keys()) {
		const cache = await caches.open(name);
		for (const request of await cache.keys()) {
			answers++;
			const answer = await cache.match(request, {ignoreVary: true});
			found.push(request.url + (/text|json|javascript/.test(answer.headers.get("Content-Type")) ? " " + await answer.text() : ""));
		}
	}
	return {text: found.join("\n"), answers};
})()`

type stored struct {
	Text    string `json:"text"`
	Answers int    `json:"answers"`
}

func TestSigningOutLeavesNothing(t *testing.T) {
	s, p := behind(t, "/")
	someone := Open(t).Person()
	w := someone.Window("out")
	signUp(t, s, w)
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	installed(w)
	kept(w, "memory1", firstOne)
	kept(w, "memories", firstOne)
	// A draft and a change that waits, too.
	w.Press("Edit")
	w.Fill("Memory", "A secret draft.")
	other := someone.Window("beside")
	other.Visit(s.URL("/memory?new=1"))
	other.Fill("Memory", "Another secret draft.")
	w.Tolerate(gone...)
	other.Tolerate(gone...)
	s.Kill()
	w.See("not connected")
	w.Press("Save")
	w.See("1 change waits")
	before := Promise[stored](w, everything)
	for _, want := range []string{firstOne, "A secret draft."} {
		if !strings.Contains(before.Text, want) {
			t.Errorf("%q was not kept; the test would prove nothing", want)
		}
	}
	if before.Answers < 10 {
		t.Errorf("only %d answers are cached", before.Answers)
	}
	// The server is back, but no answer to a change comes through.
	p.set(func(p *proxy) { p.lose = func(r *http.Request) bool { return r.Method == "PATCH" } })
	s.Start()
	w.Gone("not connected")
	w.Visit(s.URL("/account"))
	w.Press("Sign out")
	w.See("1 change has not been sent.")
	w.Press("Discard and sign out")
	w.See("Welcome")
	other.See("Welcome") // the other tab has left too
	for _, tab := range []*Window{w, other} {
		after := Promise[stored](tab, everything)
		for _, never := range []string{firstOne, "secret draft", "Never sent", person} {
			if strings.Contains(after.Text, never) {
				t.Errorf("%s: after the sign-out %q is readable: %s", tab.name, never, clip(after.Text, 3000))
			}
		}
	}
}

// Whoever leaves while the server is away leaves nothing behind, and the session that
// could not be ended is ended before anybody is shown anything.
func TestSigningOutWithoutTheServer(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("alone")
	signUp(t, s, w)
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	installed(w)
	kept(w, "memories", firstOne)
	w.Visit(s.URL("/account"))
	w.See("Sign out")
	w.Tolerate(append([]string{"status of 401"}, gone...)...)
	s.Kill()
	w.See("not connected")
	w.Press("Sign out")
	w.See("Leave without the server?")
	w.Press("Cancel")
	w.Press("Sign out")
	w.Press("Wipe and leave")
	w.Await("it is at the sign-in page", `location.pathname === "/login"`)
	if after := Promise[stored](w, everything); strings.Contains(after.Text, firstOne) || strings.Contains(after.Text, person) {
		t.Errorf("after leaving it is readable: %s", clip(after.Text, 3000))
	}
	w.Visit(s.URL("/memory"))
	w.See("The server does not answer")
	if Eval[bool](w, `document.body.innerText.includes(`+quote(firstOne)+`)`) {
		t.Error("it is shown without the server")
	}
	s.Start()
	w.Visit(s.URL("/memory"))
	w.See("Welcome back")
	w.Visit(s.URL("/memory"))
	w.See("Welcome back") // the session has ended, not only its page
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Sign in")
	w.SeeIn(".row", firstOne)
	w.Reload()
	w.SeeIn(".row", firstOne)
}

func TestWhatWaitsBelongsToItsAccount(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("accounts")
	signUp(t, s, w)
	s.RunWith(password+"\n", "admin", "user", "add", "pavel", "--password-stdin")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", firstOne)
	installed(w)
	kept(w, "memories", firstOne)
	w.Tolerate(gone...)
	w.Tolerate("status of 401")
	s.Kill()
	w.See("not connected")
	w.Press("New memory")
	w.Fill("Memory", "Marta's own words.")
	w.Press("Save memory")
	w.See("1 change waits")
	w.Visit("about:blank")
	s.Start()
	// Her session ends, and somebody else signs in at the same browser.
	if _, err := chromedp.Call(w.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	w.Visit(s.URL("/memory"))
	w.See("Welcome")
	signIn(w, s, "pavel")
	w.See("No memories yet")
	w.Gone("wait")
	if got := Promise[string](w, `elowenKeep.list()`); got != "[]" {
		t.Errorf("pavel sees %s", got)
	}
	if got := Promise[stored](w, everything); strings.Contains(got.Text, firstOne) {
		t.Error("what marta looked at is still kept")
	}
	w.Visit(s.URL("/account"))
	w.Press("Sign out")
	w.See("Welcome")
	// She comes back: it is sent, as hers.
	signIn(w, s, person)
	w.SeeIn(".row", "Marta's own words.")
	w.Gone("wait")
	if out := exported(s); strings.Count(out, `"body":"Marta's own words."`) != 1 {
		t.Error(out)
	}
}

// --- steps ---

func signIn(w *Window, s *Server, name string) {
	w.t.Helper()
	w.Visit(s.URL("/login"))
	w.See("Welcome")
	w.Fill("Name", name)
	w.Fill("Password", password)
	w.Press("Sign in")
	w.Await("signed in", `document.querySelector(".rail .nav a[href$='/account']") !== null && !location.pathname.endsWith("/login")`)
}

// call sends a request as the person of the window.
func call(w *Window, method, path, json string) {
	w.t.Helper()
	status := Promise[int](w, `fetch(document.querySelector("meta[name=elowen-base]").content + `+quote(path)+`,
		{method: `+quote(method)+`, headers: `+quote(json)+` ? {"Content-Type": "application/json"} : {}, body: `+quote(json)+` || undefined}).then(r => r.status)`)
	if status > 299 {
		w.fail("%s %s: %d", method, path, status)
	}
}

func patch(w *Window, id, json string) { w.t.Helper(); call(w, "PATCH", "api/memory/"+id, json) }

func purge(w *Window, id string) {
	w.t.Helper()
	call(w, "DELETE", "api/memory/"+id, "")
	call(w, "DELETE", "api/memory/"+id+"/purge", "")
}
