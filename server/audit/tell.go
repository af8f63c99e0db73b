package audit

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/shared/api"
)

// Text is a body that still exists.
type Text struct {
	Revision int64 // the last that had it
	Body     string
	hash     string
}

// NewText is a body that a memory had up to a revision.
func NewText(revision int64, body string) Text { return Text{revision, body, Hash(body)} }

// Teller puts an owner's entries into words.
type Teller struct {
	Owner, Viewer db.AccountID
	Categories    map[int64]string // the owner's, by id

	// Texts are the bodies of memories that still exist, by memory, in the order of
	// their revisions; the present one is the last.
	Texts func(memories []int64) (map[int64][]Text, error)
	// Beginnings are the first words of memories that are there, by memory.
	Beginnings func(memories []int64) (map[int64]string, error)
	// Bodies are the memories that have bodies of these hashes, by hash.
	Bodies func(hashes []string) (map[string]int64, error)
}

// diffBudget bounds the bytes of texts that a list of entries compares; later
// changes show the hashes.
const diffBudget = 1 << 20

// Tell is the wire form of entries, for the viewer.
func (t Teller) Tell(tx *db.Tx, list []Entry) ([]api.Event, error) {
	out := make([]api.Event, 0, len(list))
	var ids []int64
	seen := map[int64]bool{}
	changes := make([][]change, len(list))
	for i := range list {
		changes[i] = list[i].changes()
		for _, c := range changes[i] {
			if c.field == "body" && !seen[list[i].Memory] {
				seen[list[i].Memory] = true
				ids = append(ids, list[i].Memory)
			}
		}
	}
	bodies, err := t.Texts(ids)
	if err != nil {
		return nil, err
	}
	who, err := t.who(tx, list)
	if err != nil {
		return nil, err
	}
	budget := diffBudget
	for i := range list {
		e := &list[i]
		v := api.Event{
			ID: e.ID, MemoryID: e.Memory, Action: e.Action, Actor: e.By.Name, Who: who.Words(e.By.Name, e.Action, e.Carried), Model: e.By.Model,
			Reason: e.Reason, Revision: e.Revision, At: api.Time(e.At), Foreign: e.Carried, Changes: []api.FieldChange{},
		}
		v.Scopes = e.By.scopes()
		for _, c := range changes[i] {
			if c.field == "body" {
				v.Restores = restores(bodies[e.Memory], e.Revision, plain(c.after))
			}
			if c.told(e.Action) {
				v.Changes = append(v.Changes, c.wire(bodies[e.Memory], t.Categories, &budget))
			}
		}
		out = append(out, v)
	}
	return out, t.linkOthers(tx, list, out)
}

// who are the people, and the tokens, that did what the entries say.
func (t Teller) who(tx *db.Tx, list []Entry) (Who, error) {
	w := Who{Viewer: t.Viewer, Shared: t.Owner != t.Viewer}
	var ids []db.AccountID
	var tokens []int64
	for i := range list {
		if id := Account(list[i].By.Name); id != 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if id := Token(list[i].By.Name); id != 0 && !slices.Contains(tokens, id) {
			tokens = append(tokens, id)
		}
	}
	var err error
	if len(tokens) > 0 {
		if w.Tokens, err = account.TokensNamed(tx, tokens); err != nil {
			return w, err
		}
	}
	if !w.Shared {
		return w, nil
	}
	for _, of := range w.Tokens {
		ids = append(ids, of.Owner)
	}
	w.People, err = account.NamesOf(tx, ids)
	return w, err
}

// restores tells whether the body after an entry can be put back: it exists, is
// what that revision's number leads to, and isn't the present one.
func restores(bodies []Text, revision int64, hash string) bool {
	if revision < 1 || len(bodies) == 0 || bodies[len(bodies)-1].hash == hash {
		return false
	}
	for _, t := range bodies {
		if t.Revision >= revision {
			return t.hash == hash
		}
	}
	return false
}

// linkOthers names the other memories that entries are about: what a merge was made
// of, and what a source was merged into. Numbers that came from elsewhere name
// nothing here.
func (t Teller) linkOthers(tx *db.Tx, list []Entry, out []api.Event) error {
	var groups []int64
	for i := range list {
		if e := &list[i]; e.Action == ActionTrash && e.Group != 0 {
			groups = append(groups, e.Group)
		}
	}
	into, err := MergedInto(tx, t.Owner, groups)
	if err != nil {
		return err
	}
	about := make([][]int64, len(list))
	var ids []int64
	for i := range list {
		e := &list[i]
		switch {
		case e.Carried:
		case e.Action == ActionMerge:
			if about[i], err = t.sources(e); err != nil {
				return err
			}
		case e.Action == ActionTrash && into[e.Group] != 0:
			about[i] = []int64{into[e.Group]}
		}
		ids = append(ids, about[i]...)
	}
	if len(ids) == 0 {
		return nil
	}
	beginnings, err := t.Beginnings(ids)
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

// sources are the memories that a merge was made of: by number, or, where it came from
// elsewhere, by the hashes of their bodies, as far as they are as they were.
func (t Teller) sources(e *Entry) ([]int64, error) {
	value := Fields(e.After)[FieldSources]
	var ids []int64
	if json.Unmarshal(value, &ids) == nil {
		return ids, nil
	}
	var hashes []string
	if json.Unmarshal(value, &hashes) != nil || len(hashes) == 0 {
		return nil, nil
	}
	found, err := t.Bodies(hashes)
	ids = nil
	for _, h := range hashes {
		if id, ok := found[h]; ok {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// told tells whether a change is worth a word: not where the entry's action says
// it, and not what a new memory begins with.
func (c *change) told(action string) bool {
	switch c.field {
	case "reviewedAt":
		return false
	case "status":
		return action == ActionUpdate
	case FieldSources:
		return true
	}
	return c.before != nil
}

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
func (c *change) wire(bodies []Text, names map[int64]string, budget *int) api.FieldChange {
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

func bodyOf(bodies []Text, hash string) (string, bool) {
	for _, t := range bodies {
		if t.hash == hash {
			return t.Body, true
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
