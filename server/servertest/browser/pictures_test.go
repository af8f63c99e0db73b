package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// webp writes a picture of the window as the manifest's screenshots are kept.
func webp(w *Window, name string) {
	w.t.Helper()
	quality := int64(70)
	shot, err := chromedp.Call(w.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "webp", Quality: &quality})
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Getenv(ShotsEnv), name+".webp"), shot.Data, 0o644)
	}
	if err != nil {
		w.t.Errorf("picture %s: %v", name, err)
	}
}

// The states without a connection, and the pictures of the manifest, which are kept in
// assets/screens.
func TestScreenshotsWithoutAConnection(t *testing.T) {
	if os.Getenv(ShotsEnv) == "" {
		t.Skip("pictures are made by ./build.sh screenshots, which names a folder in " + ShotsEnv)
	}
	s := Serve(t)
	b := Open(t)
	w := b.Person().Window("pictures")
	w.Resize(1280, 800)
	signUp(t, s, w)
	s.Run("admin", "import", "--from", "jsonl", "--user", person, s.File("scene.jsonl", lines()))
	w.Visit(s.URL("/memory?sort=used"))
	w.ClickText(".row .row-body", "Deploys to harbor-prod")
	w.Has("svg.chart")
	w.Await("the typefaces are there", `document.fonts.status === "loaded"`)
	webp(w, "wide")
	w.phone(390, 844)
	w.Visit(s.URL("/memory?sort=used"))
	w.SeeIn(".row", "Deploys to harbor-prod")
	webp(w, "narrow")
	w.ClickText(".row .row-body", "Deploys to harbor-prod")
	w.Has("svg.chart")
	webp(w, "narrow-detail")

	w.Resize(1440, 900)
	w.Visit(s.URL("/memory"))
	w.SeeIn(".row", "Deploys to harbor-prod")
	installed(w)
	kept(w, "memories", "Deploys to harbor-prod")
	w.Tolerate(gone...)
	w.Tolerate("status of 409")
	s.Kill()
	w.See("not connected")
	w.ClickText(".row .row-body", "The tram to the office")
	w.SeeIn(".detail-body", "The tram")
	w.Press("Edit")
	w.Fill("Memory", "The tram to the office takes 21 minutes since the new line.")
	w.Press("Save")
	w.SeeIn(".row", "21 minutes")
	w.ClickText(".row .row-body", "The Vienna office")
	w.Press("Move to trash")
	w.SeeIn(".row", "waiting: trash")
	w.Press("New memory")
	w.Fill("Memory", "Ask the ferry company about the winter timetable before the tenth.")
	w.Press("Save memory")
	w.SeeIn(".unsent-news", "ferry company")
	w.ClickText(".row .row-body", "21 minutes")
	w.SeeIn(".pending", "waiting")
	both := func(name string) {
		t.Helper()
		for _, size := range []struct {
			name          string
			width, height int64
		}{{"1440", 1440, 900}, {"390", 390, 844}} {
			w.Resize(size.width, size.height)
			for _, theme := range []string{"light", "dark"} {
				w.Eval(`document.documentElement.dataset.theme = ` + quote(theme))
				w.Shot(name + "-" + size.name + "-" + theme)
			}
		}
		w.Resize(1440, 900)
	}
	both("offline-detail")
	w.Visit(s.URL("/memory"))
	w.SeeIn(".unsent-news", "ferry company")
	both("offline-list")
	w.Press("Show")
	w.Has(".unsent")
	both("offline-queue")
	w.Visit(s.URL("/memory/404"))
	w.See("This memory is not kept on this device")
	both("offline-missing")
	w.Visit(s.URL("/settings"))
	w.See("not connected")
	both("offline-settings")
	w.Visit("about:blank")
	s.Start()
	other := b.Person().Window("there")
	signIn(other, s, person)
	call(other, "POST", "api/memory/bulk", `{"all":{},"action":"importance","importance":4}`)
	w.Visit(s.URL("/memory"))
	w.See("needs a look")
	w.Eval(`elowen.seen("another")`)
	w.See("A new version is ready.")
	both("update-list")
	w.Press("Show")
	w.Has(".unsent .ba")
	both("conflict-queue")
}
