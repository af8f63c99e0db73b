package tool

import (
	"fmt"

	"elowen/server/validation"
	"elowen/shared/api"
)

type mergeArguments struct {
	IDs  []ID   `json:"ids"`
	Body string `json:"body" validate:"body"`
}

// merged is the object of the result.
type merged struct {
	ID       int64   `json:"id"`
	Merged   []int64 `json:"merged"`
	Category string  `json:"category"`
}

func memoryMerge() *Tool {
	return &Tool{
		Name: "MemoryMerge", Title: "Merge memories", Scope: api.ScopeWrite, Destructive: true,
		Description: "Puts memories that say the same, or parts of one thing, together under one new text; the old ones go to the trash and can be restored. For one memory alone use MemoryUpdate.",
		Input: object(
			property{name: "ids", kind: "array", doc: "Two or more", items: id}.needed().within("memory.merge"),
			text("body", "The text that takes their place, with everything that is still true").needed().within("memory.body"),
		),
		Output: result(whole("id", ""), list("merged", "", id), text("category", "")),
		run: func(u *use) (Result, error) {
			in, err := arguments[mergeArguments](u)
			if err != nil {
				return Result{}, err
			}
			request := api.MemoryMerge{IDs: numbers(in.IDs), Body: in.Body}
			if err := validation.Struct(request); err != nil {
				return Result{}, err
			}
			if err := fresh(in.Body); err != nil {
				return Result{}, err
			}
			m, err := u.Memories.Merge(u.ctx, u.owner(), u.by(), request)
			if err != nil {
				return Result{}, err
			}
			out := merged{ID: m.ID, Merged: request.IDs}
			if out.Category, err = u.categoryName(m.Memory); err != nil {
				return Result{}, err
			}
			return Result{Text: fmt.Sprintf("Memory %d takes their place; the %s that it was made of are in the trash.", m.ID, plural(len(out.Merged), "memory", "memories")), Object: out}, nil
		},
	}
}
