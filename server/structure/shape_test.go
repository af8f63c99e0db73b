package structure

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
)

func TestTopLevel(t *testing.T) {
	allowed := map[string]bool{}
	for _, name := range []string{"app", "server", "shared", "wasm", "assets", "build.sh", "go.mod", "go.sum", "README.md", "LICENSE"} {
		allowed[name] = true
	}
	for _, name := range source(t).files {
		first, _, _ := strings.Cut(name, "/")
		if strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".prof") {
			continue // what go test leaves, ignored by git
		}
		if !allowed[first] && !strings.HasPrefix(first, ".") {
			t.Errorf("%s: nothing but the sides, assets and build files stands at the top", name)
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	documented := map[string]bool{}
	for _, g := range source(t).code {
		if g.test {
			continue
		}
		documented[g.dir] = documented[g.dir] || g.syntax.Doc != nil
		if base := path.Base(g.dir); base == "util" || base == "utils" || base == "common" || base == "helpers" || base == "helper" || base == "manager" {
			t.Errorf("%s: the name says nothing about what is inside", g.dir)
		}
		if doc := g.syntax.Doc; doc != nil {
			start := "Package " + g.syntax.Name.Name + " "
			if g.syntax.Name.Name == "main" {
				start = "Command "
			}
			if !strings.HasPrefix(doc.Text(), start) {
				t.Errorf("%s: the package comment should begin with %q", g.path, start)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

const longest = 600

func TestNoFileIsTooLong(t *testing.T) {
	s := source(t)
	for _, name := range s.files {
		switch path.Ext(name) {
		case ".go", ".js", ".sh", ".css", ".html", ".sql":
		default:
			continue
		}
		if strings.Contains(name, "/testdata/") {
			continue // made by a program, or read by none
		}
		b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, []byte("\n")); n > longest {
			t.Errorf("%s has %d lines, more than %d", name, n, longest)
		}
	}
}

// Registration in init hides who depends on whom.
func TestNoInit(t *testing.T) {
	for _, g := range source(t).code {
		for _, decl := range g.syntax.Decls {
			if name := funcName(decl); name == "init" {
				t.Errorf("%s has an init function", g.path)
			}
		}
	}
}

var (
	createTable = regexp.MustCompile(`(?i)\bCREATE\s+(?:VIRTUAL\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?"?([a-z_][a-z0-9_]*)`)
	tableUse    = regexp.MustCompile(`(?i)\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+"?([a-z_][a-z0-9_]*)`)
)

// A table belongs to the package whose SQL names it. The schema itself, which
// names them all, is exempt; so are tests, which may look into any table.
func TestATableIsNamedByOnePackageOnly(t *testing.T) {
	s := source(t)
	tables := map[string]bool{}
	schema := map[string]bool{} // folders of the migrations
	for _, name := range s.files {
		if path.Ext(name) != ".sql" || strings.Contains(name, "/testdata/") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		schema[path.Dir(name)] = true
		for _, m := range createTable.FindAllStringSubmatch(string(b), -1) {
			tables[strings.ToLower(m[1])] = true
		}
	}
	for _, g := range s.code {
		if !g.test {
			g.literals(func(text string) {
				for _, m := range createTable.FindAllStringSubmatch(text, -1) {
					tables[strings.ToLower(m[1])] = true
				}
			})
		}
	}
	if len(tables) == 0 {
		t.Fatal("no table found; the test looks at the wrong thing")
	}
	users := map[string]map[string]bool{}
	for _, g := range s.code {
		if g.test || schema[g.dir] || !under(g.dir, "server") || under(g.dir, "server/servertest") {
			continue
		}
		g.literals(func(text string) {
			for _, m := range tableUse.FindAllStringSubmatch(text, -1) {
				name := strings.ToLower(m[1])
				if !tables[name] {
					continue
				}
				if users[name] == nil {
					users[name] = map[string]bool{}
				}
				users[name][g.dir] = true
			}
		})
	}
	for name, dirs := range users {
		if len(dirs) > 1 {
			t.Errorf("the table %s is named in the SQL of %s", name, strings.Join(sorted(dirs), ", "))
		}
	}
}

func sorted(set map[string]bool) []string {
	var list []string
	for k := range set {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
