package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// pool is a project that ann and bob share, and cid has no part in.
type pool struct {
	*fixture
	projects *project.Store
	project  int64
	owner    db.AccountID
	cid      db.AccountID
	shelf    int64 // the pool's own category
}

var boss = account.Identity{Scopes: []string{api.ScopeAdmin}}

func eachPool(t *testing.T, test func(t *testing.T, p *pool)) {
	t.Helper()
	each(t, func(t *testing.T, f *fixture) { test(t, newPool(f)) })
}

func newPool(f *fixture) *pool {
	p := &pool{fixture: f, projects: project.New(f.d, project.Options{}), cid: f.account("cid")}
	made, err := p.projects.Add(ctx, boss, api.ProjectAdd{Name: "Harbor", Sharing: true})
	if err != nil {
		f.t.Fatal(err)
	}
	p.project = made.ID
	p.join("ann", true)
	p.join("bob", true)
	m := p.share(p.ann, "the first of the pool")
	p.shelf = *m.CategoryID
	p.view(func(tx *db.Tx) error {
		shared, _, err := project.Readable(tx, p.ann, p.project)
		p.owner = shared.Owner
		return err
	})
	return p
}

func (p *pool) join(name string, in bool) {
	p.t.Helper()
	if _, err := p.projects.SetMember(ctx, boss, p.project, 0, api.ProjectMemberSet{Name: name, Member: &in}); err != nil {
		p.t.Fatal(err)
	}
}

func actorOf(who db.AccountID) audit.Actor { return audit.Actor{Name: fmt.Sprintf("user:%d", who)} }

func (p *pool) share(who db.AccountID, body string, more ...func(*api.MemoryAdd)) api.Memory {
	p.t.Helper()
	in := api.MemoryAdd{Body: body, ProjectID: p.project, Shared: true}
	for _, m := range more {
		m(&in)
	}
	out, err := p.Add(ctx, who, actorOf(who), api.SourceUser, in)
	if err != nil {
		p.t.Fatal(err)
	}
	return out.Memory
}

func TestSharedMemory(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		m := p.share(p.ann, "The crane is inspected in May")
		if !m.Shared || m.ProjectID == nil || *m.ProjectID != p.project || m.Writer != "ann" || m.CategoryID == nil || *m.CategoryID != p.shelf {
			t.Errorf("%+v", m)
		}
		seen, err := p.Get(ctx, p.bob, m.ID)
		if err != nil || seen.Body != m.Body || seen.Writer != "ann" || !seen.Shared {
			t.Errorf("bob sees %+v %v", seen, err)
		}
		// Any reader changes it; who did is told by name.
		got, err := p.Patch(ctx, p.bob, actorOf(p.bob), m.ID, 1, api.MemoryPatch{Body: api.Ptr("The crane is inspected in June")})
		if err != nil || got.Revision != 2 || got.Writer != "ann" {
			t.Errorf("%+v %v", got, err)
		}
		events, err := p.Events(ctx, p.ann, m.ID, "", 0)
		if err != nil || len(events.Items) != 2 || events.Items[0].Who != "bob" || events.Items[1].Who != "You" || len(events.Items[0].Changes) != 1 || len(events.Items[0].Changes[0].Diff) == 0 {
			t.Errorf("%+v %v", events, err)
		}
		p.view(func(tx *db.Tx) error {
			d, err := p.Detail(tx, p.bob, m.ID, 0)
			if len(d.Events) != 2 || d.Events[0].Who != "You" || d.Memory.Body != got.Body || len(d.History.Points) == 0 {
				t.Errorf("%+v", d)
			}
			return err
		})
		if _, err := p.MarkRecalled(ctx, p.bob, []int64{m.ID}); err != nil {
			t.Fatal(err)
		}
		if used, err := p.Get(ctx, p.ann, m.ID); err != nil || used.UseCount != 1 {
			t.Errorf("%+v %v", used, err)
		}
		gone, err := p.Trash(ctx, p.bob, actorOf(p.bob), m.ID, 0, "")
		if err != nil || gone.DeletedWho != "You" || gone.DeletedBy != api.DeletedByYou {
			t.Errorf("%+v %v", gone, err)
		}
		if gone, err = p.Get(ctx, p.ann, m.ID); err != nil || gone.DeletedWho != "bob" || gone.DeletedBy != api.DeletedByPerson {
			t.Errorf("%+v %v", gone, err)
		}
		if done, err := p.Purge(ctx, p.bob, actorOf(p.bob), []int64{m.ID}); err != nil || done.Changed != 1 {
			t.Errorf("%+v %v", done, err)
		}
		// What is left of it is its audit, for whoever reads the pool.
		if events, err = p.Events(ctx, p.ann, m.ID, "", 0); err != nil || events.Total != 4 || events.Items[0].Action != "purge" {
			t.Errorf("%+v %v", events, err)
		}
		_, err = p.Events(ctx, p.cid, m.ID, "", 0)
		refused(t, err, fault.NotFound)
		// One's own numbers and lists are of one's own.
		if st, err := p.Stats(ctx, p.ann); err != nil || st.Active != 0 || st.DueNow != 0 {
			t.Errorf("%+v %v", st, err)
		}
		p.checked(p.ann, p.bob, p.owner)
	})
}

