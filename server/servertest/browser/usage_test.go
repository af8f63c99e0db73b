package browser

import (
	"fmt"
	"os"
	"testing"

	"elowen/server/servertest/scripted"
)

// A model that is named in the settings is asked, with how much it reads at once kept as
// it was given; what that cost stands on the person's own page.
func TestWhatModelsCost(t *testing.T) {
	s := Serve(t)
	w := Open(t).Person().Window("usage")
	signUp(t, s, w)
	provider := scripted.New(t)
	w.Visit(s.URL("/account"))
	w.See("No model was asked for you.")
	call(w, "PUT", "api/settings/models", fmt.Sprintf(`{"revision":1,"providers":[{"id":"anthropic","kind":"anthropic","baseUrl":%q}],"roles":{"utility":{"provider":"anthropic","model":"small","window":9000}}}`, provider.Anthropic()))
	w.Visit(s.URL("/settings?part=models"))
	w.See("Anthropic")
	w.Await("its context is in the field", `[...document.querySelectorAll("input")].some(i => i.value === "9000" && !i.hidden)`)
	if os.Getenv(ShotsEnv) != "" {
		w.Shot("usage-models")
	}
	provider.Handle(func(*scripted.Request) scripted.Answer {
		return scripted.Says(scripted.Text("1"), scripted.Usage(1234, 56, 1000))
	})
	call(w, "POST", "api/categories", `{"name":"Travel","description":"Ferries and trains."}`)
	call(w, "POST", "api/memory", `{"body":"The ferry to the island leaves at seven on Tuesdays."}`)
	provider.Await(t)
	w.Visit(s.URL("/account"))
	w.SeeIn("#h-usage", "What models cost")
	w.Await("it is counted", `(() => { const t = document.querySelector("section[aria-labelledby=h-usage]").innerText; if (t.includes("Utility") && t.includes("1,234") && t.includes("1,000")) return true; if (t.includes("No model")) location.reload(); return false })()`)
	for _, size := range sizes {
		w.Resize(size.width, size.height)
		w.Await("nothing hangs over", `document.documentElement.scrollWidth <= innerWidth && document.querySelector("#h-usage").closest("section").scrollWidth <= document.querySelector(".scroll").clientWidth`)
		if os.Getenv(ShotsEnv) != "" {
			w.Eval(`document.querySelector("#h-usage").scrollIntoView()`)
			w.Shot(fmt.Sprintf("usage-account-%d", size.width))
		}
	}
}
