package tool

import (
	"fmt"

	"elowen/shared/api"
	"elowen/shared/fault"
)

type recategorizeArguments struct {
	All bool `json:"all,omitempty"`
}

// sorting is the object of the result.
type sorting struct {
	Status    string `json:"status"`
	Total     int    `json:"total"`     // memories that it is about
	Processed int    `json:"processed"` // of them, done with
}

func memoryRecategorize() *Tool {
	return &Tool{
		Name: "MemoryRecategorize", Title: "Sort memories into categories", Scope: api.ScopeWrite, Destructive: true, Idempotent: true,
		Description: "Starts to sort the person's own memories into categories, in the background: those that nobody has filed, or with all every one. After categories were made or deleted, or when the person asks; for one memory use MemoryUpdate. Calling it again tells how far it is.",
		Input:       object(boolean("all", "Also those that somebody has filed")),
		Output:      result(text("status", "running, completed, failed, stopped or interrupted"), whole("total", ""), whole("processed", "")),
		run: func(u *use) (Result, error) {
			in, err := arguments[recategorizeArguments](u)
			if err != nil {
				return Result{}, err
			}
			jobs := u.jobs()
			if jobs == nil {
				return Result{}, fault.New(fault.Unavailable, "Nobody sorts memories here: no server runs. Start `elowen serve`, or file memories one by one with MemoryUpdate.")
			}
			start := api.MaintenanceStart{Operation: api.OperationRecategorize, Mode: api.RecategorizeUncategorized}
			if in.All {
				start.Mode = api.RecategorizeAll
			}
			m, err := jobs.Start(u.ctx, u.owner(), start, false)
			if err != nil {
				return Result{}, err
			}
			said := fmt.Sprintf("Sorting %s: %s, %d done.", plural(m.Total, "memory", "memories"), m.Status, m.Processed)
			return Result{Text: said, Object: sorting{Status: m.Status, Total: m.Total, Processed: m.Processed}}, nil
		},
	}
}
