package transfer_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/project"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// sharing is a later state of the older system's file, in which the harbor shares: bela
// and cid work there, and anna has a category of her own in it. Of what is shared anna
// wrote 15, bela 29.
func sharing(t *testing.T, more ...string) string {
	return variant(t, append([]string{
		`ALTER TABLE projects ADD COLUMN memory_shared INTEGER NOT NULL DEFAULT 0`,
		`CREATE TABLE project_memory_members (project_id INTEGER NOT NULL, user_id INTEGER NOT NULL, PRIMARY KEY (project_id, user_id))`,
		`UPDATE projects SET memory_shared = 1`,
		`INSERT INTO users (id, username, password_hash) VALUES (3, 'cid', 'x')`,
		`INSERT INTO user_projects VALUES (2, 1), (3, 1)`,
		`INSERT INTO memory_categories (id, user_id, name, project_id) VALUES (9, 0, 'harbor (shared)', 1)`,
		`UPDATE memories SET category_id = 9 WHERE category_id IN (2, 4)`,
	}, more...)...)
}

// sharedWith are how many shared memories each of them may read here.
func (h *house) sharedWith(names ...string) (counts []int) {
	for _, name := range names {
		counts = append(counts, len(h.shared(h.owner(name))))
	}
	return counts
}

func TestElowenShared(t *testing.T) {
	for name, c := range map[string]struct {
		more    []string
		work    string
		readers []int // how much anna, bela and cid read
		note    string
	}{
		// Anna works there by her category: that doesn't open to her what is shared.
		"with members": {nil, "harbor[/srv/harbor] shares anna bela(named) cid(named)", []int{0, 44, 44},
			"Made the project harbor (/srv/harbor) with anna, bela, cid."},
		"with members only": {[]string{`INSERT INTO user_projects VALUES (1, 1)`},
			"harbor[/srv/harbor] shares anna bela cid", []int{44, 44, 44}, "Made the project harbor (/srv/harbor) with anna, bela, cid."},
		"with those named": {[]string{`INSERT INTO project_memory_members VALUES (1, 3)`},
			"harbor[/srv/harbor] shares anna bela cid(named)", []int{0, 0, 44}, "Made the project harbor (/srv/harbor) with anna, bela, cid."},
		"with one who isn't a member": {[]string{`INSERT INTO project_memory_members VALUES (1, 3)`, `DELETE FROM user_projects`},
			"harbor[/srv/harbor] shares anna cid(only)(named)", []int{0, 0, 44}, "Made the project harbor (/srv/harbor) with anna, cid."},
		"with nobody": {[]string{`UPDATE projects SET memory_shared = 0`},
			"harbor[/srv/harbor] anna bela cid", []int{0, 0, 0}, "Made the project harbor (/srv/harbor) with anna, bela, cid."},
		"with somebody who is gone": {[]string{`INSERT INTO project_memory_members VALUES (1, 99)`},
			"harbor[/srv/harbor] anna bela cid", []int{0, 0, 0},
			"Made the project harbor (/srv/harbor) with anna, bela, cid; it shares nothing, since nobody who read that came along."},
		"without anybody in it": {[]string{`DELETE FROM user_projects`, `DELETE FROM memory_categories WHERE id = 5`, `UPDATE memories SET category_id = NULL WHERE category_id = 5`},
			"harbor[/srv/harbor]", []int{0, 0, 0},
			"Made the project harbor (/srv/harbor); it shares nothing, since nobody who read that came along."},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
				file := sharing(t, c.more...)
				r := h.move(file, transfer.ElowenOptions{})
				if r.Added != 119 || r.Refused != 0 || !slices.Contains(r.Notes, c.note) {
					t.Errorf("added %d, refused %d, %q", r.Added, r.Refused, r.Notes)
				}
				if got := h.works(); len(got) != 1 || got["harbor"] != c.work {
					t.Errorf("%v", got)
				}
				if got := h.sharedWith("anna", "bela", "cid"); !slices.Equal(got, c.readers) {
					t.Errorf("shared with anna, bela and cid: %v", got)
				}
				if n, m := len(h.rows(h.owner("anna"))), len(h.rows(h.owner("bela"))); n != 60-15 || m != 59-29 {
					t.Errorf("of their own anna has %d, bela %d", n, m)
				}
				h.again(file, transfer.ElowenOptions{})
			})
		})
	}
}

