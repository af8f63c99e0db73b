package account

import (
	"strings"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// memorySwitch is one of an account's own switches: a row of the setting table, which
// says how a new account has it, its column, and its place on the wire.
type memorySwitch struct {
	row, column string
	of          func(*api.MeMemory) *bool
	change      func(*api.MeMemoryPatch) *bool // nil: stays
}

var memorySwitches = []memorySwitch{
	{"me.searchAfterMessage", "search_after_message", func(m *api.MeMemory) *bool { return &m.SearchAfterMessage }, func(p *api.MeMemoryPatch) *bool { return p.SearchAfterMessage }},
	{"me.searchWhileWorking", "search_while_working", func(m *api.MeMemory) *bool { return &m.SearchWhileWorking }, func(p *api.MeMemoryPatch) *bool { return p.SearchWhileWorking }},
	{"me.autoSave", "auto_save", func(m *api.MeMemory) *bool { return &m.AutoSave }, func(p *api.MeMemoryPatch) *bool { return p.AutoSave }},
	{"me.dreaming", "dreaming", func(m *api.MeMemory) *bool { return &m.Dreaming }, func(p *api.MeMemoryPatch) *bool { return p.Dreaming }},
	{"me.learnSkills", "learn_skills", func(m *api.MeMemory) *bool { return &m.LearnSkills }, func(p *api.MeMemoryPatch) *bool { return p.LearnSkills }},
}

// switchColumns are the columns of the switches, each before and after some text.
func switchColumns(before, after string) string {
	var b strings.Builder
	for _, s := range memorySwitches {
		b.WriteString(before + s.column + after)
	}
	return b.String()
}

// switchesOf are the places of the switches, to scan into.
func switchesOf(m *api.MeMemory) []any {
	list := make([]any, len(memorySwitches))
	for i, s := range memorySwitches {
		list[i] = s.of(m)
	}
	return list
}

// switchValues are the switches as they are stored.
func switchValues(m *api.MeMemory) []any {
	list := make([]any, len(memorySwitches))
	for i, s := range memorySwitches {
		list[i] = number(*s.of(m))
	}
	return list
}

// defaultSwitches are those of a new account.
func defaultSwitches() api.MeMemory {
	var m api.MeMemory
	for _, s := range memorySwitches {
		*s.of(&m) = setting.Get(s.row).Default != 0
	}
	return m
}

// flip changes the switches that a patch names.
func flip(m *api.MeMemory, p *api.MeMemoryPatch) {
	if p == nil {
		return
	}
	for _, s := range memorySwitches {
		if to := s.change(p); to != nil {
			*s.of(m) = *to
		}
	}
}
