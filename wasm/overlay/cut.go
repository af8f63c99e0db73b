package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// A cut is what is taken out of one package of the standard library.
type cut struct {
	Package string
	// Vars are package variables that lose their initial value, each with its type.
	Vars map[string]string
	// Inits tells that the package's init functions are left out.
	Inits bool
	// Gone are functions, or methods as Type.Name, that nothing may call any more: a
	// program that does isn't built.
	Gone []string
	// Bodies are functions, or methods as Type.Name, that do something else instead.
	Bodies map[string]string
}

// An edit replaces text[from:to].
type edit struct {
	from, to int
	with     string
}

// apply returns the changed files by their paths. Something named in the cut that
// isn't there, or is there twice, is an error.
func (k cut) apply(c *build.Context) (map[string][]byte, error) {
	dir := filepath.Join(c.GOROOT, "src", filepath.FromSlash(k.Package))
	p, err := c.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	todo := map[string]int{}
	for name := range k.Vars {
		todo["var "+name] = 1
	}
	for _, name := range k.Gone {
		todo["func "+name] = 1
	}
	for name := range k.Bodies {
		todo["func "+name] = 1
	}
	if k.Inits {
		todo["func init"] = 1
	}
	for _, name := range p.GoFiles {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		edits, err := k.edits(path, text, todo)
		if err != nil {
			return nil, err
		}
		if len(edits) > 0 {
			out[path] = edited(text, edits)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(todo)) {
		if n := todo[what]; n > 0 || n < 0 && what != "func init" {
			return nil, fmt.Errorf("%s: found %d times", what, 1-n)
		}
	}
	return out, nil
}

// edits are the changes of one file; what is found counts down in todo.
func (k cut) edits(path string, text []byte, todo map[string]int) ([]edit, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return set.Position(p).Offset }
	var out []edit
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d) + "." + name
			}
			body, other := k.Bodies[name]
			switch {
			case other:
				out = append(out, edit{len(text), len(text), "\n" + string(text[at(d.Pos()):at(d.Body.Lbrace)]) + "{ " + body + " }\n"})
			case k.Inits && name == "init", slices.Contains(k.Gone, name):
			default:
				continue
			}
			todo["func "+name]--
			// A function without a name is checked, so that its imports are used, and then dropped.
			out = append(out, edit{at(d.Name.Pos()), at(d.Name.End()), "_"})
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				v := s.(*ast.ValueSpec)
				typ, ok := k.Vars[v.Names[0].Name]
				alone := !slices.ContainsFunc(v.Names[1:], func(n *ast.Ident) bool { return n.Name != "_" })
				if !ok || !alone || len(v.Values) != 1 {
					continue
				}
				todo["var "+v.Names[0].Name]--
				names := string(text[at(v.Names[0].Pos()):at(v.Names[len(v.Names)-1].End())])
				value := string(text[at(v.Values[0].Pos()):at(v.Values[0].End())])
				out = append(out, edit{at(v.Names[0].End()), at(v.Values[0].End()), " " + typ},
					edit{len(text), len(text), "\nfunc _() { " + names + " = " + value + " }\n"})
			}
		}
	}
	return out, nil
}

// receiver is the name of the type that a method is of.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if n, ok := t.(*ast.Ident); ok {
		return n.Name
	}
	return ""
}

func edited(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out bytes.Buffer
	last := 0
	for _, e := range edits {
		out.Write(text[last:e.from])
		out.WriteString(e.with)
		last = e.to
	}
	out.Write(text[last:])
	return out.Bytes()
}
