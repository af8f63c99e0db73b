// Package browser drives a real Chromium against a whole server, for tests of what
// a person sees.
//
// Concepts. A Browser is one Chromium process. A Person is somebody with cookies
// and storage of their own in it; a Window is one of the person's tabs. What one
// does in a window (Press, Fill, Type) goes through real mouse and key events, and
// what one waits for is what is readable on the page.
//
// Invariants. Each window collects what its console says: an error there, an
// exception nobody caught or a breach of the content policy fails the test that
// opened it, unless it was tolerated beforehand. A machine without Chromium fails,
// it doesn't skip: the app is not tested there.
//
// What it doesn't do: no timing; waits have generous limits and are never measured.
//
//race:slow The program under test is a process of its own, and Chromium is not Go.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// PathEnv names the variable with Chromium's path.
const PathEnv = "ELOWEN_CHROMIUM"

// Patience is how long a step waits for what it expects. A step that isn't met
// fails after it; nothing is compared with it.
const Patience = 30 * time.Second

// Browser is a running Chromium.
type Browser struct {
	t   testing.TB
	ctx context.Context
}

// Open starts Chromium, and ends it with the test.
func Open(t testing.TB) *Browser {
	t.Helper()
	path, err := chromium()
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.WindowSize(1440, 900), chromedp.Flag("lang", "en-GB"),
		chromedp.Flag("force-prefers-reduced-motion", true), chromedp.WSURLReadTimeout(Patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses its sandbox to root
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(alloc)
	t.Cleanup(func() { leave(); stop() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium at %s did not start: %v", path, err)
	}
	return &Browser{t: t, ctx: ctx}
}

func chromium() (string, error) {
	for _, name := range []string{os.Getenv(PathEnv), "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no Chromium found, and the app can only be tested in one: install it (Debian: apt-get install chromium; "+
		"./build.sh test does it as root) or set %s to its path", PathEnv)
}

// Person is somebody with cookies and storage of their own.
type Person struct {
	browser *Browser
	first   context.Context // a tab of the person; keeps their storage alive
}

// Person makes somebody who was never here.
func (b *Browser) Person() *Person {
	b.t.Helper()
	ctx, leave := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	b.t.Cleanup(leave)
	if err := chromedp.Do(ctx); err != nil {
		b.t.Fatalf("new person: %v", err)
	}
	return &Person{browser: b, first: ctx}
}

// Window opens a tab of the person.
func (p *Person) Window(name string) *Window {
	t := p.browser.t
	t.Helper()
	ctx, leave := chromedp.NewContext(p.first)
	w := &Window{t: t, ctx: ctx, name: name}
	messages := chromedp.Console(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m, err := range messages {
			if err != nil {
				return
			}
			w.note(m)
		}
	}()
	var once sync.Once
	w.end = func() {
		once.Do(func() {
			leave()
			<-done
			w.blame()
		})
	}
	t.Cleanup(func() {
		if !w.killed {
			w.settle()
		}
		w.end()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("%s: new window: %v", name, err)
	}
	return w
}

// Window is one tab.
type Window struct {
	t    testing.TB
	ctx  context.Context
	name string

	end    func()
	killed bool

	mu        sync.Mutex
	console   []string
	wrong     []string
	tolerated []string
}

// KillTab ends the tab without asking it, as a phone does that needs the room. Nothing
// can be done in the window any more.
func (w *Window) KillTab() {
	w.t.Helper()
	w.killed = true
	w.end()
}

// Tolerate names parts of console messages that are expected from now on, such as
// a refused connection while the server is down.
func (w *Window) Tolerate(parts ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tolerated = append(w.tolerated, parts...)
}

const heardPause = 100 * time.Millisecond

// Heard waits until the console has said something that matches.
func (w *Window) Heard(pattern string) {
	w.t.Helper()
	want := regexp.MustCompile(pattern)
	var said []string
	for range Patience / heardPause {
		w.mu.Lock()
		said = slices.Clone(w.console)
		w.mu.Unlock()
		if slices.ContainsFunc(said, want.MatchString) {
			return
		}
		time.Sleep(heardPause)
	}
	w.t.Fatalf("the console never said %s, but\n%s", pattern, strings.Join(said, "\n"))
}

func (w *Window) note(m chromedp.ConsoleMessage) {
	line := fmt.Sprintf("%s %s %s %s", m.Type, m.Source, m.Text, m.URL)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.console = append(w.console, line)
	bad := m.IsException() || m.Type == "error" || m.Type == "assert" || m.Source == "security" ||
		strings.Contains(m.Text, "Content Security Policy") || strings.Contains(m.Text, "Content-Security-Policy")
	if !bad {
		return
	}
	// Chromium itself reports each answer of 4xx as an error; whether the app treats
	// it rightly is seen on the page. Not being signed in is where everyone begins.
	if m.Source == "network" && strings.Contains(m.Text, "401") {
		return
	}
	for _, part := range w.tolerated {
		if strings.Contains(line, part) {
			return
		}
	}
	w.wrong = append(w.wrong, line)
}

// blame fails the test for what the console said.
func (w *Window) blame() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.wrong {
		w.t.Errorf("%s: console: %s", w.name, line)
	}
}

// settle waits until messages that the page has already written have arrived.
func (w *Window) settle() {
	_, _ = chromedp.Run(w.ctx, chromedp.Evaluate[int]("1"))
	time.Sleep(50 * time.Millisecond)
}

// fail ends the test with what is on the page and in the console.
func (w *Window) fail(format string, args ...any) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
	defer cancel()
	at, _ := chromedp.Run(ctx, chromedp.Location())
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body ? document.body.innerText : ''"))
	w.mu.Lock()
	console := strings.Join(w.console, "\n")
	w.mu.Unlock()
	if dir := os.Getenv(ShotsEnv); dir != "" {
		w.Shot("failed-" + w.name)
	}
	w.t.Fatalf("%s: %s\n--- at %s\n%s\n--- console\n%s", w.name, fmt.Sprintf(format, args...), at, clip(text, 4000), clip(console, 4000))
}

func clip(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + " …"
	}
	return s
}
