package project

import (
	"slices"
	"strings"
	"testing"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

func TestCarry(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.add(api.ProjectAdd{Name: "Harbor", Roots: []string{"/srv/harbor"}, Aliases: []string{"port", "harbor-2"}})
		f.add(api.ProjectAdd{Name: "Long", Slug: strings.Repeat("a", 60)})
		for _, c := range []struct {
			slug string
			root string
			want string
		}{
			{"Harbor", "/srv/harbor", "harbor-3"},
			{"port", "/srv/port", "port-2 /srv/port"},
			{strings.Repeat("A", 90), "/srv/a", strings.Repeat("a", 58) + "-2 /srv/a"},
			{"", "/srv/b/../c", "project /srv/c"},
			{"x", "relative", ""},
			{"x", "/", ""},
		} {
			err := f.d.Update(ctx, func(tx *db.Tx) error {
				p, err := f.Carry(tx, api.ProjectAdd{Name: "Carried", Slug: c.slug, Roots: []string{c.root}})
				if err == nil {
					if got := strings.Join(append([]string{p.Slug}, p.Roots...), " "); got != c.want {
						t.Errorf("%s %s: %s", c.slug, c.root, got)
					}
				}
				return err
			})
			if (c.want == "") != fault.Is(err, fault.Invalid) || c.want != "" && err != nil {
				t.Errorf("%s %s: %v", c.slug, c.root, err)
			}
		}
		f.update(func(tx *db.Tx) error {
			for _, c := range []struct {
				slug, root string
				want       bool
			}{{"HARBOR", "/srv/harbor/", true}, {"port", "/srv/harbor", true}, {"harbor", "/srv", false}, {"harbor", "", false}, {"none", "/srv/harbor", false}, {"harbor", "/", false}} {
				if p, ok, err := f.Same(tx, c.slug, c.root); err != nil || ok != c.want || ok && p.Slug != "harbor" {
					t.Errorf("%s at %s: %v %v", c.slug, c.root, ok, err)
				}
			}
			return nil
		})
	})
}

// Who is in a project already joins it without a trace.
func TestJoinAndPin(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		p := f.add(api.ProjectAdd{Name: "Harbor", Sharing: true}, "ann")
		revision := func() (r int64) {
			f.update(func(tx *db.Tx) error {
				now, err := f.Whole(tx, p.ID)
				r = now.Revision
				return err
			})
			return r
		}
		readers := func() (list []db.AccountID) {
			f.update(func(tx *db.Tx) (err error) { list, err = Readers(tx, p.ID); return err })
			slices.Sort(list)
			return list
		}
		join := func(who db.AccountID, as api.ProjectMember) {
			f.update(func(tx *db.Tx) error { return Join(tx, p.ID, who, as) })
		}
		before := revision()
		join(f.ann, api.ProjectMember{Member: true})
		join(f.ann, api.ProjectMember{})
		if now := revision(); now != before {
			t.Errorf("revision %d, was %d", now, before)
		}
		f.update(func(tx *db.Tx) error { return Pin(tx, p.ID) })
		join(f.bob, api.ProjectMember{Member: true})
		if got := readers(); !slices.Equal(got, []db.AccountID{f.ann}) || revision() != before+2 {
			t.Errorf("readers %v at %d", got, revision())
		}
		f.update(func(tx *db.Tx) error { return Pin(tx, p.ID) }) // they are named already
		join(f.bob, api.ProjectMember{Named: true})
		if got := readers(); len(got) != 2 || revision() != before+3 {
			t.Errorf("readers %v at %d", got, revision())
		}
		empty := f.add(api.ProjectAdd{Name: "Empty", Sharing: true})
		f.update(func(tx *db.Tx) error {
			if err := Pin(tx, empty.ID); err != nil {
				return err
			}
			if err := Join(tx, empty.ID, f.cid, api.ProjectMember{Member: true}); err != nil {
				return err
			}
			if _, ok, err := Readable(tx, f.cid, empty.ID); err != nil || ok {
				t.Errorf("who joined reads: %v %v", ok, err)
			}
			return nil
		})
		// Brought in once more it is as it was.
		as, in := api.ProjectMember{Member: true, Named: true}, api.ProjectAdd{Name: "Harbor", Slug: "harbor"}
		now := revision()
		f.update(func(tx *db.Tx) error {
			_, made, err := f.EnsureIn(tx, f.bob, in, as)
			if made {
				t.Error("it was made again")
			}
			return err
		})
		if revision() != now {
			t.Errorf("revision %d, was %d", revision(), now)
		}
	})
}
