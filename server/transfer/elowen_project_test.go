package transfer_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/project"
	"elowen/server/transfer"
	"elowen/shared/api"
)

// works are the projects that are here, by slug, each as a line: its name, roots, whether
// it shares, and who is what in it.
func (h *house) works() map[string]string {
	h.t.Helper()
	list, err := h.in.Projects.List(context.Background(), boss)
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range list {
		members, err := h.in.Projects.Members(context.Background(), boss, p.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		line := fmt.Sprint(p.Name, p.Roots)
		if p.Sharing {
			line += " shares"
		}
		for _, a := range members.Items {
			line += " " + a.Name
			if !a.Member {
				line += "(only)"
			}
			if a.Named {
				line += "(named)"
			}
		}
		out[p.Slug] = line
	}
	return out
}

func (h *house) work(slug string) (id int64) {
	h.t.Helper()
	h.view(func(tx *db.Tx) (err error) { id, err = project.Find(tx, slug); return err })
	return id
}

func (h *house) view(fn func(*db.Tx) error) {
	h.t.Helper()
	if err := h.d.View(context.Background(), fn); err != nil {
		h.t.Fatal(err)
	}
}

// recalled are the texts that somebody may recall in a project (0: outside of any).
func (h *house) recalled(who db.AccountID, in int64) map[string]bool {
	h.t.Helper()
	out := map[string]bool{}
	h.view(func(tx *db.Tx) error {
		scope, err := category.Scope(tx, who, in)
		if err != nil {
			return err
		}
		for _, share := range scope {
			var ids []int64
			for b, err := range h.in.Memories.Briefs(tx, share.Owner, nil) {
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
				if m.CategoryID != nil && slices.Contains(share.Categories, *m.CategoryID) {
					out[m.Body] = true
				}
			}
		}
		return nil
	})
	return out
}

// again checks that the same file once more changes nothing and has nothing to say.
func (h *house) again(file string, o transfer.ElowenOptions) {
	h.t.Helper()
	before, works := h.exported(), h.works()
	r := h.move(file, o)
	if r.Added != 0 || r.Kept != 0 || r.Refused != 0 || len(r.Notes) != 0 {
		h.t.Errorf("again: added %d, kept %d, refused %d, %q", r.Added, r.Kept, r.Refused, r.Notes)
	}
	if h.exported() != before || !maps.Equal(h.works(), works) {
		h.t.Error("the second run changed something")
	}
}

func TestElowenProject(t *testing.T) {
	each(t, func(t *testing.T, h *house, clock *dbtest.Clock) {
		dry := h.move(olderFile, transfer.ElowenOptions{DryRun: true})
		if !slices.Contains(dry.Notes, "Would make the project harbor (/srv/harbor) with anna.") || len(h.works()) != 0 {
			t.Errorf("dry: %q, %v", dry.Notes, h.works())
		}
		r := h.move(olderFile, transfer.ElowenOptions{})
		if !slices.Contains(r.Notes, "Made the project harbor (/srv/harbor) with anna.") {
			t.Errorf("notes: %q", r.Notes)
		}
		if got := h.works(); len(got) != 1 || got["harbor"] != "harbor[/srv/harbor] anna" {
			t.Errorf("%v", got)
		}
		// What was filed in it is recalled in it, and nowhere else.
		want, _ := readOlderRows(t, olderFile)
		anna, bela, id := h.owner("anna"), h.owner("bela"), h.work("harbor")
		inside, outside := h.recalled(anna, id), h.recalled(anna, 0)
		for key, row := range want {
			user, body, _ := strings.Cut(key, "/")
			if user != "anna" {
				continue
			}
			if inside[body] != (row.category != "") || outside[body] != (row.category != "" && row.category != "harbor") {
				t.Errorf("%q of %q: inside %v, outside %v", body, row.category, inside[body], outside[body])
			}
		}
		if len(inside) != 45 || len(outside) != 30 {
			t.Errorf("%d inside, %d outside", len(inside), len(outside))
		}
		h.view(func(tx *db.Tx) error {
			if in, ok, err := project.Infer(tx, anna, "/srv/harbor/cmd"); err != nil || !ok || in != id {
				t.Errorf("anna at work there: %d %v %v", in, ok, err)
			}
			if _, ok, err := project.Infer(tx, bela, "/srv/harbor/cmd"); err != nil || ok {
				t.Errorf("bela has a part in it: %v", err)
			}
			return nil
		})
		clock.Advance(3_600_000)
		h.again(olderFile, transfer.ElowenOptions{})
		h.again(variant(t, `UPDATE projects SET notes = 'changed', path = '/elsewhere'`), transfer.ElowenOptions{})
	})
}

func TestElowenProjectsOfSeveral(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		file := variant(t,
			`INSERT INTO users (id, username, password_hash) VALUES (3, 'cid', 'x')`,
			`INSERT INTO projects (id, slug, path, notes) VALUES (2, 'Ware_House', '', 'goods'), (3, 'empty', '/srv/empty', '')`,
			`INSERT INTO user_projects VALUES (3, 1), (2, 2), (99, 3)`,
			`INSERT INTO memory_categories (id, user_id, name, project_id) VALUES (6, 2, 'harbor', 1), (7, 2, 'HARBOR', NULL), (8, 1, 'gone', 77)`,
			`UPDATE memories SET category_id = 6 WHERE user_id = 2 AND category_id = 4`,
			`UPDATE memories SET category_id = 7 WHERE user_id = 2 AND category_id = 3`,
			`UPDATE memories SET category_id = 8 WHERE user_id = 1 AND category_id = 1`)
		r := h.move(file, transfer.ElowenOptions{})
		want := map[string]string{"harbor": "harbor[/srv/harbor] anna bela cid", "ware-house": "Ware_House[] bela"}
		if got := h.works(); !maps.Equal(got, want) {
			t.Errorf("%v", got)
		}
		for _, note := range []string{
			"Made the project harbor (/srv/harbor) with anna, bela, cid.",
			`Made the project ware-house with bela; it was called "Ware_House".`,
			"The project empty stays behind: nobody has a part in it.",
			"The category gone of anna belongs to a project that is not here. Its memories have none now.",
			"The category HARBOR of bela is called HARBOR 2 here: one of its name belongs elsewhere.",
		} {
			if !slices.Contains(r.Notes, note) {
				t.Errorf("no note %q in %q", note, r.Notes)
			}
		}
		bela, id := h.owner("bela"), h.work("harbor")
		if in, out := len(h.recalled(bela, id)), len(h.recalled(bela, 0)); in != 44 || out != 15 {
			t.Errorf("bela: %d inside, %d outside", in, out)
		}
		if in, out := len(h.recalled(h.owner("anna"), id)), len(h.recalled(h.owner("anna"), 0)); in != 30 || out != 15 {
			t.Errorf("anna: %d inside, %d outside", in, out)
		}
	})
}

