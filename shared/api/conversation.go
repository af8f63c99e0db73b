package api

import "strconv"

// PathConversations is the route of conversations.
const PathConversations = "/api/conversations"

// ConversationPath is the path of one conversation, with an optional last part such as
// "messages".
func ConversationPath(id int64, part ...string) string { return itemPath(PathConversations, id, part) }

// QueuedPath is the path of a message that waits in a conversation.
func QueuedPath(id, queued int64) string {
	return ConversationPath(id, "queue", strconv.FormatInt(queued, 10))
}

// The states of a conversation.
const (
	ChatIdle        = "idle"        // nothing is going on
	ChatRunning     = "running"     // a turn runs
	ChatFailed      = "failed"      // the last turn failed: Problem says why; it can be tried again
	ChatStopped     = "stopped"     // somebody stopped the last turn; it can be tried again
	ChatInterrupted = "interrupted" // the server ended in the middle of the last turn; it can be tried again
)

// Conversation is one that a model answers in, without what was said.
type Conversation struct {
	ID        int64      `json:"id"`
	Kind      string     `json:"kind"` // chat
	Title     string     `json:"title"`
	ProjectID *int64     `json:"projectId"` // whose memories are recalled too; null: none
	Model     *ModelPick `json:"model"`     // null: the role chat
	LeafID    int64      `json:"leafId"`    // the entry that the active branch ends with; 0: nothing was said yet
	State     string     `json:"state"`
	Problem   string     `json:"problem"`   // of a failed one, in words for people
	RetryAt   *Time      `json:"retryAt"`   // of a failed one: before it there is no use in trying again
	Queued    []Queued   `json:"queued"`    // what waits for the turn that runs, the first one first
	Tokens    int        `json:"tokens"`    // that the context had at the last answer; 0: not known
	Window    int        `json:"window"`    // tokens that the model takes; 0: not known
	CompactAt int        `json:"compactAt"` // percent of Window at which it is summarized; 0: never by itself
	CreatedAt Time       `json:"createdAt"`
	UpdatedAt Time       `json:"updatedAt"`
}

// ModelPick is a provider's model. Both empty are the role chat.
type ModelPick struct {
	Provider string `json:"provider" validate:"omitempty,line=model.provider"`
	Model    string `json:"model" validate:"omitempty,line=model.name"`
}

// Queued is a message that waits.
type Queued struct {
	ID      int64  `json:"id"` // in the queue; the entry that it becomes has another
	Content string `json:"content"`
	Steer   bool   `json:"steer"` // it joins the turn that runs
	At      Time   `json:"at"`
}

// ConversationAdd is the body of POST /api/conversations.
type ConversationAdd struct {
	Title     string     `json:"title,omitempty" validate:"line=conversation.title"`
	ProjectID int64      `json:"projectId,omitzero" validate:"min=0"`
	Model     *ModelPick `json:"model,omitempty"`
}

// ConversationPatch is the body of PATCH /api/conversations/{id}. Absent fields stay.
type ConversationPatch struct {
	Title     *string         `json:"title,omitempty" validate:"omitempty,line=conversation.title"` // empty: it is made anew
	ProjectID Optional[int64] `json:"projectId,omitzero"`                                           // null: none
	Model     *ModelPick      `json:"model,omitempty"`
	// CompactAt is of the account and the conversation's model, in all conversations: 0
	// (never), or 30 to 95 percent; null is the default.
	CompactAt Optional[int] `json:"compactAt,omitzero" validate:"omitempty,setting=conversation.compactPercent"`
}

// MessageSend is the body of POST /api/conversations/{id}/messages.
type MessageSend struct {
	Content string `json:"content" validate:"text=conversation.message"`
	Steer   bool   `json:"steer,omitzero"` // where a turn runs: join it, instead of waiting for its end
	// Edit names a message of a person that this one takes the place of: a branch begins
	// beside it. Refused while a turn runs.
	Edit int64 `json:"edit,omitzero" validate:"min=0"`
}

// MessageSent answers it, with 202: what was accepted is kept, whatever happens.
type MessageSent struct {
	ConversationID int64              `json:"conversationId"`
	Entry          *ConversationEntry `json:"entry"`  // null: it waits
	Queued         *Queued            `json:"queued"` // null: its turn has begun
}

// EntryPick is the body of /leaf and /fork: an entry of the conversation.
type EntryPick struct {
	EntryID int64  `json:"entryId" validate:"min=1"`
	Title   string `json:"title,omitempty" validate:"line=conversation.title"` // of a fork; empty: as it was
	// Newest goes on from the entry to the newest one that was said below it.
	Newest bool `json:"newest,omitempty"`
}

