package command

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write licenses.txt from the modules")

type dependency struct{ Path, Version, Dir string }

// dependencies are the modules that a build takes packages from.
func dependencies(t *testing.T, target string, env ...string) []dependency {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=Module,Standard", target)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", target, err)
	}
	found := map[string]dependency{}
	for d := json.NewDecoder(strings.NewReader(string(out))); d.More(); {
		var p struct {
			Module *struct {
				dependency
				Main bool
			}
		}
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		if m := p.Module; m != nil && !m.Main {
			found[m.Path] = m.dependency
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b dependency) int { return strings.Compare(a.Path, b.Path) })
}

var licenseFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

func licenseOf(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, e := range entries {
		if !e.IsDir() && licenseFile.MatchString(e.Name()) {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n")
			for i := range lines {
				lines[i] = strings.TrimRight(lines[i], " \t\f")
			}
			texts = append(texts, strings.Trim(strings.Join(lines, "\n"), "\n"))
		}
	}
	if len(texts) == 0 {
		t.Fatalf("%s has no licence", dir)
	}
	return strings.Join(texts, "\n\n")
}

// models are the models whose weights a build embeds.
var models = []string{"multilingual-e5-small", "e5-small-v2"}

func TestLicensesAreComplete(t *testing.T) {
	modules := append(dependencies(t, "./server", "CGO_ENABLED=0"), dependencies(t, "./wasm", "GOOS=js", "GOARCH=wasm")...)
	if len(modules) < 20 {
		t.Fatalf("only %d modules", len(modules))
	}
	if *update {
		names := map[string][]string{}
		var order []string
		put := func(name, text string) {
			if slices.Contains(names[text], name) {
				return
			}
			if names[text] == nil {
				order = append(order, text)
			}
			names[text] = append(names[text], name)
		}
		put("Go "+runtime.Version(), licenseOf(t, runtime.GOROOT()))
		for _, m := range modules {
			put(m.Path+" "+m.Version, licenseOf(t, m.Dir))
		}
		var b strings.Builder
		for _, text := range order {
			fmt.Fprintf(&b, "== %s\n%s\n\n", strings.Join(names[text], ", "), text)
		}
		// What stands there of the models isn't known to go list, and stays.
		for _, n := range notices() {
			if slices.Contains(models, n.Name) {
				fmt.Fprintf(&b, "== %s %s\n%s\n\n", n.Name, n.Version, strings.TrimSpace(n.Text))
			}
		}
		if err := os.WriteFile("licenses.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		moduleLicenses = b.String()
	}
	have := map[string]string{}
	for _, n := range notices() {
		if strings.TrimSpace(n.Text) == "" {
			t.Errorf("%s has no text", n.Name)
		}
		have[n.Name] = n.Version
	}
	for _, m := range models {
		if have[m] == "" {
			t.Errorf("the model %s is missing", m)
		}
	}
	for _, m := range modules {
		if have[m.Path] != m.Version {
			t.Errorf("%s %s is missing (there is %q); run go test ./server/command -run Licenses -update", m.Path, m.Version, have[m.Path])
		}
	}
}
