package command

import (
	"os"
	"path/filepath"
	"runtime"

	"elowen/shared/api"
)

// terminal is how this program is called at a terminal of its machine, over a data
// directory.
func (s *System) terminal(dir string) api.Terminal {
	t := api.Terminal{Program: "elowen"}
	if usual := s.defaultData(); usual == "" || s.path(usual) != dir {
		t.Data = dir
	}
	if program, err := os.Executable(); err == nil && !s.finds(t.Program, program) {
		t.Program = program
	}
	return t
}

// finds tells whether a shell that is asked for a name takes this program for it.
func (s *System) finds(name, program string) bool {
	ours, err := os.Stat(program)
	if err != nil {
		return true // it was moved since: its path leads nowhere
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path, _ := s.Env("PATH")
	for _, dir := range filepath.SplitList(path) {
		info, err := os.Stat(filepath.Join(dir, name))
		if dir == "" || err != nil || info.IsDir() {
			continue
		}
		return os.SameFile(info, ours)
	}
	return false
}
