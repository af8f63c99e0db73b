package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// numbered is an import file of n memories, each a minute younger than the one before.
func numbered(n int) string {
	var b strings.Builder
	first := time.Now().UTC().Add(-time.Duration(n+60) * time.Minute)
	for i := range n {
		at := first.Add(time.Duration(i) * time.Minute).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(&b, `{"type":"memory","body":"Note number %d of a long list, with words enough that its row has a second line.","createdAt":%q,"updatedAt":%q}`+"\n", i, at, at)
	}
	return b.String()
}

// rowsWrong counts what the list shows against what it should: the oldest is first.
const rowsWrong = `(() => {
	const seen = [], list = document.querySelector("#list").getBoundingClientRect();
	for (const row of document.querySelectorAll(".row[role=option]")) {
		const want = "Note number " + (row.getAttribute("aria-posinset") - 1) + " of";
		if (!row.innerText.includes(want)) return "rank " + row.getAttribute("aria-posinset") + " shows " + row.innerText.slice(0, 60);
		const r = row.getBoundingClientRect();
		if (r.bottom > list.top && r.top < list.bottom) seen.push(+row.getAttribute("aria-posinset"));
	}
	seen.sort((a, b) => a - b);
	if (seen.length < 4) return "only " + seen.length + " rows are in view";
	for (let i = 1; i < seen.length; i++) if (seen[i] !== seen[i-1] + 1) return "between " + seen[i-1] + " and " + seen[i] + " something is missing";
	return "";
})()`

