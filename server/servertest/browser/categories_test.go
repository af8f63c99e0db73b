package browser

import (
	"testing"
)

// A category is made, described, coloured, made the default, and deleted, and all
// of it is taken back; another window sees each step.
func TestCategoriesFromMakingToDeleting(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("categories")
	signUp(t, s, w)
	w.Visit(s.URL("/categories"))
	w.SeeIn(".shelf", "General")
	w.SeeIn(".shelf .tag", "default")
	other := p.Window("other")
	other.Visit(s.URL("/categories"))
	other.SeeIn(".shelf", "General")

	w.Press("New category")
	w.Has("#category-name")
	w.Press("Save")
	w.See("Give it a name.")
	w.Fill("Name", "Harbor")
	w.Fill("What belongs here", "Everything about the deploys of the harbor.")
	w.Click(`.swatch[data-cat="2"] input`)
	w.Click(`input[data-arg="ship"]`)
	w.Shot("categories-form")
	w.Press("Save")
	w.See("Category “Harbor” made")
	w.SeeIn(".shelf", "Harbor")
	other.SeeIn(".shelves", "Everything about the deploys")
	w.SeeIn(".rail .nav-categories", "Harbor")
	w.Shot("categories")

	w.Press("Make default: Harbor")
	w.See("New memories go to “Harbor” now")
	other.Await("the default moved", `document.querySelector('.shelf[data-cat="2"] .tag') !== null`)

	add(w, "The crane is checked in May.")
	w.Await("it went to the default", `document.querySelector('.shelf[data-cat="2"] .shelf-count').innerText === "1 memory"`)

	w.ClickText("a.shelf-link", "Harbor")
	w.Has("#category-name")
	w.Press("Delete…")
	w.SeeIn(".dialog", "Its memory stays, in no category")
	w.Shot("categories-delete")
	w.Press("Delete the category")
	w.See("Category “Harbor” deleted; 1 memory in none now")
	w.See("1 memory is in no category and is never recalled.")
	undoNewest(w)
	w.See("Undone: 1 memory as before")
	w.Await("its memory is in it again", `[...document.querySelectorAll(".shelf")].some(e => e.innerText.includes("Harbor") && e.innerText.includes("1 memory"))`)

	// By keyboard.
	w.Visit(s.URL("/categories"))
	w.SeeIn(".shelf", "General")
	w.Keys("j")
	w.Await("a category has the focus", `document.activeElement.className === "shelf-link"`)
	w.Keys(Enter)
	w.Has("#category-name")
	w.Keys(Escape)
	w.Await("the form is gone", `document.querySelector("#category-name") === null`)
	w.Eval(`localStorage.setItem("elowen.theme", "dark")`)
	w.Visit(s.URL("/categories/1"))
	w.Has("#category-name")
	w.Shot("categories-dark")
	w.Resize(390, 844)
	w.Visit(s.URL("/categories"))
	w.SeeIn(".shelf", "General")
	w.Shot("categories-390")
	w.ClickText("a.shelf-link", "Harbor")
	w.Has("#category-name")
	w.Shot("categories-form-390")
}

// What somebody else saved doesn't take the place of what is being typed.
func TestACategoryChangedElsewhere(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	a := p.Window("a")
	signUp(t, s, a)
	a.Tolerate("status of 409", "status of 412")
	a.Visit(s.URL("/categories/1"))
	a.Has("#category-name")
	a.Fill("What belongs here", "What A typed.")
	b := p.Window("b")
	b.Visit(s.URL("/categories/1"))
	b.Has("#category-name")
	b.Fill("What belongs here", "What B typed.")
	b.Press("Save")
	b.See("saved")
	a.SeeIn(".conflict", "What B typed.")
	if got := Eval[string](a, `document.querySelector("#category-description").value`); got != "What A typed." {
		t.Errorf("typed %q", got)
	}
	a.Press("Save mine")
	a.SeeIn(".shelf", "What A typed.")
	b.SeeIn(".shelf", "What A typed.")
}
