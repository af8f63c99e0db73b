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

func TestScreenshots(t *testing.T) {
	if os.Getenv(ShotsEnv) == "" {
		t.Skip("pictures are made by ./build.sh screenshots, which names a folder in " + ShotsEnv)
	}
	s := Serve(t)
	w := Open(t).Person().Window("pictures")
	w.Resize(1440, 900)
	w.Visit(s.SetupLink())
	w.See("Make the first account")
	w.Shot("setup")
	w.Fill("Name", person)
	w.Fill("Password", password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	w.Shot("setup-first-memory")
	w.Press("Skip")
	w.See("No memories yet")
	w.Shot("empty")

	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	w.Visit(s.URL("/memory?sort=used"))
	w.SeeIn("li.row", "Deploys to harbor-prod")
	w.ClickText("li.row .row-body", "Deploys to harbor-prod")
	w.Has("svg.chart")
	w.Await("the typefaces are there", `document.fonts.status === "loaded"`)
	w.Shot("workspace")
	w.Visit(s.URL("/settings"))
	w.See("What this would do")
	w.See("within 30 days")
	w.Shot("settings")
	w.Visit(s.URL("/account"))
	w.See("Tokens")
	w.Shot("account")
	w.Visit(s.URL("/memory?q=harbor"))
	w.Has("li.row mark")
	w.Shot("search")

	w.Eval(`localStorage.setItem("elowen.theme", "dark")`)
	w.Visit(s.URL("/memory?sort=used"))
	w.ClickText("li.row .row-body", "Jím bez lepku")
	w.Has("svg.chart")
	w.Press("Move to trash")
	w.See("Moved to the trash")
	w.ClickText("li.row .row-body", "Deploys to harbor-prod")
	w.Has("svg.chart")
	w.Shot("workspace-dark")
	w.Visit(s.URL("/memory/trash"))
	w.SeeIn("#trash", "Jím bez lepku")
	w.Shot("trash-dark")

	w.Eval(`localStorage.setItem("elowen.theme", "light")`)
	w.Resize(390, 844)
	w.Visit(s.URL("/memory?sort=used"))
	w.SeeIn("li.row", "Deploys to harbor-prod")
	w.Shot("list-390")
	w.ClickText("li.row .row-body", "Deploys to harbor-prod")
	w.Has("svg.chart")
	w.Shot("detail-390")
	w.Visit(s.URL("/memory/trash"))
	w.See("Jím bez lepku")
	w.Shot("trash-390")
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
