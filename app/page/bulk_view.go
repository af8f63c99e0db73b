package page

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// bulkBar is what can be done with the picked rows of a status.
func (s *Session) bulkBar(status string, merge bool) app.UI {
	busy := s.working > 0
	b := func(do, label, icon string) app.UI {
		return part.Button("btn btn-sm", do, "", part.Icon(icon), part.Text(label)).Attr("disabled", busy)
	}
	n := s.picked.count()
	var body []app.UI
	if status != api.StatusDeleted { // nothing in the trash is edited
		body = append(body,
			b("bulk-category", text.Category, "tag"),
			b("bulk-importance", text.ImportanceField, "circle-dot"),
			b("bulk-kind", text.Kind, "folder"))
	}
	if merge && status != api.StatusDeleted && s.picked.all == nil && n > 1 && float64(n) <= setting.Get("memory.merge").Max {
		body = append(body, b("bulk-merge", text.Merge, "merge"))
	}
	if status == api.StatusDeleted || status == api.StatusConsolidated {
		body = append(body, b("bulk-restore", text.Restore, "archive-restore"))
	}
	if status != api.StatusDeleted {
		body = append(body, b("bulk-trash", text.Trash, "trash-2"))
	} else {
		body = append(body, part.Button("btn btn-sm btn-danger", "bulk-purge", "", part.Text(text.PurgeEllipsis)).Attr("disabled", busy))
	}
	return tag.Div().Class("filters bulk").Role("group").Aria("label", text.BulkActions).Aria("busy", strconv.FormatBool(busy)).Body(body...)
}

// onPicked does what a button of the bulkBar says; false for another button.
func (s *Session) onPicked(act browser.Act) bool {
	switch act.Do {
	case "pick-none":
		s.picked.clear()
		s.changed()
	case "bulk-trash":
		s.trash(s.picked)
	case "bulk-restore":
		s.restore(s.picked)
	case "bulk-purge":
		s.purge(s.picked)
	case "bulk-merge":
		s.merging = s.picked.memories()
		s.changed()
	case "bulk-category":
		p := s.picked
		s.pickCategory(act.Element, nil, func(id int64) { s.setCategory(p, id) })
	case "bulk-importance":
		p := s.picked
		s.pickImportance(act.Element, 0, func(n int) { s.setImportance(p, n) })
	case "bulk-kind":
		p := s.picked
		s.pickKind(act.Element, "", func(k string) { s.setKind(p, k) })
	default:
		return false
	}
	return true
}
