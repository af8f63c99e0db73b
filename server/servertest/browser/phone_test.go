package browser

import (
	"strings"
	"testing"
)

// On a phone nothing that one has to hit is smaller than a fingertip needs, and
// nothing is wider than the window.
func TestTargetsOnAPhone(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("phone")
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	gone := add(w, "One for the trash.")
	w.Visit(s.URL("/memory/" + gone))
	w.SeeIn(".detail-body", "One for the trash.")
	w.Press("Move to trash")
	w.See("Moved to the trash")
	w.Resize(390, 844)
	for _, page := range []string{"/memory", "/memory?category=1&importance=5", "/memory/1", "/memory/" + gone + "?status=deleted", "/memory/trash", "/categories", "/categories/1", "/memory?new=1"} {
		w.Visit(s.URL(page))
		w.Await("the program has drawn "+page, `document.querySelector("[aria-busy=true]") === null && document.body.innerText.length > 40 && document.querySelector(".row .row-body, .trow .memory-text, .shelf, .detail-body, .editor") !== null`)
		small := Eval[string](w, `[...document.querySelectorAll("button, a[href], input, [role=option]")].filter(e => {
			const r = e.getBoundingClientRect(), c = getComputedStyle(e);
			if (r.width === 0 || r.height === 0 || e.tabIndex < 0 || c.visibility === "hidden" || e.closest(".sr, [hidden]")) return false;
			const label = e.closest("label"); // what one hits, where there is one
			if (label && label.getBoundingClientRect().height >= 24) return false;
			if (c.display === "inline" && e.tagName === "A") return false; // in a sentence
			return r.width < 24 || r.height < 24;
		}).map(e => (e.ariaLabel || e.innerText || e.className) + " " + Math.round(e.getBoundingClientRect().width) + "×" + Math.round(e.getBoundingClientRect().height)).join("; ")`)
		if small != "" {
			t.Errorf("%s: too small to hit: %s", page, small)
		}
		if over := Eval[float64](w, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("%s: %v px too wide", page, over)
		}
	}
	// A conflict on a phone: both texts, one under the other, and the buttons in reach.
	w.Tolerate("status of 409", "status of 412")
	w.Visit(s.URL("/memory/1"))
	w.SeeIn(".detail-body", firstOne)
	w.Press("Edit")
	w.Fill("Memory", "What the phone typed, at some length, so that it takes more than one line.")
	b := p.Window("desk")
	b.Visit(s.URL("/memory/1"))
	b.SeeIn(".detail-body", firstOne)
	b.Press("Edit")
	b.Fill("Memory", "What the desk typed meanwhile.")
	b.Press("Save")
	b.See("Saved as revision 2")
	w.SeeIn(".conflict", "What the desk typed meanwhile.")
	w.SeeIn(".conflict", "What the phone typed")
	w.Await("one is under the other", `(() => { const [a, b] = document.querySelectorAll(".conflict .ba > div"); return b.getBoundingClientRect().top >= a.getBoundingClientRect().bottom - 1 })()`)
	w.Shot("conflict-390")
	w.Press("Keep theirs")
	w.SeeIn(".detail-body", "What the desk typed meanwhile.")
}

// On the narrowest phone all tabs of the memories are seen whole, with nothing to scroll.
func TestTabsOnTheNarrowestPhone(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("narrowest")
	signUp(t, s, w)
	gone := add(w, "One for the trash.")
	call(w, "DELETE", "api/memory/"+gone, "")
	w.Resize(360, 740)
	for _, path := range []string{"/memory", "/memory/map", "/memory/recall", "/memory/trash", "/categories"} {
		w.Visit(s.URL(path))
		w.Await("the bar of "+path, `document.querySelectorAll(".memory-bar .tabs a").length === 5 && document.querySelector(".bottombar")`)
		cut := Eval[string](w, `(() => {
			const bar = document.querySelector(".memory-bar .tabs").getBoundingClientRect();
			return [...document.querySelectorAll(".memory-bar .tabs a")].filter((a) => {
				const r = a.getBoundingClientRect(), words = document.createRange();
				words.selectNodeContents(a.firstChild);
				const said = words.getBoundingClientRect();
				return said.left < bar.left - 0.5 || said.right > bar.right + 0.5 || r.right > innerWidth || r.height < 24 || r.width < 24;
			}).map((a) => a.innerText + " ends at " + a.getBoundingClientRect().right + " of " + bar.right).join("; ");
		})()`)
		if cut != "" {
			t.Errorf("%s: %s", path, cut)
		}
		w.Shot("narrowest" + strings.ReplaceAll(path, "/", "-"))
	}
}

// Where a form is longer than the phone, what saves it stands at its foot, whole.
func TestAFormsFootIsWholeOnAPhone(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("foot")
	signUp(t, s, w)
	w.phone(360, 520)
	for _, page := range []string{"/memory?new=1", "/memory/1"} {
		w.Visit(s.URL(page))
		if page == "/memory/1" {
			w.SeeIn(".detail-body", firstOne)
			w.Press("Edit")
		}
		w.Has(".editor-foot .btn-primary")
		w.Await(page+" is longer than the phone", `document.querySelector(".editor-fields").getBoundingClientRect().bottom > 440`)
		for _, at := range []string{"at the top", "at the end"} {
			if cut := Eval[float64](w, `(e => e.getBoundingClientRect().bottom - document.querySelector(".bottombar").getBoundingClientRect().top)(document.querySelector(".editor-foot .btn-primary"))`); cut > -8 {
				t.Errorf("%s, %s: the button ends %v px below where the navigation begins", page, at, cut)
			}
			w.Eval(`document.querySelector(".editor-foot").closest(".scroll").scrollTop = 1e6`)
		}
	}
}
