package project

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestContains(t *testing.T) {
	for _, c := range []struct {
		root, path string
		in         bool
	}{
		{"/srv/harbor", "/srv/harbor", true},
		{"/srv/harbor", "/srv/harbor/", true},
		{"/srv/harbor", "/srv/harbor/quay/crane.go", true},
		{"/srv/harbor", "/srv/harbor/..cache", true},
		{"/srv/harbor", "/srv/harbor/..cache/x", true},
		{"/srv/harbor", "/srv/harbor/...", true},
		{"/srv/harbor", "/srv/harbor-old", false},
		{"/srv/harbor", "/srv/harborx/y", false},
		{"/srv/harbor", "/srv", false},
		{"/srv/harbor", "/srv/harbor/..", false},
		{"/srv/harbor", "/srv/harbor/../x", false},
		{"/srv/harbor", "/srv/harbor/../harbor/x", true},
		{"/srv/harbor", "/srv/harbor/quay/../../other", false},
		{"/srv/harbor", "srv/harbor", false},
		{"/srv/harbor", "", false},
		{"srv/harbor", "/srv/harbor", false},
		{"", "/srv/harbor", false},
		{"/srv/harbor", "/", false},
		{"/srv/Harbor", "/srv/harbor", false},
	} {
		if got := Contains(c.root, c.path); got != c.in {
			t.Errorf("%q in %q: %v", c.path, c.root, got)
		}
	}
}

// What a root contains is what its name with a slash begins.
func TestContainsIsByParts(t *testing.T) {
	part := rapid.SampledFrom([]string{"a", "b", "..", ".", "..cache", "a-old", "ab", ""})
	rapid.Check(t, func(t *rapid.T) {
		p := "/" + strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "path"), "/")
		root := "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 1, 3).Draw(t, "root"), "/")
		clean := path.Clean(p)
		want := clean == root || strings.HasPrefix(clean, root+"/")
		if got := Contains(root, p); got != want {
			t.Fatalf("%q in %q: %v", p, root, got)
		}
	})
}

func FuzzContains(f *testing.F) {
	f.Add("/srv/harbor", "/srv/harbor/../x")
	f.Add("/", "/a")
	f.Fuzz(func(t *testing.T, root, p string) {
		if Contains(root, p) && !strings.HasPrefix(path.Clean(p)+"/", strings.TrimSuffix(path.Clean(root), "/")+"/") {
			t.Errorf("%q in %q", p, root)
		}
	})
}

func TestLongestRootWins(t *testing.T) {
	roots := []string{"/srv", "/srv/harbor", "/srv/harbor/quay", "/srv/harbor-old"}
	for p, want := range map[string]string{
		"/srv/harbor/quay/x": "/srv/harbor/quay", "/srv/harbor/quayside": "/srv/harbor", "/srv/harbor-old/x": "/srv/harbor-old",
		"/srv/other": "/srv", "/home": "", "/srv/harbor/quay/../x": "/srv/harbor", "relative": "",
	} {
		if got := longest(roots, p); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
}

func TestCanonical(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	for _, dir := range []string{filepath.Join(real, "inner"), filepath.Join(base, "outside")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{link: real, filepath.Join(real, "out"): filepath.Join(base, "outside"), filepath.Join(real, "dangling"): filepath.Join(base, "gone")} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string]string{
		link:                               real,
		filepath.Join(link, "inner"):       filepath.Join(real, "inner"),
		filepath.Join(link, "new", "file"): filepath.Join(real, "new", "file"),
		link + "/inner/..":                 real,
		filepath.Join(real, "out"):         filepath.Join(base, "outside"), // a link out of the root leads out of it
		filepath.Join(real, "out", "x"):    filepath.Join(base, "outside", "x"),
	} {
		if got, err := Canonical(in); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", in, got, err, want)
		}
	}
	// A root that vanishes keeps its name, and so does what was below it.
	if err := os.RemoveAll(real); err != nil {
		t.Fatal(err)
	}
	got, err := Canonical(filepath.Join(real, "inner"))
	if err != nil || got != filepath.Join(real, "inner") {
		t.Errorf("vanished: %q %v", got, err)
	}
}
