package browser

import (
	"fmt"
	"strings"
	"testing"
)

// Long work is started, seen, stopped and taken note of; a server that ends meanwhile
// leaves it interrupted, and says so; thresholds are measured, seen beside those that
// hold, and saved on top of the settings that they were measured beside.
func TestMaintenanceIsSeenTo(t *testing.T) {
	s := Serve(t)
	p := Open(t).Person()
	w := p.Window("maintenance")
	signUp(t, s, w)
	w.Visit(s.URL("/settings"))
	w.ClickText(".subnav a", "Maintenance")
	w.See("Nothing in the last 24 hours.")
	w.Press("Measure")
	w.See("Too few memories are indexed")

	var b strings.Builder
	things := []string{"tomato", "harbour", "bicycle", "violin", "passport", "printer", "greenhouse", "ferry", "notebook", "lighthouse"}
	deeds := []string{"was mended on a Tuesday by Marta", "costs more than last year", "stands in the cellar behind the shelf", "is insured until the end of May", "must not be moved before the inspection"}
	for i := range 600 {
		fmt.Fprintf(&b, `{"type":"memory","body":"The %s number %d %s, and row %d of the list says why."}`+"\n", things[i%len(things)], i, deeds[i/len(things)%len(deeds)], i*7%601)
	}
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("many.jsonl", b.String()))
	w.AwaitLong("all are indexed", `document.querySelector(".main .index-line")?.innerText.includes("601 of 601 indexed")`)

	// Started and stopped.
	w.Press("Make the indexes anew")
	w.SeeIn(".progress", "of 601 memories")
	w.Press("Stop")
	w.See("Stopped. What is done stands")
	w.SeeIn(".receipt[data-state=stopped]", "Making the indexes anew")
	w.Press("Got it: Making the indexes anew")
	w.Await("it is taken note of", `!document.querySelector(".receipt button")`)
	w.Reload()
	w.SeeIn(".receipt[data-state=stopped]", "stopped")
	w.Await("it stays so", `!document.querySelector(".receipt button")`)

	// Interrupted.
	w.Press("Make the indexes anew")
	w.SeeIn(".progress", "of 601 memories")
	w.Tolerate(gone...)
	s.Kill()
	s.Start()
	w.AwaitLong("it says that it was interrupted", `document.querySelector(".receipt[data-state=interrupted]")?.innerText.includes("Start it again, and it goes on where it was.")`)

	// To its end, while another window looks on.
	other := p.Window("other")
	other.Visit(s.URL("/settings?part=maintenance"))
	w.Press("Make the indexes anew")
	other.SeeIn(".progress", "of 601 memories")
	other.AwaitLong("it is done", `document.querySelector(".receipt[data-state=completed]")?.innerText.includes("601 of 601 memories")`)

	// Sorting every memory asks first.
	w.Press("Sort every memory…")
	w.See("Sort every memory again?")
	w.Press("Cancel")

	// Measured and saved; whoever measured beside older settings is told.
	w.Press("Measure")
	w.See("were compared by")
	other.Press("Measure")
	other.See("were compared by")
	proposed := Eval[string](w, `document.querySelector(".page-form tbody tr td:last-child").innerText`)
	w.Press("Use what is proposed")
	w.See("It holds for everybody")
	w.See("What is proposed is what holds already.")
	if now := Eval[string](w, `document.querySelector(".page-form tbody tr td:nth-child(2)").innerText`); now != proposed {
		t.Errorf("it holds %q, not %q", now, proposed)
	}
	other.Tolerate("status of 409")
	other.Press("Use what is proposed")
	other.See("Somebody changed the settings meanwhile.")
	other.Press("Measure")
	other.See("What is proposed is what holds already.")
	w.Visit(s.URL("/settings?part=recall"))
	// The field has no unit, and leaves out a last zero.
	want := strings.TrimSuffix(strings.TrimSpace(strings.TrimSuffix(strings.ReplaceAll(proposed, "\u00a0", " "), "%")), ".0")
	w.Await("the settings have it", `document.querySelector("[id='f-runtime.duplicateThreshold']")?.value === `+quote(want))
}