func TestElowenWithoutProjects(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		file := variant(t, `DELETE FROM projects`, `UPDATE memory_categories SET project_id = NULL`)
		r := h.move(file, transfer.ElowenOptions{})
		if len(h.works()) != 0 || strings.Contains(strings.Join(r.Notes, " "), "project") {
			t.Errorf("%v %q", h.works(), r.Notes)
		}
		if n := len(h.recalled(h.owner("anna"), 0)); n != 45 {
			t.Errorf("anna recalls %d", n)
		}
		h.again(file, transfer.ElowenOptions{})
	})
}

// What is called so here already, or stands at its root.
func TestElowenProjectBesideOthers(t *testing.T) {
	for name, c := range map[string]struct {
		here    api.ProjectAdd
		members []string
		want    map[string]string
		note    string
	}{
		"the same": {
			api.ProjectAdd{Name: "Ours", Slug: "harbor", Roots: []string{"/srv/harbor", "/x"}}, []string{"vera"},
			map[string]string{"harbor": "Ours[/srv/harbor /x] anna vera"},
			"The project harbor is the one that is here already. It has new members: anna.",
		},
		"the same, by an alias": {
			api.ProjectAdd{Name: "Ours", Slug: "port", Aliases: []string{"harbor"}, Roots: []string{"/srv/harbor"}}, []string{"anna"},
			map[string]string{"port": "Ours[/srv/harbor] anna"},
			"The project port is the one that is here already.",
		},
		"the same, which shares with anna": {
			api.ProjectAdd{Name: "Ours", Slug: "harbor", Roots: []string{"/srv/harbor"}, Sharing: true}, []string{"anna"},
			map[string]string{"harbor": "Ours[/srv/harbor] shares anna"},
			"The project harbor is the one that is here already.",
		},
		"the same, which shares with others": {
			api.ProjectAdd{Name: "Ours", Slug: "harbor", Roots: []string{"/srv/harbor"}, Sharing: true}, []string{"vera"},
			map[string]string{"harbor": "Ours[/srv/harbor] shares vera", "harbor-2": "harbor[] anna"},
			`Made the project harbor-2 with anna; its folder /srv/harbor is a root of another project; it was called "harbor".`,
		},
		"another of its slug": {
			api.ProjectAdd{Name: "Ours", Slug: "harbor", Roots: []string{"/else"}}, []string{"anna"},
			map[string]string{"harbor": "Ours[/else] anna", "harbor-2": "harbor[/srv/harbor] anna"},
			`Made the project harbor-2 (/srv/harbor) with anna; it was called "harbor".`,
		},
		"another of its slug, as an alias": {
			api.ProjectAdd{Name: "Ours", Slug: "port", Aliases: []string{"harbor", "harbor-2"}}, nil,
			map[string]string{"port": "Ours[]", "harbor-3": "harbor[/srv/harbor] anna"},
			`Made the project harbor-3 (/srv/harbor) with anna; it was called "harbor".`,
		},
		"another at its root": {
			api.ProjectAdd{Name: "Ours", Slug: "port", Roots: []string{"/srv/harbor"}}, []string{"anna"},
			map[string]string{"port": "Ours[/srv/harbor] anna", "harbor": "harbor[] anna"},
			"Made the project harbor with anna; its folder /srv/harbor is a root of another project.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
				ctx := context.Background()
				h.person("vera")
				anna := h.person("anna")
				// A category of that name that is anna's everywhere is another one.
				if _, err := h.in.Categories.Add(ctx, anna, api.CategoryAdd{Name: "Harbor"}); err != nil {
					t.Fatal(err)
				}
				p, err := h.in.Projects.Add(ctx, boss, c.here)
				if err != nil {
					t.Fatal(err)
				}
				for _, who := range c.members {
					if _, err := h.in.Projects.SetMember(ctx, boss, p.ID, 0, api.ProjectMemberSet{Name: who}); err != nil {
						t.Fatal(err)
					}
				}
				r := h.move(olderFile, transfer.ElowenOptions{})
				if got := h.works(); !maps.Equal(got, c.want) {
					t.Errorf("%v", got)
				}
				if !slices.Contains(r.Notes, c.note) {
					t.Errorf("notes: %q", r.Notes)
				}
				inside := 0
				for slug, line := range c.want {
					if strings.Contains(line, "anna") {
						inside = max(inside, len(h.recalled(anna, h.work(slug))))
					}
				}
				if outside := len(h.recalled(anna, 0)); inside != 45 || outside != 30 {
					t.Errorf("%d inside, %d outside", inside, outside)
				}
				h.again(olderFile, transfer.ElowenOptions{})
			})
		})
	}
}