// checked runs the checks of a backup over what owners have.
func (p *pool) checked(owners ...db.AccountID) {
	p.t.Helper()
	p.view(func(tx *db.Tx) error {
		for _, owner := range owners {
			names, err := p.categories.Names(tx, owner)
			if err != nil {
				return err
			}
			c, err := Check(tx, owner, p.rules.set(func(*Terms) {}), names)
			if err != nil || len(c.Faults) > 0 {
				p.t.Errorf("account %d: %v %v", owner, c.Faults, err)
			}
		}
		return nil
	})
}

// What a sweep would never find is a fault of the store.
func TestCheckFindsWriters(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		mine := p.add("her own")
		p.checked(p.ann, p.owner)
		p.update(func(tx *db.Tx) error {
			if err := tx.Must(`UPDATE memory SET writer_id = 7 WHERE id = ?`, mine.ID); err != nil {
				return err
			}
			return tx.Must(`UPDATE memory SET writer_id = 0 WHERE owner_id = ?`, int64(p.owner))
		})
		p.view(func(tx *db.Tx) error {
			for _, owner := range []db.AccountID{p.ann, p.owner} {
				names, err := p.categories.Names(tx, owner)
				if err != nil {
					return err
				}
				if c, err := Check(tx, owner, p.rules.set(func(*Terms) {}), names); err != nil || len(c.Faults) != 1 {
					t.Errorf("account %d: %v %v", owner, c.Faults, err)
				}
			}
			return nil
		})
	})
}

