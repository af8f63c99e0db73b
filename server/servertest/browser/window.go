package browser

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ShotsEnv names the variable with the folder that pictures are written to.
const ShotsEnv = "ELOWEN_SCREENSHOTS"

func (w *Window) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, Patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.fail("%s: %v", what, err)
	}
}

// Visit opens an address, as from the address bar.
func (w *Window) Visit(address string) {
	w.t.Helper()
	w.do("visit "+address, chromedp.Navigate(address))
}

// Reload loads the page again.
func (w *Window) Reload() {
	w.t.Helper()
	w.do("reload", chromedp.Reload())
}

// Back goes back in the history.
func (w *Window) Back() {
	w.t.Helper()
	w.do("back", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool]("history.back(), true")(ctx, t)
		return err
	}))
}

// Await waits until a JavaScript expression is truthy.
func (w *Window) Await(what, expression string) {
	w.t.Helper()
	w.await(what, expression, Patience)
}

// AwaitLong is Await for what takes a machine long, such as bringing in a large file.
func (w *Window) AwaitLong(what, expression string) {
	w.t.Helper()
	w.await(what, expression, 10*Patience)
}

func (w *Window) await(what, expression string, patience time.Duration) {
	w.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		ok, err := chromedp.Run(w.ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			w.fail("not met: %s (%v)", what, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// See waits until the page can be read to say something.
func (w *Window) See(text string) {
	w.t.Helper()
	w.Await("see "+quote(text), "document.body.innerText.includes("+quote(text)+")")
}

// Gone waits until the page no longer says something.
func (w *Window) Gone(text string) {
	w.t.Helper()
	w.Await("no longer see "+quote(text), "!document.body.innerText.includes("+quote(text)+")")
}

// SeeIn waits until an element can be read to say something.
func (w *Window) SeeIn(selector, text string) {
	w.t.Helper()
	w.Await("see "+quote(text)+" in "+selector,
		"[...document.querySelectorAll("+quote(selector)+")].some(e => e.innerText.includes("+quote(text)+"))")
}

// Has waits until there is a visible element.
func (w *Window) Has(selector string) {
	w.t.Helper()
	w.Await("has "+selector, "[...document.querySelectorAll("+quote(selector)+")].some(e => e.checkVisibility({visibilityProperty: true}))")
}

// Press clicks the visible button, link, option or tab with a name, which is its
// label for assistive technology, else its text.
func (w *Window) Press(name string) {
	w.t.Helper()
	w.click("press "+quote(name), `[...document.querySelectorAll("button,a[href],summary,[role=button],[role=menuitem],[role=menuitemradio],[role=option],[role=tab]")]
		.find(e => e.checkVisibility({visibilityProperty: true}) && !e.disabled &&
			[e.getAttribute("aria-label") ?? "", e.innerText.trim(), e.textContent.trim()].includes(`+quote(name)+`))`)
}

// Click clicks the first visible element of a selector.
func (w *Window) Click(selector string) {
	w.t.Helper()
	w.click("click "+selector, "[...document.querySelectorAll("+quote(selector)+")].find(e => e.checkVisibility({visibilityProperty: true}))")
}

// ClickText clicks the first visible element of a selector that says something.
func (w *Window) ClickText(selector, text string) {
	w.t.Helper()
	w.click("click "+quote(text), "[...document.querySelectorAll("+quote(selector)+")].find(e => e.checkVisibility({visibilityProperty: true}) && e.innerText.includes("+quote(text)+"))")
}

// click clicks an element as somebody does who looks first: once it has come to rest,
// and where nothing covers it. A page that moves it away from under the pointer at the
// last moment is clicked again, as one would.
func (w *Window) click(what, element string) {
	w.t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		w.Await(what, element)
		at, err := w.rest(element)
		if err == nil && at != nil {
			var met bool
			if met, err = w.clickAt(*at); err == nil && met {
				return
			}
		}
		if time.Now().After(deadline) {
			w.fail("%s: it can't be clicked (%v)", what, err)
		}
		time.Sleep(40 * time.Millisecond)
	}
}

// tryNow connects at once, where the app hasn't found the server by itself meanwhile.
func (w *Window) tryNow() {
	w.t.Helper()
	w.Eval(`[...document.querySelectorAll("button")].find(e => e.innerText.trim() === "Try now")?.click()`)
}

// rest is the middle of an element that stands still and is on top there, else nil.
func (w *Window) rest(element string) (*[2]float64, error) {
	ctx, cancel := context.WithTimeout(w.ctx, Patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[*[2]float64](`(async () => {
		const e = `+element+`;
		if (!e) return null;
		e.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
		const middle = () => { const r = e.getClientRects()[0]; return r && [r.left + r.width / 2, r.top + r.height / 2]; };
		const before = middle();
		await new Promise(later => setTimeout(later, 50));
		const at = middle();
		if (!at || !before || !e.isConnected || at[0] !== before[0] || at[1] !== before[1]) return null;
		const top = document.elementFromPoint(at[0], at[1]);
		if (!top || !e.contains(top) && !(e.labels && [...e.labels].some(l => l.contains(top)))) return null;
		globalThis.clicked = undefined;
		addEventListener("click", c => globalThis.clicked = [e, ...(e.labels ?? [])].some(e => c.composedPath().includes(e)), {once: true, capture: true});
		return at;
	})()`, chromedp.EvalAwaitPromise))
}

// clickAt clicks at a point, and tells whether what rest looked at was met there. A
// page that has gone was: it went because of the click.
func (w *Window) clickAt(at [2]float64) (met bool, err error) {
	ctx, cancel := context.WithTimeout(w.ctx, Patience)
	defer cancel()
	_, err = chromedp.Run(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, what := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
			p := input.DispatchMouseEventParams{Type: what, X: at[0], Y: at[1]}
			if what != input.DispatchMouseEventTypeMouseMoved {
				p.Button, p.ClickCount = input.MouseButtonLeft, 1
			}
			if _, err := cdp.Call(ctx, t, input.DispatchMouseEvent, p); err != nil {
				return err
			}
		}
		return nil
	}))
	if err != nil {
		return false, err
	}
	missed, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`globalThis.clicked === false`))
	return err != nil || !missed, nil
}

