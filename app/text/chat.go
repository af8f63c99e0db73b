package text

import (
	"strconv"

	"elowen/shared/api"
)

// Of the page of conversations.
const (
	Chat            = "Chat"
	Conversations   = "Conversations"
	OneConversation = "Conversation"
	WasSaid         = "What was said"
	NewChat         = "New"
	NewChatTitle    = "New conversation"
	Untitled        = "Untitled"
	ChatEmptyHead   = "Ask something"
	ChatEmptyWhy    = "What you have told elowen is looked up for each message, and you see which memories the model was shown."
	NoChatModel     = "No chat model is set up, so nobody can answer."
	NoChatsYet      = "No conversations yet."
	MessageField    = "Message"
	MessageHint     = "Write a message"
	SteerHint       = "Steer this answer, or queue what comes next"
	SendAs          = "Send as"
	Steer           = "Steer"
	QueueIt         = "Queue"
	Send            = "Send"
	SendAnew        = "Send anew"
	StopTurn        = "Stop"
	Writing         = "Writing"
	Assistant       = "elowen"
	EditMessage     = "Say it anew"
	EditingMessage  = "What you send takes the place of that message. The old one is kept as another branch."
	ForkHere        = "Fork from here"
	CopyMessage     = "Copy text"
	MessageActions  = "What to do with this message"
	ChatActions     = "What to do with this conversation"
	RenameChat      = "Rename"
	ForkChat        = "Fork into a new conversation"
	CompactChat     = "Summarize to make room"
	ClearChat       = "Take recalled memories out of the context"
	DeleteChat      = "Delete…"
	DeleteChatHead  = "Delete this conversation?"
	DeleteChatWhy   = "Everything that was said in it goes, for good. The memories stay."
	DeletedChat     = "Conversation deleted"
	ClearedContext  = "Recalled memories are out of the context"
	Compacting      = "The summary is being written"
	ChatTitleField  = "Title"
	ChatTitleHint   = "Leave it empty for one of its own"
	InContextNow    = "In context now"
	ShowContext     = "Show what is in context"
	HideContext     = "Hide what is in context"
	NothingInside   = "No memory is before the model."
	RecalledStart   = "Recalled at start"
	RecalledWorking = "Recalled while working"
	ShownByTool     = "Shown by a tool"
	LeftContext     = "Left the context"
	LeftCompaction  = "at compaction"
	LeftCleared     = "taken out"
	MayComeAgain    = "may be recalled again"
	EditedSince     = "edited since"
	GoneSince       = "gone since"
	OutOfContext    = "no longer in context"
	Summarized      = "What was said before is summarized here"
	ContextCleared  = "Earlier recalled memories were taken out of the context"
	EarlierMessages = "Earlier messages"
	OtherWording    = "Other wordings of this message"
	OlderWording    = "The wording before"
	NewerWording    = "The next wording"
	CutStopped      = "stopped"
	CutError        = "broken off"
	TurnStopped     = "The answer was stopped. What was said is kept."
	TurnInterrupted = "The server ended in the middle of this answer. What was said is kept."
	Waiting         = "waits"
	WaitingSteer    = "joins this answer"
	TakeBack        = "Take it back"
	WritingNow      = "writing"
	FailedNow       = "failed"
	ProjectNone     = "No project"
	ModelDefault    = "The usual model"
	ModelOf         = "Model"
	MessageNotText  = "The message holds something that is no text."
	ToolResult      = "Result"
	ToolArguments   = "Arguments"
	ToConversations = "All conversations"
	CompactNever    = "never compacts by itself"
)

// Phase says what a turn does at the moment.
func Phase(t api.TurnNow) string {
	switch t.Phase {
	case api.PhaseRecalling:
		return "Looking for memories"
	case api.PhaseWaiting:
		return "Waiting for the model"
	case api.PhaseTool:
		if t.Tool != "" {
			return "Using " + t.Tool
		}
		return "Using a tool"
	case api.PhaseCompacting:
		return "Summarizing what was said"
	}
	return Writing
}

// Via heads what was recalled in a way.
func Via(via string) string {
	switch via {
	case "working":
		return RecalledWorking
	case "tool":
		return ShownByTool
	}
	return RecalledStart
}

// PickedBy says by what a memory was picked.
func PickedBy(d api.Delivered) []string {
	var said []string
	if d.Why != nil {
		if d.Why.Similarity != nil {
			said = append(said, "similarity "+Percent(*d.Why.Similarity))
		}
		said = append(said, Importance(d.Why.Importance), "vitality "+strconv.Itoa(int(d.Why.Vitality)))
	}
	switch {
	case d.Gone:
		said = append(said, GoneSince)
	case d.Edited:
		said = append(said, EditedSince)
	}
	return said
}

// ContextShare is how full a model's context is.
func ContextShare(percent, compactAt int) string {
	s := strconv.Itoa(percent) + "% of context, "
	if percent == 0 {
		s = "under 1% of context, "
	}
	if compactAt == 0 {
		return s + CompactNever
	}
	return s + "compacts at " + strconv.Itoa(compactAt) + "%"
}

// InsideOf counts what stands before the model.
func InsideOf(n int) string { return Memories(n) }

// WordingOf is which of several wordings of a message is shown.
func WordingOf(i, n int) string { return strconv.Itoa(i) + " of " + strconv.Itoa(n) }

// RetryFrom says that trying again makes sense from an instant on.
func RetryFrom(when string) string { return "It may be tried again from " + when + "." }