// A folder is taken as it is, on this machine or not; one that no project may have stays out.
func TestElowenProjectRoots(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                                 dir,
		filepath.Join(dir, "gone", "now"):   filepath.Join(dir, "gone", "now"),
		dir + "/a/../b/":                    dir + "/b",
		"":                                  "",
		"/":                                 "",
		"work/harbor":                       "",
		`C:\work\harbor`:                    "",
		"/srv/" + strings.Repeat("x", 2000): "",
	} {
		h := open(t, dbtest.Open(t, nil))
		h.in.Projects = project.New(h.d, project.Options{Resolve: project.Canonical})
		h.Store = transfer.New(h.d, h.in)
		file := variant(t, fmt.Sprintf(`UPDATE projects SET path = '%s'`, path))
		r := h.move(file, transfer.ElowenOptions{})
		if got := h.works()["harbor"]; got != "harbor["+want+"] anna" {
			t.Errorf("%.60q: %s", path, got)
		}
		if said := strings.Contains(strings.Join(r.Notes, " "), "cannot be a root here"); said != (want == "" && path != "") {
			t.Errorf("%.60q: %q", path, r.Notes)
		}
		h.again(file, transfer.ElowenOptions{})
	}
}

// Names that a project may not have here, and texts that are too long.
func TestElowenProjectNames(t *testing.T) {
	for slug, want := range map[string]string{
		"Häfen & Co":                  "h-fen-co Häfen & Co",
		"":                            "project Project",
		"///":                         "project ///",
		strings.Repeat("long ", 40):   strings.TrimRight(strings.Repeat("long-", 12), "-") + " Project",
		"two" + "\n" + "lines":        "two-lines Project",
		"harbor' || char(27) || '[2J": "harbor-2j Project",
	} {
		h := open(t, dbtest.Open(t, nil))
		file := variant(t, fmt.Sprintf(`UPDATE projects SET notes = printf('%%.*c', 5000, 'x'), slug = '%s'`, slug))
		r := h.move(file, transfer.ElowenOptions{})
		name, line, _ := strings.Cut(want, " ")
		if got := h.works(); len(got) != 1 || got[name] != line+"[/srv/harbor] anna" {
			t.Errorf("%q: %v", slug, got)
		}
		if text := strings.Join(r.Notes, " "); !strings.Contains(text, "its notes are too long") || strings.Contains(text, "\x1b") {
			t.Errorf("%q: %q", slug, text)
		}
		h.again(file, transfer.ElowenOptions{})
	}
}