// Fill puts text into the field with a label, in place of what is there.
func (w *Window) Fill(label, text string) {
	w.t.Helper()
	field := `(() => { const named = [...document.querySelectorAll("input,textarea,select")].filter(e => e.checkVisibility({visibilityProperty: true}));
		return named.find(e => e.getAttribute("aria-label") === ` + quote(label) + ` || [...(e.labels ?? [])].some(l => l.innerText.trim() === ` + quote(label) + `))
			?? named.find(e => [...(e.labels ?? [])].some(l => l.innerText.trim().startsWith(` + quote(label) + `))); })()`
	w.Await("field "+quote(label), field)
	w.do("fill "+quote(label),
		chromedp.Focus(chromedp.JSPath(field)),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := chromedp.Evaluate[bool]("document.activeElement.select?.(), true")(ctx, t)
			return err
		}),
		chromedp.SendKeys(chromedp.JSPath(field), text))
}

// Keys types into what has the focus. A key carries its character itself, as a real
// one does, so that a page which handles the key keeps the character from being
// typed; the driver's own KeyEvent sends the two apart.
func (w *Window) Keys(keys string) {
	w.t.Helper()
	w.do("keys "+quote(keys), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			text := ""
			var events []*input.DispatchKeyEventParams
			for _, e := range kb.Encode(r) {
				if e.Type == kb.KeyChar {
					text = e.Text
					continue
				}
				events = append(events, e)
			}
			for _, e := range events {
				if e.Type != kb.KeyUp {
					e.Type, e.Text, e.UnmodifiedText = kb.KeyDown, text, text
				}
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *e); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// Text is what can be read in the first element of a selector.
func (w *Window) Text(selector string) string {
	w.t.Helper()
	return Eval[string](w, "document.querySelector("+quote(selector)+")?.innerText ?? ''")
}

// Resize gives the window another size in CSS pixels.
func (w *Window) Resize(width, height int64) {
	w.t.Helper()
	w.do("resize", chromedp.EmulateViewport(width, height))
}

// Address is what the address bar shows.
func (w *Window) Address() string {
	w.t.Helper()
	return Eval[string](w, "location.href")
}

// Shot writes a picture of the window, if a folder for pictures is given.
func (w *Window) Shot(name string) {
	dir := os.Getenv(ShotsEnv)
	if dir == "" {
		return
	}
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		w.t.Errorf("picture %s: %v", name, err)
	}
}

// Eval is the value of a JavaScript expression in the window.
func Eval[T any](w *Window, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.fail("%s: %v", expression, err)
	}
	return v
}

// Promise is the value that a JavaScript promise comes to in the window.
func Promise[T any](w *Window, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.fail("%s: %v", expression, err)
	}
	return v
}

// quote writes a string as JavaScript does.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("browser: " + err.Error()) // a string always can
	}
	return string(b)
}

// Eval runs a JavaScript expression for what it does.
func (w *Window) Eval(expression string) {
	w.t.Helper()
	Eval[bool](w, "("+expression+", true)")
}

// Before runs JavaScript in each page that is loaded from now on, before its own.
func (w *Window) Before(script string) {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		w.fail("%s: %v", script, err)
	}
}

// Drag presses the mouse at a part of an element's width and height, moves it over
// others, and lets it go.
func (w *Window) Drag(selector string, x, y float64, over [][2]float64) {
	w.t.Helper()
	at := Eval[[]float64](w, `(r => [r.left, r.top, r.width, r.height])(document.querySelector(`+quote(selector)+`).getBoundingClientRect())`)
	w.do("drag over "+selector, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		mouse := func(what input.DispatchMouseEventType, x, y float64) error {
			p := input.DispatchMouseEventParams{Type: what, X: at[0] + x*at[2], Y: at[1] + y*at[3], Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
			_, err := cdp.Call(ctx, t, input.DispatchMouseEvent, p)
			return err
		}
		if err := mouse(input.DispatchMouseEventTypeMousePressed, x, y); err != nil {
			return err
		}
		for _, p := range over {
			if x, y = p[0], p[1]; mouse(input.DispatchMouseEventTypeMouseMoved, x, y) != nil {
				break
			}
		}
		return mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
	}))
}

// FocusOn puts the focus on the first element of a selector.
func (w *Window) FocusOn(selector string) {
	w.t.Helper()
	w.do("focus "+selector, chromedp.Focus(chromedp.CSS(selector)))
}

// Choose chooses a file in a file field, as its dialog would.
func (w *Window) Choose(selector, path string) {
	w.t.Helper()
	w.do("choose "+path, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
}

// Keys that have no character.
const (
	ArrowRight = kb.ArrowRight
	ArrowUp    = kb.ArrowUp
	Escape     = kb.Escape
	Enter      = kb.Enter
	Home       = kb.Home
	End        = kb.End
)

// phone gives the window the size of a phone, in CSS pixels of two dots each.
func (w *Window) phone(width, height int64) {
	w.t.Helper()
	w.do("phone", chromedp.EmulateViewport(width, height, chromedp.EmulateScale(2)))
}
