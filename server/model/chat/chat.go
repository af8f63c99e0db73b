package chat

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
)

// The roles of a Message.
const (
	System     = "system"
	User       = "user"
	Assistant  = "assistant"
	ToolResult = "tool"
)

// Message is one thing said.
type Message struct {
	Role   string // System, User, Assistant, ToolResult
	Text   string
	Calls  []Call // of an Assistant
	CallID string // of a ToolResult: the Call that it answers
	// Raw is the message in OpenAI's form, as another program wrote it. An endpoint that
	// speaks that API is sent it as it is; for others the fields above are there, and the
	// images are taken from it (Images). nil: there is none.
	Raw json.RawMessage
}

// Call is a tool called by a model. Arguments are JSON as the model wrote them, which
// may be anything.
type Call struct{ ID, Name, Arguments string }

// Tool is one that a model may call. Input is the JSON schema of its arguments.
type Tool struct {
	Name, Description string
	Input             json.RawMessage
	Raw               json.RawMessage // in OpenAI's form, as Message.Raw is
}

// Request is what a model is asked.
type Request struct {
	Messages   []Message
	Tools      []Tool
	MostTokens int // of the answer; 0: the provider's or a sane default
	// Fields are further ones of the request in OpenAI's form, by name, as another program
	// wrote them. An endpoint that speaks that API is sent them as they are, another one
	// what it has a word for.
	Fields map[string]json.RawMessage
}

// Event is a piece of an answer. Exactly one field is set.
type Event struct {
	Text string
	Call *Call // whole
	Done *Done // the last one
}

// Why an answer ended.
const (
	StopEnd     = "end"     // the model was through
	StopLength  = "length"  // it was cut by a bound of tokens
	StopCalls   = "calls"   // it waits for the results of its calls
	StopRefused = "refused" // the provider or the model would not say it
)

// CallsMost is how many calls an answer may have.
const CallsMost = 256

// ErrStopped says that nobody reads on.
var ErrStopped = errors.New("nobody reads on")

// Count is a number of tokens that makes sense, whatever the provider says.
func Count(n int64) int { return int(min(max(n, 0), 1<<40)) }

// Done is the end of an answer.
type Done struct {
	Stop  string
	Usage Usage
	Model string // as the provider names it; empty where it doesn't
}

// Usage is what an answer took, in tokens, as the provider counts them.
type Usage struct {
	Input  int // all that was read, Cached included
	Output int
	Cached int // of Input, read from the provider's cache
}

// Tally is what a call to a client cost, whether it ended well or not.
type Tally struct {
	Requests int // that were sent
	Usage    Usage
}

// Client asks a provider's model. It is safe for concurrent use.
type Client interface {
	// Stream asks once. The tally is added to as the answer comes. An error is the
	// last that is yielded: Unavailable where the provider fails, Invalid where it
	// refuses what was said. Whoever stops reading, or ends ctx, ends the request.
	Stream(ctx context.Context, r Request, tally *Tally) iter.Seq2[Event, error]
}
