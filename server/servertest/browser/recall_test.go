package browser

import (
	"testing"
	"time"

	"elowen/server/embedding/embeddingtest"
)

// filled signs up and brings the scene's memories in.
func filled(t *testing.T, s *Server, w *Window) {
	t.Helper()
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
}

// indexed waits until the server says that all is indexed.
func indexed(w *Window) {
	w.t.Helper()
	for began := time.Now(); time.Since(began) < 2*Patience; time.Sleep(100 * time.Millisecond) {
		if Promise[bool](w, `fetch("/api/memory/index").then(r => r.json()).then(x => x.total > 0 && x.indexed === x.total)`) {
			return
		}
	}
	w.fail("not indexed")
}

func TestTheRecallCheckSaysWhy(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("check")
	filled(t, s, w)
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	w.Press("Recall check")
	w.See("Ask as an assistant would.")
	w.Fill("Question", "When can schema migrations run on harbor-prod?")
	w.Keys(Enter)
	w.See("would be recalled")
	w.SeeIn("tr[data-state=in]", "Deploys to harbor-prod")
	w.SeeIn("tr[data-state=in]", "recalled")
	w.See("Nothing was counted as used.")
	w.Await("the question is in the address", `location.search.includes("q=When")`)

	// The rows are gone through by key, and lead to their memories.
	w.Eval(`document.activeElement.blur(), true`)
	w.Keys("j")
	w.Await("the first has the focus", `document.activeElement.closest("tr")?.innerText.includes("Deploys to harbor-prod")`)
	w.Keys(Enter)
	w.SeeIn(".detail-body", "Deploys to harbor-prod")
	w.Back()
	w.SeeIn("tr[data-state=in]", "Deploys to harbor-prod")

	// Nonsense brings nothing, and that is said; so does what asks nothing.
	w.Fill("Question", "quantum flux capacitor voltage of the seventh moon")
	w.Press("Check")
	w.See("Nothing would be recalled")
	w.Fill("Question", "ok")
	w.Press("Check")
	w.See("they ask nothing")

}

func TestModelsAreChosenTestedAndSaved(t *testing.T) {
	remote := embeddingtest.NewServer(t, "remote", 24)
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("models")
	filled(t, s, w)
	other := p.Window("other")
	w.Visit(s.URL("/settings?part=models"))
	w.SeeIn(".provider, .item", "Runs inside this server.")
	other.Visit(s.URL("/settings?part=models"))
	other.SeeIn(".item", "Runs inside this server.")
	other.Fill("Embedding: Model", "typed elsewhere")

	w.Press("Add a provider")
	w.Press("OpenAI, or what speaks as it does")
	w.Fill("Address", remote.URL+"/v1")
	w.Fill("Key", "sk-never-shown")
	w.Click(`[data-do=role-provider][data-arg=embedding]`)
	w.ClickText("[role=option]", "openai")
	w.Await("the provider is chosen", `document.querySelector("[data-do=role-provider][data-arg=embedding]").innerText.includes("openai")`)
	w.Fill("Embedding: Model", "m")
	w.Click(`[data-do=role-test][data-arg=embedding]`)
	w.See("m answers with vectors of 24 numbers.")
	w.Press("Save")
	w.See("Models saved")
	w.SeeIn(".index-line", "for m")
	w.Await("the key is not shown", `[...document.querySelectorAll("input[type=password]")].every(e => e.value === "" && e.placeholder.includes("has a key"))`)

	// Another one, who typed meanwhile, sees what was saved and keeps what is typed.
	other.Has("#f-openai\\.baseUrl")
	other.SeeIn(".savebar", "1 change")

	// Nobody answers: what and when is said where memories are, with a way to change it.
	remote.Close()
	w.Visit(s.URL("/memory"))
	add(w, "A memory that nobody can index now.")
	w.SeeIn(".index-line", "of 14 indexed for m")
	w.SeeIn(".index-line", "Memories are found by their words meanwhile")
	w.Press("Not indexed")
	w.SeeIn(".row", "nobody can index now")
	w.Press("Change the model")
	w.See("Who is asked for what.")

	// Recall and its limits: the model's own values, bounds, and back.
	w.Visit(s.URL("/settings?part=recall"))
	w.See("10 to 80%")
	w.Fill("Relevant enough from", "5")
	w.Press("Save")
	w.SeeIn(".err", "From 10 to 80%, with at most one digit after the point.")
	w.Fill("Relevant enough from", "35.25")
	w.Press("Save")
	w.SeeIn(".err", "at most one digit after the point")
	w.Fill("Relevant enough from", "35.5 %")
	w.Fill("Memories recalled with a message", "7")
	w.SeeIn(".savebar", "2 changes")
	w.Press("Save")
	w.Await("it is saved", `document.querySelector(".savebar") === null`)
	w.Reload()
	w.Await("it stayed", `document.querySelector("#f-runtime\\.relevanceFloor")?.value === "35.5" && document.querySelector("#f-limits\\.recallCount")?.value === "7"`)
	if kept := Promise[float64](w, `fetch("/api/settings").then(r => r.json()).then(s => s.runtime.relevanceFloor)`); kept != 355 {
		t.Errorf("35.5%% is kept as %v per mille", kept)
	}
	w.Click(`[data-do=form-own][data-arg="runtime.relevanceFloor"]`)
	w.Press("Save")
	w.Await("it is saved", `document.querySelector(".savebar") === null`)
	w.Await("it is the model's again", `document.querySelector("#f-runtime\\.relevanceFloor")?.value === ""`)
}