// CompactStart is the body of POST /api/conversations/{id}/compact.
type CompactStart struct {
	Instructions string     `json:"instructions,omitempty" validate:"text=conversation.instructions"`
	Model        *ModelPick `json:"model,omitempty"` // that writes the summary; absent: the conversation's
}

// The types of an entry.
const (
	EntryMessage        = "message"
	EntryCompaction     = "compaction"
	EntryTurnContext    = "turn_context"
	EntryContextCleared = "context_cleared"
	EntryLabel          = "label"
)

// The roles of a message.
const (
	MessageUser       = "user"
	MessageAssistant  = "assistant"
	MessageToolResult = "toolResult"
)

// ConversationEntry is an entry of a conversation. It never changes but for InContext,
// Siblings and what Delivered tells of the present. Which fields it has depends on its
// type.
type ConversationEntry struct {
	ID       int64  `json:"id"`
	ParentID int64  `json:"parentId"` // 0: the first of a branch
	Type     string `json:"type"`
	At       Time   `json:"at"`
	// InContext tells whether the model still sees it.
	InContext bool `json:"inContext"`
	// Siblings are the messages with the same parent, itself included, where there are
	// several: what was said otherwise there. /leaf goes to one.
	Siblings []int64 `json:"siblings,omitempty"`

	// Of a message:
	Role    string     `json:"role,omitempty"`
	Speaker string     `json:"speaker,omitempty"` // where several speak
	Content string     `json:"content,omitempty"`
	Nodes   []Node     `json:"nodes,omitempty"` // Content as Markdown
	Calls   []ToolCall `json:"calls,omitempty"` // of an assistant; the results are entries behind it
	CallID  string     `json:"callId,omitempty"`
	Failed  bool       `json:"failed,omitzero"` // of a tool result
	Model   string     `json:"model,omitempty"` // which one spoke
	Cut     string     `json:"cut,omitempty"`   // why it didn't come to its end: stopped, error

	// Of a turn_context, and of a tool result that showed memories: the chips.
	Via        string      `json:"via,omitempty"` // start, working, tool
	Memories   []Delivered `json:"memories,omitempty"`
	AnchorID   int64       `json:"anchorId,omitzero"`
	ClearedIDs []int64     `json:"clearedIds,omitempty"` // of a context_cleared

	// Of a compaction:
	Summary     string `json:"summary,omitempty"`
	FirstKeptID int64  `json:"firstKeptId,omitzero"`

	// Of a label:
	EntryID int64  `json:"entryId,omitzero"`
	Label   string `json:"label,omitempty"`
}

// ToolCall is a call of a tool.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // as the model wrote them
}

// Delivered is a memory that the model was shown, with why.
type Delivered struct {
	ID   int64  `json:"id"`   // of the memory
	Body string `json:"body"` // the beginning of its body as it is now; empty: it is gone
	// Edited tells that its body is another one by now than the one that was shown.
	Edited    bool `json:"edited"`
	Gone      bool `json:"gone"`      // it is in the trash, or can't be read any more
	InContext bool `json:"inContext"` // the model still sees it
	// Why it was picked, as it was then; null: a tool showed it, or it isn't known.
	Why *DeliveredWhy `json:"why"`
}

// DeliveredWhy is what a memory was picked by.
type DeliveredWhy struct {
	Similarity *float64 `json:"similarity"` // cosine; null: words alone found it
	Relevance  float64  `json:"relevance"`
	Importance int      `json:"importance"`
	Vitality   float64  `json:"vitality"`
}

// ContextMemory is a memory that stands before the model, or has left.
type ContextMemory struct {
	Delivered
	EntryID int64  `json:"entryId"` // that shows it
	Since   Time   `json:"since"`
	Via     string `json:"via"`            // start, working, tool
	Left    string `json:"left,omitempty"` // why it is not there any more: compaction, cleared
	LeftAt  *Time  `json:"leftAt,omitempty"`
}

// ConversationContext answers GET /api/conversations/{id}/context.
type ConversationContext struct {
	Items  []ContextMemory `json:"items"` // in context now, in the order in which they came
	Left   []ContextMemory `json:"left"`  // what was, the last one first
	Tokens int             `json:"tokens"`
	Window int             `json:"window"`
	AsOf   Time            `json:"asOf"`
}

// The phases of a turn that runs.
const (
	PhaseRecalling  = "recalling"  // it waits for memories
	PhaseWaiting    = "waiting"    // the model has not said anything yet
	PhaseAnswering  = "answering"  // the model speaks
	PhaseTool       = "tool"       // tools work
	PhaseCompacting = "compacting" // a summary is written
)

// TurnNow is what goes on in a conversation at the moment.
type TurnNow struct {
	Phase string `json:"phase"`
	Since Time   `json:"since"`          // the phase began
	Tool  string `json:"tool,omitempty"` // the name of the one that works
}
