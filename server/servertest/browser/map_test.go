package browser

import (
	"fmt"
	"testing"
)

// synthetic answers the map's question with n memories in fourteen groups, always the
// same: what a server would place moves while it indexes.
const synthetic = `(n => {
	let seed = 7;
	const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff, within = v => Math.max(0, Math.min(65535, Math.round(v)));
	const clusters = Array.from({length: 14}, (_, i) => ({x: within(8000 + random() * 50000), y: within(8000 + random() * 50000), major: 2500 + random() * 3500,
		minor: 1500 + random() * 2000, angle: random() * 3, count: n / 14, categoryId: i % 2, words: ["group", "number " + i]}));
	let points = "";
	for (let i = 0; i < n; i++) {
		const c = clusters[i % 14], r = Math.sqrt(random()) * 2, a = random() * 7, u = c.major * r * Math.cos(a), v = c.minor * r * Math.sin(a);
		const x = within(c.x + u * Math.cos(c.angle) - v * Math.sin(c.angle)), y = within(c.y + u * Math.sin(c.angle) + v * Math.cos(c.angle)), id = i + 1;
		points += String.fromCharCode(id & 255, id >> 8 & 255, id >> 16, 0, 0, 0, x & 255, x >> 8, y & 255, y >> 8, i % 2, 1 + i % 10, i * 7 % 100, 0);
	}
	const body = {total: n, placed: n, points: btoa(points), categories: [0, 1], clusters, model: "a model", computedAt: "2026-01-02T03:04:05.000Z", asOf: "2026-01-02T03:04:05.000Z"}, ask = globalThis.fetch;
	globalThis.fetch = (url, more) => String(url).endsWith("/api/memory/map") ? Promise.resolve(Response.json(body)) : ask(url, more);
})`

// mapOf is a window with a map of n memories.
func mapOf(t *testing.T, n int) *Window {
	t.Helper()
	s := Serve(t)
	w := Open(t).Person().Window("map")
	signUp(t, s, w)
	w.Visit(s.URL("/memory"))
	w.Has(".row .row-body")
	w.Eval(synthetic + fmt.Sprintf("(%d)", n))
	w.Press("Map")
	w.still()
	w.Eval(`document.querySelector("#map").setPointerCapture = () => {}`)
	return w
}

// still waits until the map is sharp.
func (w *Window) still() {
	w.t.Helper()
	w.Await("the map rests", `(c => c && "still" in c.dataset && c.width === Math.round(c.getBoundingClientRect().width * devicePixelRatio) &&
		c.height === Math.round(c.getBoundingClientRect().height * devicePixelRatio))(document.querySelector("#map"))`)
}

// picture keeps the pixels of the map under a name, and tells how many are not of its ground.
func (w *Window) picture(name string) int {
	w.t.Helper()
	w.still()
	return Eval[int](w, `(() => {
		const c = document.querySelector("#map"), p = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
		globalThis.pictures = {...globalThis.pictures, [`+quote(name)+`]: p};
		return p.reduce((n, v) => n + (v !== p[0]), 0);
	})()`)
}

// unlike counts the pixels in which two pictures differ, and says where they are.
func (w *Window) unlike(a, b string) (n int, where string) {
	w.t.Helper()
	got := Eval[struct {
		N     int    `json:"n"`
		Where string `json:"where"`
	}](w, `(() => {
		const {`+a+`: a, `+b+`: b} = pictures, wide = document.querySelector("#map").width;
		if (a.length !== b.length) return {n: a.length, where: a.length + " and " + b.length + " pixels"};
		const at = [];
		// The edges of the rings are not smoothed alike everywhere; a dot of the faintest
		// differs from its ground by more.
		const far = (v, u) => [0, 8, 16].some(by => Math.abs((v >> by & 255) - (u >> by & 255)) > 16);
		a.forEach((v, i) => { if (v !== b[i] && far(v, b[i])) at.push(i); });
		const x = at.map(i => i % wide), y = at.map(i => Math.floor(i / wide)), span = v => v.reduce((m, n) => Math.min(m, n), 1e9) + " to " + v.reduce((m, n) => Math.max(m, n), 0);
		return {n: at.length, where: "x " + span(x) + ", y " + span(y) + ", such as " + at.slice(0, 3).map(i => a[i].toString(16) + " and " + b[i].toString(16))};
	})()`)
	return got.N, got.Where
}

// A picture that was shifted and scaled on the way is, once one rests, the one that is
// drawn by somebody who comes to just that place.
func TestTheMapAtRestIsDrawnAsIfNew(t *testing.T) {
	w := mapOf(t, 5600)
	frames := func(n int, event string) {
		t.Helper()
		Promise[bool](w, fmt.Sprintf(`(async () => {
			const canvas = document.querySelector("#map"), r = canvas.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2;
			const pointer = (what, id, x, y) => canvas.dispatchEvent(new PointerEvent(what, {pointerId: id, pointerType: "touch", clientX: x, clientY: y, buttons: 1, bubbles: true}));
			for (let i = 0; i < %d; i++) { %s; await new Promise(next => requestAnimationFrame(next)); }
			return true;
		})()`, n, event))
	}
	const pan = `if (!i) pointer("pointerdown", 1, x, y); pointer("pointermove", 1, x + i * 23, y + i * 11); if (i === 9) pointer("pointerup", 1, x, y)`
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"zoomed", func() {
			frames(14, `canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: -40, clientX: x + 31, clientY: y - 17, bubbles: true, cancelable: true}))`)
		}},
		{"panned", func() { frames(10, pan) }},
		{"pinched", func() {
			frames(10, `if (!i) { pointer("pointerdown", 1, x - 40, y); pointer("pointerdown", 2, x + 40, y); }
				pointer("pointermove", 2, x + 40 + i * 3, y + i); if (i === 9) { pointer("pointerup", 1, x, y); pointer("pointerup", 2, x, y); }`)
		}},
		{"back", func() {
			frames(20, `canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 37, clientX: x, clientY: y, bubbles: true, cancelable: true}))`)
		}},
		{"dark", func() { w.Eval(`document.documentElement.dataset.theme = "dark"`) }},
		{"resized", func() { w.Resize(1100, 700) }},
		{"phone", func() { w.phone(390, 844); w.Has(".bottombar") }},
		{"whole", func() { w.Press("Show all") }},
	} {
		w.picture("before")
		step.do()
		seen := w.picture("after")
		if seen < 3000 {
			t.Errorf("%s: only %d pixels are drawn", step.name, seen)
		}
		if n, _ := w.unlike("before", "after"); n == 0 {
			t.Errorf("%s: nothing changed", step.name)
		}
		// One who rests costs nothing: no frame is drawn, and what is said of it stays.
		if n := Promise[int](w, `new Promise(done => {
			let n = 0;
			const watch = new MutationObserver(list => n += list.length);
			watch.observe(document.querySelector("#map"), {attributes: true});
			setTimeout(() => (watch.disconnect(), done(n)), 400);
		})`); n > 2 {
			t.Errorf("%s: the map is drawn again and again, %d times in 400 ms", step.name, n)
		}
		w.Shot("map-" + step.name)
		w.Press("List")
		w.Has(".row .row-body")
		w.Press("Map")
		w.picture("fresh")
		w.Eval(`document.querySelector("#map").setPointerCapture = () => {}`)
		if n, where := w.unlike("after", "fresh"); n > 0 {
			t.Errorf("%s: %d pixels are others than when it is drawn anew: %s", step.name, n, where)
			w.Shot("map-" + step.name + "-fresh")
		}
	}
}
