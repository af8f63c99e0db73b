package browser

import (
	"net/http"
	"strings"
	"testing"
)

// A text of 95 kB is folded, and shown as a whole to whoever asks, or comes to a link in
// it with the keyboard.
func TestALongTextIsFolded(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("fold")
	signUp(t, s, w)
	id := add(w, "Beginning. "+strings.Repeat("Sentences that go on and on. ", 3_270)+"End.")
	w.Visit(s.URL("/memory/" + id))
	w.See("Show all (94.8 kB)")
	height := func() float64 {
		return Eval[float64](w, `document.querySelector("#detail-text").getBoundingClientRect().height`)
	}
	if h := height(); h > 600 {
		t.Errorf("it is %v px high, folded", h)
	}
	w.Await("the history is near", `document.querySelector("#h-hist").getBoundingClientRect().top < 2000`)
	w.Shot("folded")
	w.TabTo("Show all (94.8 kB)")
	w.Keys(Enter)
	w.Await("all of it is there", `document.querySelector("#detail-text").getBoundingClientRect().height > 5000`)
	w.Await("the focus is in it, where one reads on", `document.activeElement.id === "detail-text" && document.querySelector("#detail-scroll").scrollTop < 600`)
	w.Press("Show less")
	w.See("Show all (94.8 kB)")

	link := add(w, strings.Repeat("A paragraph of some words, and then another one.\n\n", 80)+"[The end](https://example.org/)")
	w.Visit(s.URL("/memory/" + link))
	w.See("Show all")
	w.TabTo("The end")
	w.Await("it was unfolded", `document.querySelector(".fold") === null`)

	w.Visit(s.URL("/memory/" + add(w, "```\n"+strings.Repeat("one line of code ", 300)+"\n```")))
	w.Has(".markdown pre")
	w.Await("what fits isn't folded", `document.querySelector(".fold") === null && !document.body.innerText.includes("Show all")`)
	w.Visit(s.URL("/memory/" + add(w, "A short one.")))
	w.SeeIn(".detail-body", "A short one.")
	if Eval[bool](w, `document.querySelector(".fold, .fold-do") !== null`) {
		t.Error("a short one is folded")
	}
}

// A name that is too long is refused where it is typed, and nothing of it is cut.
func TestALongNameOfACategoryIsRefused(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("names")
	signUp(t, s, w)
	long := strings.Repeat("Wörter ", 12) // 84 letters
	w.Visit(s.URL("/categories?new=1"))
	w.Fill("Name", long)
	w.SeeIn(".err", "At most 80 characters.")
	w.Chord(ctrl, Enter)
	w.Await("nothing is cut, and the focus is there", `document.activeElement.id === "category-name" && document.activeElement.value === `+quote(long)+` && document.activeElement.ariaInvalid === "true"`)
	w.Fill("Name", strings.TrimSpace(strings.Repeat("Wörter ", 11)))
	w.Await("it is not wrong any more", `document.querySelector(".err") === null`)
	w.Chord(ctrl, Enter)
	w.SeeIn(".shelf", "Wörter Wörter")
	call(w, "PATCH", "api/memory/1", `{"categoryId":2}`)
	for _, width := range []int64{1440, 390} {
		w.Resize(width, 844)
		for _, path := range []string{"/categories", "/memory?category=2", "/memory/1"} {
			w.Visit(s.URL(path))
			w.SeeIn(".main", "Wörter")
			if wrong := Eval[string](w, outside); wrong != "" {
				t.Errorf("%s at %d: %s", path, width, wrong)
			}
		}
	}
	w.Has(`.fields [title^="Wörter"]`)
}

// A merge that is taken back says what is there again, and what became of the merged one.
func TestAMergeIsTakenBack(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("unmerge")
	signUp(t, s, w)
	add(w, "The door code is 4711.")
	add(w, "Door: 4711.")
	w.Visit(s.URL("/memory?sort=created&order=desc"))
	w.SeeIn(".row", "Door: 4711.")
	w.FocusOn("#list")
	w.Keys(Home + "xjx")
	w.See("2 selected")
	w.Press("Merge")
	w.Fill("Memory", "The door's code is 4711.")
	w.Press("Merge 2")
	w.See("2 memories merged into one")
	undoNewest(w)
	w.See("Undone: 2 memories as before. What was made of them is in the trash")
	w.SeeIn(".row", "Door: 4711.")
	w.SeeIn(".row", "The door code is 4711.")
	w.Visit(s.URL("/memory/trash"))
	w.See("1 in the trash")
	w.SeeIn("#trash", "The door's code is 4711.")
}

// The history says by its name which token did something.
func TestHistoryNamesTheToken(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("token")
	signUp(t, s, w)
	out := s.Run("admin", "token", "create", "--user", person, "--name", "Laptop <b>")
	secret := ""
	for _, word := range strings.Fields(out) {
		if strings.HasPrefix(word, "elw_") {
			secret = word
		}
	}
	req, err := http.NewRequest("POST", s.URL("/api/memory"), strings.NewReader(`{"body":"A program saved this."}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+secret)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 201 {
		t.Fatalf("adding: %d", answer.StatusCode)
	}
	w.Visit(s.URL("/memory/2"))
	w.SeeIn(".event", "Your token “Laptop <b>” saved it")
	w.SeeIn(".event .meta", "a token that may read and write")
	w.Shot("token-history")
	// Once it is revoked, history says the same.
	if said := Promise[string](w, `(async () => {
		const made = (await (await fetch("/api/tokens")).json()).items[0];
		return (await fetch("/api/tokens/" + made.id, {method: "DELETE"})).ok ? "" : "refused";
	})()`); said != "" {
		t.Fatal(said)
	}
	w.Reload()
	w.SeeIn(".event", "Your token “Laptop <b>” saved it")
}

// Of the projects, the recall check and the list offer those that one works in.
func TestOnlyOnesOwnProjectsAreOffered(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("own")
	signUp(t, s, w)
	call(w, "POST", "api/projects", `{"name":"Harbor works"}`)
	call(w, "POST", "api/projects", `{"name":"Lighthouse"}`)
	w.Visit(s.URL("/memory/recall"))
	w.Has(".check-form")
	w.Visit(s.URL("/settings?part=projects"))
	w.SeeIn(".main", "Lighthouse") // the projects are known by now
	w.Click(`.nav a[href$="/memory"]`)
	w.Has(".row .row-body")
	if Eval[bool](w, `document.querySelector(".filter[data-arg=project]") !== null`) {
		t.Error("a project is offered to somebody who works in none")
	}
	call(w, "POST", "api/projects/2/members", `{"name":`+quote(person)+`}`)
	w.Visit(s.URL("/memory/recall"))
	w.Click("[data-do=check-project]")
	w.SeeIn(".menu", "Lighthouse")
	if got := w.Text(".menu"); strings.Contains(got, "Harbor works") {
		t.Errorf("offered: %q", got)
	}
	w.ClickText(".menu-item", "Lighthouse")
	w.Await("it is in the address", `new URL(location).searchParams.get("project") === "2"`)
}
