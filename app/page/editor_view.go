package page

import (
	"strconv"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Render draws the form.
func (f *Editor) Render() app.UI {
	return part.Safe("editor", func() app.UI {
		return tag.Form().Class("editor").Attr("novalidate", "true").OnClick(f.click).OnInput(f.input).OnKeyDown(f.key).OnSubmit(swallowSubmit).Body(
			f.collision(),
			f.before(),
			f.sources(),
			f.bodyField(),
			f.fields(),
			part.If(f.problem != "", func() app.UI { return part.Banner("danger", "triangle-alert", part.Text(f.problem)) }),
			f.buttons(),
		)
	})
}

// swallowSubmit keeps the browser from sending a form by itself.
func swallowSubmit(ctx app.Context, e app.Event) { e.PreventDefault() }

func (f *Editor) bodyField() app.UI {
	n := len(f.typed.Body)
	t := tag.Textarea().ID("editor-body").Class("input memory-text editor-body").Attr("rows", 4).
		Attr("dir", "auto").Attr("spellcheck", "true").Attr("autocomplete", "off").
		Aria("label", text.Memory).Aria("describedby", "editor-count").Attr("placeholder", text.BodyHint)
	if f.errs["body"] != "" {
		t = t.Aria("invalid", "true")
	}
	if f.Now != nil {
		t = t.Attr("lang", f.Now.Lang)
	}
	return tag.Box("div", "field",
		t,
		tag.P().ID("editor-count").Class("meta").Body(
			tag.Words("span", "num", text.Bytes(n, int(setting.Get("memory.body").Max))),
		),
		f.err("body"),
	)
}

// lasts says what the importance means for how long it lasts.
func (f *Editor) lasts() string {
	p, n := f.S.policy, f.typed.Importance
	if f.Mode == mergeMode || p == nil || n < 1 || n > len(p.FadesInDays) {
		return ""
	}
	return text.FadesIn(p.FadesInDays[n-1])
}

func (f *Editor) err(field string) app.UI {
	return part.If(f.errs[field] != "", func() app.UI {
		return tag.P().Class("err").Role("alert").Text(f.errs[field])
	})
}

func (f *Editor) fields() app.UI {
	if f.Mode == mergeMode {
		return part.Banner("plain", "info", part.Text(text.MergeKeeps))
	}
	name, color := f.S.category(f.typed.Category)
	if name == "" {
		name = text.NoCategory
	}
	n := f.typed.Importance
	pick := func(do, label, chosen string, body ...app.UI) app.UI {
		return tag.Box("div", "field",
			tag.Words("span", "label", label),
			part.Button("btn field-pick", do, "", append(body, part.Icon("chevron-down"))...).Aria("haspopup", "listbox").Aria("label", text.Field(label, chosen)),
			part.If(do == "form-category" && f.typed.Category == nil, func() app.UI { return tag.Words("p", "meta field-warn", text.NeverRecalledField) }),
		)
	}
	confidence := tag.Input().ID("editor-confidence").Class("input num-input").Attr("type", "text").Attr("inputmode", "decimal").Attr("autocomplete", "off")
	if f.errs["confidence"] != "" {
		confidence = confidence.Aria("invalid", "true")
	}
	return tag.Box("div", "editor-fields",
		tag.Box("div", "field editor-importance",
			tag.Label().Attr("for", "editor-importance").Body(part.Text(text.ImportanceField+" "),
				tag.Words("span", "num", strconv.Itoa(n)), part.Text(" "), tag.Words("span", "meta", text.Word(n))),
			tag.Div().Class("hl-one").DataSet("imp", n).Body(
				tag.Input().ID("editor-importance").Class("range").Attr("type", "range").Attr("min", 1).Attr("max", 10).Attr("step", 1).Aria("valuetext", text.Level(n, text.Word(n))),
			),
			tag.Words("p", "meta", text.Meaning(n)+". "+f.lasts()),
		),
		pick("form-category", text.Category, name, part.CategoryRings(color), tag.Words("span", "pick-label", name)),
		pick("form-kind", text.Kind, f.typed.Kind, tag.Words("span", "pick-label", f.typed.Kind)),
		tag.Box("div", "field",
			tag.Label().Attr("for", "editor-confidence").Text(text.Confidence),
			confidence,
			f.err("confidence"),
		),
	)
}

func (f *Editor) buttons() app.UI {
	label := text.Save
	switch f.Mode {
	case newMode:
		label = text.SaveMemory
	case mergeMode:
		label = text.MergeNow(len(f.Sources))
	}
	if f.saving {
		label = text.Saving
	}
	return tag.Box("p", "line editor-foot",
		part.Button("btn btn-primary", "save", "", part.Text(label)).Attr("disabled", f.saving || f.conflict != nil),
		part.Button("btn btn-quiet", "cancel", "", part.Text(text.Cancel)),
		tag.Box("span", "meta editor-keys", part.Kbd("Ctrl"), part.Text(" "), part.Kbd("↵"), part.Text(" "+text.KeySave)),
	)
}

// before says that what stands in the form was typed some time ago.
func (f *Editor) before() app.UI {
	return part.If(f.kept > 0, func() app.UI {
		return tag.Div().Class("banner banner-plain kept-from").Role("status").Body(
			part.Icon("history"),
			tag.Words("span", "grow", text.KeptHere(text.Ago(browser.Instant(time.Now()), api.Time(f.kept)))),
			part.Button("linkish", "draft-anew", "", part.Text(text.StartAnew)))
	})
}

// sources shows what a merge is made of.
func (f *Editor) sources() app.UI {
	if f.Mode != mergeMode {
		return tag.Span().Hidden(true)
	}
	items := make([]app.UI, 0, len(f.Sources))
	for _, m := range f.Sources {
		_, color := f.S.category(m.CategoryID)
		items = append(items, tag.Box("li", "merge-source", part.Rings(m.Importance, color), part.Body("memory-text", m)))
	}
	return tag.Box("div", "stack", tag.Words("h2", "", text.MergeHead(len(f.Sources))), tag.Box("ul", "stack merge-sources", items...))
}

// collision shows both texts, the typed one first: nothing typed is lost.
func (f *Editor) collision() app.UI {
	if f.conflict == nil {
		return tag.Span().Hidden(true)
	}
	theirs := *f.conflict
	who := f.By
	if who == "" {
		who = text.Somebody
	}
	mine := part.Marks(f.base.Body, f.typed.Body)
	other := part.Marks(f.base.Body, theirs.Body)
	said, button, keep := part.Banner("warn", "git-compare", part.Bold(text.ChangedMeanwhile(who)), part.Text(" "+text.TextIsKept)),
		part.Button("btn btn-primary btn-sm", "mine", "", part.Text(text.SaveMine(theirs.Revision+1))), text.KeepTheirs
	gone := theirs.Status != "" && theirs.Status != api.StatusActive
	if gone {
		said = part.Banner("warn", "trash-2", part.Bold(text.TrashedMeanwhile), part.Text(" "+text.TextIsKept))
		button, keep = part.Button("btn btn-primary btn-sm", "restore-mine", "", part.Text(text.RestoreMine)), text.LeaveInTrash
	}
	return tag.Div().Class("conflict").Role("alert").Body(
		said,
		tag.Box("div", "ba",
			tag.Box("div", "", tag.Words("h2", "", text.Yours), tag.P().Class("memory-text").Attr("dir", "auto").Body(part.Runs(mine)...), f.differences(theirs, true)),
			tag.Box("div", "", tag.Words("h2", "", text.Theirs(browser.Date(theirs.UpdatedAt, browser.Clock), theirs.Revision)),
				tag.P().Class("memory-text").Attr("dir", "auto").Body(part.Runs(other)...), f.differences(theirs, false)),
		),
		tag.Box("div", "change-head",
			button.Attr("disabled", f.saving),
			part.Button("btn btn-sm", "theirs", "", part.Text(keep)),
			part.If(!gone, func() app.UI { return part.Button("btn btn-sm btn-quiet", "both", "", part.Text(text.EditBoth)) }),
		),
	)
}

// differences names the fields in which the two differ.
func (f *Editor) differences(theirs api.Memory, mine bool) app.UI {
	var out []string
	say := func(name, yours, other string) {
		if yours == other {
			return
		}
		if mine {
			out = append(out, name+" "+yours)
		} else {
			out = append(out, name+" "+other)
		}
	}
	category := func(id *int64) string {
		if name, _ := f.S.category(id); name != "" {
			return name
		}
		return text.NoCategory
	}
	say(text.FieldName("importance"), strconv.Itoa(f.typed.Importance), strconv.Itoa(theirs.Importance))
	say(text.FieldName("kind"), f.typed.Kind, theirs.Kind)
	say(text.FieldName("category"), category(f.typed.Category), category(theirs.CategoryID))
	return part.If(len(out) > 0, func() app.UI { return tag.Words("p", "meta", text.Join(out...)) })
}
