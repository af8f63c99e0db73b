package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"elowen/server/site"
)

// shellServer serves the prerendered pages and no program, whatever was built: the
// first paint must not need it.
func shellServer(t *testing.T, base string) string {
	t.Helper()
	pages := http.StripPrefix(strings.TrimSuffix(base, "/"), site.New(site.Options{BasePath: base, Version: "test"}))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/app.wasm") {
			http.Error(w, "not in this test", http.StatusServiceUnavailable)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + strings.TrimSuffix(base, "/")
}

func TestShellPaintsWithoutTheProgram(t *testing.T) {
	for _, base := range []string{"/", "/elowen/"} {
		t.Run(base, func(t *testing.T) {
			at := shellServer(t, base)
			w := Open(t).Person().Window("shell")
			w.Tolerate("app.wasm", "the server answered 503")
			for _, page := range []string{"/", "/memory", "/memory/7", "/memory/trash", "/settings", "/account", "/login", "/setup"} {
				w.Visit(at + page)
				w.Has(".brand .mark")
				// The mark comes from the sprite; without it, its box is empty.
				w.Await("the sprite is drawn", `document.querySelector(".brand .mark use").getBBox().width > 20`)
				w.Await("its own typeface", `document.fonts.check("14px Figtree") && [...document.fonts].some(f => f.family.includes("Figtree") && f.status === "loaded")`)
				if got := Eval[string](w, "getComputedStyle(document.body).margin"); got != "0px" {
					t.Errorf("%s: the stylesheet is not applied: margin %s", page, got)
				}
			}
			w.Tolerate("404 (Not Found)")
			w.Visit(at + "/nowhere")
			w.See("nothing at this address")
			w.Press("Go to your memories")
			w.Await("the way back works", `location.pathname === `+quote(base+"memory"))
		})
	}
}

func TestShellThemeIsSetBeforeThePaint(t *testing.T) {
	at := shellServer(t, "/")
	w := Open(t).Person().Window("theme")
	w.Tolerate("app.wasm", "the server answered 503")
	w.Visit(at + "/memory")
	for theme, ground := range map[string]string{"dark": "rgb(14, 20, 18)", "light": "rgb(240, 243, 240)"} {
		Eval[bool](w, "localStorage.setItem('elowen.theme', "+quote(theme)+"), true")
		w.Reload()
		if got := Eval[string](w, "getComputedStyle(document.body).backgroundColor"); got != ground {
			t.Errorf("%s: the ground is %s, want %s", theme, got, ground)
		}
	}
}

// A program that doesn't come is said, with a way on, and the page stays.
func TestShellSaysThatTheProgramDidNotCome(t *testing.T) {
	at := shellServer(t, "/")
	w := Open(t).Person().Window("broken")
	w.Tolerate("app.wasm", "the server answered 503")
	w.Visit(at + "/memory")
	if Eval[bool](w, `document.querySelector("meta[name=elowen-wasm]") !== null`) {
		w.See("The app could not be started: the server answered 503.")
		w.Has("#boot-note button")
	} else {
		w.See("./build.sh wasm")
	}
	w.Has(".rail .brand")
}

// The policy must stop what it is there to stop, and the driver must notice.
func TestPolicyStopsInlineCode(t *testing.T) {
	at := shellServer(t, "/")
	w := Open(t).Person().Window("policy")
	w.Tolerate("404 (Not Found)")
	w.Visit(at + "/nowhere")
	w.Tolerate("Content Security Policy", "404 (Not Found)")
	Eval[bool](w, `(() => {
		const s = document.createElement("script"); s.textContent = "window.ran = true"; document.body.append(s);
		const d = document.createElement("div"); d.innerHTML = '<img src="x" onerror="window.ran = true"><p style="color: rgb(1, 2, 3)">x</p>'; document.body.append(d);
		return true; })()`)
	w.Await("the attempts are over", `document.querySelector("img").complete`)
	if Eval[bool](w, "window.ran === true") {
		t.Error("inline code ran")
	}
	if Eval[string](w, "getComputedStyle(document.querySelector('div p')).color") == "rgb(1, 2, 3)" {
		t.Error("an inline style was applied")
	}
	w.settle()
	seen := strings.Join(w.console, "\n")
	if strings.Count(seen, "Content Security Policy") < 3 {
		t.Errorf("the console says less than expected:\n%s", seen)
	}
}
