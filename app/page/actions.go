package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// sendMany sends a change of many memories; until its answer the bar that offers
// such changes is busy.
func (s *Session) sendMany(w sync.Write, then func(err error)) {
	s.working++
	s.changed()
	s.send(w, func(err error) {
		s.working--
		then(err)
	})
}

// bulk sends one bulk change and goes on with what it changed.
func (s *Session) bulk(b api.MemoryBulk, then func(done api.BulkDone)) {
	s.bulkOr(b, func(int, string) {}, then)
}

// bulkOr is bulk for a change that expects a number: where there are others, it goes
// on with how many, and why that refused the change.
func (s *Session) bulkOr(b api.MemoryBulk, others func(n int, why string), then func(done api.BulkDone)) {
	var done api.BulkDone
	s.sendMany(sync.Write{Method: "POST", Path: api.PathBulk, Body: b, Out: &done}, func(err error) {
		if n, ok := recounted(err); ok && b.Expect != nil {
			others(n, words(err))
			return
		}
		if err != nil {
			s.fail(err)
			return
		}
		then(done)
	})
}

// over makes a bulk change of what is picked. All of it can be undone, so it doesn't
// ask, unless there are others by then than the person saw; what says what it would
// do.
func (s *Session) over(p picked, b api.MemoryBulk, what string, then func(done api.BulkDone)) {
	b = p.target(b)
	if p.all == nil {
		s.bulk(b, then)
		return
	}
	b.Expect = api.Ptr(p.of)
	s.bulkOr(b, func(n int, why string) {
		p.of = n
		if s.picked.all != nil {
			s.picked.of = n
		}
		s.ask(&part.DialogSpec{
			Title: text.BulkTitle(b.Action, n), Body: []string{why, text.BulkBody(b.Action, what)}, Action: text.BulkDo(b.Action, n),
			Run: func() { s.over(p, b, what, then) },
		})
	}, then)
}

// takeBack is the way back of a change of many; nil where there is none.
func (s *Session) takeBack(change int64) func() {
	return s.takeBackAs(change, func(done api.BulkDone) string { return text.PutBackMany(done.Changed) })
}

// takeBackAs is takeBack that has its own words for what was done.
func (s *Session) takeBackAs(change int64, said func(done api.BulkDone) string) func() {
	if change == 0 {
		return nil
	}
	return func() {
		var done api.BulkDone
		s.sendMany(sync.Write{Method: "POST", Path: api.PathUndo, Body: api.MemoryUndo{Change: change}, Out: &done}, func(err error) {
			if err != nil {
				s.fail(err)
				return
			}
			s.say(said(done), nil)
		})
	}
}

// target fills in what a bulk change is about.
func (p *picked) target(b api.MemoryBulk) api.MemoryBulk {
	if p.all != nil {
		b.All = p.all
	} else {
		b.IDs = idsOf(p.memories())
	}
	return b
}

// one is a choice of a single memory.
func one(m api.Memory) picked {
	return picked{rows: map[int64]api.Memory{m.ID: m}}
}

// trash moves memories to the trash, with a way back.
func (s *Session) trash(p picked) {
	if p.count() == 1 && p.all == nil {
		m := p.memories()[0]
		s.send(sync.Write{Method: "DELETE", Path: api.MemoryPath(m.ID)}, func(err error) {
			if err != nil {
				s.fail(err)
				return
			}
			s.picked.clear()
			s.sayOf(text.Trashed(1), m, func() { s.restoreIDs([]int64{m.ID}) })
			s.leave(m.ID)
		})
		return
	}
	b := api.MemoryBulk{Action: api.BulkTrash, Reason: text.ReasonList}
	s.over(p, b, "", func(done api.BulkDone) {
		s.picked.clear()
		s.say(text.Trashed(done.Changed), s.takeBack(done.Undo))
		for _, id := range done.IDs {
			s.leave(id)
		}
	})
}

// leave closes the detail of a memory that left the list.
func (s *Session) leave(id int64) {
	if s.route.Kind == listPage && s.route.ID == id {
		s.replace(s.route.close())
		if l := s.list; l != nil && l.holder != nil {
			l.ctx.Defer(func(app.Context) { browser.Focus(l.holder) }) // what had the focus is gone
		}
	}
}

