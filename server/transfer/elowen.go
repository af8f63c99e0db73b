package transfer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// olderSource is the origin of the older system's rows in import_source.
const olderSource = "elowen"

// errDry takes back what a dry run did.
var errDry = errors.New("a dry run")

// ImportElowen reads the older system's SQLite file, in one decision: everything
// or nothing. A row that our store cannot hold is refused with the reason. The
// same file again, or a later state of it, brings in what is new and leaves what
// came before as it is now, edited or purged as it may be.
func (s *Store) ImportElowen(ctx context.Context, file string, o ElowenOptions) (api.ImportReport, error) {
	leave, err := s.enter(ctx, 0, nil)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer leave()
	in, err := readOlder(ctx, file)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer in.f.Close()
	var m *moving
	told := o.Progress
	if told == nil {
		told = func(int64, int64) {}
	}
	err = aside(s.Log, func(at func(int)) error {
		o.Progress = func(done, _ int64) { at(int(done)) }
		return s.moveIn(ctx, in, o, &m)
	}, func(done int) { told(int64(done), in.memories) })
	if o.DryRun && errors.Is(err, errDry) {
		err = nil
	}
	if m == nil {
		return api.ImportReport{}, err
	}
	return m.report, err
}

func (s *Store) moveIn(ctx context.Context, in *older, o ElowenOptions, out **moving) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		m := &moving{Store: s, tx: tx, in: in, o: o, owners: map[int64]db.AccountID{}, works: map[int64]api.Project{}, shared: map[int64]shelf{}, report: api.ImportReport{DryRun: o.DryRun, Fates: []api.LineFate{}, Notes: []string{}}}
		*out = m
		if err := m.run(); err != nil {
			return err
		}
		if o.DryRun {
			return errDry
		}
		return nil
	})
}

// moving is one import of the older system's file under way.
type moving struct {
	*Store
	tx     *db.Tx
	in     *older
	o      ElowenOptions
	report api.ImportReport
	done   int64

	owners map[int64]db.AccountID // ours by their users; 0: not asked for
	works  map[int64]api.Project  // ours by their projects; none where one isn't here
	shared map[int64]shelf        // where memories go by their categories of what a project shares
}

// shelf is a place for memories: whose they are, and in which category (0: none).
type shelf struct {
	owner    db.AccountID
	category int64
}

// touched are the accounts and pools that something went to.
func (m *moving) touched() []db.AccountID {
	all := slices.Collect(maps.Values(m.owners))
	for _, s := range m.shared {
		all = append(all, s.owner)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(a db.AccountID) bool { return a == 0 })
}

func (m *moving) note(format string, args ...any) {
	m.report.Notes = append(m.report.Notes, fmt.Sprintf(format, args...))
}

func (m *moving) run() error {
	if err := m.checkMap(); err != nil {
		return err
	}
	// The policy first: the rows are ordered by it as they come in.
	if err := m.policy(); err != nil {
		return err
	}
	terms, err := m.Settings.Terms(m.tx)
	if err != nil {
		return err
	}
	for _, u := range m.in.users {
		if m.owners[u.id], err = m.account(u); err != nil {
			return err
		}
	}
	// Projects before what is filed in them.
	if err := m.projects(); err != nil {
		return err
	}
	for _, u := range m.in.users {
		owner := m.owners[u.id]
		if owner == 0 {
			continue
		}
		if err := m.user(u, owner); err != nil {
			return err
		}
	}
	for _, owner := range m.touched() {
		due, err := m.Memories.CountDue(m.tx, owner, terms, m.tx.Now)
		if err != nil {
			return err
		}
		m.report.DueNow += due
	}
	shorten(&m.report)
	return nil
}

// checkMap refuses a mapping that would silently do nothing.
func (m *moving) checkMap() error {
	for old := range m.o.Map {
		found := false
		for _, u := range m.in.users {
			found = found || strings.EqualFold(u.name, old)
		}
		if !found {
			return fault.Newf(fault.NotFound, "The file has no account %s to map.", old)
		}
	}
	return nil
}

func (m *moving) mapped(name string) (string, bool) {
	for old, to := range m.o.Map {
		if strings.EqualFold(old, name) {
			return to, true
		}
	}
	return name, false
}

