package browser

import (
	"os"
	"testing"
)

// looks are the pages and states that somebody who is signed in comes to, on the
// scene's memories. Each begins where the one before it ended.
func looks(s *Server) []struct {
	name  string
	visit func(w *Window)
} {
	type look = struct {
		name  string
		visit func(w *Window)
	}
	at := func(name, path, ready string) look {
		return look{name, func(w *Window) {
			w.Visit(s.URL(path))
			w.Await(name+" is drawn", ready)
		}}
	}
	rows := `document.querySelectorAll(".row .row-body").length > 3`
	list := []look{
		at("list", "/memory", rows),
		at("search", "/memory?q=harbor", `document.querySelector(".row mark")`),
		at("nothing found", "/memory?q=xylophone", `document.querySelector(".list-empty")`),
		at("filters", "/memory?kind=fact&fades=3650&importance=2", `document.querySelector(".filter-on")`),
		at("menu of a filter", "/memory", rows),
		{"menu", func(w *Window) { w.Click("[data-do=sort]"); w.Has(".menu") }},
		at("detail", "/memory/1", `document.querySelector("svg.chart") && document.querySelector(".event")`),
		{"menu of the detail", func(w *Window) { w.Press("More"); w.Has(".menu") }},
		at("history", "/memory/2", `document.querySelector(".event .diff, .event .ba")`),
		at("editor, new", "/memory?new=1", `document.querySelector("#editor-body")`),
		at("before the editor", "/memory/1", `document.querySelector("svg.chart")`),
		{"editor", func(w *Window) { w.Press("Edit"); w.Has("#editor-body"); w.Fill("Memory", "What is typed here.") }},
		{"conflict", func(w *Window) {
			patch(w, "1", `{"body":"What is typed there."}`)
			w.Has(".conflict")
		}},
		{"given up", func(w *Window) {
			w.Eval(`sessionStorage.clear()`)
			w.Visit(s.URL("/memory"))
			w.Await("rows", rows)
		}},
		{"picked rows", func(w *Window) {
			w.FocusOn("#list")
			w.Keys("jxjx")
			w.See("2 selected")
		}},
		{"merge", func(w *Window) { w.Press("Merge"); w.Has("#editor-body") }},
		at("trash", "/memory/trash", `document.querySelector("#trash .trow, #trash [role=row]")`),
		at("detail in the trash", "/memory/3?status=deleted", `document.querySelector(".detail-body")`),
		{"dialog", func(w *Window) { w.Press("Purge…"); w.Has("[role=alertdialog]") }},
		at("categories", "/categories", `document.querySelector(".shelf")`),
		{"category", func(w *Window) { w.Click(".shelf-link"); w.Has(".category-form") }},
		at("account", "/account", `document.querySelector(".item")`),
		at("connect", "/account?part=connect", `document.querySelector(".code-block")`),
		{"connect, with a token", func(w *Window) { w.Press("Make a token for Claude Code"); w.See("Waiting for the first call…") }},
		at("tokens", "/account?part=tokens", `document.querySelector(".item")`),
		at("tools", "/account?part=tools", `document.querySelector("#srv-name")`),
		at("transfer", "/account?part=transfer", `document.querySelector(".drop")`),
		{"import", func(w *Window) {
			w.Choose("#import-file", s.File("two.jsonl", lines()+"{\"type\":\"memory\"}\n"))
			w.See("What would become of its lines")
		}},
		at("retention", "/settings", `document.querySelector(".curves svg") && document.body.innerText.includes("within 30 days")`),
		{"retention, changed", func(w *Window) { w.Fill("important", "60"); w.Has(".savebar") }},
		at("people", "/settings?part=people", `document.querySelectorAll(".item-person").length > 1`),
		at("backups", "/settings?part=backups", `document.querySelector("[aria-busy=true], .skeleton") === null`),
		at("storage", "/settings?part=storage", `document.querySelector(".use")`),
		at("health", "/settings?part=health", `document.querySelectorAll(".finding").length > 5`),
		at("models", "/settings?part=models", settled),
		at("recall and limits", "/settings?part=recall", settled),
		at("projects", "/settings?part=projects", settled),
		at("maintenance", "/settings?part=maintenance", `document.querySelector("[data-do=start]:not([disabled])")`),
		{"maintenance, done", func(w *Window) {
			w.Press("Make the indexes anew")
			w.Has(".receipt")
			w.Press("Measure")
			w.See("Too few")
		}},
		at("recall check", "/memory/recall", settled),
		at("recall check, asked", "/memory/recall?q=harbor+deploys", `document.querySelector("tr[data-state]")`),
		at("map", "/memory/map", settled),
		at("a page that isn't", "/nowhere", `document.body.innerText.includes("There is nothing at this address")`),
		at("before the palette", "/memory", rows),
		{"palette", func(w *Window) {
			w.Chord(ctrl, "k")
			w.Has(".palette")
			w.Keys("harbor")
			w.SeeIn(".palette", "Deploys")
		}},
		{"keys", func(w *Window) {
			w.Keys(Escape)
			w.Await("the palette is closed", `!document.querySelector(".palette")`)
			w.Keys("?")
			w.Has("[role=dialog] .keys")
		}},
	}
	return list
}

