package browser

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
)

func TestALongListStaysSmall(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("long")
	signUp(t, s, w)
	const n = 3000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"Note number %d of many, with words enough for a second line in the row.","createdAt":"2026-%02d-%02dT10:00:00.000Z"}`+"\n", i, i%9+1, i%28+1)
	}
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", b.String()))
	w.Visit(s.URL("/memory"))
	w.See("3,001 memories")
	w.Has(".row .row-body")
	small := func(where string) {
		t.Helper()
		if rows := Eval[int](w, `document.querySelectorAll(".row").length`); rows < 5 || rows > 60 {
			t.Errorf("%s: %d rows in the document", where, rows)
		}
		if nodes := Eval[int](w, `document.querySelector("#list").querySelectorAll("*").length`); nodes > 1200 {
			t.Errorf("%s: %d elements in the list", where, nodes)
		}
	}
	small("at the top")
	w.FocusOn("#list")
	w.Keys(End)
	w.Await("the last row is there", `document.querySelector(".row[aria-posinset='3001']")?.innerText.length > 20`)
	small("at the end")
	w.Keys(Home)
	w.Await("the first row is there", `document.querySelector(".row[aria-posinset='1']")?.innerText.length > 20`)
	// The bar jumps anywhere.
	w.Eval(`document.querySelector("#list").scrollTop = document.querySelector("#list").scrollHeight / 2`)
	w.Await("the middle is there", `[...document.querySelectorAll(".row")].some(e => Math.abs(e.ariaPosInSet - 1500) < 20 && e.innerText.includes("Note number"))`)
	small("in the middle")
}

func TestNeitherTextOfAConflictIsLost(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	a := p.Window("a")
	signUp(t, s, a)
	a.Tolerate("status of 409", "status of 412")
	b := p.Window("b")
	b.Visit(s.URL("/memory/1"))
	b.SeeIn(".detail-body", firstOne)

	a.Press("Edit")
	a.Fill("Memory", "What A typed.")
	b.Press("Edit")
	b.Fill("Memory", "What B typed.")
	b.Press("Save")
	b.SeeIn(".detail-body", "What B typed.")
	if got := Eval[string](a, `document.querySelector("#editor-body").value`); got != "What A typed." {
		t.Errorf("another window's change reached into the form: %q", got)
	}
	// The form says so at once, not only when it is saved.
	a.SeeIn(".conflict", "What A typed.")
	a.SeeIn(".conflict", "What B typed.")
	a.Press("Save mine as revision 3")
	a.SeeIn(".detail-body", "What A typed.")
	b.SeeIn(".detail-body", "What A typed.")
	b.SeeIn(".event .diff", "What B typed.") // the history has it
}

func TestAPurgeNeedsItsPhrase(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("purge")
	signUp(t, s, w)
	w.Press("Move to trash")
	w.See("Moved to the trash")
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Press("Purge…")
	w.Has("[role=alertdialog]")
	w.Await("the button waits for the phrase", `document.querySelector("[role=alertdialog] .btn-danger").disabled`)
	w.Keys(Escape)
	w.Await("Escape closes it", `document.querySelector("[role=alertdialog]") === null`)
	w.SeeIn(".detail-body", firstOne)
	w.Press("Purge…")
	w.Has("#dialog-phrase")
	w.FocusOn("#dialog-phrase")
	w.Keys("purge")
	w.Click("[role=alertdialog] .btn-danger:not(:disabled)")
	w.See("1 memory purged")
	w.Tolerate("status of 404")
	w.Visit(s.URL("/memory/1"))
	w.Await("it is gone", `!document.body.innerText.includes(`+quote(firstOne)+`) && document.querySelector(".empty") !== null`)
}

func TestTheAddressKeepsWhatIsSeen(t *testing.T) {
	s := Serve(t, "--base-path", "/elowen/")
	w := Open(t).Person().Window("address")
	signUp(t, s, w)
	for _, body := range []string{"The ferry leaves at nine.", "The ferry is late on Mondays.", "Nothing of boats."} {
		add(w, body)
	}
	w.Visit(s.URL("/memory"))
	w.See("4 memories")
	w.Keys("/")
	w.Keys("ferry")
	w.See("2 memories")
	w.Gone("Nothing of boats.")
	w.Await("the search is in the address", `new URL(location).searchParams.get("q") === "ferry"`)
	w.ClickText(".row .row-body", "late on Mondays")
	w.SeeIn(".detail-body", "The ferry is late on Mondays.")
	w.Reload()
	w.SeeIn(".detail-body", "The ferry is late on Mondays.")
	w.See("2 memories")
	w.Back()
	w.Await("back at the list", `document.querySelector(".detail-body") === null && new URL(location).searchParams.get("q") === "ferry"`)
	w.See("2 memories")
	w.Keys("j")
	w.Await("the keyboard is on a row", `document.querySelector(".row[data-active]") !== null`)
	w.Keys(Enter)
	w.Has(".detail-body")
}

func TestNarrowWindowsDoNotOverflow(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("narrow")
	signUp(t, s, w)
	add(w, strings.Repeat("unbreakable", 60))
	for _, width := range []int64{360, 390, 768, 1100} {
		w.Resize(width, 780)
		for _, page := range []string{"/memory", "/memory/1", "/memory/2", "/memory?new=1", "/memory/trash", "/settings", "/account", "/login", "/setup"} {
			w.Visit(s.URL(page))
			w.Await("the program has drawn "+page, `document.querySelector("[aria-busy=true]") === null && document.body.innerText.length > 40`)
			if over := Eval[float64](w, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("%s at %d: %v px too wide", page, width, over)
			}
		}
	}
	w.Resize(390, 780)
	w.Visit(s.URL("/memory"))
	w.ClickText(".row .row-body", firstOne)
	w.SeeIn(".detail-body", firstOne)
	w.Press("Back to the list")
	w.Has(".row .row-body")
}

// Whatever can be operated has a name for those who don't see it.
func TestEveryControlHasAName(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("names")
	signUp(t, s, w)
	seen := map[string]bool{}
	for _, page := range []string{"/memory", "/memory/1", "/memory?new=1", "/memory/trash", "/settings", "/settings?part=people", "/account", "/login", "/setup"} {
		w.Visit(s.URL(page))
		w.Await("the program has drawn "+page, `document.querySelector("[aria-busy=true]") === null && document.body.innerText.length > 40`)
		if strings.HasPrefix(page, "/memory") && page != "/memory/trash" {
			w.Has(".row .row-body")
		}
		tree, err := chromedp.Call(w.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range tree.Nodes {
			role, name := value(n.Role), strings.TrimSpace(value(n.Name))
			if n.Ignored {
				continue
			}
			switch role {
			case "button", "link", "textbox", "searchbox", "checkbox", "slider", "switch", "radio", "combobox", "listbox", "option", "tab", "image", "img", "dialog":
				seen[role] = true
				if name == "" {
					t.Errorf("%s: a %s without a name", page, role)
				}
			}
		}
	}
	for _, role := range []string{"button", "link", "textbox", "listbox", "option", "slider"} {
		if !seen[role] {
			t.Errorf("no %s was met; the test looks at the wrong thing", role)
		}
	}
}

// value is the text of a value of the accessibility tree.
func value(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) != nil {
		return ""
	}
	return s
}
