package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// scene is what the pictures show: a person's memories of half a year.
var scene = []struct {
	body, kind, category string
	importance           int
	age                  int   // days since it was saved
	used                 []int // days since each use
}{
	{"Deploys to harbor-prod go out Tuesdays and Thursdays, 06:00–07:00 UTC; schema migrations only on Tuesdays. Reason: the outage of 18 March, when a lock on orders was held for 40 minutes.", "decision", "Harbor", 7, 140, []int{120, 96, 61, 33, 12, 3}},
	{"Jím bez lepku (celiakie, potvrzená biopsií v roce 2019). Platí i pro objednávky jídla na schůzky a pro hotely.", "fact", "Health", 9, 320, []int{200, 90, 1}},
	{"Marta reads pull requests in the morning; ask for a review before ten.", "preference", "Ways of working", 5, 60, []int{31, 20, 8, 2}},
	{"The staging database is refreshed on Sundays at 03:00 and loses whatever was put in by hand.", "fact", "Harbor", 6, 75, []int{40, 7}},
	{"大阪チームの定例会議は毎週木曜日の10時(日本時間)です。議事録は日本語で残します。", "fact", "大阪チーム", 5, 90, []int{55, 21, 5}},
	{"Klára has swimming on Wednesdays; no meetings after four.", "constraint", "Family", 8, 110, []int{80, 44, 9}},
	{"The tram to the office takes 24 minutes, the bicycle 19 when it is dry.", "fact", "Travel", 3, 45, []int{30}},
	{"Error budget for the third quarter: 43 minutes, of which 31 were spent in July.", "fact", "Harbor", 4, 70, nil},
	{"Prefers tables to bullet lists, and numbers with their unit.", "preference", "Ways of working", 6, 150, []int{130, 101, 77, 52, 28, 14, 6, 1}},
	{"The tomato seedlings go out after the 15th of May, never before.", "fact", "Home and garden", 3, 120, []int{60}},
	{"The Vienna office is closed on the 26th of October.", "fact", "Travel", 2, 40, nil},
	{"Whoever is on call writes the summary within two working days and links the trace.", "decision", "Ways of working", 7, 100, []int{66, 18}},
}

// view is a page of the app as the pictures show it.
type view struct {
	name, path string
	ready      string          // a JavaScript expression that is truthy once it is drawn
	then       func(w *Window) // what is done before the picture; nil for nothing
}

// views are the pages behind the sign-in, on the scene's memories.
func views() []view {
	rows := `document.querySelectorAll(".row .row-body").length > 5`
	open := func(body string) func(w *Window) {
		return func(w *Window) {
			w.ClickText(".row .row-body", body)
			w.Has("svg.chart")
		}
	}
	return []view{
		{"workspace", "/memory?sort=used", rows, open("Deploys to harbor-prod")},
		{"list", "/memory", rows, nil},
		{"search", "/memory?q=harbor", `document.querySelector(".row mark")`, nil},
		{"new", "/memory?new=1", `document.querySelector("#editor-body")`, nil},
		{"trash", "/memory/trash", `document.querySelector("#trash")?.innerText.includes("tomato")`, nil},
		{"categories", "/categories", `document.querySelector(".main")?.innerText.includes("Harbor")`, nil},
		{"check", "/memory/recall?q=When+can+schema+migrations+run+on+harbor-prod%3F", `document.querySelector("tr[data-state=in]")`, nil},
		{"map", "/memory/map", `document.querySelector("#map")?.dataset.drawn > 5`, nil},
		{"chat-new", "/chat", `document.querySelector(".thread-empty")?.innerText.includes("No chat model")`, nil},
		{"models", "/settings?part=models", `document.querySelector(".role")`, nil},
		{"recall", "/settings?part=recall", `document.querySelector(".set")`, nil},
		{"retention", "/settings", `document.querySelector(".curves svg") && document.body.innerText.includes("within 30 days")`, func(w *Window) {
			w.Fill("important", "60")
			w.Fill("useful", "10")
			w.Await("the changed curves", `document.querySelectorAll(".chart-curve-old").length > 1`)
			w.Eval(`document.querySelector(".curves").scrollIntoView({block: "center"})`)
		}},
		{"projects", "/settings?part=projects", `document.querySelector(".main").innerText.includes("harbor-works")`, func(w *Window) {
			w.Press("Change: Harbor works")
			w.SeeIn(".project-open", "Klára")
		}},
		{"category", "/categories", `document.querySelector(".shelf-link")`, func(w *Window) {
			w.ClickText(".shelf-link", "Harbor")
			w.Has(".category-form")
		}},
		{"maintenance", "/settings?part=maintenance", `document.querySelector("[data-do=start]:not([disabled])")`, func(w *Window) {
			w.Press("Make the indexes anew")
			w.Has(".receipt")
			w.Press("Measure")
			w.See("Too few")
		}},
		{"people", "/settings?part=people", `document.querySelectorAll(".item-person").length > 1`, nil},
		{"backups", "/settings?part=backups", `document.querySelector(".table-cards tbody tr")`, nil},
		{"storage", "/settings?part=storage", `document.querySelector(".use")`, nil},
		{"health", "/settings?part=health", `document.querySelectorAll(".finding").length > 5`, nil},
		{"account", "/account", `document.querySelector(".item")`, nil},
		{"connect", "/account?part=connect", `document.querySelector(".code-block")`, func(w *Window) {
			w.Press("Make a token for Claude Code")
			w.See("Waiting for the first call…")
		}},
		{"tokens", "/account?part=tokens", `document.querySelector(".item")`, nil},
		{"tools", "/account?part=tools", `document.querySelector("#srv-name")`, nil},
		{"transfer", "/account?part=transfer", `document.querySelector(".drop")`, nil},
	}
}

