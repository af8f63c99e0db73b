package part

import (
	"math"
	"strconv"

	"elowen/app/browser"
	"elowen/app/tag"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Metric is a cell of a table with a number and its bar. Kind is the class that gives
// its colour ("sim", "key", "imp", "vit"); fill is how much of the bar, 0 to 1; notch
// is where a bound stands, below 0 for none.
func Metric(label, kind, shown string, fill, notch float64) app.UI {
	fill = min(max(fill, 0), 1) * 100
	if math.IsNaN(fill) {
		fill = 0
	}
	mark, vit := "", ""
	if notch >= 0 {
		mark = `<rect class="bar-floor" x="` + num(notch*100-1.6) + `" y="-1" width="3.2" height="8"></rect>`
	}
	if kind == "vit" {
		vit = ` data-vit="` + strconv.Itoa(Tens(int(fill))) + `"`
	}
	return tag.Td().DataSet("label", label).Body(tag.Box("span", "metric-box", tag.Words("span", "num", shown), app.Raw(
		`<span class="metric metric-`+kind+`"`+vit+`><svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">`+
			`<rect class="bar-track" width="100" height="6" rx="2"></rect><rect class="bar-fill" width="`+num(fill)+`" height="6" rx="2"></rect>`+mark+`</svg></span>`)))
}

// MemoryLink is the text of a memory that leads to it.
func MemoryLink(path, body string) app.UI {
	return tag.A().Class("memory-text").Attr("href", browser.Path(path)).Attr("dir", "auto").Text(Cut(body))
}
