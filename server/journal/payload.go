package journal

import (
	"encoding/json"
	"fmt"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Type is what an entry is.
type Type string

// The types of entries.
const (
	TypeMessage        Type = "message"
	TypeCompaction     Type = "compaction"
	TypeTurnContext    Type = "turn_context"
	TypeContextCleared Type = "context_cleared"
	TypeLabel          Type = "label"
)

// The roles of messages.
const (
	RoleUser       = "user"
	RoleAssistant  = "assistant"
	RoleToolResult = "toolResult"
)

// Payload is what an entry holds: one of Message, Compaction, TurnContext,
// ContextCleared and Label.
type Payload interface {
	Type() Type
	// refers calls f with a pointer to each entry that it refers to.
	refers(f func(id *int64))
	// check says what is wrong with it, whatever stands around it; nil: nothing.
	check() error
}

// Message is what somebody said, or a tool answered.
type Message struct {
	Role    string `json:"role"`
	Speaker string `json:"speaker,omitempty"` // a name, where several speak
	Content string `json:"content"`
	Calls   []Call `json:"calls,omitempty"`  // of an assistant: the tools that it calls
	CallID  string `json:"callId,omitempty"` // of a tool result: the call that it answers
	// Details are of a tool result, for people; never sent. Their member memoryDeliveries
	// is what the result delivered (Deliveries).
	Details json.RawMessage `json:"details,omitempty"`
	Model   string          `json:"model,omitempty"` // of an assistant: which model spoke; never sent
	Cut     string          `json:"cut,omitempty"`   // of an assistant: why it didn't come to its end; never sent
}

// Why an assistant's message did not come to its end.
const (
	CutStopped = "stopped" // somebody stopped it
	CutError   = "error"   // the model's stream broke, or it would not go on
	CutLength  = "length"  // it reached the bound of what it may answer
)

// Call is a call of a tool.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote them
}

// Compaction stands for everything before its first kept entry.
type Compaction struct {
	Summary      string `json:"summary"`
	FirstKept    int64  `json:"firstKeptEntryId"`
	TokensBefore int    `json:"tokensBefore"` // what the context had before, as its model counts
}

// TurnContext is a block that was put before the model, exactly as it was.
type TurnContext struct {
	Anchor     int64      `json:"anchorEntryId"` // the entry that it stands behind
	Block      string     `json:"block"`
	Deliveries []Delivery `json:"deliveries"`
	Via        string     `json:"via,omitempty"` // what brought it: ViaStart or ViaWorking
}

// What brings memories before a model.
const (
	ViaStart   = "start"   // recall for a person's message
	ViaWorking = "working" // recall while a turn works
	ViaTool    = "tool"    // a tool that the model called
)

// Delivery is a memory that a block or a tool result shows, with the hash of the body
// that it shows.
type Delivery struct {
	Memory   int64  `json:"memoryId"`
	BodyHash string `json:"bodyHash"`
	Why      *Why   `json:"why,omitempty"` // nil: it isn't known
}

// Why is what a memory was picked by, as it was then.
type Why struct {
	Similarity *float64 `json:"similarity,omitempty"` // cosine; nil: words alone found it
	Relevance  float64  `json:"relevance"`
	Importance int      `json:"importance"`
	Vitality   float64  `json:"vitality"`
}

// ContextCleared takes TurnContext entries out of what the model sees.
type ContextCleared struct {
	Cleared []int64 `json:"clearedEntryIds"`
}

// Label is a name for an entry, for people; an empty one takes it off.
type Label struct {
	Entry int64  `json:"entryId"`
	Text  string `json:"text"`
}

// Type implements Payload.
func (Message) Type() Type { return TypeMessage }

// Type implements Payload.
func (Compaction) Type() Type { return TypeCompaction }

// Type implements Payload.
func (TurnContext) Type() Type { return TypeTurnContext }

// Type implements Payload.
func (ContextCleared) Type() Type { return TypeContextCleared }

// Type implements Payload.
func (Label) Type() Type { return TypeLabel }

func (*Message) refers(func(*int64))        {}
func (p *Compaction) refers(f func(*int64)) { f(&p.FirstKept) }
func (p *TurnContext) refers(f func(*int64)) {
	f(&p.Anchor)
}
func (p *ContextCleared) refers(f func(*int64)) {
	for i := range p.Cleared {
		f(&p.Cleared[i])
	}
}
func (p *Label) refers(f func(*int64)) { f(&p.Entry) }

func (p *Message) check() error {
	switch {
	case p.Role != RoleUser && p.Role != RoleAssistant && p.Role != RoleToolResult:
		return fmt.Errorf("a message of the role %q", p.Role)
	case len(p.Calls) > 0 && p.Role != RoleAssistant:
		return fmt.Errorf("tools are called by a message of the role %q", p.Role)
	case (len(p.Details) > 0 || p.CallID != "") && p.Role != RoleToolResult:
		return fmt.Errorf("a message of the role %q answers a call", p.Role)
	case (p.Model != "" || p.Cut != "") && p.Role != RoleAssistant:
		return fmt.Errorf("a model speaks in a message of the role %q", p.Role)
	}
	texts := []string{p.Speaker, p.Content, p.CallID, string(p.Details), p.Model, p.Cut}
	for _, c := range p.Calls {
		texts = append(texts, c.ID, c.Name, c.Arguments)
	}
	if len(p.Details) > 0 && !json.Valid(p.Details) {
		return fmt.Errorf("details that are no JSON")
	}
	return held(texts...)
}

func (p *Compaction) check() error {
	if p.TokensBefore < 0 {
		return fmt.Errorf("%d tokens", p.TokensBefore)
	}
	return held(p.Summary)
}

func (p *TurnContext) check() error {
	if p.Block == "" {
		return fmt.Errorf("an empty block")
	}
	for _, d := range p.Deliveries {
		if d.Memory < 1 || d.BodyHash == "" {
			return fmt.Errorf("a delivery of no memory")
		}
	}
	return held(p.Block)
}

func (p *ContextCleared) check() error {
	if len(p.Cleared) == 0 {
		return fmt.Errorf("nothing is cleared")
	}
	return nil
}

func (p *Label) check() error { return held(p.Text) }

func held(texts ...string) error {
	for _, t := range texts {
		if !db.Holds(t) {
			return fmt.Errorf("text that cannot be stored")
		}
	}
	return nil
}

// blank is an empty payload of a type, to be read into; nil for a type that is none.
func blank(t Type) Payload {
	switch t {
	case TypeMessage:
		return new(Message)
	case TypeCompaction:
		return new(Compaction)
	case TypeTurnContext:
		return new(TurnContext)
	case TypeContextCleared:
		return new(ContextCleared)
	case TypeLabel:
		return new(Label)
	}
	return nil
}

// decode reads a stored payload. Errors: Corrupt.
func decode(t Type, text []byte) (Payload, error) {
	p := blank(t)
	if p == nil {
		return nil, fault.Wrap(fault.Corrupt, fmt.Errorf("an entry of the type %q", t), "An entry of a conversation cannot be read.")
	}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fault.Wrap(fault.Corrupt, err, "An entry of a conversation cannot be read.")
	}
	return p, nil
}
