package tool

import (
	"fmt"
	"strings"

	"elowen/server/render"
	"elowen/shared/api"
)

// shelf is a category in a result's object.
type shelf struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Memories    int    `json:"memories"` // active ones in it
	Default     bool   `json:"default"`  // where adds without a category go
	Shared      bool   `json:"shared"`   // of a project's pool: seen, not changed here
	ProjectID   int64  `json:"projectId"`
}

// shelves is the object of the result.
type shelves struct {
	Categories []shelf `json:"categories"`
}

func memoryCategories() *Tool {
	return &Tool{
		Name: "MemoryCategories", Title: "List categories", Scope: api.ScopeRead, Idempotent: true,
		Description: "Lists the categories that memories are filed in, with what belongs there. Use it before you name a category elsewhere.",
		Input:       object(),
		Output: result(list("categories", "", result(whole("id", ""), text("name", ""), text("description", ""), whole("memories", ""),
			boolean("default", ""), boolean("shared", "Of a project's pool"), whole("projectId", "Recalled in that project only; 0: everywhere")))),
		run: func(u *use) (Result, error) {
			if _, err := arguments[struct{}](u); err != nil {
				return Result{}, err
			}
			list, err := u.Categories.List(u.ctx, u.owner())
			if err != nil {
				return Result{}, err
			}
			out := shelves{Categories: []shelf{}}
			var lines []string
			for _, c := range list {
				s := shelf{ID: c.ID, Name: render.Harmless(c.Name), Description: render.Harmless(c.Description), Memories: c.Count, Default: c.Default, Shared: c.Shared}
				if c.ProjectID != nil {
					s.ProjectID = *c.ProjectID
				}
				out.Categories = append(out.Categories, s)
				lines = append(lines, s.line())
			}
			if len(lines) == 0 {
				lines = []string{"There are no categories. What is in none is not recalled by itself; MemoryCategoryCreate makes one."}
			}
			return Result{Text: strings.Join(lines, "\n"), Object: out}, nil
		},
	}
}

func (s shelf) line() string {
	line := fmt.Sprintf("%d · %s · %s", s.ID, render.Cut(s.Name, 80), plural(s.Memories, "memory", "memories"))
	if s.Default {
		line += " · default"
	}
	if s.Shared {
		line += " · shared"
	}
	if s.ProjectID != 0 {
		line += fmt.Sprintf(" · only in project %d", s.ProjectID)
	}
	if s.Description != "" {
		line += " · " + render.Cut(s.Description, 200)
	}
	return line
}