// A member, a stranger, one who was taken out, and an administrator who is neither
// named nor a member: the last three find nothing and change nothing.
func TestPoolAccess(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		const secret = "saffron"
		m, n := p.share(p.ann, secret+" lies in the hold", importance(1)), p.share(p.ann, secret+" lies in the bow", importance(1))
		gone := p.share(p.ann, secret+" was aboard")
		if _, err := p.Trash(ctx, p.ann, me, gone.ID, 0, ""); err != nil {
			t.Fatal(err)
		}
		change, err := p.Bulk(ctx, p.ann, me, api.MemoryBulk{IDs: []int64{n.ID}, Action: api.BulkKind, Kind: api.Ptr("spice")})
		if err != nil {
			t.Fatal(err)
		}
		root := p.account("root")
		p.update(func(tx *db.Tx) error { return tx.Must(`UPDATE account SET role = 'admin' WHERE id = ?`, int64(root)) })
		p.join("bob", false)
		p.clock.Advance(300 * day)
		before := p.dump(p.owner)
		for name, who := range map[string]db.AccountID{"a stranger": p.cid, "one who was taken out": p.bob, "an administrator": root, "nobody": 0} {
			by, own := actorOf(who), int64(0)
			if who != 0 {
				out, err := p.Add(ctx, who, by, api.SourceUser, api.MemoryAdd{Body: "something of one's own"})
				if err != nil {
					t.Fatal(err)
				}
				own = out.ID
				if len(out.Similar) > 0 {
					t.Errorf("%s is told of similar ones", name)
				}
			}
			calls := map[string]func() (any, error){
				"Get":         func() (any, error) { return p.Get(ctx, who, m.ID) },
				"Patch":       func() (any, error) { return p.Patch(ctx, who, by, m.ID, 0, api.MemoryPatch{Kind: api.Ptr("x")}) },
				"Patch stale": func() (any, error) { return p.Patch(ctx, who, by, m.ID, 9, api.MemoryPatch{Kind: api.Ptr("x")}) },
				"Patch version": func() (any, error) {
					return p.Patch(ctx, who, by, m.ID, 0, api.MemoryPatch{Version: api.Ptr(int64(1))})
				},
				"Patch into": func() (any, error) {
					return p.Patch(ctx, who, by, own, 0, api.MemoryPatch{CategoryID: api.Some(p.shelf)})
				},
				"Trash":   func() (any, error) { return p.Trash(ctx, who, by, m.ID, 0, "") },
				"Restore": func() (any, error) { return p.Restore(ctx, who, by, gone.ID, 0, "") },
				"Purge":   func() (any, error) { return p.Purge(ctx, who, by, []int64{gone.ID}) },
				"EmptyTrash": func() (any, error) {
					return p.EmptyTrash(ctx, who, by, api.EmptyTrash{ProjectID: p.project})
				},
				"Merge": func() (any, error) {
					return p.Merge(ctx, who, by, api.MemoryMerge{IDs: []int64{m.ID, n.ID}, Body: "x"})
				},
				"Bulk": func() (any, error) {
					return p.Bulk(ctx, who, by, api.MemoryBulk{IDs: []int64{m.ID}, Action: api.BulkTrash})
				},
				"Undo": func() (any, error) { return p.Undo(ctx, who, by, api.MemoryUndo{Change: change.Undo}) },
				"Add": func() (any, error) {
					return p.Add(ctx, who, by, api.SourceUser, api.MemoryAdd{Body: m.Body, ProjectID: p.project, Shared: true})
				},
				"Add in": func() (any, error) {
					return p.Add(ctx, who, by, api.SourceUser, api.MemoryAdd{Body: m.Body, ProjectID: p.project})
				},
				"Add on": func() (any, error) {
					return p.Add(ctx, who, by, api.SourceUser, api.MemoryAdd{Body: m.Body, CategoryID: api.Some(p.shelf)})
				},
				"Events":    func() (any, error) { return p.Events(ctx, who, m.ID, "", 0) },
				"History":   func() (any, error) { return p.History(ctx, who, m.ID, 0) },
				"Similar":   func() (any, error) { return p.Similar(ctx, who, m.ID, 5) },
				"Reinforce": func() (any, error) { return p.Reinforce(ctx, who, by, m.ID, 9, "") },
				"DeleteCategory": func() (any, error) {
					return p.DeleteCategory(ctx, who, by, p.shelf, 0)
				},
				"DeleteSharedCategory": func() (any, error) { return p.DeleteSharedCategory(ctx, who, by, p.shelf, 0) },
				"Detail": func() (any, error) {
					var d api.MemoryDetail
					err := p.d.View(ctx, func(tx *db.Tx) (err error) { d, err = p.Detail(tx, who, m.ID, 0); return err })
					return d, err
				},
			}
			for call, run := range calls {
				out, err := run()
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("%s, %s: %+v %v", name, call, out, err)
				}
				if text := fmt.Sprintf("%+v %+v", err, fault.ProblemOf(err)); strings.Contains(text, secret) {
					t.Errorf("%s, %s tells %s", name, call, text)
				}
			}
			silent := map[string]func() (int, error){
				"Rows": func() (n int, err error) {
					err = p.d.View(ctx, func(tx *db.Tx) error {
						list, err := p.Rows(tx, who, []int64{m.ID, gone.ID})
						n = len(list)
						return err
					})
					return n, err
				},
				"MarkRecalled": func() (int, error) { ids, err := p.MarkRecalled(ctx, who, []int64{m.ID}); return len(ids), err },
				"Bulk all": func() (int, error) {
					done, err := p.Bulk(ctx, who, by, api.MemoryBulk{All: &api.MemoryQuery{Status: "all", ProjectID: p.project, Pool: true}, Action: api.BulkTrash})
					return done.Changed, err
				},
				"AutoEvict": func() (int, error) {
					done, err := p.AutoEvict(ctx, who, m.ID, p.clock.Now(), 5, p.rules.set(func(*Terms) {}))
					if done == Kept {
						return 0, err
					}
					return 1, err
				},
			}
			for call, run := range silent {
				if n, err := run(); err != nil || n != 0 {
					t.Errorf("%s, %s: %d %v", name, call, n, err)
				}
			}
			if p.dump(p.owner) != before {
				t.Fatalf("%s changed the pool", name)
			}
		}
	})
}

