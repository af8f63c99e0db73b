package api

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The types of line.
const (
	LineCategory   = "category"
	LineMemory     = "memory"
	LineProject    = "project"
	LineTranscript = "transcript"
	LinePurged     = "purged" // the audit of a memory that was purged; has Events only
)

// Line is one line of an export or import (JSONL). Only Type and, for a memory,
// Body are needed on the way in.
type Line struct {
	Type    string `json:"type" validate:"oneof=memory category purged project transcript"`
	Account string `json:"account,omitempty" validate:"max=64"` // only where all accounts are exported

	Body       string           `json:"body,omitempty"`
	Kind       string           `json:"kind,omitempty"`
	Importance *int             `json:"importance,omitempty"`
	Confidence *float64         `json:"confidence,omitempty"`
	Subject    string           `json:"subject,omitempty"`
	Category   Optional[string] `json:"category,omitzero"` // by name; null is none, absent the account's default one
	Project    string           `json:"project,omitempty"` // by slug: of a project its own; else where the category belongs, or what is shared
	Shared     bool             `json:"shared,omitempty"`  // of the project's pool
	Source     string           `json:"source,omitempty"`
	Status     string           `json:"status,omitempty"`
	UseCount   int64            `json:"useCount,omitempty"`
	LastUsedAt *Time            `json:"lastUsedAt,omitempty"`
	CreatedAt  *Time            `json:"createdAt,omitempty"`
	UpdatedAt  *Time            `json:"updatedAt,omitempty"`
	ReviewedAt *Time            `json:"reviewedAt,omitempty"`
	DeletedAt  *Time            `json:"deletedAt,omitempty"`
	DeletedWhy string           `json:"deletedWhy,omitempty"`
	DeletedBy  string           `json:"deletedBy,omitempty"`  // the actor, as in the audit
	DeletedHow string           `json:"deletedHow,omitempty"` // trash, auto-evict or merge
	Revision   int64            `json:"revision,omitempty"`
	Used       []Use            `json:"usedAt,omitempty"`
	Events     []LineEvent      `json:"events,omitempty"`
	Versions   []LineVersion    `json:"versions,omitempty"`

	Name        string `json:"name,omitempty"` // of a category or project
	Description string `json:"description,omitempty"`
	Color       int    `json:"color,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Default     bool   `json:"default,omitempty"`

	// Of a project, and what the account is in it:
	Roots   []string `json:"roots,omitempty"`
	Aliases []string `json:"aliases,omitempty"`
	Sharing bool     `json:"sharing,omitempty"`
	Member  bool     `json:"member,omitempty"`
	Named   bool     `json:"named,omitempty"`

	// Of a transcript. One that is too long for a line is in several that follow each
	// other: each has some of the turns, and which part of how many it is.
	Surface      string        `json:"surface,omitempty"`
	StartedAt    *Time         `json:"startedAt,omitempty"`
	Participants []Participant `json:"participants,omitempty"`
	Turns        []TurnAdd     `json:"turns,omitempty"`
	Part         int           `json:"part,omitempty"`
	Parts        int           `json:"parts,omitempty"`
}

// The kinds of use.
const (
	UseRecall     = "recall"
	UseReinforced = "reinforced" // moves the last use, not the count
)

// Use is one use of a memory. A recall travels as its bare time, any other use as
// an object; both are read.
type Use struct {
	At   Time   `json:"at"`
	Kind string `json:"kind"`
}

// MarshalJSON writes the shorter form where it says all.
func (u Use) MarshalJSON() ([]byte, error) {
	if u.Kind == UseRecall {
		return u.At.MarshalJSON()
	}
	type object Use
	return json.Marshal(object(u))
}

// UnmarshalJSON reads either form.
func (u *Use) UnmarshalJSON(b []byte) error {
	*u = Use{Kind: UseRecall}
	if len(b) == 0 || b[0] != '{' {
		return u.At.UnmarshalJSON(b)
	}
	var fields map[string]json.RawMessage // by their exact names, which a struct would not insist on
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	for name, value := range fields {
		var err error
		switch name {
		case "at":
			err = u.At.UnmarshalJSON(value)
		case "kind":
			err = json.Unmarshal(value, &u.Kind)
		default:
			err = fmt.Errorf("a use has no field %q", name)
		}
		if err != nil {
			return err
		}
	}
	if _, ok := fields["at"]; !ok {
		return errors.New("a use needs its time, at")
	}
	return nil
}

// LineEvent is an audit event as it travels. Before and After are the stored JSON, but
// for numbers, which mean nothing elsewhere: categories have their names, a merge's
// sources the hashes of their bodies.
type LineEvent struct {
	Action   string   `json:"action"`
	Actor    string   `json:"actor"` // ActorSelf, user:NAME, user, token, agent, daemon, migration, import
	Model    string   `json:"model,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Revision int64    `json:"revision,omitempty"`
	At       Time     `json:"at"`
	Before   string   `json:"before,omitempty"`
	After    string   `json:"after,omitempty"`
	Scopes   []string `json:"scopes,omitempty"` // what the token that did it was allowed to do
	Foreign  bool     `json:"foreign,omitempty"`
}

