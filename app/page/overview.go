package page

import (
	"elowen/app/state"
	"elowen/app/sync"
	"elowen/shared/api"
	"elowen/shared/live"
)

// overview is what the frame and the menus show of everything: the counts, and the
// categories. They come in windows of their own, and are shown once both are here.
type overview struct {
	Stats      api.MemoryStats
	Categories []api.Category

	counted, shelved bool // which of them is here
}

// follow subscribes to what every page shows something of.
func (s *Session) follow() {
	watch(s, live.ViewStats, func(w state.Window[live.StatsRow]) {
		if len(w.Rows) > 0 {
			s.gather(func(o *overview) { o.Stats, o.counted = w.Rows[0].Stats, true })
		}
		s.tell(w.AsOf, w.Kept)
	})
	watch(s, live.ViewCategories, func(w state.Window[live.CategoryRow]) {
		list := make([]api.Category, len(w.Rows))
		for i, r := range w.Rows {
			list[i] = r.Category
		}
		s.gather(func(o *overview) { o.Categories, o.shelved = list, true })
	})
	watch(s, live.ViewMe, func(w state.Window[live.MeRow]) {
		if len(w.Rows) > 0 {
			s.me = &w.Rows[0].Me
		}
	})
	watch(s, live.ViewIndex, func(w state.Window[live.IndexRow]) {
		if len(w.Rows) > 0 {
			s.index = &w.Rows[0].IndexState
		}
	})
	watch(s, live.ViewProjects, func(w state.Window[live.ProjectRow]) {
		s.projects = nil
		for _, r := range w.Rows {
			s.projects = append(s.projects, r.Project)
		}
	})
	watch(s, live.ViewSettings, func(w state.Window[live.SettingsRow]) {
		if len(w.Rows) > 0 {
			s.policy = &w.Rows[0]
		}
	})
}

// watch shows a window for as long as the session lasts.
func watch[R state.Keyed](s *Session, view string, show func(state.Window[R])) {
	sync.Subscribe(s.client, live.Request{View: view}, func(e sync.Event[R]) {
		if e.Outcome != state.Refused {
			s.do(func() { show(e.After) })
		}
	})
}

// gather takes a part of the overview in.
func (s *Session) gather(change func(o *overview)) {
	if s.overview != nil {
		s.gathered = *s.overview // with what was added to it since
	}
	change(&s.gathered)
	if o := s.gathered; o.counted && o.shelved {
		s.overview = &o
	}
}
