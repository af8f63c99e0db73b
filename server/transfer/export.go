package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Export writes an account's categories, memories and audit as JSONL, as they are
// at one instant. One export an account, and exportsMost in all, read at a time;
// the others wait.
func (s *Store) Export(ctx context.Context, owner db.AccountID, w io.Writer) error {
	leave, err := s.exports.enter(ctx, owner)
	if err != nil {
		return err
	}
	defer leave()
	return s.db.View(ctx, func(tx *db.Tx) error { return s.export(tx, owner, "", w) })
}

// ExportAll writes those of every account, each line with its account's name.
func (s *Store) ExportAll(ctx context.Context, w io.Writer) error {
	leave, err := s.exports.enter(ctx, 0)
	if err != nil {
		return err
	}
	defer leave()
	return s.db.View(ctx, func(tx *db.Tx) error {
		people, err := account.List(tx)
		if err != nil {
			return err
		}
		for _, p := range people {
			if err := s.export(tx, db.AccountID(p.ID), p.Name, w); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) export(tx *db.Tx, owner db.AccountID, name string, w io.Writer) error {
	out := lineWriter{w: w, account: name}
	categories, err := s.Categories.ListIn(tx, owner)
	if err != nil {
		return err
	}
	names := make(map[int64]string, len(categories))
	for _, c := range categories {
		names[c.ID] = c.Name
		out.write(&api.Line{Type: api.LineCategory, Name: c.Name, Description: c.Description, Color: c.Color, Icon: c.Icon, Default: c.Default})
	}
	for c, err := range s.Memories.Export(tx, owner) {
		if err != nil {
			return err
		}
		if out.write(memoryLine(c, names)); out.err != nil {
			return out.err
		}
	}
	for gone, err := range s.Memories.ExportPurged(tx, owner) {
		if err != nil {
			return err
		}
		out.write(&api.Line{Type: api.LinePurged, Events: named(gone.Events, names)})
	}
	return out.err
}

// lineWriter writes lines until the first error.
type lineWriter struct {
	w       io.Writer
	account string
	buf     bytes.Buffer
	err     error
}

func (l *lineWriter) write(line *api.Line) {
	if l.err != nil {
		return
	}
	line.Account = l.account
	l.buf.Reset()
	e := json.NewEncoder(&l.buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		l.err = fault.Wrap(fault.Internal, err, "")
		return
	}
	if _, err := l.w.Write(l.buf.Bytes()); err != nil {
		l.err = fault.Wrap(fault.Unavailable, err, "The export could not be written to its end.")
	}
}

// memoryLine is a memory as a line.
func memoryLine(c *memory.Carried, names map[int64]string) *api.Line {
	line := &api.Line{
		Type: api.LineMemory, Body: c.Body, Kind: c.Kind, Importance: &c.Importance, Confidence: &c.Confidence, Subject: c.Subject,
		Source: c.Source, Status: c.Status, UseCount: c.UseCount, LastUsedAt: optional(c.LastUsedAt), CreatedAt: optional(c.CreatedAt),
		UpdatedAt: optional(c.UpdatedAt), ReviewedAt: optional(c.ReviewedAt), DeletedAt: optional(c.DeletedAt), DeletedWhy: c.DeletedWhy,
		DeletedBy: c.DeletedBy, DeletedHow: c.DeletedHow,
		Revision: c.Revision, Used: c.Uses, Events: named(c.Events, names), Versions: c.Versions,
	}
	if name, ok := names[c.CategoryID]; ok {
		line.Category = &name
	}
	return line
}

func optional(ms int64) *api.Time {
	if ms == 0 {
		return nil
	}
	return api.Ptr(api.Time(ms))
}

// named gives categories in the audit their names: numbers mean nothing elsewhere.
func named(events []api.LineEvent, names map[int64]string) []api.LineEvent {
	for i := range events {
		events[i].Before = nameCategory(events[i].Before, categoryField, names)
		events[i].After = nameCategory(events[i].After, categoryField, names)
	}
	return events
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