// busy is the time that the main thread of the page was at work, of the processor.
func busy(t *testing.T, w *Window) time.Duration {
	t.Helper()
	got, err := chromedp.Call(w.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	t.Fatal("Chromium tells no TaskDuration")
	return 0
}

// As many as a person can be expected to have are brought in with the app, and the list
// is as good as one of ten: jumping anywhere, scrolling on, and one change is one row.
func TestAListOfAHundredThousand(t *testing.T) {
	const n = 100_000
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("list")
	signUp(t, s, w)
	call(w, "DELETE", "api/memory/1", "")
	call(w, "DELETE", "api/memory/1/purge", "")
	if _, err := chromedp.Call(w.ctx, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"}); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	w.Visit(s.URL("/account?part=transfer"))
	w.See("Drop a file, a zip or several files here")
	w.Eval(`window.said = new Set(), new MutationObserver(() => {
		const e = document.querySelector(".progress"); if (e) said.add(e.innerText.replace(/\s+/g, " ")); }).observe(document.body, {subtree: true, childList: true, characterData: true})`)
	w.Choose("#import-file", s.File("numbered.jsonl", numbered(n)))
	bring := Eval[string](w, fmt.Sprintf(`"Bring " + (%d).toLocaleString("en-GB") + " memories in"`, n))
	w.See(bring)
	checked := time.Since(began)
	began = time.Now()
	w.Press(bring)
	w.AwaitLong("it is done", `document.body.innerText.includes("What became of its lines")`)
	t.Logf("%d memories: checked in %v, brought in within %v; the page said %.200q", n, checked.Round(time.Millisecond), time.Since(began).Round(time.Millisecond), Eval[[]string](w, `[...said].filter(s => s.includes("lines/s")).slice(-2)`))
	if !Eval[bool](w, `[...said].some(t => /[\d,]+ lines · [\d,]+ lines\/s/.test(t))`) {
		t.Error("the page said neither how far it was nor how quickly")
	}

	w.Visit(s.URL("/memory?sort=created&order=asc"))
	w.Await("the first rows", `document.querySelector(".row[aria-posinset='1']")?.innerText.includes("Note number 0 of")`)
	right := func(where string) {
		t.Helper()
		w.Await("the rows are right "+where, `window.wrong = `+rowsWrong+`, wrong === ""`)
		if nodes := Eval[int](w, `document.querySelectorAll("*").length`); nodes >= 400 {
			t.Errorf("%s: %d elements in the document", where, nodes)
		}
	}
	right("at the top")
	if got := Eval[string](w, `document.querySelector(".row[role=option]").getAttribute("aria-setsize")`); got != fmt.Sprint(n) {
		t.Errorf("a row is one of %s", got)
	}

	// The bar jumps anywhere; from there one scrolls on.
	most := 0
	for i, at := range []int{n / 2, n - 1, n / 3, 17, n * 9 / 10, n/2 + 1234} {
		w.Eval(fmt.Sprintf(`document.querySelector("#list").scrollTop = %d * 84`, at))
		place := fmt.Sprintf("after a jump to %d", at)
		w.Await(place, fmt.Sprintf(`[...document.querySelectorAll(".row[role=option]")].some(e => Math.abs(e.getAttribute("aria-posinset") - %d) < 20)`, min(at, n-4)))
		right(place)
		// What the server says of a row's place is what the list shows.
		ranks := Promise[[]int](w, `(async () => {
			const row = [...document.querySelectorAll(".row[role=option]")][2];
			const answer = await fetch("/api/memory/" + row.dataset.arg + "/rank?sort=created&order=asc");
			return [row.getAttribute("aria-posinset") - 1, (await answer.json()).rank] })()`)
		if ranks[0] != ranks[1] {
			t.Errorf("%s: shown at %d, the server says %d", place, ranks[0], ranks[1])
		}
		if i > 1 {
			continue
		}
		worked := busy(t, w)
		for range 10 { // in parts, since a frame may take a busy machine long
			most = max(most, Promise[int](w, fmt.Sprintf(`(async () => {
				const list = document.querySelector("#list"), sign = %d;
				let most = 0;
				for (let i = 0; i < 40; i++) {
					list.scrollTop += sign * 5 * 84;
					await new Promise(done => requestAnimationFrame(done));
					most = Math.max(most, document.querySelectorAll("*").length);
				}
				return most })()`, 1-2*i)))
		}
		right(fmt.Sprintf("2,000 rows from %d", at))
		t.Logf("2,000 rows from %d: %.2f ms of the main thread a row", at, float64((busy(t, w)-worked).Microseconds())/1000/2000)
	}
	if most >= 400 {
		t.Errorf("while scrolling, the document had %d elements", most)
	}

	// A key press in the search is little work; what it finds comes a moment later.
	w.FocusOn("#search")
	w.settle()
	var pressing, longest time.Duration
	const typed = "number 4242"
	for _, r := range typed {
		worked := busy(t, w)
		w.Keys(string(r))
		took := busy(t, w) - worked
		pressing, longest = pressing+took, max(longest, took)
	}
	w.SeeIn(".row", "Note number 4242 of")
	t.Logf("%d key presses in the search: %v of the main thread each, %v at most", len(typed), (pressing / time.Duration(len(typed))).Round(100*time.Microsecond), longest.Round(100*time.Microsecond))
	if got := Eval[string](w, `document.querySelector("#search").value`); got != typed {
		t.Errorf("what was typed is %q", got)
	}
	w.Keys(Escape)
	right("where they were before the search")

	// A change elsewhere is one row's here.
	other := p.Window("elsewhere")
	other.Visit(s.URL("/account"))
	other.See(person)
	id := Eval[string](w, `[...document.querySelectorAll(".row[role=option]")].find(e => { const r = e.getBoundingClientRect(); return r.top > 300 && r.bottom < 700 }).dataset.arg`)
	w.settle()
	w.Eval(`window.touched = new Set(), window.changes = 0, new MutationObserver(all => { for (const m of all) {
		const row = (m.target.nodeType === 1 ? m.target : m.target.parentElement).closest(".row"); changes++; touched.add(row ? row.id : m.target.nodeName + "#" + m.target.id); } })
		.observe(document.querySelector("#list"), {subtree: true, childList: true, attributes: true, characterData: true})`)
	worked := busy(t, w)
	patch(other, id, `{"body":"Changed elsewhere, while somebody looked."}`)
	time.Sleep(time.Second) // looking whether it is there would be work, too
	took := busy(t, w) - worked
	w.SeeIn(".row", "Changed elsewhere, while somebody looked.")
	w.Await("it blooms and is over", `document.querySelector(".row-fresh") === null`)
	touched := Eval[[]string](w, `[...touched]`)
	t.Logf("a change elsewhere: %d mutations in %q, %v of the main thread", Eval[int](w, `changes`), touched, took.Round(100*time.Microsecond))
	if len(touched) != 1 {
		t.Errorf("a change of one row touched %q", touched)
	}
}
