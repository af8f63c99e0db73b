package turn

import (
	"elowen/server/db"
	"elowen/server/journal"
)

// RecallAccount is whose memories may be recalled in a conversation: of a personal one
// its owner's, in a room those of the verified writer of the turn that runs. Where ok is
// false they are nobody's, and nothing is asked of anybody.
func RecallAccount(c journal.Conversation, owner, writer db.AccountID) (who db.AccountID, ok bool) {
	if c.Kind == journal.KindRoom {
		owner = writer
	}
	return owner, owner > 0
}

// whose memories a turn recalls and its tools work on: nobody's in a room, as nothing
// verifies who wrote there.
func (t *turn) whose() (who db.AccountID, ok bool) {
	return RecallAccount(t.row.Conversation, t.owner, 0)
}

// recallProject is the project whose memories are recalled too: never one in a room,
// where only what its writer keeps everywhere belongs.
func recallProject(c journal.Conversation, project int64) int64 {
	if c.Kind == journal.KindRoom {
		return 0
	}
	return project
}
