package browser

import (
	"strconv"
	"strings"
	"testing"

	"elowen/server/servertest/scripted"
	"elowen/shared/setting"
)

// talkTwice signs up and begins two conversations, of which the second is shown.
func talkTwice(t *testing.T, s *Server, model *scripted.Server, w *Window) {
	t.Helper()
	signUp(t, s, w)
	talkModel(w, model.OpenAI(), `{recallWaitMs: 0}`)
	w.Visit(s.URL("/chat"))
	for i, say := range []string{"In the first one.", "In the second one."} {
		if i > 0 {
			w.Press("New")
		}
		w.See("Ask something")
		model.Next(scripted.Says(scripted.Text("Heard: " + say)))
		w.Fill("Message", say)
		w.Keys(Enter)
		w.SeeIn(".thread", "Heard: "+say)
		w.Await("it is answered", `!document.querySelector(".msg-now") && location.pathname.endsWith("/chat/`+string(rune('1'+i))+`")`)
	}
}

// conversation goes to one in the list.
func conversation(w *Window, id string) {
	w.t.Helper()
	w.Click(`.convs a[href$="/chat/` + id + `"]`)
	w.Await("conversation "+id, `document.querySelector(".convs a[aria-current]")?.pathname.endsWith("/chat/`+id+`") && document.querySelector(".thread .msg") !== null`)
}

// holdMessages has messages wait on their way until letGo is called in the window, then
// does with each what then says: ask(url, more), or anything else.
func holdMessages(w *Window, then string) {
	w.t.Helper()
	w.Eval(`(() => {
		globalThis.ask ??= fetch;
		globalThis.held = false;
		globalThis.going = new Promise((go) => { globalThis.letGo = go });
		globalThis.fetch = async (url, more) => {
			if (more?.method !== "POST" || !/\/messages$/.test(String(url?.url ?? url))) return ask(url, more);
			globalThis.held = true;
			await going;
			return ` + then + `;
		};
	})()`)
}

// said is what persons have said in a conversation, as the server has it.
func said(w *Window, id string) string {
	w.t.Helper()
	return Promise[string](w, `(async () => (await (await ask("/api/conversations/`+id+`/messages?limit=200")).json()).items.filter((e) => e.role === "user").map((e) => e.content).join("|"))()`)
}

// Whoever looks at another conversation while a message is on its way stays there, with
// what is typed there; the message is gone from where it was said.
func TestSendingAndLookingElsewhere(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	w := Open(t).Person().Window("chat")
	talkTwice(t, s, model, w)

	holdMessages(w, `ask(url, more)`)
	model.Next(scripted.Says(scripted.Text("Heard: held.")))
	w.Fill("Message", "Held.")
	w.Keys(Enter)
	w.Await("it is on its way", `globalThis.held === true`)
	conversation(w, "1")
	w.Fill("Message", "Half a thought")
	// Back where it is being sent, it can't be sent again.
	conversation(w, "2")
	w.Await("it is there, on its way", `document.querySelector("#say").value === "Held." && document.querySelector(".composer [type=submit]").disabled`)
	conversation(w, "1")
	w.Await("what was typed here", `document.querySelector("#say").value === "Half a thought"`)
	w.Eval(`letGo()`)
	w.SeeIn(`.convs a[href$="/chat/2"]`, "now")
	w.Await("the server has it", `(async () => { globalThis.has ??= (await (await ask("/api/conversations/2/messages")).json()).items.some((e) => e.content === "Heard: held.") ? true : null })() && globalThis.has === true`)
	w.Await("the draft of the second is gone", `!elowenDrafts.get("chat:2")`)
	w.Await("that of the first is here, and so are we", `elowenDrafts.get("chat:1") === "Half a thought" && document.querySelector("#say").value === "Half a thought" && location.pathname.endsWith("/chat/1")`)
	if got := said(w, "2"); got != "In the second one.|Held." {
		t.Errorf("said: %s", got)
	}
	conversation(w, "2")
	w.SeeIn(".thread", "Heard: held.")
	w.Await("the field is empty", `document.querySelector("#say").value === ""`)

	// One that begins a conversation and gets lost on the way doesn't lead there either.
	w.Press("New")
	w.See("Ask something")
	w.Tolerate("lost for a test")
	holdMessages(w, `Promise.reject(new Error("lost for a test"))`)
	w.Fill("Message", "To nobody.")
	w.Keys(Enter)
	w.Await("it is on its way", `globalThis.held === true`)
	w.SeeIn(".convs", "Untitled") // so that the list stays as it is under the pointer
	conversation(w, "1")
	w.Eval(`letGo()`)
	w.See("The server does not answer")
	w.Await("the message is kept where it belongs", `elowenDrafts.get("chat:3") === "To nobody." && !elowenDrafts.get("chat:0")`)
	w.Await("we are still here", `location.pathname.endsWith("/chat/1") && document.querySelector("#say").value === "Half a thought"`)
}

