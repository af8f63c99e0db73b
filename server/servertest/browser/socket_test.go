package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"elowen/assets"
	"elowen/server/servertest"
)

// reading is the row at the top of the list and how far it is from there.
const reading = `(() => {
	const list = document.querySelector("#list"), top = list.getBoundingClientRect().top;
	const row = [...list.querySelectorAll(".row .row-body")].map(e => ({text: e.innerText, y: Math.round(e.closest(".row").getBoundingClientRect().top - top)}))
		.filter(r => r.y >= 0).sort((a, b) => a.y - b.y)[0];
	return row ? row.text + " @ " + row.y : "";
})()`

// twice are the texts of rows that are there more than once.
const twice = `(() => {
	const seen = {}, out = [];
	for (const e of document.querySelectorAll(".row .row-body")) if ((seen[e.innerText] = (seen[e.innerText] ?? 0) + 1) === 2) out.push(e.innerText);
	return out;
})()`

func notes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"memory","body":"Note number %03d.","createdAt":"2026-%02d-01T10:%02d:00.000Z","updatedAt":"2026-%02d-01T10:%02d:00.000Z"}`+"\n", i, i/60+1, i%60, i/60+1, i%60)
	}
	return b.String()
}

func TestASocketThatBreaksMovesNothing(t *testing.T) {
	s, p := behind(t, "/")
	w := Open(t).Person().Window("cut")
	w.Tolerate(gone...)
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", notes(300)))
	w.Visit(s.URL("/memory"))
	w.See("301 memories")
	w.FocusOn("#list")
	w.Eval(`document.querySelector("#list").scrollTop = 84 * 100`)
	w.Await("rows in the middle", `/^Note number/.test(`+reading+`)`)
	before := Eval[string](w, reading)
	extra := func(n int) {
		t.Helper()
		s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("extra.jsonl", fmt.Sprintf(`{"type":"memory","body":"Came while away %d."}`+"\n", n)))
	}
	check := func(what string, total int) {
		t.Helper()
		w.See(fmt.Sprintf("%d memories", total))
		w.Await("still at the same row, "+what, reading+" === "+quote(before))
		if rows := Eval[[]string](w, twice); len(rows) > 0 {
			t.Errorf("%s: rows are there twice: %v", what, rows)
		}
	}
	// A second.
	p.cut()
	extra(1)
	time.Sleep(time.Second)
	p.mend()
	check("after a second", 302)
	// Longer: it says so, and tries less and less often.
	p.cut()
	w.See("not connected")
	extra(2)
	p.mend()
	w.tryNow()
	check("after an offline time", 303)
	// A phone whose socket died without a word notices when it is taken out of the
	// pocket, long before a heartbeat would.
	p.deaden()
	extra(3)
	w.Eval(`document.dispatchEvent(new Event("visibilitychange"))`)
	check("after a dead socket", 304)
	// A minute, after which nobody presses anything. It is long for every run.
	if os.Getenv("ELOWEN_SOAK") != "1" {
		return
	}
	p.cut()
	extra(4)
	time.Sleep(time.Minute)
	p.mend()
	check("after a minute", 305)
}

func TestEightDaysAwayAndANightAsleep(t *testing.T) {
	if _, err := assets.Program(); err != nil {
		t.Skipf("%v; ./build.sh test builds it, and then this test is not skipped", err)
	}
	p := newProxy(t)
	clock := servertest.NewClock(time.Now().UnixMilli())
	s := servertest.Start(t, servertest.Options{Clock: clock})
	p.disguise = true
	p.begin(s.URL)
	w := Open(t).Person().Window("away")
	w.Tolerate(gone...)
	w.Visit(p.address() + "/setup#" + s.Code)
	w.See("Make the first account")
	w.Fill("Name", person)
	w.Fill("Password", servertest.Password)
	w.Press("Make the account")
	w.See("Write down one thing worth keeping")
	s.Command(notes(200), "admin", "import", "--from", "jsonl", "--user", person, "-")
	w.Visit(p.address() + "/memory")
	w.See("memories")
	w.FocusOn("#list")
	w.Eval(`document.querySelector("#list").scrollTop = 84 * 60`)
	w.Await("rows in the middle", `/^Note number/.test(`+reading+`)`)
	before := Eval[string](w, reading)

	// A laptop sleeps over midnight: its socket is dead, its clock has gone on.
	w.Eval(`(() => { const D = Date, by = 10 * 3600e3; globalThis.Date = class extends D { constructor(...a) { a.length ? super(...a) : super(D.now() + by); } static now() { return D.now() + by; } }; })()`)
	p.deaden()
	clock.Advance(10 * time.Hour)
	w.Eval(`document.dispatchEvent(new Event("visibilitychange"))`)
	w.Await("the list knows the hour", `[...document.querySelectorAll(".row")].length > 5 && !document.body.innerText.includes("not connected")`)
	w.Await("still at the same row after the night", reading+" === "+quote(before))

	// Eight days: the change log doesn't reach back that far.
	p.cut()
	clock.Advance(8 * 24 * time.Hour)
	s.Command(`{"type":"memory","body":"Written on the eighth day."}`+"\n", "admin", "import", "--from", "jsonl", "--user", person, "-")
	p.mend()
	w.Eval(`document.dispatchEvent(new Event("visibilitychange"))`)
	w.Await("connected", `!document.body.innerText.includes("not connected")`)
	w.Await("still at the same row after eight days", reading+" === "+quote(before))
	if rows := Eval[[]string](w, twice); len(rows) > 0 {
		t.Errorf("rows are there twice: %v", rows)
	}
	// Scrolled until it is there: what arrives at that moment may hold the row that was read.
	w.Await("the new one at the top", `(document.querySelector("#list").scrollTop = 0, [...document.querySelectorAll(".row")].some(r => r.innerText.includes("Written on the eighth day.")))`)
}

func TestASlowNetworkShowsShapesThenRows(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("3g")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", notes(100)))
	w.Visit(s.URL("/memory"))
	w.See("101 memories")
	installed(w) // the program itself comes from the kept shell
	if _, err := chromedp.Call(w.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Latency: 1500, DownloadThroughput: 50_000, UploadThroughput: 25_000}},
	}); err != nil {
		t.Fatal(err)
	}
	w.Visit(s.URL("/memory"))
	w.Has(".skeleton")
	w.See("101 memories")
	w.SeeIn(".row", "Note number")
	w.Await("no shapes are left", `![...document.querySelectorAll("#list .skeleton")].some(e => e.checkVisibility())`)
	if rows := Eval[[]string](w, twice); len(rows) > 0 {
		t.Errorf("rows are there twice: %v", rows)
	}
	w.ClickText(".row .row-body", "Note number")
	w.Has(".detail-body")
}
