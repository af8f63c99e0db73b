package transfer

import (
	"regexp"

	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// projectType finds the lines of projects without reading the others.
var projectType = regexp.MustCompile(`"type"\s*:\s*"project"`)

// projects comes first: categories and memories stand in them. Whoever runs the
// instance has them made; anybody else's lines name what is there already.
func (i *importing) projects(in *staged) error {
	var list []*parsed
	err := in.lines(func(l rawLine) error {
		if l.data == nil || !projectType.Match(l.data) {
			return nil
		}
		if p := parseLine(l.number, l.data, i.db.Now(), false); p.err == nil && p.kind == api.LineProject {
			list = append(list, p)
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		return err
	}
	return i.decide(func(tx *db.Tx) error {
		for _, p := range list {
			t, err := i.owned(tx, p)
			if err != nil {
				if internal(err) {
					return err
				}
				continue // told with the line itself
			}
			made, err := i.work(tx, t, p)
			if err != nil && internal(err) {
				return err
			}
			i.works[p.number] = work{made, err}
			if made {
				i.coming[p.project] = true
			}
		}
		return nil
	})
}

// work is what became of a line of a project.
type work struct {
	made bool
	err  error
}

func (i *importing) work(tx *db.Tx, t *target, p *parsed) (made bool, err error) {
	if !i.o.Projects || i.Projects == nil {
		_, err := project.Named(tx, t.owner, p.project)
		if fault.Is(err, fault.NotFound) {
			err = noProject(p.project)
		}
		return false, err
	}
	if i.o.DryRun {
		_, err := project.Find(tx, p.project)
		if fault.Is(err, fault.NotFound) {
			return !i.coming[p.project], nil
		}
		return false, err
	}
	_, made, err = i.Projects.EnsureIn(tx, t.owner, p.work, p.as)
	return made, err
}

func noProject(slug string) error {
	return fault.Newf(fault.NotFound, "There is no project %s that the account has a part in. An administrator makes it, and its members.", slug)
}

// projectFate tells the fate of a project's line.
func (i *importing) projectFate(p *parsed) {
	w := i.works[p.number]
	switch {
	case w.err != nil:
		p.err = w.err
	case w.made:
		p.fate.Fate = api.FateAdded
	default:
		p.fate.Fate = api.FateExisting
	}
}

// project is the one that a line names for what it is about, 0 for none, or where it
// would be made.
func (i *importing) project(tx *db.Tx, t *target, p *parsed) (int64, error) {
	switch {
	case p.project == "":
		return 0, nil
	case t.pool:
		return t.in, nil
	}
	return i.find(tx, t.owner, p.project)
}

func (i *importing) find(tx *db.Tx, owner db.AccountID, slug string) (id int64, err error) {
	if i.o.Projects {
		id, err = project.Find(tx, slug)
	} else {
		id, err = project.Named(tx, owner, slug)
	}
	if fault.Is(err, fault.NotFound) {
		if i.o.DryRun && i.coming[slug] {
			return 0, nil
		}
		err = noProject(slug)
	}
	return id, err
}

// pool is the pool that a shared line goes to. Whether it may is looked at with each
// line: somebody may be taken out while the import is under way.
func (i *importing) pool(tx *db.Tx, p *parsed) (*target, error) {
	var writer *target
	if p.account != "" || i.fixed != nil {
		var err error
		if writer, err = i.owned(tx, p); err != nil {
			return nil, err
		}
	}
	shared, err := i.shared(tx, writer, p.project)
	if err != nil {
		return nil, err
	}
	p.memory.Writer = shared.Owner
	if writer != nil {
		p.memory.Writer = writer.owner
	}
	key := "\x00" + p.project // no account's name
	if t, ok := i.accounts[key]; ok {
		return t, nil
	}
	t := newTarget(p.project)
	t.pool, t.owner, t.in = true, shared.Owner, shared.Project
	return t, i.begin(tx, key, t)
}

// shared is a project's pool, made where nothing was shared yet; in a dry run its
// owner is 0 then.
func (i *importing) shared(tx *db.Tx, writer *target, slug string) (project.Pool, error) {
	if !i.o.Projects {
		if writer == nil {
			return project.Pool{}, errNoAccount
		}
		id, err := i.find(tx, writer.owner, slug)
		if err != nil {
			return project.Pool{}, err
		}
		if !i.o.DryRun {
			return project.Open(tx, writer.owner, id)
		}
		pool, ok, err := project.Readable(tx, writer.owner, id)
		if err == nil && !ok {
			err = noProject(slug)
		}
		return pool, err
	}
	id, err := i.find(tx, 0, slug)
	if err != nil || !i.o.DryRun {
		if err != nil {
			return project.Pool{}, err
		}
		return project.Claim(tx, id)
	}
	pools, err := project.AllPools(tx)
	for _, pool := range pools {
		if pool.Project == id {
			return pool, err
		}
	}
	return project.Pool{Project: id}, err
}
