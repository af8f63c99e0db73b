package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// media makes the window one of somebody with these preferences; the rest is as usual.
func media(t *testing.T, w *Window, name, value string) {
	t.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}}); err != nil {
		t.Fatal(err)
	}
}

// everyday are pages that people spend their time on.
var everyday = []struct{ path, ready string }{
	{"/memory", `document.querySelectorAll(".row .row-body").length > 3`},
	{"/memory/1", `document.querySelector("svg.chart") && document.querySelector(".event")`},
	{"/memory?new=1", `document.querySelector("#editor-body")`},
	{"/memory/trash", `document.querySelector("#trash .trow")`},
	{"/categories", `document.querySelector(".shelf")`},
	{"/settings", `document.querySelector(".curves svg")`},
	{"/settings?part=people", `document.querySelector(".item-person")`},
	{"/settings?part=health", `document.querySelector(".finding")`},
	{"/account", `document.querySelector(".item")`},
	{"/account?part=tokens", `document.querySelector(".item")`},
	{"/account?part=tools", `document.querySelector("#srv-name")`},
	{"/account?part=connect", `document.querySelector(".code-block")`},
	{"/account?part=transfer", `document.querySelector(".drop")`},
	{"/settings?part=models", settled},
	{"/settings?part=recall", settled},
	{"/settings?part=projects", settled},
	{"/settings?part=maintenance", `document.querySelector("[data-do=start]:not([disabled])")`},
	{"/memory/recall", settled},
	{"/memory/map", settled},
}

// withScene is a window of somebody with the memories of the pictures.
func withScene(t *testing.T) (*Server, *Window) {
	t.Helper()
	s := Serve(t)
	w := Open(t).Person().Window("comfort")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	s.Run("admin", "user", "add", "klara", "--locked")
	s.Run("admin", "token", "create", "--user", person, "--name", "Claude Code on the laptop")
	w.Visit(s.URL("/memory"))
	w.See("13 memories")
	call(w, "DELETE", "api/memory/3", "")
	return s, w
}

// outside names what one would have to scroll sideways for, other than in a box that is
// made for it.
const outside = `(() => {
	if (document.documentElement.scrollWidth > innerWidth) return "the page is " + document.documentElement.scrollWidth + " px wide";
	const sideways = e => { for (e = e.parentElement; e; e = e.parentElement) if (/auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth) return true; return false; };
	for (const e of document.querySelectorAll("button, a[href], input, textarea, select, p, h1, h2, h3, td, dd")) {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (r.width < 2 || r.height < 2 || s.visibility === "hidden" || s.clipPath !== "none" || e.closest(".sr, .skip, .row, [aria-hidden=true]")) continue;
		if ((r.right > innerWidth + 1 || r.left < -1) && !sideways(e)) return e.outerHTML.slice(0, 120) + " reaches from " + Math.round(r.left) + " to " + Math.round(r.right);
	}
	return ""; })()`

// WCAG 1.4.10: 320 px, which is 1280 at 400%, without scrolling sideways. 640 is 200%.
func TestPagesReflow(t *testing.T) {
	s, w := withScene(t)
	for _, width := range []int64{320, 640} {
		w.Resize(width, 640)
		for _, page := range everyday {
			w.Visit(s.URL(page.path))
			w.Await(page.path+" is drawn", page.ready)
			if wrong := Eval[string](w, outside); wrong != "" {
				t.Errorf("%s at %d: %s", page.path, width, wrong)
			}
		}
	}
}

// spacing is the text of somebody who needs it wide, by WCAG 1.4.12.
const spacing = `(() => { const s = new CSSStyleSheet();
	s.replaceSync("* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; } p { margin-bottom: 2em !important; }");
	document.adoptedStyleSheets = [s]; })()`

// cut names a control whose words don't fit in it, where they can't be read elsewhere.
const cut = `(() => {
	for (const e of document.querySelectorAll("button, .btn, .tabs a, .subnav a, label, h1, h2, .tag")) {
		const s = getComputedStyle(e);
		if (!e.getClientRects().length || s.clipPath !== "none" || e.closest(".sr, .skip, .row, [aria-hidden=true]") || e.title) continue;
		if ((s.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 || s.overflowY !== "visible" && e.scrollHeight > e.clientHeight + 1) && !/auto|scroll/.test(s.overflow)) return e.outerHTML.slice(0, 140);
	}
	return ""; })()`

