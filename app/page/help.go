package page

import (
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// help shows the keys.
func (s *Session) help() {
	rows := make([]app.UI, 0, len(text.Keys))
	for _, k := range text.Keys {
		var keys []app.UI
		for i, name := range k.Keys {
			if i > 0 {
				keys = append(keys, part.Text(" "))
			}
			keys = append(keys, part.Kbd(name))
		}
		rows = append(rows, tag.Box("div", "", tag.Box("dt", "", keys...), tag.Words("dd", "", k.What)))
	}
	s.ask(&part.DialogSpec{Title: text.KeysTitle, Wide: true, Extra: tag.Box("dl", "keys", rows...)})
}
