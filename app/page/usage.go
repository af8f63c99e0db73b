package page

import (
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// usageTable is what the account's requests to models took: the sums by role, and
// under each of them its latest days.
type usageTable struct {
	load *loader
	use  api.Usage
}

// usageDays is how many days of a role are shown.
const usageDays = 7

func (u *usageTable) begin(s *Session) {
	u.load = loading(s, api.PathUsage, func(use api.Usage) { u.use = use })
	u.load.now()
}

func (u *usageTable) section() app.UI {
	if u.load == nil {
		return tag.Section()
	}
	return part.Section("h-usage", text.UsageHead, part.Beside(text.UsageWhy),
		u.load.show(u.table),
	)
}

func (u *usageTable) table() app.UI {
	if len(u.use.Roles) == 0 {
		return tag.Words("p", "muted", text.NoUsage)
	}
	row := func(class, label string, r api.UsageRole) app.UI {
		number := func(class string, n int64) app.UI { return tag.Words("td", "num r"+class, text.Number(int(n))) }
		return tag.Box("tr", class, tag.Words("td", "", label),
			number("", r.Requests), number("", r.InputTokens), number(" cell-hide", r.CachedTokens), number("", r.OutputTokens))
	}
	var rows []app.UI
	for _, sum := range u.use.Roles {
		rows = append(rows, row("", text.RoleName(sum.Role), sum))
		shown := 0
		for _, day := range u.use.Items {
			if day.Role == sum.Role && shown < usageDays {
				rows = append(rows, row("meta", text.UsageOn(day.Day), day.UsageRole))
				shown++
			}
		}
	}
	head := func(class, label string) app.UI { return tag.Words("th", "num r"+class, label) }
	return tag.Box("table", "table table-plain",
		tag.Box("thead", "", tag.Box("tr", "", tag.Words("th", "", text.UsageFor), head("", text.UsageRequests), head("", text.UsageInput), head(" cell-hide", text.UsageCached), head("", text.UsageOutput))),
		tag.Box("tbody", "", rows...))
}
