package main

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/chromedp/chromedp"
)

// mapLoaded is true once the map says what it has drawn.
const mapLoaded = `document.querySelectorAll(".map-legend > span").length > 2`

// mapLine is what a frame of the map costs its main thread while one zooms and pans.
func mapLine(ctx context.Context, b *bench) ([]figure, error) {
	var zoom, pan sample
	n := b.size(20_000, 200)
	err := b.withMap(ctx, n, func(t *tab) error {
		for range b.runs {
			frames := b.size(60, 5)
			for _, m := range []struct {
				into  *sample
				event string // dispatched for frame i
			}{
				{&zoom, `canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: i % 20 < 10 ? -40 : 40, clientX: x, clientY: y, bubbles: true, cancelable: true}))`},
				{&pan, `canvas.dispatchEvent(new PointerEvent("pointermove", {pointerId: 1, clientX: x + (i % 20) * 6, clientY: y + (i % 7) * 4, buttons: 1, bubbles: true}))`},
			} {
				ms, err := t.frames(frames, m.event)
				if err != nil {
					return err
				}
				*m.into = append(*m.into, ms)
			}
		}
		return nil
	})
	points := ", map of " + short(float64(n))
	return []figure{
		of("frame of zooming"+points, "ms CPU", zoom).to(below(16)),
		of("frame of panning"+points, "ms CPU", pan).to(below(16)),
	}, err
}

// withMap serves a store of n memories and opens its map.
func (b *bench) withMap(ctx context.Context, n int, fn func(t *tab) error) error {
	browser, leave, err := chromium(ctx)
	if err != nil {
		return err
	}
	defer leave()
	made, err := b.freshStore(ctx, "map")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made.dir)
	defer made.close()
	if err := made.fill(ctx, n, newCorpus(1).carried); err != nil {
		return err
	}
	session, _, err := made.signIn(ctx)
	if err != nil {
		return err
	}
	if err := made.close(); err != nil {
		return err
	}
	s, err := b.serve(ctx, made.dir)
	if err != nil {
		return err
	}
	defer s.kill()
	t, end, err := newcomer(browser, s, session)
	if err != nil {
		return err
	}
	defer end()
	if err := chromedp.Do(t.ctx, chromedp.Navigate(s.url("/memory/map"))); err != nil {
		return err
	}
	if err := t.await(mapLoaded); err != nil {
		return err
	}
	time.Sleep(500 * time.Millisecond) // whatever else a page does when it is new
	return fn(t)
}

// frames dispatches an event a frame, n times, and gives the CPU milliseconds of the
// main thread for one.
func (t *tab) frames(n int, event string) (float64, error) {
	if _, err := eval[bool](t, `(() => {
		const canvas = document.querySelector("#map"), r = canvas.getBoundingClientRect(), x = r.left + r.width / 3, y = r.top + r.height / 3;
		canvas.setPointerCapture = () => {};
		canvas.dispatchEvent(new PointerEvent("pointerdown", {pointerId: 1, clientX: x, clientY: y, buttons: 1, bubbles: true}));
		globalThis.step = (i) => { `+event+` };
		return true;
	})()`); err != nil {
		return 0, err
	}
	if err := t.painted(); err != nil {
		return 0, err
	}
	began, err := t.busy()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`(async n => {
		for (let i = 0; i < n; i++) {
			globalThis.step(i);
			await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
		}
		return true;
	})(`+strconv.Itoa(n)+`)`, chromedp.EvalAwaitPromise)); err != nil {
		return 0, err
	}
	ended, err := t.busy()
	return (ended - began) / float64(n), err
}