// account is ours for one of theirs: the mapped one, the one of that name, or a
// new one that is locked until a password is set. 0 is one that isn't asked for.
func (m *moving) account(u olderUser) (owner db.AccountID, err error) {
	name, mapped := m.mapped(u.name)
	if m.o.Only != "" && !strings.EqualFold(name, m.o.Only) {
		return 0, nil
	}
	p, err := account.ByName(m.tx, name)
	if err == nil {
		return db.AccountID(p.ID), nil
	}
	if !fault.Is(err, fault.NotFound) {
		return 0, err
	}
	if mapped {
		return 0, fault.Newf(fault.NotFound, "There is no account %s to take the memories of %s.", name, u.name)
	}
	role := api.RoleMember
	if u.admin {
		role = api.RoleAdmin
	}
	shown := u.shown
	if shown == name {
		shown = ""
	}
	owner, err = account.InsertLocked(m.tx, name, shown, role, u.created)
	if err != nil {
		return 0, fault.Wrap(fault.KindOf(err), err, fmt.Sprintf("The account %s cannot be made here (%s). Make one under another name and map it with --map %s=NAME.", name, sentence(err), name))
	}
	m.note("%s the account %s (%s), locked until a password is set: elowen admin user passwd %s", m.verb("Made", "Would make"), name, role, name)
	return owner, m.Categories.Seed(m.tx, owner)
}

// user brings one person's rows in.
func (m *moving) user(u olderUser, owner db.AccountID) error {
	shelves, err := m.categories(u, owner)
	if err != nil {
		return err
	}
	for last := int64(0); ; {
		page, err := m.in.page(u.id, last)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		if err := m.memories(owner, page, shelves); err != nil {
			return err
		}
		last = page[len(page)-1].id
		m.done += int64(len(page))
		if m.o.Progress != nil {
			m.o.Progress(m.done, m.in.memories)
		}
	}
	return m.purged(u, owner)
}

// memories brings a page of rows in, and leaves those that came before.
func (m *moving) memories(owner db.AccountID, page []*olderMemory, shelves map[int64]int64) error {
	names := make([]string, len(page))
	for i, r := range page {
		names[i] = r.identity()
	}
	before, err := m.before(owner, names)
	if err != nil {
		return err
	}
	fresh := map[db.AccountID][]memory.Carried{}
	origins := map[db.AccountID][]origin{}
	was := map[int64]*memory.Carried{}
	for i, r := range page {
		to := shelf{owner, shelves[r.category]}
		if pool, ok := m.shared[r.category]; ok {
			to = pool
		}
		c := m.in.carried(r, to.category, m.tx.Now)
		if to.owner != owner {
			c.Writer = owner
		}
		if there, ok := before[names[i]]; ok {
			was[there.memory] = &c
			continue
		}
		if err := c.Check(m.tx.Now); err != nil {
			m.tell(api.LineFate{Line: int(r.id), Fate: api.FateRefused, Message: fmt.Sprintf("memory %d: %s", r.id, sentence(err))})
			continue
		}
		fresh[to.owner] = append(fresh[to.owner], c)
		origins[to.owner] = append(origins[to.owner], origin{names[i], r.id})
	}
	if err := m.existing(page, names, before, was); err != nil {
		return err
	}
	for _, to := range slices.Sorted(maps.Keys(fresh)) {
		ids, err := m.Memories.Insert(m.tx, to, audit.Actor{Name: audit.ActorImport}, "moved from the older system", fresh[to])
		if err != nil {
			return err
		}
		list := origins[to]
		for i, id := range ids {
			m.tell(api.LineFate{Line: int(list[i].memory), Fate: api.FateAdded, ID: id})
			list[i].memory = id
		}
		// What went to a pool is remembered by it and by who wrote it: either may be gone
		// the next time.
		if err := remember(m.tx, to, olderSource, list); err != nil {
			return err
		}
		if to == owner {
			continue
		}
		if err := remember(m.tx, owner, olderSource, list); err != nil {
			return err
		}
	}
	return nil
}

// arrived is a memory that came before, and by whom it is read.
type arrived struct {
	owner  db.AccountID
	memory int64
}

// before finds which rows came in before: the person's own, or a pool's.
func (m *moving) before(owner db.AccountID, names []string) (map[string]arrived, error) {
	found := map[string]arrived{}
	homes := []db.AccountID{owner}
	for _, s := range m.shared {
		if !slices.Contains(homes, s.owner) {
			homes = append(homes, s.owner)
		}
	}
	for _, home := range homes {
		list, err := recall(m.tx, home, olderSource, names)
		if err != nil {
			return nil, err
		}
		for name, id := range list {
			found[name] = arrived{home, id} // a pool reads its own whoever may read it
		}
	}
	return found, nil
}