// What people change after an import stays as they made it.
func TestElowenProjectChangedSince(t *testing.T) {
	for name, change := range map[string]func(h *house, id int64) error{
		"renamed": func(h *house, id int64) error {
			_, err := h.in.Projects.Patch(context.Background(), boss, id, 0, api.ProjectPatch{Slug: api.Ptr("port"), Roots: &[]string{"/other"}})
			return err
		},
		"left": func(h *house, id int64) error {
			_, err := h.in.Projects.RemoveMember(context.Background(), boss, id, 0, "anna")
			return err
		},
		"deleted": func(h *house, id int64) error { return h.in.Projects.Delete(context.Background(), boss, id, 0) },
		"another at its place": func(h *house, id int64) error {
			if err := h.in.Projects.Delete(context.Background(), boss, id, 0); err != nil {
				return err
			}
			_, err := h.in.Projects.Add(context.Background(), boss, api.ProjectAdd{Name: "New", Slug: "harbor", Roots: []string{"/srv/harbor"}})
			return err
		},
		"a category let loose": func(h *house, id int64) error {
			anna := h.owner("anna")
			list, err := h.in.Categories.List(context.Background(), anna)
			if err != nil {
				return err
			}
			at := slices.IndexFunc(list, func(c api.Category) bool { return c.Name == "harbor" })
			_, err = h.in.Categories.Patch(context.Background(), anna, list[at].ID, 0, api.CategoryPatch{ProjectID: api.Optional[int64]{Set: true}})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
				h.move(olderFile, transfer.ElowenOptions{})
				if err := change(h, h.work("harbor")); err != nil {
					t.Fatal(err)
				}
				h.again(olderFile, transfer.ElowenOptions{})
			})
		})
	}
}

// One person at a time: who comes later is let into the project of those before.
func TestElowenProjectPersonByPerson(t *testing.T) {
	each(t, func(t *testing.T, h *house, _ *dbtest.Clock) {
		file := variant(t, `INSERT INTO user_projects VALUES (2, 1)`)
		h.move(file, transfer.ElowenOptions{Only: "anna"})
		if got := h.works(); got["harbor"] != "harbor[/srv/harbor] anna" {
			t.Errorf("anna alone: %v", got)
		}
		r := h.move(file, transfer.ElowenOptions{Only: "bela"})
		if got := h.works(); len(got) != 1 || got["harbor"] != "harbor[/srv/harbor] anna bela" {
			t.Errorf("both: %v", got)
		}
		if !slices.Contains(r.Notes, "Let into the project harbor: bela.") {
			t.Errorf("notes: %q", r.Notes)
		}
		h.again(file, transfer.ElowenOptions{})
	})
}
