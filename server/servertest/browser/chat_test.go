package browser

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"elowen/server/servertest/scripted"
)

// talkModel has a scripted endpoint answer the conversations of a server, with these
// limits of recall.
func talkModel(w *Window, url, limits string) {
	w.t.Helper()
	said := Promise[string](w, `(async () => {
		const change = async (group, body) => {
			const now = await (await fetch("/api/settings")).json();
			const answer = await fetch("/api/settings/" + group, {method: "PUT", headers: {"Content-Type": "application/json"}, body: JSON.stringify({revision: now.revision, ...body})});
			return answer.ok ? "" : await answer.text();
		};
		return await change("models", {providers: [{id: "here", kind: "openai", baseUrl: `+quote(url)+`}], roles: {chat: {provider: "here", model: "oak-1"}}}) +
			await change("limits", `+limits+`);
	})()`)
	if said != "" {
		w.fail("the settings: %s", said)
	}
}

// pictures draws the window as it is, at each size and in each theme, where pictures are
// asked for.
func pictures(w *Window, name string) {
	if os.Getenv(ShotsEnv) == "" {
		return
	}
	for _, size := range sizes {
		w.Resize(size.width, size.height)
		w.Await("the frame follows", `(document.querySelector(".bottombar") !== null) === (innerWidth <= 720)`)
		for _, theme := range themes {
			w.Theme(theme)
			w.Shot(name + "-" + strconv.FormatInt(size.width, 10) + "-" + theme)
		}
	}
	w.Theme("light")
	w.Resize(sizes[0].width, sizes[0].height)
}

// unbroken looks at the window with axe-core, at each size and in each theme, where that
// is there.
func unbroken(w *Window, name string) {
	w.t.Helper()
	if os.Getenv(AxeEnv) == "" {
		return
	}
	for _, size := range sizes {
		w.Resize(size.width, size.height)
		w.Await("the frame follows", `(document.querySelector(".bottombar") !== null) === (innerWidth <= 720)`)
		for _, theme := range themes {
			w.Theme(theme)
			violations, _ := w.Axe(true)
			for _, v := range violations {
				w.t.Errorf("%s, %d, %s: %s", name, size.width, theme, v)
			}
		}
	}
	w.Theme("light")
	w.Resize(sizes[0].width, sizes[0].height)
}

const (
	talkDays   = "Deploys to harbor-prod go out Tuesdays and Thursdays, 06:00 to 07:00 UTC; schema migrations only on Tuesdays."
	talkOutage = "The outage of 18 March 2026: a migration locked the orders table for 40 minutes, and the on-call phone was muted."
)

