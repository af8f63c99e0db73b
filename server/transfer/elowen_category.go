package transfer

import (
	"fmt"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// shelving is an account's categories while more come in.
type shelving struct {
	have  map[string]int64 // by category.Key
	bound map[int64]int64  // the project of those that have one
}

func (m *moving) shelving(owner db.AccountID) (*shelving, error) {
	names, err := m.Categories.Names(m.tx, owner)
	if err != nil {
		return nil, err
	}
	s := &shelving{have: make(map[string]int64, len(names))}
	for id, name := range names {
		s.have[category.Key(name)] = id
	}
	s.bound, err = category.Bound(m.tx, owner)
	return s, err
}

// call is the name under which a category bound to a project (0: to none) stands or
// can stand here, and the one that stands there; 0 where it has to be made. One of its
// name that belongs elsewhere is another: what is filed there would be recalled where it
// was not, or not where it was.
func (s *shelving) call(name string, in int64, slug string) (string, int64) {
	called := name
	for n := 1; ; n++ {
		id, there := s.have[category.Key(called)]
		if !there || s.bound[id] == in {
			return called, id
		}
		tail := fmt.Sprintf(" %d", n)
		if in != 0 {
			tail = fmt.Sprintf(" (%s)", slug)
			if n > 1 {
				tail = fmt.Sprintf(" (%s %d)", slug, n)
			}
		} else if n == 1 {
			continue
		}
		base, most := []rune(name), int(setting.Get("category.name").Max)-len(tail)
		called = string(base[:min(len(base), most)]) + tail
	}
}

// categories makes the person's categories, and answers ours by theirs.
func (m *moving) categories(u olderUser, owner db.AccountID) (map[int64]int64, error) {
	shelves := map[int64]int64{}
	s, err := m.shelving(owner)
	if err != nil {
		return nil, err
	}
	for _, c := range sorted(m.in.categories) {
		if c.user != u.id || c.user == 0 {
			continue
		}
		if err := m.shelve(s, owner, c, u.name, shelves); err != nil {
			return nil, err
		}
	}
	return shelves, nil
}

// shelve finds or makes one category of an account, or of a pool, and notes which it is.
func (m *moving) shelve(s *shelving, owner db.AccountID, c olderCategory, whose string, shelves map[int64]int64) error {
	id, known, err := m.category(owner, c)
	if err != nil || known {
		if err == nil {
			shelves[c.id] = id
		}
		return err
	}
	work := m.works[c.project]
	if c.project != 0 && work.ID == 0 {
		m.note("The category %s of %s belongs to a project that is not here. Its memories have none now.", c.name, whose)
		return nil
	}
	name, id := s.call(c.name, work.ID, work.Slug)
	if id == 0 {
		id, _, err = m.Categories.Ensure(m.tx, owner, api.CategoryAdd{Name: name, Description: c.description, Icon: c.icon, ProjectID: work.ID})
		if fault.Is(err, fault.Invalid) {
			m.note("The category %q of %s cannot be taken: %s Its memories have none now.", c.name, whose, sentence(err))
			return nil
		}
		if err != nil {
			return err
		}
		s.have[category.Key(name)] = id
		if work.ID != 0 {
			s.bound[id] = work.ID
		}
	}
	if name != c.name {
		m.note("The category %s of %s is called %s here: one of its name belongs elsewhere.", c.name, whose, name)
	}
	shelves[c.id] = id
	return remember(m.tx, owner, olderSource, []origin{{c.identity(), id}})
}

// category is what became of a category that an import made before: ours, or 0
// where it was deleted since.
func (m *moving) category(owner db.AccountID, c olderCategory) (id int64, known bool, err error) {
	before, err := recall(m.tx, owner, olderSource, []string{c.identity()})
	if err != nil {
		return 0, false, err
	}
	id, known = before[c.identity()]
	if !known {
		return 0, false, nil
	}
	err = m.Categories.Owned(m.tx, owner, id)
	if fault.Is(err, fault.NotFound) {
		return 0, true, nil
	}
	return id, true, err
}
