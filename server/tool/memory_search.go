package tool

import (
	"strings"

	"elowen/server/delivery"
	"elowen/server/recall"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type searchArguments struct {
	Query        string    `json:"query" validate:"text=recall.query"`
	Limit        *int      `json:"limit,omitempty" validate:"omitempty,setting=agent.search"`
	After        *api.Time `json:"after,omitempty"`
	Before       *api.Time `json:"before,omitempty"`
	Conversation string    `json:"conversation,omitempty" validate:"text=agent.conversation"`
	ProjectPath  string    `json:"projectPath,omitempty" validate:"text=agent.path"`
	Full         bool      `json:"full,omitempty"`
}

func memorySearch() *Tool {
	return &Tool{
		Name: "MemorySearch", Title: "Search memories", Scope: api.ScopeRead, Idempotent: true,
		Description: "Finds stored memories by meaning and words. Use it before you answer or decide anything that earlier conversations, the person's preferences, people, projects or past decisions may bear on; ask in a whole sentence. For the newest without a question use MemoryListRecent.",
		Input: object(
			text("query", "What to look for, as a question or a sentence").needed().within("recall.query"),
			atMost("agent.search"),
			text("after", "Only noted or confirmed from this date on, such as 2026-01-31"),
			text("before", "Only noted or confirmed before this date"),
			text("conversation", "Handle from your last result, so that nothing is sent twice").within("agent.conversation"),
			text("projectPath", "Folder you work in, or a project's name").within("agent.path"),
			boolean("full", "Send whole bodies again, after your context was compacted"),
		),
		Output: foundSchema,
		run:    search,
	}
}

func search(u *use) (Result, error) {
	in, err := arguments[searchArguments](u)
	if err != nil {
		return Result{}, err
	}
	if strings.TrimSpace(in.Query) == "" {
		return Result{}, fault.BadField("query", "required", "", "query is missing: say what to look for.")
	}
	if in.After != nil && in.Before != nil && *in.After >= *in.Before {
		return Result{}, fault.BadField("before", "after", "", "before must be later than after.")
	}
	where, told, err := u.where(in.ProjectPath)
	if err != nil {
		return Result{}, err
	}
	r := recall.Request{Query: in.Query, Project: where.ID, Limit: setting.Int("agent.search"), Bytes: setting.Int("agent.bytes")}
	if in.Limit != nil {
		r.Limit = *in.Limit
	}
	if in.After != nil {
		r.After = int64(*in.After)
	}
	if in.Before != nil {
		r.Before = int64(*in.Before)
	}
	got, err := u.Recall.Recall(u.ctx, u.owner(), r)
	if err != nil {
		return Result{}, err
	}
	ids := make([]int64, len(got.Memories))
	for i := range got.Memories {
		ids[i] = got.Memories[i].ID
	}
	h, err := u.Delivery.HandOut(u.ctx, u.owner(), delivery.Request{IDs: ids, Token: u.who.TokenID, Conversation: in.Conversation, Begin: true, Within: u.call.Within, Full: in.Full, Bytes: setting.Int("agent.bytes")})
	if err != nil {
		return Result{}, err
	}
	notes := []string{got.Note}
	if len(h.Items) == 0 {
		notes = append([]string{"Nothing was found. Try other words once; if there is still nothing, nothing is stored about it."}, got.Note)
		if where.ID != 0 {
			known := ""
			if len(where.Aliases) > 0 {
				known = ", also known as " + strings.Join(where.Aliases, ", ")
			}
			notes = append(notes, "Searched what holds everywhere and in the project "+where.Slug+known+".")
		}
	}
	// An agent that is told every time that its folder belongs to no project learns
	// nothing from it.
	if in.ProjectPath != "" || len(h.Items) == 0 && len(where.Near) > 0 {
		notes = append(notes, missing(where, told))
	}
	return u.hand(h, where.Slug, notes...), nil
}