func TestTheMapIsGoneThroughAndSelectedFrom(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("map")
	filled(t, s, w)
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	indexed(w)
	w.Press("Map")
	w.Await("all are drawn", `document.querySelector("#map")?.dataset.drawn === "13"`)
	w.SeeIn(".map-legend", "near in place = near in meaning")

	// By key: the point in the middle, what it is, and its page.
	w.FocusOn("#map")
	w.Keys(ArrowRight)
	w.Has("#map-card .memory-text")
	said := Eval[string](w, `document.querySelector("#map-card .memory-text").innerText`)
	w.Keys(Enter)
	w.SeeIn(".detail-body", said[:12])
	w.Back()
	w.Await("all are drawn again", `document.querySelector("#map")?.dataset.drawn === "13"`)

	// A lasso around everything selects everything.
	w.Press("Lasso: draw around memories to select them")
	w.Drag("#map", 0.02, 0.02, [][2]float64{{0.98, 0.02}, {0.98, 0.98}, {0.02, 0.98}})
	w.SeeIn(".map-bulk", "13 selected")
	w.Press("Importance")
	w.ClickText("[role=option]", "important")
	w.See(" memories: ")
	// What changes elsewhere comes in.
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("more.jsonl", `{"type":"memory","body":"One more for the map."}`+"\n"))
	w.Await("it is drawn", `document.querySelector("#map")?.dataset.drawn === "14"`)
}

func TestTheListIsSearchedByMeaning(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("meaning")
	filled(t, s, w)
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	indexed(w)
	w.Visit(s.URL("/memory?q=commuting+by+public+transport"))
	w.See("Nothing found")
	w.Press("Meaning")
	w.SeeIn(".row", "The tram to the office")
	w.Await("it is in the address", `location.search.includes("match=meaning")`)
	w.Reload()
	w.SeeIn(".row", "The tram to the office")
	w.Press("Words")
	w.See("Nothing found")
}

func TestAProjectIsMadeAndShared(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("projects")
	filled(t, s, w)
	s.Run("admin", "user", "add", "klara", "--locked", "--display-name", "Klára Nováková")
	w.Visit(s.URL("/settings?part=projects"))
	w.See("There is none yet.")
	w.Fill("Name of a project", "Harbor works")
	w.Keys(Enter)
	w.SeeIn(".item", "harbor-works")
	w.Press("Change: Harbor works")
	w.Fill("What it is about", "The quay wall and what stands on it.")
	w.Fill("Folders, one on a line", "/srv/harbor")
	w.Tolerate("status of 400")
	w.Fill("Other names, one on a line", "Quay Wall!")
	w.Press("Save")
	w.Has(".project-open .err")
	w.Fill("Other names, one on a line", "quay\nport-works")
	w.Press("Save")
	w.See("Project saved")
	w.Fill("What it is about", "Typed, and not saved yet")
	w.Fill("Somebody's name to sign in with", "klara")
	w.Press("Add member")
	w.SeeIn(".project-open", "Klára Nováková")
	if got := Eval[string](w, `document.querySelector("#pro-about").value`); got != "Typed, and not saved yet" {
		t.Errorf("what was typed became %q", got)
	}
	w.Fill("Somebody's name to sign in with", person)
	w.Press("Add member")
	w.Await("two members", `document.querySelectorAll("[data-do=member-named]").length === 2`)
	w.Press("Share memories")
	w.SeeIn(".item", "shares memories")
	w.Press("Named for the pool")
	w.Has(`[data-do=member-named][aria-pressed=true]`)
	w.Reload()
	w.SeeIn(".item", "/srv/harbor · port-works · quay")
	w.SeeIn(".item", "The quay wall and what stands on it.")
	w.Press("Change: Harbor works")
	w.Await("the fields have it", `document.querySelector("#pro-aliases")?.value === "port-works\nquay" && document.querySelector("#pro-title").value === "Harbor works"`)

	// A category of one's own is bound to it, and unbound again.
	w.Visit(s.URL("/categories?new=1"))
	w.Fill("Name", "Moorings")
	w.Press("Recalled in: Everywhere")
	w.ClickText("[role=option]", "Harbor works")
	w.Press("Save")
	w.See("Moorings")
	w.SeeIn(".shelf .tag", "Harbor works")
	w.ClickText(".shelf-link", "Moorings")
	w.Press("Recalled in: Harbor works")
	w.ClickText("[role=option]", "Everywhere")
	w.Press("Save")
	w.Await("it is bound to none", `!document.querySelector(".shelf .tag:not(.tag-accent)")`)

	// The list and the check are narrowed to it.
	w.Visit(s.URL("/memory/recall?q=deploys"))
	w.Press("Project: No project")
	w.ClickText("[role=option]", "Harbor works")
	w.Await("it is in the address", `location.search.includes("project=")`)
	w.Visit(s.URL("/memory"))
	w.Press("Project")
	w.ClickText("[role=option]", "Harbor works")
	w.See("No memory matches these filters.")
}
