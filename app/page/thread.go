package page

import (
	"elowen/shared/api"
	"elowen/shared/live"
)

// The thread of a conversation is what was asked for of its branch, and behind that the
// window that the server keeps up to date. Each entry is the parent of the next one.

// entriesOf are the entries among rows: all but how the conversation stands, and what is
// being said.
func entriesOf(rows []live.TalkRow) []live.TalkRow {
	var list []live.TalkRow
	for i := range rows {
		if rows[i].Entry != nil {
			list = append(list, rows[i])
		}
	}
	return list
}

// olderOf is what stands before a new window of a conversation, given what stood before
// the last one: what has left the window joins it. Where the new window belongs to
// another branch, or begins further on, there is nothing: it is to be asked for anew.
func olderOf(older, was, now []live.TalkRow) []live.TalkRow {
	now = entriesOf(now)
	if len(now) == 0 {
		return nil
	}
	first := now[0].Entry
	var kept []live.TalkRow
	for _, r := range append(older[:len(older):len(older)], entriesOf(was)...) {
		if r.Entry.ID < first.ID {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 || kept[len(kept)-1].Entry.ID != first.ParentID {
		return nil
	}
	return leave(kept, now)
}

// leave says of older entries that they are out of the model's context, where one of a
// window takes them out: nothing tells of them any more.
func leave(older, window []live.TalkRow) []live.TalkRow {
	firstKept, cleared := int64(0), map[int64]bool{}
	for i := range window {
		firstKept = max(firstKept, window[i].Entry.FirstKeptID)
		for _, id := range window[i].Entry.ClearedIDs {
			cleared[id] = true
		}
	}
	for i := range older {
		if e := older[i].Entry; e.InContext && (e.ID < firstKept || cleared[e.ID]) {
			out := *e
			out.InContext = false
			older[i].Entry = &out
		}
	}
	return older
}

// earlierOf is a page of a branch without what is here already, which begins with the
// entry first. fits tells whether it ends where that begins: one that was read while the
// branch was another one doesn't.
func earlierOf(page []api.ConversationEntry, first *api.ConversationEntry) (rows []live.TalkRow, fits bool) {
	for i := range page {
		if e := &page[i]; first == nil || e.ID < first.ID {
			rows = append(rows, live.TalkRow{ID: e.ID, Entry: e})
		}
	}
	return rows, len(rows) == 0 || first == nil || rows[len(rows)-1].ID == first.ParentID
}

// answered finds the results of the calls of each entry among rows, in the order of the
// calls; nil where one isn't answered. Ids of calls are told apart within one answer of
// a model only, so a result belongs to the last answer before it. taken are the results
// that are found, which are shown with their calls.
func answered(rows []live.TalkRow) (results map[int64][]*api.ConversationEntry, taken map[int64]bool) {
	results, taken = map[int64][]*api.ConversationEntry{}, map[int64]bool{}
	var answer *api.ConversationEntry
	for i := range rows {
		e := rows[i].Entry
		switch {
		case e == nil:
		case e.Role == api.MessageAssistant:
			answer = e
			results[e.ID] = make([]*api.ConversationEntry, len(e.Calls))
		case e.Role == api.MessageToolResult && answer != nil:
			for j, c := range answer.Calls {
				if c.ID == e.CallID && results[answer.ID][j] == nil {
					results[answer.ID][j], taken[e.ID] = e, true
					break
				}
			}
		}
	}
	return results, taken
}
