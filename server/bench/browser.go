package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"elowen/assets"
)

// chromiumEnv names the variable with Chromium's path, as for the tests.
const chromiumEnv = "ELOWEN_CHROMIUM"

// chromium starts a browser process; leave ends it.
func chromium(ctx context.Context) (browser context.Context, leave func(), err error) {
	if !assets.Built() {
		return nil, nil, notMeasured("the browser program isn't built (./build.sh wasm)")
	}
	var path string
	for _, name := range []string{os.Getenv(chromiumEnv), "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if path == "" {
		return nil, nil, notMeasured("no Chromium (set " + chromiumEnv + " to its path)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.WindowSize(1440, 900), chromedp.Flag("lang", "en-GB"), chromedp.WSURLReadTimeout(patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	alloc, stop := chromedp.NewExecAllocator(ctx, options...)
	browser, end := chromedp.NewContext(alloc)
	leave = func() { end(); stop() }
	if err := chromedp.Do(browser); err != nil {
		leave()
		return nil, nil, fmt.Errorf("Chromium at %s: %w", path, err)
	}
	return browser, leave, nil
}

// tab is one window of somebody with an empty cache.
type tab struct{ ctx context.Context }

// usableScript marks in each new document when the list has its first row.
const usableScript = `(() => {
	const look = () => {
		const row = document.querySelector(".row .row-body");
		if (row && row.textContent.length > 0) { performance.mark("elowen-usable"); return true; }
		return false;
	};
	const watch = new MutationObserver(() => { if (look()) watch.disconnect(); });
	watch.observe(document, {childList: true, subtree: true, characterData: true});
})()`

// newcomer opens a window of somebody who was never here and is signed in by the
// session's secret.
func newcomer(browser context.Context, s *server, session string) (*tab, func(), error) {
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	err := chromedp.Do(ctx)
	if err == nil {
		_, err = chromedp.Call(ctx, network.SetCookie, network.SetCookieParams{Name: "elowen", Value: session, URL: s.url("/"), HTTPOnly: ptr(true)})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: usableScript})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return &tab{ctx}, leave, nil
}

func ptr[T any](v T) *T { return &v }

// visit opens an address and waits until the list has rows.
func (t *tab) visit(address string) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(address)); err != nil {
		return err
	}
	return t.await(`performance.getEntriesByName("elowen-usable").length > 0`)
}

// await waits until a JavaScript expression is true.
func (t *tab) await(expression string) error {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		ok, err := eval[bool](t, "!!("+expression+")")
		if err == nil && ok {
			return nil
		}
		if time.Since(began) > patience || t.ctx.Err() != nil {
			text, _ := eval[string](t, "document.body ? document.body.innerText.slice(0, 300) : ''")
			return fmt.Errorf("the page never came to %s: %w\n%s", expression, errors.Join(err, t.ctx.Err()), text)
		}
	}
}

// eval is the value of a JavaScript expression.
func eval[T any](t *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// painted waits until what was asked for is on the screen.
func (t *tab) painted() error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](
		`new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true), 0)))`, chromedp.EvalAwaitPromise))
	return err
}

// busy is the CPU time that the page's main thread has taken, in milliseconds.
func (t *tab) busy() (float64, error) {
	got, err := chromedp.Call(t.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value * 1000, nil
		}
	}
	return 0, errors.New("Chromium tells no TaskDuration")
}

// watch lets a browser look at the list meanwhile.
func (b *bench) watch(ctx context.Context, s *server, session string) (leave func(), err error) {
	browser, end, err := chromium(ctx)
	if err != nil {
		return nil, err
	}
	t, _, err := newcomer(browser, s, session)
	if err == nil {
		err = t.visit(s.url("/memory"))
	}
	if err != nil {
		end()
		return nil, err
	}
	return end, nil
}
