package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// goFile is one parsed Go file of the tree.
type goFile struct {
	path    string // from the top, with forward slashes
	dir     string
	test    bool
	imports []string
	syntax  *ast.File
}

// literals calls f with each string literal of the file that isn't an import.
func (g goFile) literals(f func(string)) {
	ast.Inspect(g.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				return true
			}
			if s, err := strconv.Unquote(n.Value); err == nil {
				f(s)
			}
		}
		return true
	})
}

// uses tells whether the file calls or names pkg.name, such as time.Now.
func (g goFile) uses(pkg, name string) bool {
	found := false
	ast.Inspect(g.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == pkg && x.Obj == nil && sel.Sel.Name == name {
			found = true
		}
		return true
	})
	return found
}

type tree struct {
	root  string
	files []string // all files that git would keep, from the top
	code  []goFile
}

var readTree = sync.OnceValues(func() (*tree, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			return nil, os.ErrNotExist
		}
		root = filepath.Dir(root)
	}
	t := &tree{root: root}
	err = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, full)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel == ".git" || rel == "bin" || rel == "assets/built" {
				return filepath.SkipDir
			}
			return nil
		}
		t.files = append(t.files, rel)
		if !strings.HasSuffix(rel, ".go") || strings.Contains(rel, "/testdata/") {
			return nil
		}
		src, err := os.ReadFile(full)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), rel, src, parser.ParseComments)
		if err != nil {
			return err
		}
		g := goFile{path: rel, dir: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), syntax: file}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			g.imports = append(g.imports, name)
		}
		t.code = append(t.code, g)
		return nil
	})
	return t, err
})

func source(t *testing.T) *tree {
	t.Helper()
	s, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.code) < 10 {
		t.Fatalf("only %d Go files found below %s", len(s.code), s.root)
	}
	return s
}

// under tells whether a folder or import path is dir or below it.
func under(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// standard tells whether an import is of the standard library.
func standard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".") && first != module
}

const module = "elowen"

// local is an import path of this module without the module's name, or "".
func local(name string) string {
	if rest, ok := strings.CutPrefix(name, module+"/"); ok {
		return rest
	}
	return ""
}

// funcName is the name of a plain function declaration, or "".
func funcName(decl ast.Decl) string {
	if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
		return f.Name.Name
	}
	return ""
}