// A question is answered with what is remembered, tools work, more is remembered while
// they do, and at each moment the page says what stands before the model: after an edit
// elsewhere, after a summary, and when it comes again.
func TestAConversation(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	p := Open(t).Person()
	w := p.Window("chat")
	signUp(t, s, w)
	for _, body := range []string{talkDays, talkOutage} {
		s.RunWith(`{"type":"memory","body":"`+body+`","importance":7}`+"\n", "admin", "import", "--from", "jsonl", "--user", person, "-")
	}
	talkModel(w, model.OpenAI(), `{recallCount: 1, recallWaitMs: 30000}`)
	open := make(chan struct{})
	model.Next(
		scripted.Says(scripted.Text("Let me look at how long the migration of the orders table locked it in the outage of March."), scripted.Calls("c1", "MemoryCategories", `{}`)),
		scripted.Says(scripted.Text("One more "), scripted.Gate(open), scripted.Text("look."), scripted.Calls("c2", "MemoryCategories", `{}`)),
		scripted.Says(scripted.Pieces("Next **Tuesday**, 06:00 UTC.\n\n- Tell Pavel\n- Keep the phone unmuted", 9), scripted.Usage(1200, 30, 0)),
	)

	w.Visit(s.URL("/chat"))
	w.See("3 of 3 indexed")
	w.See("Ask something")
	w.Fill("Message", "On which days do schema migrations of harbor-prod run?")
	w.Keys("\r")
	w.SeeIn(".msg-user", "On which days")
	w.SeeIn(".recalled", "Deploys to harbor-prod")
	w.SeeIn(".context", "Recalled at start")
	other := p.Window("beside")
	other.Visit(w.Address())
	other.SeeIn(".msg-now", "One more")
	pictures(w, "chat-writing")
	unbroken(w, "while the model speaks")
	close(open)
	w.SeeIn(".thread", "Recalled while working")
	w.SeeIn(".thread", "The outage of 18 March")
	w.Await("the answer is Markdown", `[...document.querySelectorAll(".msg .markdown li")].some((x) => x.innerText.includes("Tell Pavel"))`)
	w.Await("and whole", `!document.querySelector(".msg-now")`)
	other.Await("beside, too", `[...document.querySelectorAll(".msg .markdown li")].some((x) => x.innerText.includes("Tell Pavel")) && !document.querySelector(".msg-now")`)
	w.Await("two memories are inside", `document.querySelectorAll(".context-item:not([data-state])").length === 2`)
	w.Await("tools are folded", `document.querySelectorAll("details.tool:not([open])").length === 2`)
	if n := len(model.Requests()); n != 3 {
		t.Errorf("%d requests", n)
	}
	pictures(w, "chat")
	unbroken(w, "an answer")
	last := model.Requests()[2]
	for _, body := range []string{talkDays, talkOutage} {
		if n := strings.Count(string(last.Body), body[:40]); n != 1 {
			t.Errorf("%d times in the request: %s", n, body)
		}
	}

	// Edited elsewhere: its chip says so, and stays.
	other.ClickText("a.chip", "Deploys to harbor-prod")
	other.SeeIn(".detail-body", "Deploys to harbor-prod")
	other.Keys("e")
	other.Fill("Memory", strings.Replace(talkDays, "Thursdays", "Fridays", 1))
	other.Press("Save")
	w.SeeIn(".chip", "edited since")

	model.Next(scripted.Says(scripted.Text("You are welcome.")))
	w.Fill("Message", "ok")
	w.Keys("\r")
	w.SeeIn(".thread", "You are welcome.")

	// A summary: nothing is before the model any more, and the next question brings it again.
	model.Next(scripted.Says(scripted.Text("They asked when migrations run; on Tuesdays.")))
	w.Press("What to do with this conversation")
	w.ClickText("[role=option]", "Summarize to make room")
	w.See("What was said before is summarized here")
	unbroken(w, "a summary")
	w.Await("nothing is inside", `document.querySelectorAll(".context-item:not([data-state])").length === 0 && document.querySelectorAll(".context-item[data-state=left]").length === 2`)
	model.Next(scripted.Says(scripted.Text("On Tuesdays, still.")))
	w.Fill("Message", "And on which days do schema migrations run now?")
	w.Keys("\r")
	w.SeeIn(".thread", "On Tuesdays, still.")
	w.SeeIn(".context-item:not([data-state])", "Fridays")

	// Said otherwise: a branch, and back.
	w.ClickText(".msg-user", "And on which days")
	w.Click(".msg-user:last-of-type .msg-more, .thread > .msg-user:nth-last-of-type(2) .msg-more")
	w.ClickText("[role=option]", "Say it anew")
	model.Next(scripted.Says(scripted.Text("Another answer.")))
	w.Fill("Message", "What about Fridays?")
	w.Press("Send anew")
	w.SeeIn(".thread", "Another answer.")
	w.Gone("On Tuesdays, still.")
	w.SeeIn(".wordings", "2 of 2")
	w.Press("The wording before")
	w.SeeIn(".thread", "On Tuesdays, still.")
}

// A model that fails says so in plain words, keeps the message, and is asked again.
func TestAConversationFails(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	w := Open(t).Person().Window("chat")
	signUp(t, s, w)
	w.Visit(s.URL("/chat"))
	w.See("No chat model is set up")
	unbroken(w, "without a model")
	talkModel(w, model.OpenAI(), `{recallWaitMs: 0}`)
	model.Next(scripted.Status(401, ""))
	w.Visit(s.URL("/chat"))
	w.Fill("Message", "Is anybody there?")
	w.Keys("\r")
	w.SeeIn(".turn-end", "refuses the key (401)")
	w.SeeIn(".msg-user", "Is anybody there?")
	open := make(chan struct{})
	model.Next(scripted.Says(scripted.Text("I am "), scripted.Gate(open), scripted.Text("here.")))
	w.Press("Try again")
	w.SeeIn(".msg-now", "I am")
	// One message waits, and is taken back; the turn is stopped, and what was said is kept.
	w.Fill("Message", "And then?")
	w.Press("Queue")
	w.Press("Send")
	w.SeeIn(".msg-queued", "And then?")
	w.Press("Take it back")
	w.Await("it is in the field again", `document.querySelector("#say").value === "And then?" && !document.querySelector(".msg-queued")`)
	w.Press("Stop")
	w.SeeIn(".turn-end", "The answer was stopped")
	w.SeeIn(".msg:not(.msg-user)", "I am")
	close(open)
	// Whoever doesn't want to be searched for says so.
	w.Visit(s.URL("/account"))
	w.Click("[id='acc-me.searchAfterMessage']")
	w.See("Search after a message: off")
	w.Await("it is off", `document.querySelector("[id='acc-me.searchAfterMessage']").checked === false`)
	w.Visit(s.URL("/chat/1"))

	// What was typed is there after a reload.
	w.Reload()
	w.Await("the draft", `document.querySelector("#say")?.value === "And then?"`)
}
