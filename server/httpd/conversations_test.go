package httpd

import (
	"context"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/memory"
	"elowen/server/turn"
	"elowen/shared/api"
)

// held are conversations in which nothing goes on: what a turn would do is not this
// package's.
func held(d *db.DB, memories *memory.Store) *turn.Store {
	s := turn.New(d, turn.Options{Snapshots: journal.NewSnapshots(0), Memories: memories})
	s.Close()
	return s
}

// conversation is one with a message that nobody has answered yet, and one that waits.
func (p *person) conversation(mark string) (id, entry, queued int64) {
	p.Helper()
	id = into[api.Conversation](p, p.must("POST", api.PathConversations, api.ConversationAdd{Title: mark})).ID
	err := p.db.Update(context.Background(), func(tx *db.Tx) error {
		list, err := journal.Append(tx, p.id.Owner, id, 0,
			journal.Draft{Payload: &journal.Message{Role: journal.RoleUser, Content: mark}},
			journal.Draft{Payload: &journal.Message{Role: journal.RoleAssistant, Content: "Yes, " + mark}},
			journal.Draft{Payload: &journal.Message{Role: journal.RoleUser, Content: "And then?"}})
		if err != nil {
			return err
		}
		entry = list[2].ID
		return tx.Row(`INSERT INTO turn_queue (owner_id, conversation_id, content, steer, at) VALUES (?, ?, ?, 0, 0) RETURNING id`, []any{int64(p.id.Owner), id, mark}, &queued)
	})
	if err != nil {
		p.Fatal(err)
	}
	return id, entry, queued
}