// existing tells of the rows that came before whether they are still as they came.
func (m *moving) existing(page []*olderMemory, names []string, before map[string]arrived, was map[int64]*memory.Carried) error {
	ids := map[db.AccountID][]int64{}
	for _, there := range before {
		ids[there.owner] = append(ids[there.owner], there.memory)
	}
	same := map[int64]bool{}
	for owner, list := range ids {
		rows, err := m.Memories.Rows(m.tx, owner, list)
		if err != nil {
			return err
		}
		for i := range rows {
			same[rows[i].ID] = unchanged(&rows[i], was[rows[i].ID])
		}
	}
	for i, r := range page {
		there, ok := before[names[i]]
		if !ok {
			continue
		}
		f := api.LineFate{Line: int(r.id), Fate: api.FateKept, ID: there.memory}
		if same[there.memory] {
			f.Fate = api.FateExisting
		}
		m.tell(f)
	}
	return nil
}

// unchanged tells whether a memory is as it came in, uses aside.
func unchanged(m *api.Memory, c *memory.Carried) bool {
	category := int64(0)
	if m.CategoryID != nil {
		category = *m.CategoryID
	}
	return m.Body == strings.TrimSpace(c.Body) && m.Kind == c.Kind && m.Importance == c.Importance && m.Status == c.Status &&
		m.Confidence == c.Confidence && category == c.CategoryID
}

// purged brings in what is left of the person's purged memories.
func (m *moving) purged(u olderUser, owner db.AccountID) error {
	lives, err := m.in.purged(u.id)
	if err != nil {
		return err
	}
	for len(lives) > 0 {
		n := min(len(lives), olderPage)
		names := make([]string, n)
		for i, events := range lives[:n] {
			names[i] = fmt.Sprintf("purged:%d@%d", events[0].memory, events[0].id)
		}
		before, err := recall(m.tx, owner, olderSource, names)
		if err != nil {
			return err
		}
		var audits [][]api.LineEvent
		var origins []origin
		for i, events := range lives[:n] {
			if _, ok := before[names[i]]; ok {
				continue
			}
			out := make([]api.LineEvent, len(events))
			for k, e := range events {
				out[k] = m.in.event(e, int64(k+1))
			}
			audits = append(audits, out)
			origins = append(origins, origin{id: names[i]})
		}
		ids, err := m.Memories.InsertPurged(m.tx, owner, audit.Actor{Name: audit.ActorImport}, audits)
		if err != nil {
			return err
		}
		for i := range origins {
			origins[i].memory = ids[i]
		}
		if err := remember(m.tx, owner, olderSource, origins); err != nil {
			return err
		}
		lives = lives[n:]
	}
	return nil
}

// policy takes the file's retention policy over, or reports it.
func (m *moving) policy() error {
	p, ok, err := m.in.policy()
	if errors.Is(err, errPolicy) {
		m.note("%s", sentence(err))
		return nil
	}
	if err != nil || !ok {
		return err
	}
	took, _, err := m.Retention.Adopt(m.tx, p, m.o.ReplacePolicy)
	if err != nil {
		return err
	}
	if took {
		m.note("Took its retention policy over: %s.", describe(p))
		return nil
	}
	differs, err := m.Retention.Disagrees(m.tx, p)
	if err == nil && differs {
		m.note("Its retention policy (%s) was left out, since ours was changed. --policy replace takes it.", describe(p))
	}
	return err
}

// describe is what a policy says beside the half-lives.
func describe(p vitality.Proposal) string {
	var parts []string
	if p.Enabled != nil && !*p.Enabled {
		parts = append(parts, "paused")
	}
	for _, v := range []struct {
		name  string
		value *float64
	}{{"grace period of %s days", p.GraceDays}, {"floor %s", p.VitalityFloor}, {"at most %s a day", p.DailyDeletionLimit}} {
		if v.value != nil {
			parts = append(parts, fmt.Sprintf(v.name, setting.Format(*v.value)))
		}
	}
	if len(parts) == 0 {
		return "all defaults"
	}
	return strings.Join(parts, ", ")
}

// tell notes a row's fate in the report.
func (m *moving) tell(f api.LineFate) { tell(&m.report, f) }
