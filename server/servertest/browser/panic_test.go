package browser

import (
	"testing"
)

// Each part is broken by taking away what it needs of the browser: the program meets a
// panic there, as with a defect of its own.
func TestAPanicStaysWhereItHappens(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("panic")
	signUp(t, s, w)
	add(w, "Another one.")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", "Another one.")
	w.Tolerate("elowen: ")

	// A component that can't be drawn.
	w.Eval(`globalThis.format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, "format"), Object.defineProperty(Intl.DateTimeFormat.prototype, "format", {configurable: true, get() { return () => { throw new Error("broken for a test") } }})`)
	w.ClickText(".row .row-body", firstOne)
	w.See("This part of the page broke.")
	w.Has(".broken button")
	// Whoever looks for the defect finds who called whom, and where in this project.
	w.Heard(`elowen/app/browser\.Report\([^)]*\)\s+elowen/app/browser/guard\.go:\d+ `)
	w.Heard(`elowen/app/page\.\(\*Detail\)\.Render.*\s+elowen/app/page/detail\w*\.go:\d+ `)
	w.Heard(`syscall/js\.Value\.\w+\(`)
	w.SeeIn(".row", "Another one.") // the list beside it lives
	w.Press("Trash")
	w.Await("other pages work", `location.pathname.endsWith("/memory/trash")`)
	w.Eval(`Object.defineProperty(Intl.DateTimeFormat.prototype, "format", globalThis.format)`)
	w.Press("List")
	w.ClickText(".row .row-body", firstOne)
	w.SeeIn(".detail-body", firstOne)

	// A goroutine: the request itself fails in a way that nothing foresees.
	w.Press("Edit")
	w.Fill("Memory", "Typed before it broke.")
	w.Eval(`globalThis.kept = fetch, globalThis.fetch = () => { throw new Error("broken for a test") }`)
	w.Press("Save")
	w.See("Something broke in this page.")
	w.Eval(`globalThis.fetch = globalThis.kept`)
	w.Await("the text is still there", `document.querySelector("#editor-body").value === "Typed before it broke."`)
	w.Press("Save")
	w.SeeIn(".detail-body", "Typed before it broke.")

	// A handler.
	w.Eval(`globalThis.rect = Element.prototype.getBoundingClientRect, Element.prototype.getBoundingClientRect = () => { throw new Error("broken for a test") }`)
	w.Press("More")
	w.See("Something broke in this page.")
	w.Eval(`Element.prototype.getBoundingClientRect = globalThis.rect`)
	w.Press("New memory")
	w.Has("#editor-body")
}

// A server that has gone mad must not take the page with it.
func TestHostileFramesAreSurvived(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("frames")
	w.Before(`globalThis.WebSocket = class extends WebSocket { constructor(...a) { super(...a); (globalThis.sockets ??= []).push(this); this.addEventListener("message", e => (globalThis.received ??= []).push(e.data)); } }`)
	signUp(t, s, w)
	w.Tolerate("elowen: ")
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Eval(`(() => {
		const at = sockets.at(-1);
		const say = (data) => at.dispatchEvent(new MessageEvent("message", {data}));
		const ids = [...new Set(received.map(f => JSON.parse(f).id).filter(Boolean))];
		for (const bad of ["", "null", "{", "[]", "7", '{"type":"snapshot"}', '{"type":1}', "\ud800"]) say(bad);
		for (const id of ids) for (const rows of [[null], [{}], [{id: -1}], ["x"], [{id: 1, memory: null}], [{id: 1, importance: -99, vitalityShown: 1e9, kind: null}],
			[{id: 1, memory: {id: 1, importance: 99}, history: {points: [{at: "0001-01-01T00:00:00.000Z", vitality: 1e308}], forecast: [{}]}, events: [{changes: [{}]}], similar: [{}]}]])
			for (const more of [{total: 0}, {total: -5, from: -7}, {total: 9e15, from: 1e9}])
				say(JSON.stringify({type: "snapshot", id, seq: 1, epoch: "mad", asOf: "2026-01-01T00:00:00.000Z", rows, ...more}));
		for (const id of ids) { say(JSON.stringify({type: "delta", id, order: [5, 5, 5], remove: [-1]})); say(JSON.stringify({type: "error", id})); say(JSON.stringify({type: "gap", id})); }
	})()`)
	// The gap at the end leads back to what is.
	w.SeeIn(".detail-body", firstOne)
	w.SeeIn(".row", firstOne)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("more.jsonl", `{"type":"memory","body":"It still listens."}`+"\n"))
	w.SeeIn(".row", "It still listens.")
	w.Press("New memory")
	w.Has("#editor-body")
}
