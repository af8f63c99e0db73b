package memory

import (
	"context"
	"encoding/base64"
	"math"
	"strconv"

	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Events pages the audit of one memory, also of one that was purged, or of all
// of the account's (id 0), newest first. Errors: NotFound where the account has
// no such memory and no record of it, Invalid for a cursor that isn't one.
func (s *Store) Events(ctx context.Context, owner db.AccountID, id int64, cursor string, limit int) (api.Page[api.Event], error) {
	var page api.Page[api.Event]
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		page, err = s.events(tx, owner, id, cursor, limit)
		return err
	})
	return page, err
}

func (s *Store) events(tx *db.Tx, owner db.AccountID, id int64, cursor string, limit int) (api.Page[api.Event], error) {
	page := api.Page[api.Event]{Items: []api.Event{}, AsOf: api.Time(tx.Now)}
	bound := setting.Get("list.limit")
	if limit <= 0 {
		limit = int(bound.Default)
	}
	limit = min(limit, int(bound.Max))
	before, err := readCursor(cursor)
	if err != nil {
		return page, err
	}
	viewer := owner
	if id != 0 {
		if owner, err = audited(tx, viewer, id); err != nil {
			return page, err
		}
	}
	where, args := `owner_id = ?`, []any{int64(owner)}
	if id != 0 {
		where, args = `owner_id = ? AND memory_id = ?`, append(args, id)
	}
	if err := tx.Row(`SELECT COUNT(*) FROM memory_event WHERE `+where, args, &page.Total); err != nil {
		return page, err
	}
	list, err := readEvents(tx, where+` AND id < ? ORDER BY id DESC LIMIT ?`, append(args, before, limit+1)...)
	if err != nil {
		return page, err
	}
	if len(list) > limit {
		list = list[:limit]
		page.NextCursor = makeCursor(list[limit-1].id)
	}
	page.Items, err = s.renderEvents(tx, owner, viewer, list)
	return page, err
}

// storedEvent is an entry of the audit as stored.
type storedEvent struct {
	id int64
	event
}

func readEvents(tx *db.Tx, where string, args ...any) ([]storedEvent, error) {
	rows := tx.Query(`SELECT id, memory_id, action, actor, model, reason, revision, at, before_state, after_state, carried, change_id FROM memory_event WHERE `+where, args...)
	defer rows.Close()
	var list []storedEvent
	for rows.Next() {
		var e storedEvent
		var carried int
		if err := rows.Scan(&e.id, &e.memory, &e.action, &e.by.Name, &e.by.Model, &e.reason, &e.revision, &e.at, &e.before, &e.after, &carried, &e.group); err != nil {
			return nil, err
		}
		e.carried = carried != 0
		list = append(list, e)
	}
	return list, rows.Err()
}

// A cursor is the id of the last entry of the page before, made opaque.

func makeCursor(id int64) string {
	return base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, id, 36))
}

func readCursor(cursor string) (int64, error) {
	if cursor == "" {
		return math.MaxInt64, nil
	}
	text, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err == nil {
		var id int64
		if id, err = strconv.ParseInt(string(text), 36, 64); err == nil && id > 0 {
			return id, nil
		}
	}
	return 0, fault.BadField("cursor", "cursor", "", "The cursor is not one of this list. Start again without it.")
}

// text is a body that still exists, and in which revisions it was one.
type text struct {
	revision int64 // the last that had it
	body     string
	hash     string
}

// texts are the bodies of memories that still exist, by memory, in the order of
// their revisions; the present one is the last.
func texts(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64][]text, error) {
	found := map[int64][]text{}
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		args = append([]any{int64(owner)}, args...)
		for _, q := range []string{
			`SELECT memory_id, revision, body FROM memory_version WHERE owner_id = ? AND memory_id IN (` + in + `) ORDER BY memory_id, revision`,
			`SELECT id, revision, body FROM memory WHERE owner_id = ? AND id IN (` + in + `)`,
		} {
			rows := tx.Query(q, args...)
			for rows.Next() {
				var id int64
				var t text
				if err := rows.Scan(&id, &t.revision, &t.body); err != nil {
					rows.Close()
					return nil, err
				}
				t.hash = hashOf(t.body)
				found[id] = append(found[id], t)
			}
			rows.Close()
			if err := rows.Err(); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// diffBudget bounds the bytes of texts that a page of events compares; later
// changes show the hashes.
const diffBudget = 1 << 20

// audited is whose the audit of a memory is, as far as the account may read it; else
// fault.NotFound.
func audited(tx *db.Tx, who db.AccountID, id int64) (db.AccountID, error) {
	pools, err := project.Pools(tx, who)
	if err != nil {
		return 0, err
	}
	homes := []db.AccountID{who}
	for _, p := range pools {
		homes = append(homes, p.Owner)
	}
	for _, home := range homes {
		var n int
		err := tx.Row(`SELECT 1 FROM memory_event WHERE owner_id = ? AND memory_id = ? LIMIT 1`, []any{int64(home), id}, &n)
		if !fault.Is(err, fault.NotFound) {
			return home, err
		}
	}
	r, err := reach(tx, who, id) // without an event of its own
	return db.AccountID(r.owner), err
}

// renderEvents makes the wire form of an owner's entries, for who reads them.
func (s *Store) renderEvents(tx *db.Tx, owner, viewer db.AccountID, list []storedEvent) ([]api.Event, error) {
	out := make([]api.Event, 0, len(list))
	var ids []int64
	seen := map[int64]bool{}
	changes := make([][]change, len(list))
	for i := range list {
		changes[i] = changesOf(&list[i].event)
		for _, c := range changes[i] {
			if c.field == "body" && !seen[list[i].memory] {
				seen[list[i].memory] = true
				ids = append(ids, list[i].memory)
			}
		}
	}
	bodies, err := texts(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	names, err := s.categories.Names(tx, owner)
	if err != nil {
		return nil, err
	}
	people, err := actorsOf(tx, owner, viewer, list)
	if err != nil {
		return nil, err
	}
	budget := diffBudget
	for i := range list {
		e := &list[i]
		v := api.Event{
			ID: e.id, MemoryID: e.memory, Action: e.action, Actor: e.by.Name, Who: who(owner, viewer, people, &e.event), Model: e.by.Model,
			Reason: e.reason, Revision: e.revision, At: api.Time(e.at), Foreign: e.carried, Changes: []api.FieldChange{},
		}
		for _, c := range changes[i] {
			if c.field == "body" {
				v.Restores = restores(bodies[e.memory], e.revision, c.afterText())
			}
			if c.told(e.action) {
				v.Changes = append(v.Changes, c.wire(bodies[e.memory], names, &budget))
			}
		}
		out = append(out, v)
	}
	return out, linkOthers(tx, owner, list, out)
}

// restores tells whether the body after an event can be put back: it exists, is
// what that revision's number leads to, and isn't the present one.
func restores(bodies []text, revision int64, hash string) bool {
	if revision < 1 || len(bodies) == 0 || bodies[len(bodies)-1].hash == hash {
		return false
	}
	for _, t := range bodies {
		if t.revision >= revision {
			return t.hash == hash
		}
	}
	return false
}
