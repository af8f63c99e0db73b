package memory

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
)

// change is one field of an event, as stored: raw JSON, nil where the event
// doesn't have it.
type change struct {
	field         string
	before, after json.RawMessage
}

// fieldOrder is the order in which people read the fields of a change.
var fieldOrder = []string{"body", "kind", "importance", "confidence", "categoryId", "subject", "status", "source", "useCount", "lastUsedAt", "reviewedAt", "sources"}

// otherNames are the names that the older system's audit has for the same.
var otherNames = map[string]string{"category_id": "categoryId", "use_count": "useCount", "last_used_at": "lastUsedAt"}

// ownBusiness are fields of other systems' states that say nothing of a change.
var ownBusiness = []string{"id", "user_id", "created_at", "updated_at"}

// changesOf are the fields that differ between an event's two states.
func changesOf(e *event) []change {
	before, after := stateOf(e.before), stateOf(e.after)
	var list []change
	for name, v := range after {
		if old, ok := before[name]; !ok || string(old) != string(v) {
			list = append(list, change{name, old, v})
		}
	}
	for name, old := range before {
		if _, ok := after[name]; !ok {
			list = append(list, change{name, old, nil})
		}
	}
	rank := func(c change) int {
		if i := slices.Index(fieldOrder, c.field); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	slices.SortFunc(list, func(a, b change) int {
		if x, y := rank(a), rank(b); x != y {
			return x - y
		}
		return strings.Compare(a.field, b.field)
	})
	return list
}

// stateOf reads a stored state. What isn't one has no fields.
func stateOf(text string) map[string]json.RawMessage {
	if text == "" {
		return nil
	}
	var s map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &s) != nil {
		return nil
	}
	for other, name := range otherNames {
		if v, ok := s[other]; ok {
			s[name] = v
			delete(s, other)
		}
	}
	for _, name := range ownBusiness {
		delete(s, name)
	}
	return s
}

// told tells whether a change is worth a word: not where the event's action says
// it, and not what a new memory begins with.
func (c *change) told(action string) bool {
	switch c.field {
	case "reviewedAt":
		return false
	case "status":
		return action == actionUpdate
	case "sources":
		return true
	}
	return c.before != nil
}

func (c *change) afterText() string { return plain(c.after) }

// plain is a JSON value as text: a string's content, nothing for null.
func plain(v json.RawMessage) string {
	var s string
	switch {
	case len(v) == 0 || string(v) == "null":
		return ""
	case v[0] == '"' && json.Unmarshal(v, &s) == nil:
		return s
	case v[0] == '[':
		return strings.ReplaceAll(strings.Trim(string(v), "[]"), ",", ", ")
	}
	return string(v)
}

// wire is the change in words. Bodies come as a diff where both still exist.
func (c *change) wire(bodies []text, names map[int64]string, budget *int) api.FieldChange {
	out := api.FieldChange{Field: c.field, Before: plain(c.before), After: plain(c.after)}
	switch c.field {
	case "body":
		before, ok := bodyOf(bodies, out.Before)
		after, ok2 := bodyOf(bodies, out.After)
		if size := len(before) + len(after); ok && ok2 && size <= *budget {
			*budget -= size
			out.Diff = diff(before, after)
		}
		out.Before, out.After = short(out.Before), short(out.After)
	case "categoryId":
		out.Before, out.After = categoryName(out.Before, names), categoryName(out.After, names)
	case "lastUsedAt":
		out.Before, out.After = instantText(out.Before), instantText(out.After)
	}
	return out
}

func bodyOf(bodies []text, hash string) (string, bool) {
	for _, t := range bodies {
		if t.hash == hash {
			return t.body, true
		}
	}
	return "", false
}

// short is a hash as people compare it; anything else that stands in its place
// (another system's text) is not shown.
func short(hash string) string {
	if !isHash(hash) {
		return ""
	}
	return hash[:8]
}

// deletedCategory stands for a category that is gone: its number says nothing.
const deletedCategory = "a deleted category"

func categoryName(id string, names map[int64]string) string {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		// A name, from elsewhere. An export names what was gone there by its number.
		if number, ok := strings.CutPrefix(id, "category "); ok && isNumber(number) {
			return deletedCategory
		}
		return id
	}
	if name, ok := names[n]; ok {
		return name
	}
	return deletedCategory
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 63)
	return err == nil
}

func instantText(ms string) string {
	n, err := strconv.ParseInt(ms, 10, 64)
	switch {
	case err != nil:
		return ms
	case n == 0:
		return ""
	}
	return api.Time(n).String()
}

// who is an event's actor in words, as its memory's owner reads them. Another
// account's name is nobody's business here, and a number that came from elsewhere
// names nobody.
func who(owner, viewer db.AccountID, people map[db.AccountID]account.Named, e *event) string {
	if owner != viewer {
		return sharedWords(viewer, people, e.by.Name, e.action, e.carried)
	}
	return actorWords(owner, e.by.Name, e.action, e.carried)
}

// sharedWords is actorWords in a pool, whose readers are told each other's names.
func sharedWords(viewer db.AccountID, people map[db.AccountID]account.Named, name, action string, carried bool) string {
	if id := actorID(name); id != 0 && id != viewer && !carried {
		if p, ok := people[id]; ok {
			return p.DisplayName
		}
	}
	switch kind, _, _ := strings.Cut(name, ":"); kind {
	case "token":
		return "A program with a token"
	case ActorAgent:
		return "An assistant"
	}
	return actorWords(viewer, name, action, carried)
}

// actorID is the account that an actor's name tells, 0 where it tells none.
func actorID(name string) db.AccountID {
	kind, id, _ := strings.Cut(name, ":")
	n, err := strconv.ParseInt(id, 10, 64)
	if kind != "user" || err != nil || n < 0 {
		return 0
	}
	return db.AccountID(n)
}

// actorsOf are the people who did what a pool's entries say, by id.
func actorsOf(tx *db.Tx, owner, viewer db.AccountID, list []storedEvent) (map[db.AccountID]account.Named, error) {
	if owner == viewer {
		return nil, nil
	}
	var ids []db.AccountID
	for i := range list {
		if id := actorID(list[i].by.Name); id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return account.NamesOf(tx, ids)
}

func actorWords(owner db.AccountID, name, action string, carried bool) string {
	actor, id, _ := strings.Cut(name, ":")
	switch actor {
	case "user":
		if !carried && id == strconv.FormatInt(int64(owner), 10) {
			return "You"
		}
		return "A person"
	case "token":
		return "A program with your token"
	case ActorAgent:
		return "Your assistant"
	case ActorDaemon:
		if action == actionEvict {
			return "Daily sweep"
		}
		return "Elowen"
	case ActorMigration:
		return "The move from the older system"
	case ActorImport:
		return "The import"
	case "":
		return "Somebody"
	}
	return strings.ToUpper(actor[:1]) + actor[1:]
}
