package transfer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"strings"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// fatesMost is how many fates a report lists.
const fatesMost = 1000

// Import reads JSONL into an account, whatever account the lines name. Each line
// has its fate; one that is refused doesn't keep the others out. Errors are those
// that concern the whole: too large, cut off, not JSONL, a store that fails. Then
// what was written before stands, and the same file again goes on from there.
func (s *Store) Import(ctx context.Context, owner db.AccountID, r io.Reader, o Options) (api.ImportReport, error) {
	leave, err := s.enter(ctx, owner, o.Turn)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer leave()
	return s.run(ctx, r, o, func(string) (db.AccountID, error) { return owner, nil })
}

// ImportAll reads JSONL into the accounts that its lines name. Names without an
// account get one, locked until a password is set. Lines that name none go to the
// only account, where there is exactly one as the import begins, and the report says
// so; otherwise they are refused.
func (s *Store) ImportAll(ctx context.Context, r io.Reader, o Options) (api.ImportReport, error) {
	leave, err := s.enter(ctx, 0, o.Turn)
	if err != nil {
		return api.ImportReport{}, err
	}
	defer leave()
	return s.run(ctx, r, o, nil)
}

// importing is one import under way.
type importing struct {
	*Store
	o        Options
	ctx      context.Context
	fixed    func(string) (db.AccountID, error) // nil: by the lines' names
	report   api.ImportReport
	alone    string                  // the name of the only account, for lines that name none
	assumed  bool                    // one did
	accounts map[string]*target      // by lower-case name
	works    map[int]work            // what became of lines of projects
	spoken   map[int]spoken          // what became of lines of transcripts
	coming   map[string]bool         // slugs of projects that this import makes
	people   map[string]db.AccountID // accounts by the names that actors had; 0: there is none
	source   string                  // in import_source
	reason   string                  // in the audit
	limit    int                     // how many a day the sweep takes at most
}

func (s *Store) importing(ctx context.Context, o Options, fixed func(string) (db.AccountID, error)) *importing {
	return &importing{Store: s, o: o, ctx: ctx, fixed: fixed, accounts: map[string]*target{}, works: map[int]work{}, spoken: map[int]spoken{}, people: map[string]db.AccountID{}, coming: map[string]bool{},
		source: jsonlSource, reason: api.ReasonImported,
		report: api.ImportReport{DryRun: o.DryRun, Format: api.FormatJSONL, Fates: []api.LineFate{}, Notes: []string{}}}
}

// mark is an identity in the 16 bytes that matter: one is kept for each line.
type mark [16]byte

func markOf(identity string) mark {
	sum := sha256.Sum256([]byte(identity))
	return mark(sum[:16])
}

// target is an account that lines go to.
type target struct {
	owner   db.AccountID // 0 in a dry run where it would be made
	name    string
	made    bool
	pool    bool             // it is a project's pool
	in      int64            // that project
	empty   bool             // it had no memories before
	shelves map[string]int64 // categories by category.Key; 0 in a dry run where it would be made
	fresh   map[int]bool     // lines that made a category
	gone    map[int]bool     // lines whose category was made before and deleted since
	seen    map[mark]int32   // how often an identity came in this file
	claimed map[int64]bool   // memories that a line of this file is about
	home    string           // the name of the default category, once something went there
	purged  map[string]int64 // what was left of purged memories before; nil: not looked at yet
}

func newTarget(name string) *target {
	return &target{name: name, seen: map[mark]int32{}, shelves: map[string]int64{}, fresh: map[int]bool{}, gone: map[int]bool{}, claimed: map[int64]bool{}}
}

func (s *Store) run(ctx context.Context, r io.Reader, o Options, fixed func(string) (db.AccountID, error)) (api.ImportReport, error) {
	return db.Long(ctx, s.db, func(ctx context.Context) (api.ImportReport, error) {
		in, err := stage(r, o.TempDir)
		if err != nil {
			return api.ImportReport{}, err
		}
		defer in.close()
		i := s.importing(ctx, o, fixed)
		if err := in.lines(func(rawLine) error { return nil }); err != nil { // before anything is written
			return i.report, err
		}
		if i.alone, err = s.alone(ctx, fixed == nil); err != nil {
			return i.report, err
		}
		if err := i.projects(in); err != nil {
			return i.report, err
		}
		if err := i.categories(in); err != nil {
			return i.report, err
		}
		if err := i.bringTranscripts(in); err != nil {
			return i.report, err
		}
		err = in.chunks(ctx, judge{s.parse, s.Log, s.db.Now(), o.Foreign}, func(c *chunk) error {
			if err := i.chunk(c); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(c.end, in.size)
			}
			if o.Step != nil {
				o.Step(c.end, in.size, i.report.Lines)
			}
			return nil
		})
		if err != nil {
			return i.report, err
		}
		return i.report, i.finish()
	})
}

