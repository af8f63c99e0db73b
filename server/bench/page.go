package main

import (
	"context"
	"os"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// withPage serves a copy of the dataset and gives a browser and the session.
func (b *bench) withPage(ctx context.Context, fn func(browser context.Context, s *server, d *dataset) error) error {
	d, err := b.hundred(ctx)
	if err != nil {
		return err
	}
	browser, leave, err := chromium(ctx)
	if err != nil {
		return err
	}
	defer leave()
	dir, err := b.copied(d)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := b.serve(ctx, dir)
	if err != nil {
		return err
	}
	defer s.kill()
	if err := s.get(ctx, "/api/memory?limit=1", d.token); err != nil { // the catalogue is in memory, as it is when people come
		return err
	}
	return fn(browser, s, d)
}

// pageLine is what a person waits for: something to see, then the list with its
// rows. Cold is somebody who was never here; warm is the second visit.
func pageLine(ctx context.Context, b *bench) ([]figure, error) {
	var cold, warm visits
	n := 0
	err := b.withPage(ctx, func(browser context.Context, s *server, d *dataset) error {
		n = d.size
		for i := range b.runs + 1 {
			if err := b.onePerson(browser, s, d, i > 0, &cold, &warm); err != nil {
				return err
			}
		}
		return nil
	})
	list := ", list of " + short(float64(n))
	const effort = "of it, effort of browser and server"
	return []figure{
		of("first paint, cold"+list, "ms", cold.paint).to(below(400)),
		of("usable, cold"+list, "ms", cold.usable).to(below(1_500)),
		of(effort, "ms CPU", cold.cpu),
		of("first paint, warm"+list, "ms", warm.paint),
		of("usable, warm"+list, "ms", warm.usable).to(below(700)),
		of(effort, "ms CPU", warm.cpu),
	}, err
}

// visits are what people saw when they came to the list, in milliseconds from the
// start of each visit.
type visits struct{ paint, usable, cpu sample }

// onePerson visits twice. The very first one of a browser process also starts
// parts of the browser, so it doesn't count.
func (b *bench) onePerson(browser context.Context, s *server, d *dataset, counts bool, cold, warm *visits) error {
	t, leave, err := newcomer(browser, s, d.session)
	if err != nil {
		return err
	}
	defer leave()
	for _, v := range []*visits{cold, warm} {
		began := offspring()
		if err := t.visit(s.url("/memory")); err != nil {
			return err
		}
		took := offspring() - began
		p, err := eval[float64](t, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`)
		if err != nil {
			return err
		}
		u, err := eval[float64](t, `performance.getEntriesByName("elowen-usable")[0].startTime`)
		if err != nil {
			return err
		}
		if counts {
			v.paint, v.usable, v.cpu = append(v.paint, p), append(v.usable, u), append(v.cpu, took)
		}
		// The service worker, if there is one, keeps what it was given.
		time.Sleep(700 * time.Millisecond)
	}
	return nil
}

// keysLine is how much the page holds, and what a key costs its main thread until
// the next paint.
func keysLine(ctx context.Context, b *bench) ([]figure, error) {
	var nodes, move, leap, typed sample
	n := 0
	err := b.withPage(ctx, func(browser context.Context, s *server, d *dataset) error {
		n = d.size
		t, leave, err := newcomer(browser, s, d.session)
		if err != nil {
			return err
		}
		defer leave()
		if err := t.visit(s.url("/memory")); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
		if _, err := eval[bool](t, `document.querySelector("#list").focus(), true`); err != nil {
			return err
		}
		for range b.runs {
			count, err := eval[float64](t, `document.querySelectorAll("*").length`)
			if err != nil {
				return err
			}
			nodes = append(nodes, count)
			for _, k := range []struct {
				into *sample
				keys []string
			}{
				{&move, many("j", b.size(60, 5))},
				{&leap, many(kb.PageDown, b.size(20, 3))},
			} {
				ms, err := t.press(k.keys)
				if err != nil {
					return err
				}
				*k.into = append(*k.into, ms)
			}
		}
		if _, err := eval[bool](t, `document.querySelector("#search").focus(), true`); err != nil {
			return err
		}
		for range b.runs {
			ms, err := t.press([]string{"p", "e", "o", "p", "l", "e", kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace})
			if err != nil {
				return err
			}
			typed = append(typed, ms)
			time.Sleep(500 * time.Millisecond)
		}
		return nil
	})
	list := short(float64(n))
	return []figure{
		of("elements of the page, list of "+list, "", nodes).to(below(400)),
		of("key that moves one row, until painted", "ms CPU", move).to(below(16)),
		of("key that moves one page, until painted", "ms CPU", leap),
		of("letter into the search field, until painted", "ms CPU", typed),
	}, err
}

func many(key string, n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = key
	}
	return keys
}

// press presses keys one after another, each painted before the next, and gives
// the CPU milliseconds of the main thread for one.
func (t *tab) press(keys []string) (float64, error) {
	if err := t.painted(); err != nil {
		return 0, err
	}
	began, err := t.busy()
	if err != nil {
		return 0, err
	}
	for _, key := range keys {
		if err := chromedp.Do(t.ctx, chromedp.KeyEvent(key)); err != nil {
			return 0, err
		}
		if err := t.painted(); err != nil {
			return 0, err
		}
	}
	ended, err := t.busy()
	return (ended - began) / float64(len(keys)), err
}
