package text

import "elowen/shared/api"

// Of what is seen and done without a connection.
const (
	NewVersion   = "A new version is ready."
	Install      = "Install"
	InstallNote  = "In a window of its own, with an icon. It works without a network too."
	NotKept      = "This list is not kept on this device. The ones that you looked at last are."
	NotKeptOne   = "This memory is not kept on this device"
	NotKeptWhy   = "It was not looked at before the connection went. It is shown as soon as the server answers."
	NoChartKept  = "Its curve and history are shown as soon as the server answers."
	WillBeSent   = "Kept here. It is sent as soon as the server answers."
	QueueFull    = "Too many changes wait already. This one was not kept; what you typed still stands here."
	QueueTitle   = "Changes that are not sent"
	QueueNone    = "Nothing waits to be sent."
	RestoreFirst = "This memory is in the trash. Restore it there first, then send the change again."
	QueueNote    = "They are sent in this order as soon as the server answers. Each happens once, also if an answer gets lost."
	DropChange   = "Discard"
	Dropped      = "Discarded"
	ShowQueue    = "Show"
	OpenForm     = "Open in the form"
	SendAgain    = "Send again"
	WaitingFlag  = "waiting"
	ConflictFlag = "changed elsewhere too"
	RefusedFlag  = "not accepted"
	SentAll      = "Everything has been sent"
	TheirsNow    = "On the server"

	HeldFlag         = "open in the form"
	TrashedFlag      = "in the trash meanwhile"
	TrashedMeanwhile = "This went to the trash while you were typing."
	RestoreMine      = "Restore and save mine"
	LeaveInTrash     = "Leave it in the trash"
	InTrashNow       = "In the trash"
	SentMeanwhile    = "It has just been sent."
	UnsentNote       = "This memory is not sent yet. It is as soon as the server answers."
	UnsentGone       = "This memory has been sent"
	UnsentGoneWhy    = "It stands in the list now."

	FinishFirst  = "Finish or discard this one first. The other waits."
	UnsavedNew   = "A new memory is not saved:"
	UnsavedEdit  = "An edit is not saved:"
	UnsavedMerge = "A merge is not saved:"
	GoOn         = "Go on"
	StartAnew    = "Discard and start anew"
	MergeGone    = "Not all that was to be merged is there any more. Your text stands here as a new memory."
	GoneAsNew    = "Your text stands here as a new memory"
	AsNew        = "Make a new memory of it"
	StrayDraft   = "What you typed for it is kept:"

	SessionIsOver     = "Your session has ended"
	SessionIsOverKept = "What you typed is kept on this device. Sign in again to go on."
	SessionIsOverWhy  = "Sign in again to go on. What you typed and did not save is kept on this device."
	SignInElsewhere   = "Go to the sign-in page"
	SignedInAgain     = "Signed in again"

	NotKeptHere = "Not kept offline"

	SignOutTitle  = "Sign out and discard what is not sent?"
	SignOutAction = "Discard and sign out"
	SignOutBody   = "They would be sent when the server answers. Signing out removes everything of yours from this browser."

	SignOutAloneTitle  = "Leave without the server?"
	SignOutAloneAction = "Wipe and leave"
	SignOutAloneBody   = "The server does not answer, so it cannot end the session now. Everything of yours is removed from this browser at once; the session is ended when this browser next reaches the server."
)

// AsOf says how old what is seen is, while there is no connection.
func AsOf(now, at api.Time) string {
	if at == 0 {
		return "Not connected."
	}
	age := Ago(now, at)
	if age == "now" {
		age = "a moment ago"
	}
	return "As of " + age + ", not connected."
}

// Waits counts changes that are not sent.
func Waits(n int) string {
	if n == 1 {
		return "1 change waits"
	}
	return Number(n) + " changes wait"
}

// Stuck counts changes that need a decision.
func Stuck(n int) string {
	if n == 1 {
		return "1 change needs a look"
	}
	return Number(n) + " changes need a look"
}

// Undelivered counts changes that signing out would lose.
func Undelivered(n int) string {
	if n == 1 {
		return "1 change has not been sent."
	}
	return Number(n) + " changes have not been sent."
}

// KeptRows counts the rows that are here without a connection.
func KeptRows(n int) string { return Memories(n) + " kept on this device" }

// ChangeName says what a change does.
func ChangeName(action string, n int) string {
	switch action {
	case "add":
		return "New memory"
	case "edit":
		return "Edit"
	case api.BulkTrash:
		return "To the trash" + ofMany(n)
	case api.BulkRestore:
		return "Restore" + ofMany(n)
	}
	return "Change the " + action + ofMany(n)
}

func ofMany(n int) string {
	if n < 2 {
		return ""
	}
	return ", " + Memories(n)
}

// WaitingTo is the mark of a row for which a change waits.
func WaitingTo(action string) string {
	switch action {
	case api.BulkTrash:
		return "waiting: trash"
	case api.BulkRestore:
		return "waiting: restore"
	}
	return WaitingFlag
}

// WaitingNew heads the new memories that are not sent.
func WaitingNew(n int) string { return Count(n, "new memory", "new memories") + " waiting" }

// KeptFrom says since when a draft is kept, and how many others are.
func KeptFrom(age string, others int) string {
	if age == "now" {
		age = "a moment ago"
	}
	if others > 0 {
		return "kept from " + age + ", and " + Count(others, "other", "others")
	}
	return "kept from " + age
}

// KeptHere says that what stands in a form was typed some time ago.
func KeptHere(age string) string {
	if age == "now" {
		age = "a moment ago"
	}
	return "Your text is kept from " + age + ". It is not saved yet."
}

// Searching says how many rows a search without the server has looked through.
func Searching(n int) string {
	return "Searching the " + Count(n, "row", "rows") + " kept here. The others are searched as soon as the server answers."
}

// NotKeptSince says that a page is not kept, and since when the server is away.
func NotKeptSince(age string) string {
	if age == "" {
		return "Not kept offline. It is shown as soon as the server answers."
	}
	if age == "now" {
		age = "a moment ago"
	}
	return "Not kept offline. What is kept is from " + age + "; this is shown as soon as the server answers."
}

// PasswordOf labels the password of somebody whose session has ended.
func PasswordOf(name string) string { return "Password of " + name }
