package transfer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"elowen/server/audit"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// olderActions are the older system's names of what our audit calls otherwise.
var olderActions = map[string]string{"delete": "trash", "categorize": "category"}

// migrationReason stands in the audit beside a rank that moved to the scale of ten.
const migrationReason = "importance moved from five levels to ten"

// rank is an importance of the file on the scale of ten.
func (o *older) rank(importance int) int {
	row := setting.Get("memory.importance")
	if o.ten {
		return int(row.Clamp(float64(importance)))
	}
	return 2*min(max(importance, 1), 5) - 1
}

// identity names a row of the file. The number alone would not do: it was given
// again after a purge.
func (m *olderMemory) identity() string { return fmt.Sprintf("%d@%s", m.id, m.createdText) }

func (c olderCategory) identity() string { return fmt.Sprintf("category:%d:%s", c.id, c.name) }

// carried is a row as our store takes it, with its history. category is ours. now
// is the instant of the import.
func (o *older) carried(m *olderMemory, category int64, now int64) memory.Carried {
	c := memory.Carried{
		Body: m.body, Kind: m.kind, Importance: o.rank(m.importance), Confidence: m.confidence, CategoryID: category,
		Source: source(m.source), Status: m.status, UseCount: m.useCount, LastUsedAt: m.used, CreatedAt: m.created, UpdatedAt: m.updated,
	}
	for _, at := range m.uses {
		c.Uses = append(c.Uses, api.Use{At: api.Time(at), Kind: api.UseRecall})
	}
	o.carryEvents(m, &c)
	if o.ten || c.Importance == m.importance {
		return c
	}
	c.Revision++
	c.Events = append(c.Events, api.LineEvent{
		Action: "update", Actor: audit.ActorMigration, Reason: migrationReason, Revision: c.Revision, At: api.Time(now),
		Before: fmt.Sprintf(`{"importance":%d}`, m.importance), After: fmt.Sprintf(`{"importance":%d}`, c.Importance),
	})
	return c
}

// carryEvents keeps the row's audit as it was, numbers the revisions that the
// older system didn't count, and makes versions of the texts that it holds.
func (o *older) carryEvents(m *olderMemory, c *memory.Carried) {
	revision, last, known := int64(0), "", false
	for n, e := range m.events {
		before, hadBefore := bodyOf(e.before)
		after, hasAfter := bodyOf(e.after)
		if n == 0 && hadBefore {
			revision = 1 // whatever came before was not kept
		}
		if hadBefore && hasAfter && before != after {
			c.Versions = append(c.Versions, api.LineVersion{Revision: revision, Body: before, At: api.Time(e.at)})
		}
		revision++
		if hasAfter {
			last, known = after, true
		}
		out := o.event(e, revision)
		if m.status == api.StatusDeleted && (out.Action == "trash" || out.Action == "auto-evict") {
			c.DeletedAt, c.DeletedWhy = e.at, e.reason
			c.DeletedBy, _, _ = strings.Cut(out.Actor, ":") // the number names somebody else here
			c.DeletedHow = out.Action
		}
		c.Events = append(c.Events, out)
	}
	c.Revision = max(revision, 1)
	if known && last != m.body { // an edit that was not audited
		c.Versions = append(c.Versions, api.LineVersion{Revision: c.Revision, Body: last, At: api.Time(m.updated)})
		c.Revision++
	}
}

// event is one entry of the older audit as ours keeps it.
func (o *older) event(e olderEvent, revision int64) api.LineEvent {
	action := e.action
	if ours, ok := olderActions[action]; ok {
		action = ours
	}
	return api.LineEvent{
		Action: action, Actor: e.actor, Model: e.model, Reason: e.reason, Revision: revision, At: api.Time(e.at),
		Before: o.state(e.before), After: o.state(e.after), Foreign: true,
	}
}

// state keeps a state byte for byte, but for the number of a category, which would
// name another one here.
func (o *older) state(text string) string { return nameCategory(text, "category_id", o.names) }

func bodyOf(state string) (string, bool) {
	if state == "" {
		return "", false
	}
	var s struct {
		Body *string `json:"body"`
	}
	if json.Unmarshal([]byte(state), &s) != nil || s.Body == nil {
		return "", false
	}
	return *s.Body, true
}

// source is where a memory came from, in our words.
func source(text string) string {
	switch text {
	case api.SourceUser, api.SourceAgent, api.SourceCurator, api.SourceMerge, api.SourceMaintenance, api.SourceVoice, api.SourceChat, api.SourceTeamChat:
		return text
	case "dream", "dreaming":
		return api.SourceMaintenance
	}
	return api.SourceImport
}

// sorted are rows by their number.
func sorted[R any](m map[int64]R) []R {
	list := make([]R, 0, len(m))
	for _, id := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[id])
	}
	return list
}