// A message whose answer was lost is said again under the same key: once is once, also
// when its turn runs by then.
func TestAMessageIsSaidOnce(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	w := Open(t).Person().Window("chat")
	talkTwice(t, s, model, w)
	before := len(model.Requests())

	w.Tolerate("lost for a test")
	holdMessages(w, `(await ask(url, more), Promise.reject(new Error("lost for a test")))`)
	w.Eval(`letGo()`)
	open := make(chan struct{})
	model.Next(scripted.Says(scripted.Text("Heard "), scripted.Gate(open), scripted.Text("it.")))
	w.Fill("Message", "Only once.")
	w.Keys(Enter)
	w.See("The server does not answer")
	w.SeeIn(".msg-now", "Heard")
	conversation(w, "1")
	conversation(w, "2")
	w.Await("the message is still in the field", `document.querySelector("#say").value === "Only once."`)
	w.Eval(`globalThis.fetch = ask`)
	w.Fill("Message", "Only once.")
	w.Keys(Enter)
	w.Await("it is said", `document.querySelector("#say").value === ""`)
	close(open)
	w.SeeIn(".thread", "Heard it.")
	w.Await("the turn is over", `!document.querySelector(".msg-now") && !document.querySelector(".msg-queued")`)
	if got := said(w, "2"); got != "In the second one.|Only once." {
		t.Errorf("said: %s", got)
	}
	if n := len(model.Requests()) - before; n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A long conversation is shown from its end; what was asked for before stays, whatever
// comes, and goes with its branch.
func TestALongConversation(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	w := Open(t).Person().Window("chat")
	signUp(t, s, w)
	talkModel(w, model.OpenAI(), `{recallWaitMs: 0}`)
	rounds := setting.Int("conversation.rows")/2 + 2 // an answer and its result in each
	for range rounds {
		model.Next(scripted.Says(scripted.Calls("again", "MemoryCategories", `{}`)))
	}
	model.Next(scripted.Says(scripted.Text("The first end.")))
	w.Visit(s.URL("/chat"))
	w.Fill("Message", "Look many times.")
	w.Keys(Enter)
	w.SeeIn(".thread", "The first end.")
	w.Await("it is over", `!document.querySelector(".msg-now")`)
	whole := func(when string, more int) {
		t.Helper()
		w.Await("all is there, "+when, `(() => {
			const tools = document.querySelectorAll(".thread details.tool"), ids = [...document.querySelectorAll(".thread .msg[id]")].map((x) => +x.id.slice(6));
			return tools.length === `+strconv.Itoa(rounds)+` && [...tools].every((x) => x.querySelectorAll("pre").length === 2) && ids.length === `+strconv.Itoa(rounds+more)+` && ids.every((x, i) => i === 0 || x > ids[i - 1]);
		})()`)
		w.SeeIn(".thread", "Look many times.")
	}
	whole("as it was followed", 2)
	w.Reload()
	w.SeeIn(".thread", "The first end.")
	w.Await("only the end", `!document.querySelector(".thread").innerText.includes("Look many times.")`)
	w.Press("Earlier messages")
	whole("after it was asked for", 2)
	for _, say := range []string{"Two", "Three"} {
		model.Next(scripted.Says(scripted.Text(say + " is heard.")))
		w.Fill("Message", say)
		w.Keys(Enter)
		w.SeeIn(".thread", say+" is heard.")
	}
	whole("after more was said", 6)

	// Another beginning is another branch: nothing of this one stands before it.
	if got := Promise[string](w, `(async () => {
		const first = (await (await fetch("/api/conversations/1/messages?limit=200")).json()).items.find((e) => e.role === "user");
		return (await fetch("/api/conversations/1/messages", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({content: "Begin otherwise.", edit: first.id})})).ok ? "" : "refused";
	})()`); got != "" {
		t.Fatal(got)
	}
	w.SeeIn(".thread", "Begin otherwise.")
	w.Await("nothing else", `!document.querySelector(".thread details.tool") && !document.querySelector(".thread").innerText.includes("Look many times.")`)
}

// Members pick a model too, and learn of providers no more than its name.
func TestAMemberPicksAModel(t *testing.T) {
	s := Serve(t)
	model := scripted.New(t)
	model.Models(scripted.Model{ID: "oak-1"}, scripted.Model{ID: "elm-2"}, scripted.Model{ID: "text-embedding-3-small"})
	b := Open(t)
	admin := b.Person().Window("admin")
	signUp(t, s, admin)
	talkModel(admin, model.OpenAI(), `{recallWaitMs: 0}`)
	if got := Promise[string](admin, `(async () => { const a = await fetch("/api/people", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({name: "pavel", password: `+quote(password)+`, role: "member"})}); return a.ok ? "" : await a.text() })()`); got != "" {
		t.Fatal(got)
	}
	w := b.Person().Window("member")
	w.Tolerate("401")
	w.Visit(s.URL("/login"))
	w.See("Welcome back")
	w.Fill("Name", "pavel")
	w.Fill("Password", password)
	w.Press("Sign in")
	w.See("No memories yet")
	w.Visit(s.URL("/chat"))
	w.SeeIn(".chat-model", "oak-1")
	w.Click(".chat-model")
	w.SeeIn("[role=listbox]", "elm-2")
	w.Await("what doesn't answer isn't offered", `!document.querySelector("[role=listbox]").innerText.includes("text-embedding-3-small")`)
	w.ClickText("[role=option]", "elm-2")
	w.SeeIn(".chat-model", "elm-2")
	model.Next(scripted.Says(scripted.Text("I am the elm.")))
	w.Fill("Message", "Who is there?")
	w.Keys(Enter)
	w.SeeIn(".thread", "I am the elm.")
	if got := model.Requests()[0].Asked().Model; got != "elm-2" {
		t.Errorf("asked: %s", got)
	}
	told := Promise[string](w, `(async () => await (await fetch("/api/settings")).text() + await (await fetch("/api/models")).text())()`)
	if strings.Contains(told, strings.TrimPrefix(model.URL, "http://")) || strings.Contains(told, "baseUrl") {
		t.Errorf("told: %s", told)
	}
}
