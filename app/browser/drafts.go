package browser

import (
	"encoding/json"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Draft is what was typed into a form and not saved; where it is kept, and for whom, is
// in assets/js/drafts.js.
type Draft struct {
	Form string `json:"form"`
	At   int64  `json:"at"` // when, milliseconds of the device's clock
	Text string `json:"text"`
}

func drafts() (v app.Value, ok bool) {
	if !In {
		return nil, false
	}
	v = app.Window().Get("elowenDrafts")
	return v, v.Truthy()
}

// DraftOf is what is kept of a form; its Text is empty where that is nothing.
func DraftOf(form string) Draft {
	v, ok := drafts()
	if !ok {
		return Draft{}
	}
	return Draft{Form: form, At: int64(v.Call("at", form).Float()), Text: v.Call("get", form).String()}
}

// SetDraft keeps the text of a form; an empty one removes it. It tells whether there was
// room.
func SetDraft(form, text string) bool {
	v, ok := drafts()
	return ok && v.Call("set", form, text).Bool()
}

// Drafts is all that is kept for this tab, the newest first.
func Drafts() []Draft {
	v, ok := drafts()
	if !ok {
		return nil
	}
	var all []Draft
	if json.Unmarshal([]byte(v.Call("list").String()), &all) != nil {
		return nil
	}
	return all
}
