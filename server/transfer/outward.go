package transfer

import (
	"bytes"
	"encoding/json"
	"strconv"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
)

// outward makes lines of an owner's memories. Numbers mean nothing elsewhere: what
// they stand for goes by its name, or by its hash.
type outward struct {
	tx         *db.Tx
	memories   *memory.Store
	owner      db.AccountID     // whose memories
	self       db.AccountID     // whose lines
	categories map[int64]string // the owner's, by id
	shared     bool             // the memories are a pool's, whose readers know each other
	people     map[db.AccountID]account.Named
}

// memory is a memory as a line.
func (o *outward) memory(c *memory.Carried) (*api.Line, error) {
	if err := o.events(c.Events); err != nil {
		return nil, err
	}
	by := c.DeletedBy
	if err := o.meet(by); err != nil {
		return nil, err
	}
	line := &api.Line{
		Type: api.LineMemory, Body: c.Body, Kind: c.Kind, Importance: &c.Importance, Confidence: &c.Confidence, Subject: c.Subject,
		Source: c.Source, Status: c.Status, UseCount: c.UseCount, LastUsedAt: optional(c.LastUsedAt), CreatedAt: optional(c.CreatedAt),
		UpdatedAt: optional(c.UpdatedAt), ReviewedAt: optional(c.ReviewedAt), DeletedAt: optional(c.DeletedAt), DeletedWhy: c.DeletedWhy,
		DeletedBy: audit.Outward(by, o.self, o.people), DeletedHow: c.DeletedHow,
		Revision: c.Revision, Used: c.Uses, Events: c.Events, Versions: c.Versions,
	}
	line.Category = api.Null[string]() // absent would be the default one
	if name, ok := o.categories[c.CategoryID]; ok {
		line.Category = api.Some(name)
	}
	return line, nil
}

// events gives what the audit has as numbers its names.
func (o *outward) events(list []api.LineEvent) error {
	for i := range list {
		e := &list[i]
		e.Before = nameCategory(e.Before, categoryField, o.categories)
		e.After = nameCategory(e.After, categoryField, o.categories)
		if e.Foreign {
			continue // it names nobody and nothing
		}
		if err := o.meet(e.Actor); err != nil {
			return err
		}
		e.Actor = audit.Outward(e.Actor, o.self, o.people)
		if e.Action == audit.ActionMerge {
			var err error
			if e.After, err = o.sources(e.After); err != nil {
				return err
			}
		}
	}
	return nil
}

// meet asks for the name of an actor whom readers of a pool are told of.
func (o *outward) meet(actor string) error {
	id := audit.Account(actor)
	if _, met := o.people[id]; met || id == 0 || !o.shared {
		return nil
	}
	found, err := account.NamesOf(o.tx, []db.AccountID{id})
	if o.people == nil {
		o.people = map[db.AccountID]account.Named{}
	}
	if p, ok := found[id]; ok {
		o.people[id] = p
	}
	return err
}

// sources names what a merge was made of by the hashes of the bodies.
func (o *outward) sources(state string) (string, error) {
	start, end, ok := fieldOf(state, audit.FieldSources)
	var ids []int64
	if !ok || json.Unmarshal([]byte(state[start:end]), &ids) != nil {
		return state, nil
	}
	hashes, err := o.memories.Hashes(o.tx, o.owner, ids)
	if err != nil {
		return state, err
	}
	text, err := json.Marshal(hashes)
	return state[:start] + string(text) + state[end:], err
}

// categoryField is the audit's field of a category.
const categoryField = "categoryId"

// nameCategory replaces the number of a category in a state by its name, and
// leaves every other byte as it is. A category that is gone keeps a name that says so.
func nameCategory(state, field string, names map[int64]string) string {
	start, end, ok := fieldOf(state, field)
	if !ok {
		return state
	}
	id, err := strconv.ParseInt(state[start:end], 10, 64)
	if err != nil {
		return state // null, or a name already
	}
	name, ok := names[id]
	if !ok {
		name = "category " + state[start:end]
	}
	text, err := json.Marshal(name)
	if err != nil {
		return state
	}
	return state[:start] + string(text) + state[end:]
}

// fieldOf finds the value of an object's field, as a range of bytes.
func fieldOf(state, field string) (start, end int, ok bool) {
	d := json.NewDecoder(bytes.NewReader([]byte(state)))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return 0, 0, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return 0, 0, false
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return 0, 0, false
		}
		if name == field {
			end = int(d.InputOffset())
			return end - len(value), end, true
		}
	}
	return 0, 0, false
}