func TestTextMayBeSpacedOut(t *testing.T) {
	s, w := withScene(t)
	for _, width := range []int64{1440, 390} {
		w.Resize(width, 844)
		for _, page := range everyday {
			w.Visit(s.URL(page.path))
			w.Await(page.path+" is drawn", page.ready)
			w.Eval(spacing)
			for what, wrong := range map[string]string{"cut": Eval[string](w, cut), "outside": Eval[string](w, outside)} {
				if wrong != "" {
					t.Errorf("%s at %d, %s: %s", page.path, width, what, wrong)
				}
			}
		}
	}
}

// slowest is the longest transition or animation of anything on the page, in ms.
const slowest = `(() => {
	const ms = list => Math.max(0, ...list.split(",").map(d => d.trim().endsWith("ms") ? parseFloat(d) : parseFloat(d) * 1000));
	let most = 0, what = "";
	for (const e of document.querySelectorAll("*")) {
		const s = getComputedStyle(e), d = Math.max(ms(s.transitionDuration), s.animationName === "none" ? 0 : ms(s.animationDuration));
		if (d > most) most = d, what = e.outerHTML.slice(0, 100);
	}
	return {ms: most, what}; })()`

func TestWhoWantsNoMotionSeesNone(t *testing.T) {
	s, w := withScene(t)
	for _, c := range []struct {
		value string
		moves bool
	}{{"reduce", false}, {"no-preference", true}} {
		media(t, w, "prefers-reduced-motion", c.value)
		moved := false
		for _, page := range everyday {
			w.Visit(s.URL(page.path))
			w.Await(page.path+" is drawn", page.ready)
			if page.path == "/memory/1" {
				patch(w, "1", fmt.Sprintf(`{"body":"Changed, %s."}`, c.value))
				w.Has(".row-fresh")
			}
			got := Eval[struct {
				MS   float64 `json:"ms"`
				What string  `json:"what"`
			}](w, slowest)
			moved = moved || got.MS > 50
			if !c.moves && got.MS > 10 {
				t.Errorf("%s: something moves for %v ms: %s", page.path, got.MS, got.What)
			}
		}
		if moved != c.moves {
			t.Errorf("%s: moves is %v", c.value, moved)
		}
	}
}

// Where the system chooses the colours (Windows' contrast themes), what is chosen and
// where the keyboard is are still seen: by a line, since grounds are all the same.
func TestForcedColours(t *testing.T) {
	s, w := withScene(t)
	media(t, w, "forced-colors", "active")
	if !Eval[bool](w, `matchMedia("(forced-colors: active)").matches`) {
		t.Fatal("Chromium doesn't emulate forced colours")
	}
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.FocusOn("#list")
	w.Keys("jxj")
	lined := func(what, selector string) {
		t.Helper()
		w.Await(what+" has a line", `(() => { const e = document.querySelector(`+quote(selector)+`); if (!e) return false;
			const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1.5 || s.borderBottomStyle !== "none" && parseFloat(s.borderBottomWidth) >= 1.5; })()`)
	}
	lined("the picked row", `.row[aria-selected="true"]`)
	lined("the keyboard's row", `.row[data-active]`)
	lined("the page in the rail", `.nav a[aria-current]`)
	lined("the tab", `.tabs a[aria-current]`)
	w.Keys(Escape + Enter)
	w.Has("svg.chart")
	lined("the open row", `.row[aria-current="true"]`)
	lined("the range of the chart", `.seg button[aria-pressed="true"]`)
	w.Shot("forced-colours")
}

// What a search finds is said, on wide windows and on narrow ones, and so is what was
// done.
func TestResultsAreAnnounced(t *testing.T) {
	s, w := withScene(t)
	said := func(what string) {
		t.Helper()
		w.Await(what+" is said", `[...document.querySelectorAll("[role=status]")].some(e => e.checkVisibility({visibilityProperty: true}) && e.textContent.includes(`+quote(what)+`))`)
	}
	for _, size := range sizes {
		w.Resize(size.width, size.height)
		w.Visit(s.URL("/memory"))
		said("12 memories")
		w.Fill("Search memories", "tomato")
		said("1 memory")
		w.Eval(`document.querySelector("#search").blur()`)
	}
	w.Resize(1440, 900)
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.FocusOn("#list")
	w.Keys("jx")
	said("1 selected")
	w.Keys("#")
	said("Moved to the trash")
	// The region was there before it was written into; a new one would not be read.
	if Eval[int](w, `document.querySelectorAll("#toasts[role=status]").length`) != 1 {
		t.Error("toasts have no region of their own")
	}
}