// One who is taken out between two transactions of one request gets nothing from the
// second: what was found before isn't told, and nothing is written.
func TestTakenOutInTheMiddle(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		p.share(p.ann, "The spare keys of the cellar hang behind the furnace, left")
		in := api.MemoryAdd{Body: "The spare keys of the cellar hang behind the furnace", ProjectID: p.project, Shared: true}
		similar, err := p.resembling(ctx, p.bob, in, in.Body)
		if err != nil || len(similar) != 1 {
			t.Fatalf("%+v %v", similar, err)
		}
		p.join("bob", false)
		before := p.dump(p.owner)
		out, err := p.decide(ctx, p.bob, actorOf(p.bob), api.SourceUser, in.Body, in, similar, Vectors{})
		refused(t, err, fault.NotFound)
		if len(out.Similar) != 0 || p.dump(p.owner) != before {
			t.Errorf("%+v", out)
		}
	})
}

func TestMergeAcrossOwners(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		mine, one, two := p.add("one of her own"), p.share(p.ann, "the tide is high at six"), p.share(p.bob, "the tide is high at seven")
		_, err := p.Merge(ctx, p.ann, me, api.MemoryMerge{IDs: []int64{mine.ID, one.ID}, Body: "both"})
		refused(t, err, fault.Invalid)
		merged, err := p.Merge(ctx, p.bob, actorOf(p.bob), api.MemoryMerge{IDs: []int64{one.ID, two.ID}, Body: "the tide is high at half past six"})
		if err != nil || !merged.Shared || merged.Writer != "bob" || *merged.CategoryID != p.shelf {
			t.Fatalf("%+v %v", merged, err)
		}
		if was, err := p.Get(ctx, p.ann, one.ID); err != nil || was.Status != api.StatusDeleted || was.Writer != "ann" {
			t.Errorf("%+v %v", was, err)
		}
		// Whoever made it takes it back; to another reader no number tells of it.
		for change := merged.Undo - 3; change < merged.Undo+4; change++ {
			_, err := p.Undo(ctx, p.ann, me, api.MemoryUndo{Change: change})
			refused(t, err, fault.NotFound)
		}
		if done, err := p.Undo(ctx, p.bob, actorOf(p.bob), api.MemoryUndo{Change: merged.Undo}); err != nil || done.Changed != 3 {
			t.Errorf("%+v %v", done, err)
		}
		p.checked(p.ann, p.bob, p.owner)
	})
}

// Numbers from before each account counted for itself are in the first account's range:
// whoever made those changes takes them back all the same, and nobody else.
func TestUndoOfANumberFromBefore(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		one, two := p.share(p.bob, "the tide is high at six"), p.share(p.bob, "the tide is low at noon")
		p.join("cid", true)
		const before = 7
		p.update(func(tx *db.Tx) error {
			return audit.Write(tx, p.owner,
				audit.Entry{Memory: one.ID, Action: audit.ActionUpdate, By: actorOf(p.bob), Before: `{"importance":3}`, After: `{"importance":5}`, Group: before},
				audit.Entry{Memory: two.ID, Action: audit.ActionUpdate, By: audit.Actor{Name: "token:4"}, Before: `{"importance":3}`, After: `{"importance":5}`, Group: before + 1})
		})
		token := audit.Actor{Name: "token:4"}
		for _, change := range []int64{before, before + 1} {
			_, err := p.Undo(ctx, p.cid, actorOf(p.cid), api.MemoryUndo{Change: change})
			refused(t, err, fault.NotFound)
		}
		for change, by := range map[int64]audit.Actor{before: actorOf(p.bob), before + 1: token} {
			if done, err := p.Undo(ctx, p.bob, by, api.MemoryUndo{Change: change}); err != nil || done.Changed != 1 {
				t.Errorf("%+v %v", done, err)
			}
		}
	})
}

