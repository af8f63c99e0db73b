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
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Export writes an account's projects, categories, memories, audit and transcripts, and
// what it wrote into the pools that it may read, as JSONL, as they are
// at one instant. One export an account, and exportsMost in all, read at a time;
// the others wait.
func (s *Store) Export(ctx context.Context, owner db.AccountID, w io.Writer) error {
	leave, err := s.exports.enter(ctx, owner)
	if err != nil {
		return err
	}
	defer leave()
	return s.db.View(ctx, func(tx *db.Tx) error {
		pools, err := project.Pools(tx, owner)
		if err != nil {
			return err
		}
		return s.export(tx, owner, "", pools, w)
	})
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
		pools, err := project.AllPools(tx)
		if err != nil {
			return err
		}
		for _, p := range people {
			if err := s.export(tx, db.AccountID(p.ID), p.Name, pools, w); err != nil {
				return err
			}
		}
		return s.orphans(tx, pools, w)
	})
}

func (s *Store) export(tx *db.Tx, owner db.AccountID, name string, pools []project.Pool, w io.Writer) error {
	out := lineWriter{w: w, account: name}
	categories, err := s.Categories.ListIn(tx, owner)
	if err != nil {
		return err
	}
	slugs, err := s.projects(tx, owner, &out)
	if err != nil {
		return err
	}
	names := make(map[int64]string, len(categories))
	bound := map[int64]string{}
	for _, c := range categories {
		names[c.ID] = c.Name
		if c.ProjectID != nil {
			bound[c.ID] = slugs[*c.ProjectID]
		}
		out.write(categoryLine(&c, bound[c.ID]))
	}
	for c, err := range s.Memories.Export(tx, owner) {
		if err != nil {
			return err
		}
		line := memoryLine(c, names)
		line.Project = bound[c.CategoryID]
		if out.write(line); out.err != nil {
			return out.err
		}
	}
	for _, pool := range pools {
		if err := s.exportPool(tx, pool, owner, slugs[pool.Project], &out); err != nil {
			return err
		}
	}
	for gone, err := range s.Memories.ExportPurged(tx, owner) {
		if err != nil {
			return err
		}
		out.write(&api.Line{Type: api.LinePurged, Events: named(gone.Events, names)})
	}
	if err := s.transcripts(tx, owner, &out); err != nil {
		return err
	}
	return out.err
}

// projects writes those that the account has a part in, and gives the slugs of all.
func (s *Store) projects(tx *db.Tx, owner db.AccountID, out *lineWriter) (map[int64]string, error) {
	if s.Projects == nil {
		return nil, nil
	}
	taken, err := s.Projects.TakenBy(tx, owner)
	if err != nil {
		return nil, err
	}
	for _, p := range taken {
		out.write(&api.Line{Type: api.LineProject, Project: p.Slug, Name: p.Name, Description: p.Description, Roots: p.Roots, Aliases: p.Aliases,
			Sharing: p.Sharing, Member: p.Member, Named: p.Named})
	}
	return project.Slugs(tx)
}

func categoryLine(c *api.Category, slug string) *api.Line {
	return &api.Line{Type: api.LineCategory, Name: c.Name, Description: c.Description, Color: c.Color, Icon: c.Icon, Default: c.Default, Project: slug}
}

// exportPool writes a pool's categories, and what somebody wrote into it.
func (s *Store) exportPool(tx *db.Tx, pool project.Pool, writer db.AccountID, slug string, out *lineWriter) error {
	categories, err := s.Categories.ListIn(tx, pool.Owner)
	if err != nil {
		return err
	}
	names := make(map[int64]string, len(categories))
	for _, c := range categories {
		names[c.ID] = c.Name
	}
	begun := false
	for c, err := range s.Memories.ExportWritten(tx, pool.Owner, writer) {
		if err != nil {
			return err
		}
		if !begun {
			begun = true
			for i := range categories {
				line := categoryLine(&categories[i], slug)
				line.Shared = true
				out.write(line)
			}
		}
		line := memoryLine(c, names)
		line.Project, line.Shared = slug, true
		if out.write(line); out.err != nil {
			return out.err
		}
	}
	return out.err
}

// orphans writes what is in pools and nobody's: what those wrote who are gone, and the
// audit of what was purged.
func (s *Store) orphans(tx *db.Tx, pools []project.Pool, w io.Writer) error {
	out := lineWriter{w: w}
	slugs, err := project.Slugs(tx)
	if err != nil {
		return err
	}
	for _, pool := range pools {
		if err := s.exportPool(tx, pool, pool.Owner, slugs[pool.Project], &out); err != nil {
			return err
		}
		names, err := s.Categories.Names(tx, pool.Owner)
		if err != nil {
			return err
		}
		for gone, err := range s.Memories.ExportPurged(tx, pool.Owner) {
			if err != nil {
				return err
			}
			out.write(&api.Line{Type: api.LinePurged, Project: slugs[pool.Project], Shared: true, Events: named(gone.Events, names)})
		}
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
	line.Category = api.Null[string]() // absent would be the default one
	if name, ok := names[c.CategoryID]; ok {
		line.Category = api.Some(name)
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
