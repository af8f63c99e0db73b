package audit

import (
	"fmt"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Entry is an entry of the audit.
type Entry struct {
	ID       int64 // of one that was read
	Memory   int64
	Revision int64 // that the change led to; 0: none
	At       int64 // Unix milliseconds
	Action   string
	By       Actor
	Reason   string
	Before   string // JSON of the changed fields; empty: none
	After    string
	Carried  bool         // brought in from elsewhere: not counted by the ledger
	Writer   db.AccountID // whom it counts for in a pool; 0: the owner
	Group    int64        // of the change of many that it belongs to; 0: none
}

const insertQuery = `INSERT INTO memory_event (id, owner_id, memory_id, action, actor, model, reason, revision, at, before_state, after_state, carried, change_id, writer_id, scopes)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// Write appends to an owner's audit, in order.
func Write(tx *db.Tx, owner db.AccountID, list ...Entry) error {
	if len(list) == 0 {
		return nil
	}
	first, err := tx.NewIDs(owner, "memory_event", len(list))
	if err != nil {
		return err
	}
	for i := range list {
		e := &list[i]
		carried := 0
		if e.Carried {
			carried = 1
		}
		if _, err := tx.Exec(insertQuery, first+int64(i), int64(owner), e.Memory, e.Action, e.By.Name, e.By.Model, e.Reason, e.Revision, e.At,
			e.Before, e.After, carried, e.Group, int64(e.Writer), e.By.Scopes); err != nil {
			return err
		}
	}
	return nil
}

// NewGroup is a number for the entries of a change of many.
func NewGroup(tx *db.Tx, owner db.AccountID) (int64, error) { return tx.NewID(owner, "memory_event") }

// EraseAccount removes an account's audit. The store lets it go only for an account
// that is marked for it.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM memory_event WHERE owner_id = ?`, int64(owner))
	return err
}

// Line is the entry as it travels, with the numbers that are in it.
func (e *Entry) Line() api.LineEvent {
	return api.LineEvent{
		Action: e.Action, Actor: e.By.Name, Model: e.By.Model, Reason: e.Reason, Revision: e.Revision, At: api.Time(e.At),
		Before: e.Before, After: e.After, Scopes: e.By.scopes(), Foreign: e.Carried,
	}
}

// FromLine is an entry that travelled, for a memory here. It stays as it was, except
// that a body's text in it becomes its hash, and one that says no actor came by the
// import.
func FromLine(memory int64, l api.LineEvent) (Entry, error) {
	e := Entry{
		Memory: memory, Revision: l.Revision, At: int64(l.At), Action: l.Action, By: Actor{Name: l.Actor, Model: l.Model, Scopes: strings.Join(l.Scopes, ",")}, Reason: l.Reason, Carried: l.Foreign,
	}
	if e.By.Name == "" {
		e.By.Name = ActorImport
	}
	var err error
	if e.Before, err = hashed(l.Before); err == nil {
		e.After, err = hashed(l.After)
	}
	return e, err
}

// CheckLines refuses what Write cannot take as it is, with fault.Invalid and the field.
func CheckLines(list []api.LineEvent) error {
	for i := range list {
		l := &list[i]
		for _, s := range append([]string{l.Action, l.Actor, l.Model, l.Reason, l.Before, l.After}, l.Scopes...) {
			if !db.Holds(s) {
				return fault.BadField(fmt.Sprintf("events[%d]", i), "text", "", "The event holds a NUL character or is not valid UTF-8.")
			}
		}
	}
	return nil
}