// One change over one's own and the pool's: all or nothing, and back in one.
func TestBulkOverOwners(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		mine, ours, his := p.add("her own"), p.share(p.ann, "everybody's"), p.share(p.bob, "everybody's too")
		ids := []int64{mine.ID, ours.ID, his.ID}
		done, err := p.Bulk(ctx, p.ann, me, api.MemoryBulk{IDs: ids, Action: api.BulkImportance, Importance: api.Ptr(9)})
		if err != nil || done.Changed != 3 {
			t.Fatalf("%+v %v", done, err)
		}
		_, err = p.Bulk(ctx, p.ann, me, api.MemoryBulk{IDs: ids, Action: api.BulkCategory, CategoryID: api.Some(p.shelf)})
		refused(t, err, fault.NotFound) // no category is both hers and the pool's
		back, err := p.Undo(ctx, p.ann, me, api.MemoryUndo{Change: done.Undo})
		if err != nil || back.Changed != 3 {
			t.Errorf("%+v %v", back, err)
		}
		for _, id := range ids {
			if m, err := p.Get(ctx, p.ann, id); err != nil || m.Importance != 5 {
				t.Errorf("%+v %v", m, err)
			}
		}
		all := &api.MemoryQuery{ProjectID: p.project, Pool: true, Q: "everybody"}
		if done, err = p.Bulk(ctx, p.bob, actorOf(p.bob), api.MemoryBulk{All: all, Action: api.BulkTrash}); err != nil || done.Changed != 2 {
			t.Errorf("%+v %v", done, err)
		}
		if done, err = p.Bulk(ctx, p.bob, actorOf(p.bob), api.MemoryBulk{IDs: []int64{ours.ID, his.ID}, Action: api.BulkPurge}); err != nil || done.Changed != 2 {
			t.Errorf("%+v %v", done, err)
		}
		p.checked(p.ann, p.bob, p.owner)
	})
}

// What was deleted of a pool's categories leaves its memories in none of the pool.
func TestDeleteSharedCategory(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		m := p.share(p.bob, "on the shelf")
		done, err := p.DeleteSharedCategory(ctx, p.ann, me, p.shelf, 0)
		if err != nil || done.Changed != 2 {
			t.Fatalf("%+v %v", done, err)
		}
		if m, err = p.Get(ctx, p.bob, m.ID); err != nil || m.CategoryID != nil || !m.Shared {
			t.Errorf("%+v %v", m, err)
		}
		// The next one makes it anew.
		if next := p.share(p.ann, "after it"); next.CategoryID == nil || *next.CategoryID == p.shelf {
			t.Errorf("%+v", next)
		}
		p.checked(p.owner)
	})
}

// A pool's memory counts for its writer: in what is due, in the day's limit, and in
// what was taken already.
func TestPoolSweepGoesByWriter(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		mine := p.add("her own, forgotten", importance(1))
		hers, his := p.share(p.ann, "hers in the pool, forgotten", importance(1)), p.share(p.bob, "his in the pool, forgotten", importance(1))
		p.clock.Advance(200 * day)
		terms, now := p.rules.set(func(t *Terms) { t.Policy.DailyLimit = 1 }), p.clock.Now()
		due := func(who db.AccountID) (ids []int64) {
			for _, c := range p.due(who, terms, now) {
				ids = append(ids, c.ID)
			}
			slices.Sort(ids)
			p.view(func(tx *db.Tx) error {
				n, err := p.CountDue(tx, who, terms, now)
				if n != len(ids) {
					t.Errorf("%d are due, %d are counted", len(ids), n)
				}
				return err
			})
			return ids
		}
		first := p.all(p.owner)[0]
		if got, want := due(p.ann), []int64{mine.ID, first, hers.ID}; !slices.Equal(got, want) { // by id
			t.Errorf("due for ann: %v, want %v", got, want)
		}
		if got := due(p.bob); !slices.Equal(got, []int64{his.ID}) {
			t.Errorf("due for bob: %v", got)
		}
		if got := due(p.owner); len(got) != 0 {
			t.Errorf("due for the pool itself: %v", got)
		}
		evict := func(who db.AccountID, id int64) Outcome {
			out, err := p.AutoEvict(ctx, who, id, now, 1, terms)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if got := evict(p.ann, his.ID); got != Kept {
			t.Errorf("ann's sweep takes bob's: %s", got)
		}
		// Access has nothing to do with it: what she wrote is swept though she was taken out.
		p.join("ann", false)
		if got := evict(p.ann, hers.ID); got != Trashed {
			t.Errorf("hers in the pool: %s", got)
		}
		if got := evict(p.ann, mine.ID); got != Refused {
			t.Errorf("one limit for both: %s", got)
		}
		if got := evict(p.bob, his.ID); got != Trashed {
			t.Errorf("bob has a limit of his own: %s", got)
		}
		p.view(func(tx *db.Tx) error {
			for who, want := range map[db.AccountID]int{p.ann: 1, p.bob: 1, p.cid: 0, p.owner: 0} {
				if n, err := audit.Evicted(tx, who, now); n != want || err != nil {
					t.Errorf("%d lost %d, want %d (%v)", who, n, want, err)
				}
			}
			return nil
		})
		p.checked(p.ann, p.bob, p.owner)
	})
}

