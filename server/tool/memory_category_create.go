package tool

import (
	"fmt"

	"elowen/server/render"
	"elowen/shared/api"
)

type categoryArguments struct {
	Name        string `json:"name" validate:"required,line=category.name"`
	Description string `json:"description,omitempty" validate:"text=category.description"`
	Icon        string `json:"icon,omitempty" validate:"line=category.icon"`
}

// made is the object of the result.
type made struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func memoryCategoryCreate() *Tool {
	return &Tool{
		Name: "MemoryCategoryCreate", Title: "Make a category", Scope: api.ScopeWrite,
		Description: "Makes a category of the person's own. Only when several memories belong together and no category fits, or the person asks for it; look at MemoryCategories first.",
		Input: object(
			text("name", "").needed().within("category.name"),
			text("description", "What belongs there, in a sentence: sorting goes by it").within("category.description"),
			text("icon", "Name of an icon").within("category.icon"),
		),
		Output: result(whole("id", ""), text("name", "")),
		run: func(u *use) (Result, error) {
			in, err := arguments[categoryArguments](u)
			if err != nil {
				return Result{}, err
			}
			c, err := u.Categories.Add(u.ctx, u.owner(), api.CategoryAdd{Name: in.Name, Description: in.Description, Icon: in.Icon})
			if err != nil {
				return Result{}, err
			}
			name := render.Harmless(c.Name)
			return Result{Text: fmt.Sprintf("The category %s is there, with the id %d.", name, c.ID), Object: made{ID: c.ID, Name: name}}, nil
		},
	}
}
