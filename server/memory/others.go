package memory

import (
	"encoding/json"

	"elowen/server/db"
	"elowen/shared/api"
)

// otherText is how many bytes of another memory an event shows.
const otherText = 160

// linkOthers names the other memories that events are about: what a merge was made
// of, and what a source was merged into. Numbers that came from elsewhere name
// nothing here.
func linkOthers(tx *db.Tx, owner db.AccountID, list []storedEvent, out []api.Event) error {
	var groups []int64
	for i := range list {
		if e := &list[i]; e.action == actionTrash && e.group != 0 {
			groups = append(groups, e.group)
		}
	}
	into, err := mergedInto(tx, owner, groups)
	if err != nil {
		return err
	}
	about := make([][]int64, len(list))
	var ids []int64
	for i := range list {
		e := &list[i]
		switch {
		case e.carried:
		case e.action == actionMerge:
			var sources []int64
			if json.Unmarshal(stateOf(e.after)["sources"], &sources) == nil {
				about[i] = sources
			}
		case e.action == actionTrash && into[e.group] != 0:
			about[i] = []int64{into[e.group]}
		}
		ids = append(ids, about[i]...)
	}
	if len(ids) == 0 {
		return nil
	}
	beginnings, err := beginningsOf(tx, owner, ids)
	if err != nil {
		return err
	}
	for i := range about {
		for _, id := range about[i] {
			out[i].Others = append(out[i].Others, api.Other{ID: id, Body: beginnings[id]})
		}
	}
	return nil
}

// beginningsOf are the first words of memories, by id.
func beginningsOf(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]string, error) {
	found := map[int64]string{}
	for len(ids) > 0 {
		n := min(len(ids), db.InMost)
		in, args := db.In(ids[:n])
		ids = ids[n:]
		rows := tx.Query(`SELECT id, SUBSTR(body, 1, ?) FROM memory WHERE owner_id = ? AND id IN (`+in+`)`, append([]any{otherText, int64(owner)}, args...)...)
		for rows.Next() {
			var id int64
			var body string
			if err := rows.Scan(&id, &body); err != nil {
				rows.Close()
				return nil, err
			}
			found[id] = body
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	return found, nil
}