// all are the ids of what an owner has.
func (p *pool) all(owner db.AccountID) (ids []int64) {
	p.t.Helper()
	p.view(func(tx *db.Tx) error {
		for b, err := range p.Briefs(tx, owner, nil) {
			if err != nil {
				return err
			}
			ids = append(ids, b.ID)
		}
		return nil
	})
	return ids
}

// Who is erased leaves what they wrote to the pool, as the pool's own.
func TestErasedWriter(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		m := p.share(p.bob, "bob's last words", importance(1))
		p.update(func(tx *db.Tx) error {
			for _, step := range []func(*db.Tx, db.AccountID) error{account.MarkErasing, project.EraseAccount, EraseAccount} {
				if err := step(tx, p.bob); err != nil {
					return err
				}
			}
			return nil
		})
		got, err := p.Get(ctx, p.ann, m.ID)
		if err != nil || got.Body != m.Body || got.Writer != "" || !got.Shared {
			t.Errorf("%+v %v", got, err)
		}
		p.clock.Advance(200 * day)
		terms := p.rules.set(func(*Terms) {})
		if list := p.due(p.owner, terms, p.clock.Now()); len(list) != 1 || list[0].ID != m.ID {
			t.Errorf("due for the pool: %+v", list)
		}
		if out, err := p.AutoEvict(ctx, p.owner, m.ID, p.clock.Now(), 5, terms); err != nil || out != Trashed {
			t.Errorf("%s %v", out, err)
		}
		p.checked(p.ann, p.owner)
	})
}

// The filter says the same in SQL and in Go, of one's own in a project and of a pool.
func TestPredicateInProject(t *testing.T) {
	eachPool(t, func(t *testing.T, p *pool) {
		out, err := p.Add(ctx, p.ann, me, api.SourceUser, api.MemoryAdd{Body: "hers, in the project", ProjectID: p.project})
		if err != nil || out.Shared || out.CategoryID == nil {
			t.Fatalf("%+v %v", out, err)
		}
		p.add("hers, outside")
		shared := p.all(p.owner)
		for _, c := range []struct {
			q    api.MemoryQuery
			who  db.AccountID
			want []int64
		}{
			{api.MemoryQuery{ProjectID: p.project}, p.ann, []int64{out.ID}},
			{api.MemoryQuery{ProjectID: p.project, Pool: true}, p.ann, shared},
			{api.MemoryQuery{ProjectID: p.project, Pool: true}, p.cid, nil},
			{api.MemoryQuery{ProjectID: p.project}, p.cid, nil},
			{api.MemoryQuery{Pool: true}, p.ann, nil},
			{api.MemoryQuery{ProjectID: p.project + 9}, p.ann, nil},
		} {
			p.view(func(tx *db.Tx) error {
				places, err := p.Places(tx, c.who)
				if err != nil {
					return err
				}
				terms := p.rules.set(func(*Terms) {})
				filter := PredicateIn(c.q, places, terms, tx.Now)
				sql, err := p.matching(tx, c.who, c.q, terms)
				if err != nil {
					return err
				}
				var matched []int64
				for _, owner := range append([]project.Pool{{Owner: c.who}}, places.Pools()...) {
					for b, err := range p.Briefs(tx, owner.Owner, nil) {
						if err != nil {
							return err
						}
						if owner.Project != 0 {
							b.Pool = PoolOf(owner.Owner)
						}
						if filter.Match(b) {
							matched = append(matched, b.ID)
						}
					}
				}
				if !slices.Equal(sql, c.want) || !slices.Equal(matched, c.want) {
					t.Errorf("%+v of %d: %v in SQL, %v in Go, want %v", c.q, c.who, sql, matched, c.want)
				}
				return nil
			})
		}
	})
}
