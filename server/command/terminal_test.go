package command

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"elowen/shared/api"
)

// Commands are told as they work here: elowen by its name only where a shell finds this
// program by it, and the data directory only where it isn't the usual one.
func TestTerminal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home, here, other := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Symlink(program, filepath.Join(here, "elowen")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "elowen"), []byte("another"), 0o755); err != nil {
		t.Fatal(err)
	}
	usual := filepath.Join(home, ".local/share/elowen")
	list := string(filepath.ListSeparator)
	for _, c := range []struct {
		what, path, home, data string
		want                   api.Terminal
	}{
		{"found by its name", here, home, usual, api.Terminal{Program: "elowen"}},
		{"found after others", t.TempDir() + list + list + here, home, usual, api.Terminal{Program: "elowen"}},
		{"not found", "", home, usual, api.Terminal{Program: program}},
		{"another is found first", other + list + here, home, usual, api.Terminal{Program: program}},
		{"data elsewhere", here, home, "/srv/elowen", api.Terminal{Program: "elowen", Data: "/srv/elowen"}},
		{"no home", here, "", "/srv/elowen", api.Terminal{Program: "elowen", Data: "/srv/elowen"}},
	} {
		s := &System{Env: func(name string) (string, bool) {
			v := map[string]string{"PATH": c.path, "HOME": c.home}[name]
			return v, v != ""
		}}
		if got := s.terminal(c.data); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
		}
	}
}