// settled is of a page that has what it waited for.
const settled = `document.querySelector("main h1") && !document.querySelector("main [aria-busy=true], main .skeleton")`

// Neither theme at neither size breaks a rule of axe-core, on any page. A theme is
// colours and nothing else, so the second one is asked about those.
func TestAxeFindsNothing(t *testing.T) {
	if os.Getenv(AxeEnv) == "" {
		t.Skip("axe-core is not here; ./build.sh test fetches it with npm and names it in " + AxeEnv)
	}
	s := Serve(t)
	w := Open(t).Person().Window("axe")
	w.Tolerate("status of 403", "status of 404", "status of 409", "status of 412")
	looked, kept := 0, 0
	told := map[string]bool{}
	look := func(name string) {
		t.Helper()
		for _, size := range sizes {
			w.Resize(size.width, size.height)
			for _, theme := range themes {
				w.Theme(theme)
				violations, n := w.Axe(theme == themes[0])
				looked, kept = looked+1, kept+n
				for _, v := range violations {
					if told[name+v.ID+theme] {
						continue
					}
					told[name+v.ID+theme] = true
					t.Errorf("%s, %d, %s: %s", name, size.width, theme, v)
				}
			}
		}
		w.Resize(1440, 900)
	}

	w.Visit(s.URL("/login"))
	w.See("no account yet")
	look("login, first")
	w.Visit(s.SetupLink())
	w.See("Make the first account")
	look("setup")
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	look("setup, first memory")
	w.Fill("Memory", firstOne)
	w.Press("Save and go on")
	w.See("See the memory")
	look("setup, next")
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	s.Run("admin", "user", "add", "klara", "--locked")
	s.Run("admin", "token", "create", "--user", person, "--name", "Claude Code on the laptop")
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	patch(w, "2", `{"body":"Deploys to harbor-prod go out on Tuesdays only, and on Wednesdays after a holiday."}`)
	call(w, "DELETE", "api/memory/3", "")
	for _, l := range looks(s) {
		l.visit(w)
		look(l.name)
	}
	w.Keys(Escape)

	// Without the server.
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	installed(w)
	w.Tolerate(gone...)
	s.Kill()
	w.See("not connected")
	look("offline")
	w.Press("New memory")
	w.Fill("Memory", "Added without a network.")
	w.Press("Save memory")
	w.SeeIn(".unsent-news", "Added without a network.")
	look("waiting")
	w.Press("Show")
	w.Has(".unsent")
	look("queue")
	w.Press("Close")

	// Signed out, and nobody's yet.
	s.Start()
	w.tryNow()
	w.Gone("not connected")
	w.SeeIn(".row", "Added without a network.")
	w.Visit(s.URL("/account"))
	w.Press("Sign out")
	w.See("Welcome back")
	w.Tolerate("status of 401", "status of 429")
	w.Fill("Name", person)
	w.Fill("Password", "wrong horse battery")
	w.Press("Sign in")
	w.Has("[role=alert] .banner-danger")
	look("login, refused")
	s.RunWith(password+"\n", "admin", "user", "add", "pavel", "--password-stdin")
	signIn(w, s, "pavel")
	w.See("No memories yet")
	look("empty")
	w.Visit(s.URL("/memory/trash"))
	w.Has(".empty")
	look("trash, empty")
	t.Logf("axe-core looked %d times, %d rules kept in all", looked, kept)
}
