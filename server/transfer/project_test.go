package transfer_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/project"
	"elowen/server/transfer"
	"elowen/shared/api"
)

var boss = account.Identity{Scopes: []string{api.ScopeAdmin}}

// harbor is a project that ann and bob share, with what each wrote into its pool and
// what ann keeps in it for herself.
func (h *house) harbor() int64 {
	h.t.Helper()
	return h.project(api.ProjectAdd{Name: "The Harbor", Slug: "harbor", Description: "ships", Roots: []string{"/srv/harbor"}, Aliases: []string{"port"}, Sharing: true},
		api.ProjectMemberSet{Name: "ann", Member: api.Ptr(true), Named: api.Ptr(true)}, api.ProjectMemberSet{Name: "bob", Member: api.Ptr(true), Named: api.Ptr(true)})
}

// project makes a project with members.
func (h *house) project(in api.ProjectAdd, members ...api.ProjectMemberSet) int64 {
	h.t.Helper()
	ctx := context.Background()
	p, err := h.in.Projects.Add(ctx, boss, in)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range members {
		if _, err := h.in.Projects.SetMember(ctx, boss, p.ID, 0, m); err != nil {
			h.t.Fatal(err)
		}
	}
	return p.ID
}

func (h *house) add(owner db.AccountID, in api.MemoryAdd) api.Memory {
	h.t.Helper()
	m, err := h.in.Memories.Add(context.Background(), owner, audit.Actor{Name: fmt.Sprint("user:", owner)}, api.SourceUser, in)
	if err != nil {
		h.t.Fatal(err)
	}
	return m.Memory
}

func sortedLines(text string) []string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(list)
	return slices.Compact(list)
}

// What is exported of everything, imported into an empty store, is exported the same.
func TestProjectsTravel(t *testing.T) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, clock *dbtest.Clock) {
		a := open(t, d)
		ann, bob := a.person("ann"), a.person("bob")
		id := a.harbor()
		a.add(ann, api.MemoryAdd{Body: "ann's, outside"})
		a.add(ann, api.MemoryAdd{Body: "ann's, in the harbor", ProjectID: id})
		a.add(ann, api.MemoryAdd{Body: "ann's for all", ProjectID: id, Shared: true})
		m := a.add(bob, api.MemoryAdd{Body: "bob's for all", ProjectID: id, Shared: true})
		gone := a.add(bob, api.MemoryAdd{Body: "bob's, purged", ProjectID: id, Shared: true})
		ctx := context.Background()
		by := audit.Actor{Name: "user:1"}
		if _, err := a.in.Memories.Patch(ctx, ann, by, m.ID, 0, api.MemoryPatch{Body: api.Ptr("bob's for all, by ann")}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.in.Memories.Trash(ctx, ann, by, gone.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := a.in.Memories.Purge(ctx, ann, by, []int64{gone.ID}); err != nil {
			t.Fatal(err)
		}
		text := a.exported()
		b := open(t, dbtest.Open(t, clock))
		dry := b.importAll(text, transfer.Options{By: by, Projects: true, DryRun: true})
		r := b.importAll(text, transfer.Options{By: by, Projects: true})
		if r.Refused != 0 || dry.Refused != 0 || dry.Added != r.Added {
			t.Errorf("dry %+v\nthen %+v", dry, r)
		}
		if was, is := sortedLines(text), sortedLines(b.exported()); !slices.Equal(was, is) {
			t.Errorf("was\n%s\nis\n%s", strings.Join(was, "\n"), strings.Join(is, "\n"))
		}
		if again := b.importAll(text, transfer.Options{By: by, Projects: true}); again.Added != 0 || again.Refused != 0 {
			t.Errorf("again: %+v", again)
		}
		// Whoever may read there reads there, and sees who wrote.
		page := b.shared(b.owner("ann"))
		if len(page) != 2 || page["bob's for all, by ann"] != "bob" || page["ann's for all"] != "ann" {
			t.Errorf("%v", page)
		}
	})
}

// shared are the memories of the pools that an account may read, with their writers.
func (h *house) shared(who db.AccountID) map[string]string {
	h.t.Helper()
	out := map[string]string{}
	err := h.d.View(context.Background(), func(tx *db.Tx) error {
		pools, err := project.Pools(tx, who)
		if err != nil {
			return err
		}
		for _, pool := range pools {
			var ids []int64
			for b, err := range h.in.Memories.Briefs(tx, pool.Owner, nil) {
				if err != nil {
					return err
				}
				ids = append(ids, b.ID)
			}
			list, err := h.in.Memories.Rows(tx, who, ids)
			if err != nil {
				return err
			}
			for _, m := range list {
				out[m.Body] = m.Writer
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// One's own export has what one wrote, as long as one may read it; brought in by
// somebody who doesn't run the instance it makes no project and opens no pool.
func TestProjectsOfOnesOwn(t *testing.T) {
	a := open(t, dbtest.Open(t, nil))
	ann, bob, cid := a.person("ann"), a.person("bob"), a.person("cid")
	id := a.harbor()
	a.add(ann, api.MemoryAdd{Body: "ann's for all", ProjectID: id, Shared: true})
	a.add(bob, api.MemoryAdd{Body: "bob's for all", ProjectID: id, Shared: true})
	a.add(ann, api.MemoryAdd{Body: "ann's, in the harbor", ProjectID: id})
	own := func(who db.AccountID) string {
		var b bytes.Buffer
		if err := a.Export(context.Background(), who, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := own(ann)
	if !strings.Contains(text, "ann's for all") || strings.Contains(text, "bob's") || !strings.Contains(text, `"type":"project","project":"harbor"`) {
		t.Errorf("%s", text)
	}
	o := transfer.Options{By: audit.Actor{Name: "user:3"}, Foreign: true}
	for _, o.DryRun = range []bool{true, false} {
		r := a.importTo(cid, text, o)
		if r.Refused != 5 || r.Added != 0 { // the project, its two categories, and what is in them
			t.Errorf("%+v", r)
		}
	}
	if r := a.importTo(bob, text, o); r.Refused != 0 {
		t.Errorf("%+v", r)
	}
	if got := a.shared(bob); len(got) != 2 || got["ann's for all"] != "ann" {
		t.Errorf("%v", got)
	}
	if _, err := a.in.Projects.RemoveMember(context.Background(), boss, id, 0, "ann"); err != nil {
		t.Fatal(err)
	}
	if text := own(ann); strings.Contains(text, "for all") || strings.Contains(text, "ships") {
		t.Errorf("after she was taken out: %s", text)
	}
}
