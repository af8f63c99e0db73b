package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/text"
	"elowen/shared/api"
)

// commands are what the palette offers beside memories: what can be done to the
// picked rows or the memory at hand, the pages, the sorts and the categories.
func (s *Session) commands() []command {
	list := s.deeds()
	add := func(group, label, icon, key string, shy bool, run func()) {
		list = append(list, command{group: group, label: label, icon: icon, key: key, shy: shy, run: run})
	}
	add(text.PaletteDo, text.NewMemory, "plus", "n", false, s.compose)
	add(text.PaletteDo, text.AddCategory, "tag", "", true, func() { s.visit(route{Kind: categoriesPage, Compose: true}) })
	add(text.PaletteDo, text.KeysTitle, "keyboard", "?", false, s.help)
	for _, to := range []struct {
		kind      kind
		name, key string
		icon      string
	}{
		{listPage, text.Memory, "g m", "list"}, {mapPage, text.MapTab, "g p", "map"}, {checkPage, text.RecallCheck, "g r", "scan-search"}, {trashPage, text.Trash, "g t", "trash-2"}, {categoriesPage, text.Categories, "g c", "tag"},
		{chatPage, text.Chat, "g h", "message-square"}, {settingsPage, text.Settings, "g s", "settings"}, {accountPage, text.Account, "g a", "user"},
	} {
		add(text.PaletteGo, to.name, to.icon, to.key, false, func() { s.open(to.kind) })
	}
	inside := func(icon string, pages []menuItem) {
		for _, to := range pages {
			add(text.PaletteGo, to.label, icon, "", true, func() { s.open(to.kind) })
		}
	}
	inside("settings", settingsParts(s.admin()))
	inside("user", accountParts())
	look := func(label string, q api.MemoryQuery) {
		add(text.PaletteGo, label, "filter", "", true, func() { s.visit(route{Kind: listPage, Query: q}) })
	}
	look(text.ShowUnfiled, api.MemoryQuery{Uncategorized: true})
	look(text.ShowUnreviewed, api.MemoryQuery{Unreviewed: true})
	look(text.ShowConsolidated, api.MemoryQuery{Status: api.StatusConsolidated})
	if s.policy == nil || s.policy.Policy.Enabled {
		look(text.ShowFading, api.MemoryQuery{FadesWithin: 30, Sort: api.SortEvictable})
	}
	q := s.route.Query.Normal()
	for _, name := range api.Sorts() {
		if s.route.Kind != listPage || name == q.Sort || name == api.SortRelevance && q.Q == "" {
			continue
		}
		add(text.PaletteSort, text.SortBy(name), "arrow-down-wide-narrow", "", true, func() {
			s.visit(s.route.with(func(m *api.MemoryQuery) { m.Sort, m.Order = name, "" }))
		})
	}
	for _, theme := range []struct{ name, label, icon string }{{"light", text.LightTheme, "sun"}, {"dark", text.DarkTheme, "moon"}, {"", text.SystemTheme, "monitor"}} {
		add(text.PaletteDo, theme.label, theme.icon, "", true, func() { browser.SetTheme(theme.name) })
	}
	if s.overview == nil {
		return list
	}
	for _, c := range s.overview.Categories {
		list = append(list, command{group: text.PaletteShelves, label: c.Name, color: c.Color + 1, note: text.Number(c.Count), shy: true, run: func() {
			s.visit(route{Kind: listPage, Query: api.MemoryQuery{CategoryID: c.ID}})
		}})
	}
	return list
}

// deeds are what can be done to the picked memories, or else the one at hand.
func (s *Session) deeds() []command {
	p := s.picked
	group := text.Selected(p.count())
	if p.empty() {
		m, ok := s.atHand()
		if !ok {
			return nil
		}
		p, group = one(m), text.Quote(text.Clip(m.Body, 40))
	}
	var list []command
	add := func(label, icon, key string, shy bool, run func()) {
		list = append(list, command{group: group, label: label, icon: icon, key: key, shy: shy, run: run})
	}
	single := p.all == nil && p.count() == 1
	status := s.route.Query.Status
	if single {
		m := p.memories()[0]
		status = m.Status
		if s.route.ID != m.ID {
			add(text.OpenIt, "corner-down-left", "↵", false, func() { s.visit(s.route.open(m.ID)) })
		}
		if m.Status == api.StatusActive {
			add(text.Edit, "square-pen", "e", false, func() { s.startEdit(m.ID) })
		}
		add(text.CopyText, "copy", "", true, func() {
			browser.Copy(m.Body, func(bool) { s.do(func() { s.say(text.Copied, nil) }) })
		})
	}
	if status == api.StatusDeleted || status == api.StatusConsolidated {
		add(text.Restore, "archive-restore", "", false, func() { s.restore(p) })
		if status == api.StatusDeleted {
			add(text.PurgeEllipsis, "x", "", false, func() { s.purge(p) })
			return list
		}
	}
	add(text.ToTrash, "trash-2", "#", false, func() { s.trash(p) })
	if ms := p.memories(); len(ms) > 1 {
		add(text.Merge, "merge", "", false, func() { s.merging = ms; s.changed() })
	}
	if status == api.StatusConsolidated {
		return list
	}
	if s.overview != nil {
		for _, c := range s.overview.Categories {
			add(text.FileIn(c.Name), "tag", "", true, func() { s.setCategory(p, c.ID) })
		}
	}
	for _, c := range importanceChoices(0) {
		n, _ := strconv.Atoi(c.Value)
		add(text.SetImportance(n, text.Word(n)), "circle-dot", "", true, func() { s.setImportance(p, n) })
	}
	for _, k := range s.kindNames() {
		add(text.SetKind(k), "folder", "", true, func() { s.setKind(p, k) })
	}
	return list
}

// atHand is the memory that is open, or where the keyboard is.
func (s *Session) atHand() (api.Memory, bool) {
	if s.detail != nil {
		if m, ok := s.detail.memory(); ok {
			return m, true
		}
	}
	if s.list != nil {
		return s.list.subject()
	}
	return api.Memory{}, false
}

// startEdit opens the form of a memory.
func (s *Session) startEdit(id int64) {
	s.edit = id
	if s.route.ID != id {
		s.visit(s.route.open(id))
	}
	s.changed()
}
