package tool

import (
	"fmt"

	"elowen/shared/api"
	"elowen/shared/fault"
)

type updateArguments struct {
	ID         ID      `json:"id" validate:"min=1"`
	Body       *string `json:"body,omitempty" validate:"omitempty,body"`
	Kind       *string `json:"kind,omitempty" validate:"omitempty,label"`
	Importance *int    `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"`
	Category   *string `json:"category,omitempty" validate:"omitempty,line=agent.category"`
}

// updated is the object of the result.
type updated struct {
	ID         int64  `json:"id"`
	Changed    bool   `json:"changed"`
	Kind       string `json:"kind"`
	Importance int    `json:"importance"`
	Category   string `json:"category"`
}

func memoryUpdate() *Tool {
	return &Tool{
		Name: "MemoryUpdate", Title: "Correct a memory", Scope: api.ScopeWrite, Destructive: true, Idempotent: true,
		Description: "Corrects a stored memory, by its id: its text, when the fact has changed or was wrong, its kind, importance or category. What is left out stays. To say that several memories are one use MemoryMerge.",
		Input: object(
			whole("id", "As a search or list shows it").needed(),
			text("body", "The whole new text").within("memory.body"),
			text("kind", "").within("memory.kind"),
			whole("importance", "1 to 10").within("memory.importance"),
			text("category", "Name of one of MemoryCategories").within("agent.category"),
		),
		Output: result(whole("id", ""), boolean("changed", ""), text("kind", ""), whole("importance", ""), text("category", "")),
		run:    update,
	}
}

func update(u *use) (Result, error) {
	in, err := arguments[updateArguments](u)
	if err != nil {
		return Result{}, err
	}
	if in.Body == nil && in.Kind == nil && in.Importance == nil && in.Category == nil {
		return Result{}, fault.New(fault.Invalid, "Nothing to change was named: give body, kind, importance or category.")
	}
	patch := api.MemoryPatch{Body: in.Body, Kind: in.Kind, Importance: in.Importance}
	if in.Body != nil {
		if err := fresh(*in.Body); err != nil {
			return Result{}, err
		}
	}
	was, err := u.Memories.Get(u.ctx, u.owner(), int64(in.ID))
	if err != nil {
		return Result{}, gone(err, int64(in.ID))
	}
	if in.Category != nil {
		pool := int64(0)
		if was.Shared && was.ProjectID != nil {
			pool = *was.ProjectID
		}
		c, err := u.categoryNamed(*in.Category, pool)
		if err != nil {
			return Result{}, err
		}
		patch.CategoryID = api.Some(c.ID)
	}
	// Of the revision that was looked at: another one may be in another pool, or have
	// become what the agent has not seen.
	m, err := u.Memories.Patch(u.ctx, u.owner(), u.by(), int64(in.ID), was.Revision, patch)
	if err != nil {
		return Result{}, gone(err, int64(in.ID))
	}
	out := updated{ID: m.ID, Changed: m.Revision != was.Revision, Kind: m.Kind, Importance: m.Importance}
	if out.Category, err = u.categoryName(m); err != nil {
		return Result{}, err
	}
	said := fmt.Sprintf("Memory %d is changed. The text before is kept in its history.", m.ID)
	if !out.Changed {
		said = fmt.Sprintf("Memory %d was like that already; nothing was changed.", m.ID)
	}
	return Result{Text: said, Object: out}, nil
}

// gone names the memory that is not there.
func gone(err error, id int64) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Newf(fault.NotFound, "There is no memory %d. Nothing was changed.", id)
	}
	return err
}