// sizes are the windows of the pictures, and themes what they are drawn in.
var (
	sizes  = []struct{ width, height int64 }{{1440, 900}, {390, 844}}
	themes = []string{"light", "dark"}
)

// TestScreenshots draws each page at each size and in each theme, for people to look
// at. Of the environment's ELOWEN_VIEWS, names with commas between, it draws only those.
func TestScreenshots(t *testing.T) {
	if os.Getenv(ShotsEnv) == "" {
		t.Skip("pictures are made by ./build.sh screenshots, which names a folder in " + ShotsEnv)
	}
	s := Serve(t)
	w := Open(t).Person().Window("pictures")
	each := func(name string, draw func()) {
		for _, size := range sizes {
			for _, theme := range themes {
				w.Resize(size.width, size.height)
				w.Eval(`localStorage.setItem("elowen.theme", ` + quote(theme) + `)`)
				draw()
				w.Await("the typefaces are there", `document.fonts.status === "loaded"`)
				w.Shot(fmt.Sprintf("%s-%d-%s", name, size.width, theme))
			}
		}
	}
	w.Visit(s.URL("/login"))
	each("login-first", func() {
		w.Visit(s.URL("/login"))
		w.See("no account yet")
	})
	link := s.SetupLink()
	each("setup", func() {
		w.Visit(link)
		w.Reload() // else only the fragment changes
		w.See("Make the first account")
	})
	w.Resize(1440, 900)
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	step := func(name string) { // these steps are gone after a reload
		for _, size := range sizes {
			w.Resize(size.width, size.height)
			for _, theme := range themes {
				w.Eval(`document.documentElement.setAttribute("data-theme", ` + quote(theme) + `)`)
				w.Shot(fmt.Sprintf("%s-%d-%s", name, size.width, theme))
			}
		}
		w.Resize(1440, 900)
	}
	step("setup-first-memory")
	w.Press("Skip")
	w.See("What now?")
	step("setup-next")
	each("empty", func() {
		w.Visit(s.URL("/memory"))
		w.See("No memories yet")
	})

	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	s.Run("admin", "user", "add", "klara", "--locked", "--display-name", "Klára Nováková")
	s.Run("admin", "token", "create", "--user", person, "--name", "Claude Code on the laptop")
	w.Visit(s.URL("/memory?q=tomato"))
	w.ClickText(".row .row-body", "tomato seedlings")
	w.Press("Move to trash")
	w.See("Moved to the trash")
	call(w, "POST", "api/projects", `{"name":"Harbor works","description":"The quay wall and what stands on it.","roots":["/srv/harbor"],"aliases":["quay"],"sharing":true}`)
	for _, name := range []string{"klara", person} {
		call(w, "POST", "api/projects/1/members", `{"name":`+quote(name)+`}`)
	}
	only := os.Getenv("ELOWEN_VIEWS")
	for _, v := range views() {
		if only != "" && !strings.Contains(","+only+",", ","+v.name+",") {
			continue
		}
		each(v.name, func() {
			w.Visit(s.URL(v.path))
			w.Await(v.name+" is drawn", v.ready)
			if v.then != nil {
				v.then(w)
			}
			time.Sleep(600 * time.Millisecond) // toasts, skeletons and previews settle; nothing is measured
		})
	}
	each("import", func() {
		w.Visit(s.URL("/account?part=transfer"))
		w.Await("transfer is drawn", `document.querySelector(".drop")`)
		w.Choose("#import-file", s.File("two.jsonl", lines()+"{\"type\":\"memory\"}\n{\"type\":\"memory\",\"body\":\"One more.\"}\n"))
		w.See("What would become of its lines")
	})
	each("login", func() {
		w.Eval(`fetch("/api/logout", {method: "POST"})`)
		w.Visit(s.URL("/login"))
		w.See("Welcome back")
	})
}

// lines is the scene as an import file.
func lines() string {
	var b strings.Builder
	at := func(days int) string {
		return time.Now().UTC().AddDate(0, 0, -days).Format("2006-01-02T15:04:05.000Z")
	}
	for _, m := range scene {
		used := []string{}
		for _, days := range m.used {
			used = append(used, quote(at(days)))
		}
		last := "null"
		if len(used) > 0 {
			last = used[len(used)-1]
		}
		fmt.Fprintf(&b, `{"type":"memory","body":%s,"kind":%s,"category":%s,"importance":%d,"source":"agent","useCount":%d,"lastUsedAt":%s,"createdAt":%s,"updatedAt":%s,"usedAt":[%s]}`+"\n",
			quote(m.body), quote(m.kind), quote(m.category), m.importance, len(used), last, quote(at(m.age)), quote(at(m.age)), strings.Join(used, ","))
	}
	return b.String()
}
