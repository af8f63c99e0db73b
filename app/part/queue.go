package part

import (
	"strconv"

	"elowen/app/browser"
	"elowen/app/state"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Change is one change that is not sent, with what can be done about it: its buttons
// carry data-do queue-… and its id.
func Change(c state.Change, now api.Time) app.UI {
	id := strconv.FormatInt(c.ID, 10)
	name, class := text.WaitingFlag, "tag"
	switch c.State {
	case state.ChangeConflict:
		name, class = text.ConflictFlag, "tag tag-warn"
	case state.ChangeRefused:
		name, class = text.RefusedFlag, "tag tag-danger"
	case state.ChangeTrashed:
		name, class = text.TrashedFlag, "tag tag-warn"
	case state.ChangeHeld:
		name = text.HeldFlag
	}
	return tag.Box("li", "unsent",
		tag.Box("div", "unsent-head",
			Bold(text.ChangeName(c.Action, len(c.Memories))),
			tag.Words("span", "meta num", text.Ago(now, api.Time(c.At))),
			tag.Words("span", class, name),
			tag.Span().Class("grow"),
			If(c.State == state.ChangeRefused || c.State == state.ChangeHeld, func() app.UI {
				return Button("btn btn-sm", "queue-again", id, Text(text.SendAgain))
			}),
			If(c.State == state.ChangeRefused && (c.Action == state.ActAdd || c.Action == state.ActEdit), func() app.UI {
				return Button("btn btn-sm", "queue-open", id, Text(text.OpenForm))
			}),
			If(c.State == state.ChangeHeld || c.State == state.ChangeWaiting && c.Action == state.ActAdd, func() app.UI {
				return Button("btn btn-sm", "queue-open", id, Text(text.OpenForm))
			}),
			If(c.State != state.ChangeConflict && c.State != state.ChangeTrashed, func() app.UI {
				return Button("btn btn-sm btn-quiet", "queue-drop", id, Text(text.DropChange))
			}),
		),
		If(c.Problem != "" && c.State == state.ChangeRefused, func() app.UI { return tag.Words("p", "err", c.Problem) }),
		changeText(c, id),
	)
}

// changeText is what a change is about; where somebody else changed the memory, both
// texts, the typed one first.
func changeText(c state.Change, id string) app.UI {
	if c.State != state.ChangeConflict && c.State != state.ChangeTrashed || c.Current == nil {
		return If(c.Text != "", func() app.UI {
			return tag.P().Class("memory-text unsent-text").Attr("dir", "auto").Text(Cut(c.Text))
		})
	}
	theirs := *c.Current
	mine := c.Patched(theirs)
	head, buttons := text.Theirs(browser.Date(theirs.UpdatedAt, browser.Clock), theirs.Revision), []app.UI{
		Button("btn btn-sm btn-primary", "queue-mine", id, Text(text.SaveMine(theirs.Revision+1))),
		Button("btn btn-sm", "queue-drop", id, Text(text.KeepTheirs)),
		If(c.Action == state.ActEdit, func() app.UI { return Button("btn btn-sm btn-quiet", "queue-open", id, Text(text.OpenForm)) }),
	}
	if c.State == state.ChangeTrashed {
		head, buttons = text.InTrashNow, []app.UI{
			Button("btn btn-sm btn-primary", "queue-restore", id, Text(text.RestoreMine)),
			Button("btn btn-sm", "queue-drop", id, Text(text.LeaveInTrash)),
		}
	}
	return tag.Box("div", "stack",
		tag.Box("div", "ba",
			tag.Box("div", "", tag.Words("h3", "", text.Yours), tag.P().Class("memory-text").Attr("dir", "auto").Body(Runs(Marks(theirs.Body, mine.Body))...)),
			tag.Box("div", "", tag.Words("h3", "", head),
				tag.P().Class("memory-text").Attr("dir", "auto").Text(theirs.Body)),
		),
		tag.Box("div", "line", buttons...),
	)
}