// Who wrote what, with what became of it, and what is done with it here.
func TestElowenSharedMemories(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		ctx := context.Background()
		file := sharing(t)
		h.move(file, transfer.ElowenOptions{})
		want, _ := readOlderRows(t, file)
		cid := h.owner("cid")
		id := h.work("harbor")
		inside, outside := h.recalled(cid, id), h.recalled(cid, 0)
		if len(inside) != 44 || len(outside) != 0 {
			t.Errorf("cid recalls %d inside, %d outside", len(inside), len(outside))
		}
		for body, writer := range h.shared(cid) {
			if row, ok := want[map[string]string{"Anna": "anna", "Béla": "bela"}[writer]+"/"+body]; !ok || row.category != "harbor (shared)" {
				t.Errorf("%q by %s", body, writer)
			}
		}
		ids := h.sharedIDs(cid)
		if n := len(h.events(cid, ids[0])); n == 0 {
			t.Error("a shared memory has no history")
		}
		by := audit.Actor{Name: "user:3"}
		if _, err := h.in.Memories.Patch(ctx, cid, by, ids[0], 0, api.MemoryPatch{Body: api.Ptr("Edited since.")}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Trash(ctx, cid, by, ids[1], 0, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Memories.Purge(ctx, cid, by, ids[1:2]); err != nil {
			t.Fatal(err)
		}
		before := h.exported()
		if r := h.move(file, transfer.ElowenOptions{}); r.Added != 0 || r.Kept != 2 {
			t.Errorf("added %d, kept %d", r.Added, r.Kept)
		}
		if h.exported() != before {
			t.Error("the second run undid something")
		}
		// Out and in again elsewhere.
		other := open(t, dbtest.Open(t, nil))
		if r := other.importAll(before, transfer.Options{By: byImport.By, Projects: true}); r.Refused != 0 {
			t.Errorf("%+v", r)
		}
		here, there := slices.Sorted(maps.Keys(h.shared(cid))), slices.Sorted(maps.Keys(other.shared(other.owner("cid"))))
		if !slices.Equal(here, there) || len(here) != 43 {
			t.Errorf("cid reads %d here, %d elsewhere", len(here), len(there))
		}
	})
}

// sharedIDs are the ids of the memories that somebody reads in pools.
func (h *house) sharedIDs(who db.AccountID) (ids []int64) {
	h.t.Helper()
	h.view(func(tx *db.Tx) error {
		pools, err := project.Pools(tx, who)
		for _, pool := range pools {
			for b, err := range h.in.Memories.Briefs(tx, pool.Owner, nil) {
				if err != nil {
					return err
				}
				ids = append(ids, b.ID)
			}
		}
		return err
	})
	return ids
}

// What a project shares here isn't shown to those of the older one, nor the other way.
func TestElowenSharedBesideOthers(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		ctx := context.Background()
		vera := h.person("vera")
		p, err := h.in.Projects.Add(ctx, boss, api.ProjectAdd{Name: "Ours", Slug: "harbor", Roots: []string{"/srv/harbor"}, Sharing: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.in.Projects.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: "vera"}); err != nil {
			t.Fatal(err)
		}
		h.add(vera, api.MemoryAdd{Body: "vera's for hers", ProjectID: p.ID, Shared: true})
		h.move(sharing(t), transfer.ElowenOptions{})
		if got := h.sharedWith("vera", "anna", "bela", "cid"); !slices.Equal(got, []int{1, 0, 44, 44}) {
			t.Errorf("vera, anna, bela and cid read %v", got)
		}
		if h.shared(vera)["vera's for hers"] == "" {
			t.Error("vera reads another one")
		}
		h.again(sharing(t), transfer.ElowenOptions{})
	})
}

// One person at a time: who only works there is let in without what is shared, who
// read it there reads it here.
func TestElowenSharedPersonByPerson(t *testing.T) {
	for _, order := range []string{"anna bela cid", "bela anna cid", "cid bela anna", "anna cid bela"} {
		h := open(t, dbtest.Open(t, nil))
		file := sharing(t)
		for _, name := range strings.Fields(order) {
			h.move(file, transfer.ElowenOptions{Only: name})
		}
		got := h.sharedWith("anna", "bela", "cid")
		if got[0] != 0 || strings.HasPrefix(order, "anna") != (got[1] == 0) || got[1] != got[2] {
			t.Errorf("%s: %v, %v", order, got, h.works())
		}
		h.again(file, transfer.ElowenOptions{})
	}
}

// A memory that came before it was shared stays where it is.
func TestElowenSharedLater(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	h.move(olderFile, transfer.ElowenOptions{})
	file := sharing(t, `INSERT INTO memories (id, user_id, body, category_id, created_at, updated_at) VALUES (200, 2, 'Later.', 9, '2026-12-01 08:00:00', '2026-12-01 08:00:00')`)
	if r := h.move(file, transfer.ElowenOptions{}); r.Added != 1 || r.Kept != 44 {
		t.Errorf("added %d, kept %d", r.Added, r.Kept)
	}
	if n := len(h.rows(h.owner("anna"))); n != 60 {
		t.Errorf("anna has %d of her own", n)
	}
}

// A category of what was shared in a project that is gone.
func TestElowenSharedInNothing(t *testing.T) {
	h := open(t, dbtest.Open(t, nil))
	r := h.move(sharing(t, `DELETE FROM projects`, `DELETE FROM user_projects`), transfer.ElowenOptions{})
	if !slices.Contains(r.Notes, "The category harbor (shared) was shared in a project that is gone. Its memories have none now.") || len(h.works()) != 0 {
		t.Errorf("%q %v", r.Notes, h.works())
	}
	if n := len(h.recalled(h.owner("bela"), 0)); n != 15 {
		t.Errorf("bela recalls %d", n)
	}
}
