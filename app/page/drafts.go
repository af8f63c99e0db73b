package page

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// The forms whose text is kept until it is saved or thrown away. What is typed into one
// outlives the page, the tab and the session; it goes with a sign-out.
const (
	formNew   = "new"
	formEdit  = "edit:"  // and the memory's id
	formMerge = "merge:" // and the ids of its sources, with commas
	formChat  = "chat:"  // and the conversation's id; a message, not a memory
)

// draft is the form as it is typed.
type draft struct {
	Revision   int64  `json:"revision"` // of the memory that was begun with
	Body       string `json:"body"`
	Kind       string `json:"kind"`
	Importance int    `json:"importance"`
	Confidence string `json:"confidence"`
	Category   *int64 `json:"category"`
	Change     int64  `json:"change,omitempty"` // that was made without a connection, and is mended here
}

func editFormOf(id int64) string { return formEdit + strconv.FormatInt(id, 10) }

func mergeFormOf(ids []int64) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strconv.FormatInt(id, 10)
	}
	return formMerge + strings.Join(names, ",")
}

// formIDs are the memories that a form is about.
func formIDs(form string) []int64 {
	_, list, _ := strings.Cut(form, ":")
	var ids []int64
	for _, name := range strings.Split(list, ",") {
		if id, err := strconv.ParseInt(name, 10, 64); err == nil && id > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// keptDraft is what is kept of a form, and when it was typed; at is 0 where that is
// nothing.
func keptDraft(form string) (d draft, at int64) {
	kept := browser.DraftOf(form)
	if kept.Text == "" || json.Unmarshal([]byte(kept.Text), &d) != nil {
		return draft{}, 0
	}
	return d, kept.At
}

// keepDraft keeps what is typed into a form.
func keepDraft(form string, d draft) {
	b, _ := json.Marshal(d) // strings and numbers; can't fail
	browser.SetDraft(form, string(b))
}

// readDrafts reads what is kept for this tab.
func (s *Session) readDrafts() {
	all := browser.Drafts()
	s.do(func() { s.drafts = all })
}

// unsaved is the newest draft whose form isn't open, and how many others there are.
func (s *Session) unsaved() (d draft, kept browser.Draft, others int) {
	for _, k := range s.drafts {
		var read draft
		if strings.HasPrefix(k.Form, formChat) || s.showing(k.Form) || json.Unmarshal([]byte(k.Text), &read) != nil {
			continue
		}
		if kept.Form != "" {
			others++
			continue
		}
		d, kept = read, k
	}
	return d, kept, others
}

// anyUnsaved tells whether there is a draft to be said.
func (s *Session) anyUnsaved() bool {
	_, kept, _ := s.unsaved()
	return kept.Form != ""
}

// showing tells whether a form is on the screen.
func (s *Session) showing(form string) bool {
	r := s.route
	switch {
	case r.Kind == setupPage:
		return true
	case r.Kind != listPage:
		return false
	case len(s.merging) > 0:
		return form == mergeFormOf(idsOf(s.merging))
	case r.Compose:
		return form == formNew
	}
	return r.ID > 0 && form == editFormOf(r.ID)
}

// draftBanner says what was typed and not saved, with the ways on.
func (s *Session) draftBanner() app.UI {
	d, kept, others := s.unsaved()
	if kept.Form == "" {
		return tag.Span().Hidden(true)
	}
	return tag.Div().Class("banner banner-plain unsaved").Body(
		part.Icon("square-pen"),
		tag.Box("span", "grow", part.Bold(unsavedOf(kept.Form)), part.Text(" "),
			tag.Span().Attr("dir", "auto").Text(text.Clip(d.Body, 60)),
			tag.Words("span", "meta", " "+text.KeptFrom(text.Ago(browser.Instant(time.Now()), api.Time(kept.At)), others))),
		part.Button("linkish", "draft-open", kept.Form, part.Text(text.GoOn)),
		part.Button("linkish", "draft-drop", kept.Form, part.Text(text.DropChange)),
	)
}

// unsavedOf says what a form was for.
func unsavedOf(form string) string {
	switch {
	case form == formNew:
		return text.UnsavedNew
	case strings.HasPrefix(form, formMerge):
		return text.UnsavedMerge
	}
	return text.UnsavedEdit
}

// onDraft does what a button of the banner says.
func (s *Session) onDraft(do, form string) {
	if do == "draft-open" {
		s.openForm(form)
		return
	}
	s.dropDraft(form)
}

// dropDraft throws away what is kept of a form, with a way back for a moment.
func (s *Session) dropDraft(form string) {
	d, at := keptDraft(form)
	browser.SetDraft(form, "")
	s.readDrafts()
	if at == 0 {
		return
	}
	s.say(text.Discarded, func() {
		keepDraft(form, d)
		s.openForm(form)
	})
}

// openForm opens a form, which then shows what is kept of it.
func (s *Session) openForm(form string) {
	ids := formIDs(form)
	switch {
	case form == formNew:
		s.compose()
	case strings.HasPrefix(form, formEdit) && len(ids) == 1:
		s.edit = ids[0]
		s.visit(s.route.open(ids[0]))
		if s.detail != nil && s.detail.ID == ids[0] {
			s.detail.startEdit()
			s.detail.ctx.Update()
		}
	case strings.HasPrefix(form, formMerge):
		s.openMerge(form, ids)
	}
}

// openMerge reads the sources of a merge and opens its form. Where one of them is gone,
// what was typed becomes a new memory's text.
func (s *Session) openMerge(form string, ids []int64) {
	ms := make([]api.Memory, len(ids))
	s.async("merge", func(ctx context.Context) error {
		for i, id := range ids {
			if err := s.api.Get(ctx, api.MemoryPath(id), &ms[i]); err != nil {
				return err
			}
		}
		return nil
	}, func(err error) {
		gone := fault.Is(err, fault.NotFound)
		for _, m := range ms {
			gone = gone || err == nil && m.Status != api.StatusActive
		}
		switch {
		case gone:
			s.asNew(form, text.MergeGone)
		case err != nil:
			s.fail(err)
		default:
			s.visit(route{Kind: listPage})
			s.merging = ms
		}
	})
}

// asNew makes what is kept of a form the text of a new memory, beside what stands there.
func (s *Session) asNew(form, why string) {
	d, at := keptDraft(form)
	if at == 0 {
		return
	}
	s.composeWith(d.Body)
	browser.SetDraft(form, "")
	s.readDrafts()
	s.say(why, nil)
}

// composeWith opens the form of a new memory with something in it.
func (s *Session) composeWith(words string) {
	d := draftOf(blank(s))
	if kept, at := keptDraft(formNew); at > 0 {
		d = kept
		words = d.Body + "\n\n" + words
	}
	d.Body = words
	keepDraft(formNew, d)
	s.compose()
}
