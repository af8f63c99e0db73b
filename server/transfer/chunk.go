package transfer

import (
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// jsonlSource is the origin of lines in import_source.
const jsonlSource = "jsonl"

// chunk writes a chunk of lines in one decision, and tells their fates.
func (i *importing) chunk(c *chunk) error {
	err := i.decide(func(tx *db.Tx) error { return i.write(tx, c.lines) })
	if err != nil {
		return err
	}
	for _, p := range c.lines {
		i.tell(p)
	}
	return nil
}

// write decides on each line of a chunk and brings in what is new.
func (i *importing) write(tx *db.Tx, lines []*parsed) error {
	byTarget := map[*target][]*parsed{}
	var order []*target
	for _, p := range lines {
		if p.err != nil {
			continue
		}
		t, err := i.target(tx, p)
		if err != nil {
			if internal(err) {
				return err
			}
			p.err = err
			continue
		}
		if p.kind == api.LineProject {
			i.projectFate(p)
			continue
		}
		if p.kind == api.LineTranscript {
			i.transcriptFate(p)
			continue
		}
		if p.in, err = i.project(tx, t, p); err != nil {
			if internal(err) {
				return err
			}
			p.err = err
			continue
		}
		if p.kind == api.LineCategory {
			t.categoryFate(p)
			continue
		}
		if byTarget[t] == nil {
			order = append(order, t)
		}
		byTarget[t] = append(byTarget[t], p)
	}
	for _, t := range order {
		if err := i.memories(tx, t, byTarget[t]); err != nil {
			return err
		}
	}
	return nil
}

// internal tells an error of the store from one of a line.
func internal(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound, fault.Taken, fault.TooLarge:
		return false
	}
	return true
}

// categoryFate tells the fate of a category's line; it was made before the memories.
func (t *target) categoryFate(p *parsed) {
	p.fate.Fate = api.FateExisting
	switch {
	case t.fresh[p.number]:
		p.fate.Fate = api.FateAdded
	case t.gone[p.number]:
		p.fate.Fate = api.FateKept
	}
}

// memories brings an account's lines in.
func (i *importing) memories(tx *db.Tx, t *target, lines []*parsed) error {
	known, err := i.known(tx, t, lines)
	if err != nil {
		return err
	}
	var fresh, purged []*parsed
	var home int64
	var ok, asked bool
	for _, p := range lines {
		switch m, there := known[p]; {
		case there:
			p.fate.Fate, p.fate.ID = api.FateExisting, m.memory
			if m.edited {
				p.fate.Fate = api.FateKept
			}
			continue
		case p.kind == api.LinePurged:
			purged = append(purged, p)
		default:
			switch {
			case p.unnamed && !t.pool:
				if !asked {
					if home, ok, err = i.home(tx, t); err != nil {
						return err
					}
					asked = true
				}
				p.memory.CategoryID, p.filed = home, ok
			case p.category != "":
				p.memory.CategoryID, _, err = i.shelf(tx, t, api.CategoryAdd{Name: p.category, ProjectID: p.in})
				if err != nil && internal(err) {
					return err
				}
				if p.err = err; err != nil {
					continue
				}
			}
			fresh = append(fresh, p)
		}
		p.fate.Fate = api.FateAdded
	}
	if err := i.fade(tx, fresh); err != nil {
		return err
	}
	if i.o.DryRun {
		return nil
	}
	return i.insert(tx, t, fresh, purged)
}

// fade marks the memories that the sweep would take as they come in.
func (i *importing) fade(tx *db.Tx, fresh []*parsed) error {
	terms, err := i.Settings.Terms(tx)
	if err != nil {
		return err
	}
	for _, p := range fresh {
		if p.faded, err = p.memory.Due(terms.Policy, tx.Now); err != nil {
			return err
		}
	}
	return nil
}

func (i *importing) insert(tx *db.Tx, t *target, fresh, purged []*parsed) error {
	for _, list := range [][]*parsed{fresh, purged} {
		for _, p := range list {
			if err := i.inward(tx, t, p); err != nil {
				return err
			}
		}
	}
	list := make([]memory.Carried, len(fresh))
	for n, p := range fresh {
		list[n] = p.memory
	}
	var ids []int64
	var err error
	if len(list) > 0 {
		ids, err = i.Memories.Insert(tx, t.owner, i.o.By, i.reason, list)
	}
	if err != nil {
		return err
	}
	audits := make([][]api.LineEvent, len(purged))
	for n, p := range purged {
		audits[n] = p.memory.Events
	}
	gone, err := i.Memories.InsertPurged(tx, t.owner, i.o.By, audits)
	if err != nil {
		return err
	}
	for n, p := range fresh {
		p.fate.ID = ids[n]
		t.claimed[ids[n]] = true
	}
	for n, p := range purged {
		p.fate.ID = gone[n]
	}
	var origins []origin
	for _, p := range append(fresh, purged...) {
		origins = append(origins, origin{p.identity, p.fate.ID})
	}
	return remember(tx, t.owner, i.source, origins)
}