// alone is the name of the only account, if it is asked for and there is just one.
// Pools are no accounts of people.
func (s *Store) alone(ctx context.Context, asked bool) (name string, err error) {
	if !asked {
		return "", nil
	}
	err = s.db.View(ctx, func(tx *db.Tx) error {
		people, err := account.List(tx)
		if err == nil && len(people) == 1 {
			name = people[0].Name
		}
		return err
	})
	return name, err
}

// categoryType finds the lines of categories without reading the others.
var categoryType = regexp.MustCompile(`"type"\s*:\s*"category"`)

// categories makes the categories first: memories may stand before their own in
// the file.
func (i *importing) categories(in *staged) error {
	var list []*parsed
	write := func() error {
		if len(list) == 0 {
			return nil
		}
		err := i.decide(func(tx *db.Tx) error {
			for _, p := range list {
				t, err := i.target(tx, p)
				if err != nil {
					continue // told with the line itself
				}
				if err := i.category(tx, t, p); err != nil {
					return err
				}
			}
			return nil
		})
		list = list[:0]
		return err
	}
	err := in.lines(func(l rawLine) error {
		if l.data == nil || !categoryType.Match(l.data) {
			return nil
		}
		if p := parseLine(l.number, l.data, i.db.Now(), false); p.err == nil && p.kind == api.LineCategory {
			list = append(list, p)
		}
		if len(list) < chunkLines {
			return nil
		}
		return write()
	})
	if err != nil {
		return err
	}
	return write()
}

// category makes the category of a line, unless an import made it before: then it
// is what has become of it since, or gone.
func (i *importing) category(tx *db.Tx, t *target, p *parsed) error {
	var err error
	if p.shelf.ProjectID, err = i.project(tx, t, p); err != nil {
		if internal(err) {
			return err
		}
		return nil // told with the line itself
	}
	p.shelf.Default = p.shelf.Default && p.project == "" // as package category has it
	name := "category:" + digest(category.Key(p.shelf.Name))
	if t.owner != 0 {
		before, err := recall(tx, t.owner, jsonlSource, []string{name})
		if err != nil {
			return err
		}
		if id, ok := before[name]; ok {
			err := i.Categories.Owned(tx, t.owner, id)
			switch {
			case err == nil:
				t.shelves[category.Key(p.shelf.Name)] = id
				return nil
			case fault.Is(err, fault.NotFound):
				t.gone[p.number] = true
				return nil
			default:
				return err
			}
		}
	}
	id, made, err := i.shelf(tx, t, p.shelf)
	if err != nil {
		if internal(err) {
			return err
		}
		return nil // told with the line itself
	}
	t.fresh[p.number] = made
	if i.o.DryRun {
		return nil
	}
	return remember(tx, t.owner, jsonlSource, []origin{{name, id}})
}

// decide runs one decision: on the writer, or in a dry run on a snapshot. What it
// found out about accounts and categories counts only if it stands.
func (i *importing) decide(fn func(*db.Tx) error) error {
	if i.o.DryRun {
		return i.db.View(i.ctx, fn)
	}
	return i.db.Update(i.ctx, fn)
}

// errNoAccount says that a line doesn't say whose it is.
var errNoAccount = fault.New(fault.Invalid, "The line names no account. Say whose memories they are with --user NAME.")

// target is the account that a line goes to, made where there is none.
func (i *importing) target(tx *db.Tx, p *parsed) (*target, error) {
	if p.shared {
		return i.pool(tx, p)
	}
	return i.owned(tx, p)
}

// owned is the account that a line names.
func (i *importing) owned(tx *db.Tx, p *parsed) (*target, error) {
	if i.fixed == nil && p.account == "" {
		if i.alone == "" {
			return nil, errNoAccount
		}
		p.account, i.assumed = i.alone, true
	}
	key := strings.ToLower(p.account)
	if i.fixed != nil {
		key = ""
	}
	if t, ok := i.accounts[key]; ok {
		return t, nil
	}
	t := newTarget(p.account)
	var err error
	if i.fixed != nil {
		t.owner, err = i.fixed(p.account)
	} else {
		err = i.account(tx, t)
	}
	if err != nil {
		return nil, err
	}
	return t, i.begin(tx, key, t)
}

// begin finds out what a target has already.
func (i *importing) begin(tx *db.Tx, key string, t *target) error {
	if t.owner != 0 {
		names, err := i.Categories.Names(tx, t.owner)
		if err != nil {
			return err
		}
		for id, name := range names {
			t.shelves[category.Key(name)] = id
		}
	}
	t.empty = true
	for _, err := range i.Memories.Briefs(tx, t.owner, nil) {
		if err != nil {
			return err
		}
		t.empty = false
		break
	}
	i.accounts[key] = t
	return nil
}

func (i *importing) account(tx *db.Tx, t *target) error {
	p, err := account.ByName(tx, t.name)
	if err == nil {
		t.owner = db.AccountID(p.ID)
		return nil
	}
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	t.made = true
	if i.o.DryRun {
		i.note("The account %s would be made, locked until a password is set.", t.name)
		return nil
	}
	t.owner, err = account.InsertLocked(tx, t.name, "", api.RoleMember, 0)
	if err == nil {
		i.note("Made the account %s, locked until a password is set: elowen admin user passwd %s", t.name, t.name)
	}
	return err
}

