package browser

import (
	"context"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Keys of a keyboard that have no character, and one that moves the focus.
const (
	Tab       = "\t"
	ArrowDown = kb.ArrowDown
)

// Keys that are held down, as the bits of the protocol.
const (
	ctrl  = 2
	shift = 8
)

// Chord presses a key together with Ctrl, Shift or both.
func (w *Window) Chord(with int64, key string) {
	w.t.Helper()
	w.do("chord "+quote(key), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range key {
			for _, e := range kb.Encode(r) {
				if e.Type == kb.KeyChar {
					continue
				}
				if e.Type != kb.KeyUp {
					e.Type = kb.KeyRawDown
				}
				e.Modifiers |= with
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// focusLost says what is wrong with where the focus is: "" where one sees it. A list
// shows it at the row that its aria-activedescendant names.
const focusLost = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body) return "the focus is nowhere";
	const r = e.getBoundingClientRect();
	if (r.width === 0 || r.bottom <= 0 || r.top >= innerHeight || r.right <= 0 || r.left >= innerWidth) return "the focus is out of sight, on " + e.outerHTML.slice(0, 160);
	const ringed = e => ["", "::after"].some(part => { const s = getComputedStyle(e, part || null); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1.5; });
	const at = document.getElementById(e.getAttribute("aria-activedescendant") || "none");
	const near = e.closest(".palette-input, .menu-search");
	if (ringed(e) || at && (ringed(at) || at.matches("[data-at], [data-active], [aria-selected=true]")) || near) return "";
	return "the focus doesn't show on " + e.outerHTML.slice(0, 160);
})()`

// named is a function of the name of an element.
const named = `(e => e.getAttribute("aria-label") ?? (e.labels?.length ? e.labels[0].innerText.trim() : e.innerText?.trim() ?? ""))`

// HasFocus fails the test where nobody would see where the focus is.
func (w *Window) HasFocus(when string) {
	w.t.Helper()
	lost := ""
	for deadline := time.Now().Add(3 * time.Second); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		if lost = Eval[string](w, focusLost); lost == "" {
			return
		}
	}
	w.t.Errorf("%s: %s", when, lost)
}

// TabTo presses Tab until what has the focus is called name, as a person would who
// looks for it. Each stop on the way must be seen.
func (w *Window) TabTo(name string) {
	w.t.Helper()
	var met []string
	for range 90 {
		w.Keys(Tab)
		at := Eval[struct {
			Name string `json:"name"`
			Lost string `json:"lost"`
		}](w, `({name: `+named+`(document.activeElement).slice(0, 80), lost: `+focusLost+`})`)
		met = append(met, at.Name)
		// Beyond the last stop the focus is in the browser's own frame.
		if at.Lost != "" && !strings.HasPrefix(at.Lost, "the focus is nowhere") {
			w.t.Errorf("on the way to %q: %s", name, at.Lost)
		}
		if at.Name == name || strings.HasPrefix(at.Name, name+"\n") {
			return
		}
	}
	w.fail("Tab never came to %q; it came to %q", name, met)
}
