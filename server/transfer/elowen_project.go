package transfer

import (
	"fmt"
	"slices"
	"strings"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// partner is one of our accounts that has a part in a project of the file.
type partner struct {
	owner          db.AccountID
	name           string
	member, reader bool
}

// projects makes the file's projects, or finds those that are here, and makes people
// in them what they are there: whatever is filed in a project stays recalled in it
// alone, by those who had it. A project that nobody who comes along has anything to do
// with stays behind.
func (m *moving) projects() error {
	if m.Projects == nil {
		return nil
	}
	for _, c := range sorted(m.in.categories) {
		if c.user == 0 && m.in.projects[c.project] == nil {
			m.note("The category %s was shared in a project that is gone. Its memories have none now.", c.name)
		}
	}
	before, err := m.projectsBefore()
	if err != nil {
		return err
	}
	for _, p := range sorted(m.in.projects) {
		people := m.partners(p)
		writes := slices.ContainsFunc(p.writers, func(user int64) bool { return m.owners[user] != 0 })
		if len(people) == 0 && !writes {
			if m.o.Only == "" {
				m.note("The project %s stays behind: nobody has a part in it.", p.slug)
			}
			continue
		}
		if err := m.project(p, people, before[p.id]); err != nil {
			return err
		}
		if err := m.pool(p); err != nil {
			return err
		}
	}
	return nil
}

// partners are those of our accounts that have a part in the project, each once.
func (m *moving) partners(p *olderProject) []*partner {
	var list []*partner
	by := map[db.AccountID]*partner{}
	for _, u := range m.in.users {
		owner := m.owners[u.id]
		member, reader := p.part(u.id)
		if owner == 0 || !member && !reader {
			continue
		}
		if by[owner] == nil {
			name, _ := m.mapped(u.name)
			by[owner] = &partner{owner: owner, name: name}
			list = append(list, by[owner])
		}
		by[owner].member = by[owner].member || member
		by[owner].reader = by[owner].reader || reader
	}
	return list
}

// project finds or makes one project, and lets people join who didn't before. before is
// what became of it in imports before; one that was deleted since stays so.
func (m *moving) project(p *olderProject, people []*partner, before []workBefore) error {
	for _, was := range before {
		work, err := m.Projects.Whole(m.tx, was.id)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		m.works[p.id] = work
		return m.joinLater(p, work, was.made, people)
	}
	if len(before) > 0 {
		return nil
	}
	work, found, err := m.same(p, people)
	if err != nil {
		return err
	}
	if found {
		var fresh []*partner
		for _, a := range people {
			_, err := project.Used(m.tx, a.owner, work.ID)
			if fault.Is(err, fault.NotFound) && a.member {
				err = project.Join(m.tx, work.ID, a.owner, api.ProjectMember{Member: true})
				fresh = append(fresh, a)
			}
			if err != nil {
				return err
			}
		}
		text := fmt.Sprintf("The project %s is the one that is here already.", work.Slug)
		if len(fresh) > 0 {
			text += " " + m.verb("It has", "It would have") + " new members: " + listed(fresh) + "."
		}
		m.note("%s", text)
	} else if work, err = m.carry(p, people); err != nil {
		return err
	}
	m.works[p.id] = work
	for _, a := range people {
		if err := m.rememberProject(p, a.owner, workBefore{work.ID, !found}); err != nil {
			return err
		}
	}
	for _, user := range p.writers {
		if owner := m.owners[user]; owner != 0 {
			if err := remember(m.tx, owner, olderSource, []origin{{wrote + p.identity(), work.ID}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// workBefore is the project that one of the file's became in an import before.
type workBefore struct {
	id   int64
	made bool // by that import; else it was here
}

// What an account is remembered for with a project beside having a part in one that was made.
const (
	joined = "joined:" // a part in one that was here
	wrote  = "wrote:"  // something that it shares
)

// projectsBefore are what the file's projects became before, whoever that was for.
func (m *moving) projectsBefore() (map[int64][]workBefore, error) {
	found := map[int64][]workBefore{}
	for _, u := range m.in.users {
		name, _ := m.mapped(u.name)
		a, err := account.ByName(m.tx, name)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var names []string
		for _, p := range m.in.projects {
			names = append(names, p.identity(), joined+p.identity(), wrote+p.identity())
		}
		list, err := recall(m.tx, db.AccountID(a.ID), olderSource, names)
		if err != nil {
			return nil, err
		}
		for _, p := range m.in.projects {
			for _, mark := range []string{"", joined, wrote} {
				id, ok := list[mark+p.identity()]
				if was := (workBefore{id, mark == ""}); ok && !slices.Contains(found[p.id], was) {
					found[p.id] = append(found[p.id], was)
				}
			}
		}
	}
	return found, nil
}

func (m *moving) rememberProject(p *olderProject, owner db.AccountID, w workBefore) error {
	name := p.identity()
	if !w.made {
		name = joined + name
	}
	return remember(m.tx, owner, olderSource, []origin{{name, w.id}})
}

// same is the project that is here under the same slug with the same root, if
// everybody who has a part in the file's may be in it: nobody may come to read what it
// shares, nor what the file's shares, who doesn't now.
func (m *moving) same(p *olderProject, people []*partner) (api.Project, bool, error) {
	work, ok, err := m.Projects.Same(m.tx, p.slug, p.path)
	if err != nil || !ok {
		return work, false, err
	}
	if len(p.shelves) > 0 {
		readers, err := project.Readers(m.tx, work.ID)
		if err != nil || !p.sharing {
			return work, false, err
		}
		var want []db.AccountID
		for _, a := range people {
			if a.reader {
				want = append(want, a.owner)
			}
		}
		slices.Sort(want)
		slices.Sort(readers)
		if !slices.Equal(want, readers) {
			return work, false, nil
		}
	}
	for _, a := range people {
		if !work.Sharing {
			break
		}
		_, err := project.Used(m.tx, a.owner, work.ID)
		if fault.Is(err, fault.NotFound) {
			return work, false, nil
		}
		if err != nil {
			return work, false, err
		}
	}
	return work, true, nil
}

// carry makes the project as it is in the file, as far as it can be here.
func (m *moving) carry(p *olderProject, people []*partner) (api.Project, error) {
	in := api.ProjectAdd{Name: strings.TrimSpace(p.slug), Slug: p.slug}
	if p.path != "" {
		in.Roots = []string{p.path}
	}
	var but []string
	if validation.Struct(api.ProjectAdd{Name: in.Name}) != nil {
		in.Name = "Project"
		but = append(but, fmt.Sprintf("its name %q cannot be one here", p.slug))
	}
	if validation.Struct(api.ProjectAdd{Name: in.Name, Description: p.notes}) == nil {
		in.Description = p.notes
	} else {
		but = append(but, "its notes are too long to come along")
	}
	// Readers are named where the file names them, and where others than they are at work there.
	named := len(p.named) > 0
	for _, a := range people {
		in.Sharing = in.Sharing || p.sharing && a.reader
		named = named || p.sharing && !a.reader
	}
	work, err := m.Projects.Carry(m.tx, in)
	if fault.Is(err, fault.Invalid) {
		in.Roots = nil
		work, err = m.Projects.Carry(m.tx, in)
	}
	if err != nil {
		return work, err
	}
	for _, a := range people {
		if err := project.Join(m.tx, work.ID, a.owner, api.ProjectMember{Member: a.member, Named: named && a.reader}); err != nil {
			return work, err
		}
	}
	switch {
	case p.path == "":
	case in.Roots == nil:
		but = append(but, fmt.Sprintf("its folder %q cannot be a root here", p.path))
	case len(work.Roots) == 0:
		but = append(but, fmt.Sprintf("its folder %s is a root of another project", p.path))
	}
	if work.Slug != p.slug {
		but = append(but, fmt.Sprintf("it was called %q", p.slug))
	}
	if p.sharing && !in.Sharing {
		but = append(but, "it shares nothing, since nobody who read that came along")
	}
	text := m.verb("Made", "Would make") + " the project " + work.Slug
	if len(work.Roots) > 0 {
		text += " (" + work.Roots[0] + ")"
	}
	if len(people) > 0 {
		text += " with " + listed(people)
	}
	if len(but) > 0 {
		text += "; " + strings.Join(but, "; ")
	}
	m.note("%s.", text)
	return work, nil
}

// joinLater lets people into a project of an import before who had no part in it then.
// Whoever was taken out since stays out. made tells whether an import made it.
func (m *moving) joinLater(p *olderProject, work api.Project, made bool, people []*partner) error {
	for _, a := range people {
		before, err := recall(m.tx, a.owner, olderSource, []string{p.identity(), joined + p.identity()})
		if err != nil {
			return err
		}
		if len(before) > 0 {
			continue
		}
		reads := made && p.sharing && a.reader
		if a.member && !reads {
			// Who didn't read there what is shared doesn't by joining here.
			_, ok, err := project.Readable(m.tx, a.owner, work.ID)
			if err == nil && !ok {
				err = project.Pin(m.tx, work.ID)
			}
			if err != nil {
				return err
			}
		}
		if err := project.Join(m.tx, work.ID, a.owner, api.ProjectMember{Member: a.member}); err != nil {
			return err
		}
		if reads {
			_, ok, err := project.Readable(m.tx, a.owner, work.ID)
			if err == nil && !ok && work.Sharing { // others are named
				err = project.Join(m.tx, work.ID, a.owner, api.ProjectMember{Named: true})
			}
			if err != nil {
				return err
			}
		}
		if err := m.rememberProject(p, a.owner, workBefore{work.ID, made}); err != nil {
			return err
		}
		if a.member || reads {
			m.note("%s the project %s: %s.", m.verb("Let into", "Would let into"), work.Slug, a.name)
		}
	}
	return nil
}

// pool makes the categories of what a project shares.
func (m *moving) pool(p *olderProject) error {
	work := m.works[p.id]
	if len(p.shelves) == 0 || work.ID == 0 {
		return nil
	}
	pool, err := project.Claim(m.tx, work.ID)
	if err != nil {
		return err
	}
	s, err := m.shelving(pool.Owner)
	if err != nil {
		return err
	}
	shelves := map[int64]int64{}
	for _, c := range p.shelves {
		if err := m.shelve(s, pool.Owner, c, "the project "+work.Slug, shelves); err != nil {
			return err
		}
		m.shared[c.id] = shelf{pool.Owner, shelves[c.id]}
	}
	return nil
}

// verb is what was done, or in a dry run would be.
func (m *moving) verb(did, would string) string {
	if m.o.DryRun {
		return would
	}
	return did
}

// listedMost is how many people a note names.
const listedMost = 10

func listed(people []*partner) string {
	var names []string
	for _, a := range people[:min(len(people), listedMost)] {
		names = append(names, a.name)
	}
	if more := len(people) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
