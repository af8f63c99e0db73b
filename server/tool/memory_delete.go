package tool

import (
	"fmt"

	"elowen/shared/api"
)

type idArguments struct {
	ID ID `json:"id" validate:"min=1"`
}

// deleted is the object of the result.
type deleted struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}

func memoryDelete() *Tool {
	return &Tool{
		Name: "MemoryDelete", Title: "Delete a memory", Scope: api.ScopeWrite, Destructive: true, Idempotent: true,
		Description: "Moves a memory that is wrong or of no use any more to the trash, where the person can restore it. If it is only outdated, correct it with MemoryUpdate.",
		Input:       object(whole("id", "As a search or list shows it").needed()),
		Output:      result(whole("id", ""), text("status", "")),
		run: func(u *use) (Result, error) {
			in, err := arguments[idArguments](u)
			if err != nil {
				return Result{}, err
			}
			m, err := u.Memories.Trash(u.ctx, u.owner(), u.by(), int64(in.ID), 0, "")
			if err != nil {
				return Result{}, gone(err, int64(in.ID))
			}
			return Result{Text: fmt.Sprintf("Memory %d is in the trash.", m.ID), Object: deleted{ID: m.ID, Status: m.Status}}, nil
		},
	}
}
