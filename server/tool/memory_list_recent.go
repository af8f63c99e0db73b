package tool

import (
	"elowen/server/delivery"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/setting"
)

type listArguments struct {
	Limit        *int   `json:"limit,omitempty" validate:"omitempty,setting=agent.list"`
	Conversation string `json:"conversation,omitempty" validate:"text=agent.conversation"`
}

func memoryListRecent() *Tool {
	return &Tool{
		Name: "MemoryListRecent", Title: "List recent memories", Scope: api.ScopeRead, Idempotent: true,
		Description: "Lists the memories that were added or changed last, newest first. Use it to look over what was saved lately, or to find an id; to find something in particular use MemorySearch.",
		Input: object(
			atMost("agent.list"),
			text("conversation", "Handle from your last result").within("agent.conversation"),
		),
		Output: foundSchema,
		run: func(u *use) (Result, error) {
			in, err := arguments[listArguments](u)
			if err != nil {
				return Result{}, err
			}
			limit := setting.Int("agent.list")
			if in.Limit != nil {
				limit = *in.Limit
			}
			ids, _, more, err := u.Delivery.Recent(u.ctx, u.owner(), memory.Place{}, limit)
			if err != nil {
				return Result{}, err
			}
			h, err := u.Delivery.HandOut(u.ctx, u.owner(), delivery.Request{IDs: ids, Token: u.who.TokenID, Conversation: in.Conversation, Begin: true, Within: u.call.Within, Bytes: setting.Int("agent.bytes")})
			if err != nil {
				return Result{}, err
			}
			note := ""
			switch {
			case len(h.Items) == 0:
				note = "Nothing is stored yet."
			case more:
				note = "There are older ones; MemorySearch finds them."
			}
			return u.hand(h, "", note), nil
		},
	}
}
