package site

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"elowen/assets"
	"elowen/shared/api"
)

func shellOf(t *testing.T, h http.Handler) workerShell {
	t.Helper()
	w := ask(h, "GET", "/worker.js")
	list, _, ok := strings.Cut(strings.TrimPrefix(w.Body.String(), "const shell = "), ";\n")
	var shell workerShell
	if err := json.Unmarshal([]byte(list), &shell); !ok || err != nil {
		t.Fatalf("the worker begins with %.200q: %v", w.Body.String(), err)
	}
	return shell
}

func TestWorkerKeepsExactlyItsRelease(t *testing.T) {
	for _, base := range []string{"/", "/elowen/", "/a b</script>/"} {
		h := testSite(base, true)
		w := ask(h, "GET", "/worker.js")
		header := w.Header()
		if w.Code != 200 || header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(header.Get("Content-Type"), "text/javascript") || header.Get("ETag") == "" {
			t.Errorf("%s: %d, %v", base, w.Code, header)
		}
		if p := header.Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'self'") || strings.Contains(p, "sandbox") {
			t.Errorf("the worker may not fetch: %s", p)
		}
		if again := ask(h, "GET", "/worker.js", "If-None-Match", header.Get("ETag")); again.Code != 304 {
			t.Errorf("an unchanged worker: %d", again.Code)
		}
		shell := shellOf(t, h)
		if shell.Base != basePath(base) || shell.Release != header.Get(api.HeaderVersion) || shell.Release == "" || shell.Patience < 500 {
			t.Errorf("%+v", shell)
		}
		kept := map[string]bool{}
		for _, address := range append(shell.Pages, shell.Files...) {
			if kept[address] {
				t.Errorf("%s is kept twice", address)
			}
			kept[address] = true
			answer := ask(h, "GET", "/"+strings.TrimPrefix(address, shell.Base))
			if answer.Code != 200 {
				t.Errorf("%s: %d", address, answer.Code)
			}
			if strings.Contains(address, "/api/") || strings.HasSuffix(address, ".txt") || strings.HasSuffix(address, "worker.js") {
				t.Errorf("%s is kept", address)
			}
		}
		// Whatever a page itself names is kept, but what only an installation needs.
		for _, page := range []string{"/memory", "/memory/1", "/settings", "/login"} {
			html := ask(h, "GET", page).Body.String()
			if !strings.Contains(html, `name="elowen-version" content="`+strings.Replace(shell.Release, "+", "&#43;", 1)+`"`) {
				t.Errorf("%s is not of release %s", page, shell.Release)
			}
			for _, part := range strings.Split(html, `"`) {
				path, _, _ := strings.Cut(part, "#")
				if strings.HasPrefix(path, shell.Base+"web/") && !strings.HasSuffix(path, "/") && !strings.HasSuffix(path, ".png") && !kept[path] {
					t.Errorf("%s names %s, which is not kept", page, path)
				}
			}
		}
	}
}

func TestEachBuildIsAReleaseOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	other := assets.NewSet(&assets.File{Name: assets.Wasm, Hash: "1"}, &assets.File{Name: assets.WasmExec, Hash: "2"})
	for name, s := range map[string]*site{
		"plain":           {version: "1.2.3", design: assets.Design()},
		"another version": {version: "1.2.4", design: assets.Design()},
		"with a program":  {version: "1.2.3", design: assets.Design(), program: other},
		"another design":  {version: "1.2.3", design: other},
	} {
		r := s.release()
		if was, twice := seen[r]; twice {
			t.Errorf("%s and %s are both %s", was, name, r)
		}
		seen[r] = name
	}
	if Release("1.2.3") == Release("1.2.4") || !strings.HasPrefix(Release("1.2.3"), "1.2.3+") {
		t.Error(Release("1.2.3"))
	}
}