// ActorSelf is, in a line, the account whose line it is.
const ActorSelf = "self"

// LineVersion is an earlier body as it travels.
type LineVersion struct {
	Revision int64  `json:"revision"`
	Body     string `json:"body"`
	At       Time   `json:"at"`
}

// The formats of an import.
const (
	FormatJSONL            = "jsonl"  // our own lines
	FormatElowen           = "elowen" // the older system's database; at a terminal only
	FormatMem0             = "mem0"
	FormatMCPMemory        = "mcp-memory"         // the reference memory server's graph
	FormatMCPMemoryService = "mcp-memory-service" // the service of that name
	FormatBasicMemory      = "basic-memory"
	FormatChatGPT          = "chatgpt"
	FormatClaude           = "claude"
	FormatMarkdown         = "markdown"
	FormatText             = "text"
)

// ImportFormats are the formats of files that people bring with them.
func ImportFormats() []string {
	return []string{FormatChatGPT, FormatClaude, FormatMem0, FormatMCPMemory, FormatMCPMemoryService, FormatBasicMemory, FormatMarkdown, FormatText, FormatJSONL}
}

// The fates of a line.
const (
	FateAdded    = "added"
	FateExisting = "existing" // it was there already, unchanged
	FateKept     = "kept"     // imported before and edited since: the edit stays
	FateRefused  = "refused"
	FateHeld     = "held" // it would be added, but something else of the import was refused
)

// LineFate says what became of one line.
type LineFate struct {
	Line    int    `json:"line"`           // from 1; of a file of another system where the thing begins, 0 for the file as a whole
	File    string `json:"file,omitempty"` // where there are several
	Fate    string `json:"fate"`
	ID      int64  `json:"id,omitempty"`
	Message string `json:"message,omitempty"`
	Text    string `json:"text,omitempty"` // how it begins
	// CreatedAt is when the memory was made, where the line says it.
	CreatedAt *Time `json:"createdAt,omitempty"`
}

// ImportReport answers an import.
type ImportReport struct {
	DryRun   bool   `json:"dryRun"`
	Format   string `json:"format"`
	Detected bool   `json:"detected,omitempty"` // nobody named the format
	Lines    int    `json:"lines"`
	Added    int    `json:"added"`
	Existing int    `json:"existing"`
	Kept     int    `json:"kept"`
	Refused  int    `json:"refused"`
	Held     int    `json:"held,omitempty"`   // not added, since something else was refused: all or nothing
	Broken   bool   `json:"broken,omitempty"` // a file cannot be read to its end; leaving out what is refused doesn't help
	Filed    int    `json:"filed"`            // of those added: named no category and went to the default one
	Faded    int    `json:"faded,omitempty"`  // of those added or held: below the floor already, for the next sweep to take
	DueNow   int    `json:"dueNow"`           // how many of all that is there a sweep would find eligible at once
	// Categories are those that it makes, by name.
	Categories []string   `json:"categories,omitempty"`
	Fates      []LineFate `json:"fates"` // each line's fate; with many lines those that were not added, at most 1,000
	Notes      []string   `json:"notes"`
}
