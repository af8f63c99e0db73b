package mcpd

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/account"
)

type identity = account.Identity

// prompts are what people choose in their clients.
func (h *Handler) prompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name: "recall", Title: "Recall", Description: "Bring in what is stored about something.",
		Arguments: []*mcp.PromptArgument{{Name: "about", Title: "About", Description: "What to recall, as a question or a few words", Required: true}},
	}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		about := strings.TrimSpace(req.Params.Arguments["about"])
		if about == "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "about is missing: say what to recall."}
		}
		found, err := h.use(ctx, "MemorySearch", map[string]any{"query": about})
		if err != nil {
			return nil, err
		}
		return said("What is stored about it", "This is what my memory holds on the question below. Use it where it bears on it, and tell me if it contradicts what you know.\n\n"+found+"\n\nThe question: "+about), nil
	})
	s.AddPrompt(&mcp.Prompt{
		Name: "remember", Title: "Remember", Description: "Save what is worth keeping of this conversation.",
		Arguments: []*mcp.PromptArgument{{Name: "what", Title: "What", Description: "What to keep; without it, whatever will matter later"}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		what := strings.TrimSpace(req.Params.Arguments["what"])
		if what == "" {
			what = "whatever of this conversation will matter in another one: preferences, corrections, decisions with their reasons, facts about people and projects, lessons"
		}
		return said("Save what is worth keeping", "Save to my long-term memory: "+what+".\n\nFirst search with MemorySearch for what is stored about it. Correct what has changed with MemoryUpdate, and save what is new with MemoryAdd: one self-contained statement each, with names and absolute dates, without secrets. Then list in one line each what you saved."), nil
	})
	s.AddPrompt(&mcp.Prompt{
		Name: "review", Title: "Review", Description: "Look over what was saved lately, and tidy it up together.",
	}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		found, err := h.use(ctx, "MemoryListRecent", map[string]any{"limit": 20})
		if err != nil {
			return nil, err
		}
		return said("What was saved lately", "These are the memories that were saved or changed last.\n\n"+found+"\n\nGo through them with me: which are wrong or outdated, which say the same, which are not worth keeping, which would not be understood alone? Propose what to do with each of those; when I agree, do it with MemoryUpdate, MemoryMerge and MemoryDelete."), nil
	})
}

// use runs a tool for a prompt.
func (h *Handler) use(ctx context.Context, name string, args map[string]any) (string, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	text, err := json.Marshal(args)
	if err != nil {
		return "", internal(err)
	}
	r := h.o.Tools.Run(ctx, h.o.Tools.Get(name), h.by(ctx), text)
	if r.Failed {
		return "", &jsonrpc.Error{Code: codeRefused, Message: r.Text}
	}
	return r.Text, nil
}

// said is a prompt of one message.
func said(description, text string) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}
}
