package browser

import (
	"fmt"
	"strings"
	"testing"
)

// many is an import file of n fresh memories.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"Note number %d of an import, with some words to index"}`+"\n", i)
	}
	return b.String()
}

func TestImportInTheApp(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("import")
	signUp(t, s, w)

	// A dry run first: each line's fate, and nothing written.
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	w.Await("several can be chosen", `document.querySelector("#import-file").multiple`)
	w.Choose("#import-file", s.File("few.jsonl", many(3)+"this is no JSON\n"+`{"type":"memory"}`+"\n"+old(9)))
	w.See("What would become of its lines")
	w.SeeIn(".stat", "12")
	w.SeeIn(".fates th", "What would become of it")
	w.SeeIn(".fates td", "Note number 2 of an import")
	w.Await("the refused lines come first, with their numbers and why", `(() => {
		const rows = [...document.querySelectorAll(".fates tbody tr")].map(r => r.innerText);
		return rows.length === 14 && rows[0].startsWith("4") && rows[1].startsWith("5") && rows[1].includes("must not be empty"); })()`)
	if n := Eval[string](w, `document.querySelector(".import-outcome .stat b").innerText`); n != "12" {
		t.Errorf("%s would be added", n)
	}
	w.Press("Bring 12 memories in")
	w.See("What became of its lines")
	w.SeeIn(".fates th", "What became of it")
	w.SeeIn(".fates td", "Note number 2 of an import")

	// Nine of them have faded long ago: what that means, and what one can do.
	w.SeeIn(".banner-warn", "9 of your memories are below the floor")
	w.SeeIn(".banner-warn", "At most 5 a day")
	w.Press("Pause retention")
	w.See("Retention is paused")
	w.Gone("9 of your memories are below the floor")

	// The same again adds nothing.
	w.Press("Another file")
	w.Choose("#import-file", s.Path("few.jsonl"))
	w.SeeIn(".fates", "there already")
	w.See("There is nothing to bring in.")
	s.Run("admin", "retention", "set", "--enabled")

	// What one sees of it in the list, with the links of the notice.
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	w.SeeIn(".notice", "9 memories have faded below the floor")
	w.ClickText(".notice a", "See them")
	w.Await("only those that fade", `new URL(location).searchParams.get("fades") === "1"`)
	w.See("9 memories")

	// What goes out comes in again elsewhere.
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Download the export")
	text := Promise[string](w, `fetch(document.querySelector("a[download][href*=export]").href).then(r => r.text())`)
	if strings.Count(text, `"type":"memory"`) != 13 {
		t.Errorf("exported %d lines: %s", strings.Count(text, "\n"), clip(text, 500))
	}
}

// A large file tells how far it is and how quickly, and can be stopped.
func TestALongImportTellsAndStops(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("long import")
	signUp(t, s, w)
	file := s.File("many.jsonl", many(60_000))
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	w.Eval(`window.seen = new Set(), new MutationObserver(() => {
		const e = document.querySelector(".progress"); if (e) seen.add(e.innerText.replace(/\s+/g, " ")); }).observe(document.body, {subtree: true, childList: true, characterData: true})`)
	w.Choose("#import-file", file)
	w.See("Bring 60,000 memories in")
	w.Press("Bring 60,000 memories in")
	w.Await("it tells lines and their rate", `[...seen].some(t => t.includes("Bringing the memories in") && /[\d,]+ lines · [\d,]+ lines\/s/.test(t))`)
	w.ClickText(".progress .btn", "Cancel")
	w.See("Cancelled. What was written before stands.")
	// The same file goes on from there.
	w.Choose("#import-file", file)
	w.SeeIn(".stat", "there already")
	w.Click(".import-outcome .btn-primary")
	w.See("What became of its lines")
	w.Visit(s.URL("/memory"))
	w.See("60,001 memories")
}

// What another system wrote: found out, each memory's fate, what is refused left out, and
// another format chosen.
func TestImportOfAnotherSystemInTheApp(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("import of another system")
	signUp(t, s, w)
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	var b strings.Builder
	b.WriteString("# Food\n\n")
	for i := range 240 {
		fmt.Fprintf(&b, "- Eats dish number %d\n", i)
	}
	b.WriteString("- " + strings.Repeat("too long ", 20_000) + "\n")
	w.Choose("#import-file", s.File("facts.md", b.String()))
	w.See("Format: Markdown, as it seems")
	w.See("New categories: Food")
	w.See("Leave out what is refused, bring 240 memories in")
	w.Await("what is refused first, the others in parts", `(() => {
		const rows = [...document.querySelectorAll(".fates tbody tr")].map(r => r.innerText);
		return rows.length === 100 && rows[0].startsWith("243") && rows[0].includes("too long") && rows[1].includes("Eats dish number 0") && rows[1].includes("held back"); })()`)
	w.Press("141 more")
	w.Await("a hundred more", `document.querySelectorAll(".fates tbody tr").length === 200`)
	w.Await("what is refused is told with how it begins", `document.querySelector(".fates tbody tr td:nth-child(3)").innerText.startsWith("too long too long")`)
	w.Press("Leave out what is refused, bring 240 memories in")
	w.See("What became of its lines")
	w.SeeIn(".stat", "240")
	w.Visit(s.URL("/memory/2"))
	w.SeeIn(".event", "You brought it in from Markdown")
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	w.Choose("#import-file", s.File("dated.txt", "[2026-01-05] - Moved to the harbour\n"))
	w.SeeIn(".fates td", "5 Jan 2026")

	// The same as plain text is there already; nothing is new.
	w.Press("Another file")
	w.Choose("#import-file", s.File("one.txt", "Eats dish number 7\n"))
	w.See("Format: plain text, as it seems")
	w.See("There is nothing to bring in.")
	w.ClickText("[data-do=format]", "Format")
	w.ClickText("[role=option]", "mem0")
	w.SeeIn(".import-outcome", "1")
	w.See("Format: mem0")

	// What nobody knows can be named.
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	w.Choose("#import-file", s.File("odd.json", `{"odd": 1}`))
	w.See("odd.json is nothing that is known here")
	w.ClickText("[data-do=format]", "Format")
	w.ClickText("[role=option]", "plain text")
	w.See("Bring 1 memory in")
}
