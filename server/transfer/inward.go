package transfer

import (
	"encoding/json"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/shared/api"
)

// inward gives what a line says of actors the numbers that they have here. Numbers that
// the line has name nobody and nothing here, and are taken out.
func (i *importing) inward(tx *db.Tx, t *target, p *parsed) error {
	m, self := &p.memory, t.owner
	if m.Writer != 0 {
		self = m.Writer
	}
	for k := range m.Events {
		e := &m.Events[k]
		if e.Foreign {
			if e.Actor == api.ActorSelf {
				e.Actor = audit.Kind(e.Actor)
			}
			continue
		}
		var err error
		if e.Actor, err = i.actor(tx, e.Actor, self); err != nil {
			return err
		}
		if e.Action == audit.ActionMerge {
			e.After = withoutSources(e.After)
		}
	}
	var err error
	m.DeletedBy, err = i.actor(tx, m.DeletedBy, self)
	return err
}

// actor is audit.Inward. A line that somebody sends for themselves speaks of nobody else.
func (i *importing) actor(tx *db.Tx, name string, self db.AccountID) (string, error) {
	if i.o.Foreign && name != api.ActorSelf {
		return audit.Kind(name), nil
	}
	return audit.Inward(name, self, func(name string) (db.AccountID, error) {
		if id, asked := i.people[name]; asked {
			return id, nil
		}
		p, err := account.ByName(tx, name)
		if err != nil && internal(err) {
			return 0, err
		}
		i.people[name] = db.AccountID(p.ID)
		return i.people[name], nil
	})
}

// withoutSources takes the numbers of what a merge was made of out.
func withoutSources(state string) string {
	start, end, ok := fieldOf(state, audit.FieldSources)
	var ids []json.Number
	if !ok || json.Unmarshal([]byte(state[start:end]), &ids) != nil || len(ids) == 0 {
		return state
	}
	return state[:start] + "[]" + state[end:]
}