// restore takes memories out of the trash, with a way back.
func (s *Session) restore(p picked) {
	s.over(p, api.MemoryBulk{Action: api.BulkRestore}, "", func(done api.BulkDone) {
		s.picked.clear()
		s.say(text.Restored(done.Changed), s.takeBack(done.Undo))
	})
}

func (s *Session) restoreIDs(ids []int64) {
	s.bulk(api.MemoryBulk{IDs: ids, Action: api.BulkRestore}, func(done api.BulkDone) { s.say(text.Restored(done.Changed), nil) })
}

// purging is the change that purges what is picked, and no more than was counted.
func (p *picked) purging() api.MemoryBulk {
	b := p.target(api.MemoryBulk{Action: api.BulkPurge})
	if p.all != nil {
		b.Expect = api.Ptr(p.of)
	}
	return b
}

// recounted tells how many there are, where a change was refused because they were
// not as many as was confirmed.
func recounted(err error) (n int, ok bool) {
	now, ok := sync.Current[api.Matching](err)
	return now.Count, ok && now.Count > 0
}

// purge asks, with a phrase to type, and then removes memories for good. notes are
// shown first. If there are others by then, it asks again.
func (s *Session) purge(p picked, notes ...string) {
	n := p.count()
	s.ask(&part.DialogSpec{
		Title: text.PurgeTitle(n), Body: append(notes, text.PurgeBody...), Phrase: text.PurgePhrase(n), Action: text.PurgeAction(n), Danger: true,
		Run: func() {
			var done api.BulkDone
			s.sendMany(sync.Write{Method: "POST", Path: api.PathBulk, Body: p.purging(), Out: &done}, func(err error) {
				if now, ok := recounted(err); ok && p.all != nil {
					p.of = now
					if s.picked.all != nil {
						s.picked.of = now
					}
					s.purge(p, words(err))
					return
				}
				if err != nil {
					s.fail(err)
					return
				}
				s.picked.clear()
				s.say(text.Purged(done.Changed), nil)
				for _, id := range done.IDs {
					s.leave(id)
				}
			})
		},
	})
}

// emptyTrash asks, with a phrase to type, and then removes everything in the trash.
// notes are shown first. If more or fewer are there by then, it asks again.
func (s *Session) emptyTrash(n int, notes ...string) {
	s.ask(&part.DialogSpec{
		Title: text.EmptyTitle(n), Body: append(notes, text.PurgeBody...), Phrase: text.EmptyPhrase(n), Action: text.EmptyAction, Danger: true,
		Run: func() {
			var done api.BulkDone
			s.sendMany(sync.Write{Method: "POST", Path: api.PathEmptyTrash, Body: api.EmptyTrash{Expect: &n}, Out: &done}, func(err error) {
				if now, ok := recounted(err); ok {
					s.emptyTrash(now, words(err))
					return
				}
				if err != nil {
					s.fail(err)
					return
				}
				s.picked.clear()
				s.say(text.Purged(done.Changed), nil)
			})
		},
	})
}

// change applies one field to memories; said is what it is now.
func (s *Session) change(p picked, b api.MemoryBulk, said string) {
	s.over(p, b, said, func(done api.BulkDone) {
		s.picked.clear()
		s.say(text.Changed(done.Changed, said), s.takeBack(done.Undo))
	})
}

func (s *Session) setCategory(p picked, id int64) {
	choice := api.Null[int64]()
	name := ""
	if id > 0 {
		choice = api.Some(id)
		name, _ = s.category(&id)
	}
	s.change(p, api.MemoryBulk{Action: api.BulkCategory, CategoryID: choice}, text.NowIn(name))
}

func (s *Session) setImportance(p picked, n int) {
	s.change(p, api.MemoryBulk{Action: api.BulkImportance, Importance: &n}, text.Importance(n))
}

func (s *Session) setKind(p picked, kind string) {
	s.change(p, api.MemoryBulk{Action: api.BulkKind, Kind: &kind}, text.NowKind(kind))
}
