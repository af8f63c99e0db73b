package page

import (
	"strings"
	"testing"

	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// What a server would prerender has the brand and nothing of anybody.
func TestTheShellHasNoData(t *testing.T) {
	html := app.HTMLString(&App{})
	if !strings.Contains(html, `class="rail"`) || !strings.Contains(html, "#mark") {
		t.Errorf("no frame: %s", html)
	}
	for _, bad := range []string{"style=", "onclick", "<script"} {
		if strings.Contains(html, bad) {
			t.Errorf("the shell has %q: %s", bad, html)
		}
	}
}

// The parts of the trash are counted once the counts are here, and not before.
func TestTheTrashCountsWhatItKnows(t *testing.T) {
	s := newSession(app.Context{})
	trash := func() string { return app.HTMLString((&TrashBin{S: s, rowWindow: rowWindow{s: s}}).parts()) }
	if html := trash(); !strings.Contains(html, text.All) || strings.Contains(html, "0") {
		t.Errorf("nothing is known: %s", html)
	}
	s.overview = &overview{Stats: api.MemoryStats{Deleted: 7, Merged: 2}}
	for _, want := range []string{text.TrashTab(text.All, 7), text.TrashTab(text.MergedAway, 2), text.TrashTab(text.Faded, 0)} {
		if html := trash(); !strings.Contains(html, want) {
			t.Errorf("no %q: %s", want, html)
		}
	}
}

// Every page renders without a browser and without data, and none of them needs a
// style attribute or an inline handler.
func TestEveryPageRendersWithoutData(t *testing.T) {
	a := &App{ready: true}
	a.s = newSession(app.Context{})
	for name, ui := range map[string]app.UI{
		"login":     &Login{S: a.s},
		"setup":     &Setup{S: a.s, errs: map[string]string{}},
		"account":   &Account{S: a.s, errs: map[string]string{}},
		"retention": &Retention{S: a.s, errs: map[string]string{}},
		"people":    &People{S: a.s},
		"trash":     &TrashBin{S: a.s, rowWindow: rowWindow{s: a.s}},
		"detail":    &Detail{S: a.s, ID: 4},
		"list":      &List{S: a.s, rowWindow: rowWindow{s: a.s}},
		"editor":    &Editor{S: a.s},
		"frame":     a.frame(),
	} {
		html := app.HTMLString(ui)
		if len(html) < 100 || strings.Contains(html, "This part of the page broke") {
			t.Errorf("%s: %s", name, html)
		}
		if strings.Contains(html, "style=") || strings.Contains(html, "onclick=") {
			t.Errorf("%s has what the policy forbids: %s", name, html)
		}
	}
}
