package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"elowen/server/account"
	"elowen/server/db"
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
	mine := &outward{tx: tx, memories: s.Memories, owner: owner, self: owner, categories: names}
	for c, err := range s.Memories.Export(tx, owner) {
		if err != nil {
			return err
		}
		line, err := mine.memory(c)
		if err != nil {
			return err
		}
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
		if err := mine.events(gone.Events); err != nil {
			return err
		}
		out.write(&api.Line{Type: api.LinePurged, Events: gone.Events})
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
	o := &outward{tx: tx, memories: s.Memories, owner: pool.Owner, self: writer, categories: names, shared: true}
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
		line, err := o.memory(c)
		if err != nil {
			return err
		}
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
		o := &outward{tx: tx, memories: s.Memories, owner: pool.Owner, self: pool.Owner, categories: names, shared: true}
		for gone, err := range s.Memories.ExportPurged(tx, pool.Owner) {
			if err != nil {
				return err
			}
			if err := o.events(gone.Events); err != nil {
				return err
			}
			out.write(&api.Line{Type: api.LinePurged, Project: slugs[pool.Project], Shared: true, Events: gone.Events})
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

func optional(ms int64) *api.Time {
	if ms == 0 {
		return nil
	}
	return api.Ptr(api.Time(ms))
}
