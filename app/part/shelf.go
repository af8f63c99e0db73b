package part

import (
	"slices"
	"strconv"

	"elowen/app/browser"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// ShelfIcons are the icons of the sprite that a category may have.
var ShelfIcons = []string{
	"briefcase", "house", "heart", "user", "languages", "book-open", "calendar-days", "message-square", "terminal", "wrench", "database", "plug",
	"ship", "plane", "map", "stethoscope", "sprout", "leaf", "key", "folder", "inbox", "clock", "settings", "eye",
}

// ShelfIcon is the mark of a category: its icon in its colour, or its rings where it
// has none that the sprite knows.
func ShelfIcon(icon string, color int) app.UI {
	if !slices.Contains(ShelfIcons, icon) {
		return CategoryRings(color)
	}
	return app.Raw(`<svg class="icon shelf-icon" data-cat="` + strconv.Itoa(color) + `" aria-hidden="true"><use href="` + browser.Web("icons.svg") + `#` + icon + `"></use></svg>`)
}
