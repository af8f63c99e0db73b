package project

import (
	"path"
	"path/filepath"
	"strings"
)

// Contains tells whether a path is at or below a root. Both are absolute; they are
// compared part by part after cleaning, and nothing is looked up: a path that leads
// out by "..", or by a link, has to be made real before ([Canonical]).
func Contains(root, p string) bool {
	if !path.IsAbs(root) || !path.IsAbs(p) {
		return false
	}
	rel, err := filepath.Rel(path.Clean(root), path.Clean(p))
	if err != nil || filepath.IsAbs(rel) {
		return false
	}
	return rel != ".." && !strings.HasPrefix(rel, "../") // "..cache" is a child
}

// longest is the root that contains the path and is the longest of those that do;
// "" where none does.
func longest(roots []string, p string) string {
	best := ""
	for _, root := range roots {
		if len(root) > len(best) && Contains(root, p) {
			best = root
		}
	}
	return best
}

// Canonical is the real path of a path on this machine: absolute, without links.
// What isn't there (any more) keeps its name below the nearest folder that is.
func Canonical(p string) (string, error) {
	p, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	rest := ""
	for dir := p; ; {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return p, nil // not even the top can be read
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = parent
	}
}
