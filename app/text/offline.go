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

	SignOutTitle  = "Sign out and discard what is not sent?"
	SignOutAction = "Discard and sign out"
	SignOutBody   = "They would be sent when the server answers. Signing out removes everything of yours from this browser."
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