func (i *importing) note(format string, args ...any) {
	i.report.Notes = append(i.report.Notes, fmt.Sprintf(format, args...))
}

// shelf is the account's category of a name, made where there is none. A default
// that the account has stays.
func (i *importing) shelf(tx *db.Tx, t *target, in api.CategoryAdd) (id int64, made bool, err error) {
	key := category.Key(in.Name)
	if id, ok := t.shelves[key]; ok {
		return id, false, nil
	}
	if i.o.DryRun {
		t.shelves[key] = 0
		i.makes(in.Name)
		return 0, true, nil
	}
	if in.Default {
		_, has, err := i.Categories.Default(tx, t.owner)
		if err != nil {
			return 0, false, err
		}
		in.Default = !has
	}
	id, made, err = i.Categories.Ensure(tx, t.owner, in)
	if err == nil {
		t.shelves[key] = id
	}
	if made {
		i.makes(in.Name)
	}
	return id, made, err
}

// categoriesMost is how many new categories a report names.
const categoriesMost = 100

// makes notes a category for the report.
func (i *importing) makes(name string) {
	if len(i.report.Categories) < categoriesMost {
		i.report.Categories = append(i.report.Categories, name)
	}
}

// finish gives new accounts without any category their first one, and counts what
// the sweep would take at once.
func (i *importing) finish() error {
	shorten(&i.report)
	if i.assumed {
		i.note("Lines that name no account are for %s, the only one here.", i.alone)
	}
	i.noteFiled()
	if err := i.decide(i.count); err != nil {
		return err
	}
	i.noteFaded()
	return nil
}

// noteFaded says before an import what the sweep will do after it; afterwards the
// numbers of what is there say it.
func (i *importing) noteFaded() {
	if n := i.report.Faded; i.o.DryRun && n > 0 {
		i.note("%d of these would be below the floor and eligible at the next sweep, or when the server is started again. "+
			"At most %d a day go to the trash; the rest wait. Whatever is recalled before stays.", n, i.limit)
	}
}

// count is the last step of an import, with the store as it is then.
func (i *importing) count(tx *db.Tx) error {
	terms, err := i.Settings.Terms(tx)
	if err != nil {
		return err
	}
	i.limit = terms.Policy.DailyLimit
	for _, t := range i.accounts {
		if t.owner == 0 {
			continue
		}
		if t.made && len(t.shelves) == 0 && !t.pool {
			if err := i.Categories.Seed(tx, t.owner); err != nil {
				return err
			}
		}
		n, err := i.Memories.CountDue(tx, t.owner, terms, tx.Now)
		if err != nil {
			return err
		}
		i.report.DueNow += n
	}
	return nil
}

// tell notes a line's fate in the report.
func (i *importing) tell(p *parsed) {
	if p.err != nil {
		p.fate = api.LineFate{Line: p.number, File: p.file, Fate: api.FateRefused, Message: sentence(p.err), Text: p.fate.Text}
	}
	if p.fate.Text == "" && (i.report.Lines < fatesMost || p.fate.Fate != api.FateAdded) { // else it isn't listed
		if p.fate.Text = p.excerpt(); p.kind == api.LineCategory && p.err == nil {
			p.fate.Text = p.shelf.Name
		}
	}
	if p.fate.Text != "" {
		p.fate.CreatedAt = p.made
	}
	if p.err == nil && p.filed && p.fate.Fate == api.FateAdded {
		i.report.Filed++
	}
	if p.err == nil && p.faded && (p.fate.Fate == api.FateAdded || p.fate.Fate == api.FateHeld) {
		i.report.Faded++
	}
	tell(&i.report, p.fate)
}

func tell(r *api.ImportReport, f api.LineFate) {
	r.Lines++
	switch f.Fate {
	case api.FateAdded:
		r.Added++
	case api.FateExisting:
		r.Existing++
	case api.FateKept:
		r.Kept++
	case api.FateRefused:
		r.Refused++
	case api.FateHeld:
		r.Held++
	}
	r.Fates = append(r.Fates, f)
	if len(r.Fates) > 2*fatesMost {
		shorten(r)
	}
}

// shorten leaves the fates that are worth listing where there are too many: those
// that were added say the least.
func shorten(r *api.ImportReport) {
	if r.Lines <= fatesMost {
		return
	}
	kept := r.Fates[:0]
	for _, f := range r.Fates {
		if f.Fate != api.FateAdded && f.Fate != api.FateHeld {
			kept = append(kept, f)
		}
	}
	r.Fates = kept[:min(len(kept), fatesMost)]
}

// sentence is an error as the report tells it.
func sentence(err error) string {
	return fault.ProblemOf(err).Detail
}
