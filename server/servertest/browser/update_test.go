package browser

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

func TestChromiumInstallsIt(t *testing.T) {
	for _, base := range []string{"/", "/elowen/"} {
		s := Serve(t, "--base-path", base)
		w := Open(t).Person().Window("install")
		signUp(t, s, w)
		installed(w)
		m, err := chromedp.Call(w.ctx, page.GetAppManifest, page.GetAppManifestParams{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range m.Errors {
			t.Errorf("%s: the manifest: %+v", base, e)
		}
		if !strings.Contains(m.Data, `"narrow"`) || !strings.Contains(m.Data, `"maskable"`) {
			t.Errorf("%s: the manifest has no screenshots or no maskable icon: %s", base, m.Data)
		}
		wrong, err := chromedp.Call(w.ctx, page.GetInstallabilityErrors, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range wrong.InstallabilityErrors {
			// A person of the test has a profile without a disk, where nothing is installed.
			if e.ErrorID != "in-incognito" {
				t.Errorf("%s: not installable: %s", base, e.ErrorID)
			}
		}
		// Each picture has the size that the manifest gives it.
		if bad := Promise[[]string](w, `(async () => {
			const link = document.querySelector("link[rel=manifest]").href, wrong = [];
			const m = await (await fetch(link)).json();
			for (const i of [...m.icons, ...m.screenshots]) {
				if (i.sizes === "any") continue;
				const picture = await createImageBitmap(await (await fetch(new URL(i.src, link))).blob());
				if (i.sizes !== picture.width + "x" + picture.height) wrong.push(i.src + " is " + picture.width + "x" + picture.height);
			}
			return wrong;
		})()`); len(bad) > 0 {
			t.Errorf("%s: %v", base, bad)
		}
		// The offer to install stands where the browser makes one.
		w.Eval(`dispatchEvent(Object.assign(new Event("beforeinstallprompt", {cancelable: true}), {prompt: async () => { globalThis.prompted = true }}))`)
		w.Press("Install")
		w.Await("the browser asks", `globalThis.prompted === true`)
	}
}

// next makes a proxy show the server behind it as another build: another release, and
// the files under another version, of which the old one is gone.
type next struct {
	release, files string // of the server
}

func (n next) newRelease() string { return n.release + "-next" }
func (n next) newFiles() string   { return "f00d" + n.files[4:] }

func (n next) alter(r *http.Response) error {
	if r.Header.Get("Elowen-Version") != "" {
		r.Header.Set("Elowen-Version", n.newRelease())
	}
	kind := r.Header.Get("Content-Type")
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") && !strings.HasSuffix(r.Request.URL.Path, "/worker.js") && !strings.HasPrefix(kind, "application/manifest") {
		return nil
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body.Close()
	for old, now := range map[string]string{n.release: n.newRelease(), strings.Replace(n.release, "+", "&#43;", 1): n.newRelease(), n.files: n.newFiles()} {
		b = bytes.ReplaceAll(b, []byte(old), []byte(now))
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	r.ContentLength = int64(len(b))
	r.Header.Set("Content-Length", strconv.Itoa(len(b)))
	r.Header.Del("ETag")
	return nil
}

func (n next) path(path string) string {
	if strings.Contains(path, "/web/"+n.files+"/") {
		return ""
	}
	return strings.Replace(path, n.newFiles(), n.files, 1)
}

func releaseOf(w *Window) string {
	return Eval[string](w, `document.querySelector("meta[name=elowen-version]").content`)
}

func filesOf(w *Window) string {
	return Eval[string](w, `document.querySelector("meta[name=elowen-web]").content.split("/").at(-2)`)
}

// renew takes the offer. Where the server is slower than the worker waits for it, the
// old page is shown once more, with the offer.
func renew(w *Window, n next) {
	const release = `document.querySelector("meta[name=elowen-version]")?.content`
	for range 3 {
		w.Eval(`globalThis.before = true`)
		w.Press("Reload")
		w.Await("the page anew", `!globalThis.before && document.readyState === "complete" && `+release+` !== undefined`)
		if Eval[string](w, release) == n.newRelease() {
			return
		}
		w.See("A new version is ready.")
	}
	w.Await("the new build", release+` === `+quote(n.newRelease()))
}

func TestAPageOfAnOldBuildMeetsANewServer(t *testing.T) {
	s, p := behind(t, "/elowen/")
	someone := Open(t).Person()
	w := someone.Window("old")
	signUp(t, s, w)
	installed(w)
	beside := someone.Window("beside")
	beside.Visit(s.URL("/memory"))
	beside.SeeIn(".row", firstOne)
	w.Press("Edit")
	w.Fill("Memory", "Typed before the update.")
	n := next{releaseOf(w), filesOf(w)}
	w.Tolerate(gone...)
	beside.Tolerate(gone...)

	p.set(func(p *proxy) { p.alter, p.path = n.alter, n.path })
	p.cut()
	p.mend()
	for _, tab := range []*Window{w, beside} {
		tab.See("A new version is ready.")
	}
	if got := Eval[string](w, `document.querySelector("#editor-body").value`); got != "Typed before the update." {
		t.Errorf("what was typed is now %q", got)
	}
	// The old page goes on with the files of its own build, which the server has no more.
	own := Promise[int](w, `fetch(document.querySelector("meta[name=elowen-web]").content + "icons.svg").then(r => r.status)`)
	if own != http.StatusOK {
		t.Errorf("a file of the page's own build: %d", own)
	}
	if releaseOf(w) != n.release {
		t.Error("the page was changed under the person's hands")
	}

	// One tab takes the offer, the other doesn't yet.
	renew(w, n)
	w.Await("what was typed is still there", `document.querySelector("#editor-body")?.value === "Typed before the update."`)
	w.Gone("A new version is ready.")
	if got := Eval[bool](w, `performance.getEntriesByType("resource").some(e => e.name.includes(`+quote(n.files)+`))`); got {
		t.Error("the new page loaded a file of the old build")
	}
	caches := func() string { return strings.Join(Promise[[]string](w, `caches.keys()`), "|") }
	if !strings.Contains(caches(), n.release) {
		t.Errorf("the cache of the page that is still open is gone: %s", caches())
	}
	renew(beside, n)
	beside.SeeIn(".row", firstOne)
	w.Await("the old build is no longer kept", `(caches.keys().then(k => globalThis.left = k), globalThis.left?.length === 1 && left[0].endsWith(`+quote(n.newRelease())+`))`)
	w.Press("Save")
	w.SeeIn(".detail-body", "Typed before the update.")
}

// A page without its worker, as a browser may have kept it, finds its program gone.
func TestAnOldPageWithoutItsFilesOffersToReload(t *testing.T) {
	s, p := behind(t, "/")
	w := Open(t).Person().Window("stale")
	signUp(t, s, w)
	program := Eval[string](w, `document.querySelector("meta[name=elowen-wasm]").content.split("/").at(-2)`)
	if _, err := chromedp.Call(w.ctx, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(w.ctx, network.ClearBrowserCache, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	w.Tolerate("status of 404")
	p.set(func(p *proxy) {
		p.path = func(path string) string {
			if strings.Contains(path, "/web/"+program+"/") {
				return ""
			}
			return path
		}
	})
	w.Reload()
	w.See("A new version is ready.")
	p.set(func(p *proxy) { p.path, p.alter = nil, nil })
	w.Click("#boot-note button")
	w.SeeIn(".detail-body", firstOne)
}
