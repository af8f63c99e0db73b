package tool

import (
	"fmt"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// removed is the object of the result.
type removed struct {
	ID       int64 `json:"id"`
	Memories int   `json:"memories"` // that are in no category now
}

func memoryCategoryDelete() *Tool {
	return &Tool{
		Name: "MemoryCategoryDelete", Title: "Delete a category", Scope: api.ScopeWrite, Destructive: true,
		Description: "Deletes one of the person's own categories. Its memories stay, in no category, and are then not recalled by themselves: file them with MemoryUpdate or MemoryRecategorize. Only when the person wants it.",
		Input:       object(whole("id", "As MemoryCategories shows it").needed()),
		Output:      result(whole("id", ""), whole("memories", "How many are in no category now")),
		run: func(u *use) (Result, error) {
			in, err := arguments[idArguments](u)
			if err != nil {
				return Result{}, err
			}
			if c, err := u.Categories.Get(u.ctx, u.owner(), int64(in.ID)); err == nil && c.Default {
				// Without it what is saved later would be found by nobody, and no agent
				// would learn why.
				return Result{}, fault.Newf(fault.Forbidden, "“%s” is the default category: what is saved without a category goes there, and in none it would not be recalled. The person can choose another default, or delete this one, in the app. Nothing was changed.", c.Name)
			}
			done, err := u.Memories.DeleteCategory(u.ctx, u.owner(), u.by(), int64(in.ID), 0)
			if fault.Is(err, fault.NotFound) {
				err = fault.Newf(fault.NotFound, "There is no category %d of the person's own. Those of a project's pool are changed by administrators, in the app. Nothing was changed.", in.ID)
			}
			if err != nil {
				return Result{}, err
			}
			said := fmt.Sprintf("The category %d is deleted.", in.ID)
			if done.Changed > 0 {
				said += fmt.Sprintf(" In no category now: %s; MemoryRecategorize sorts them.", plural(done.Changed, "memory", "memories"))
			}
			return Result{Text: said, Object: removed{ID: int64(in.ID), Memories: done.Changed}}, nil
		},
	}
}
