package tool

import (
	"strings"

	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/render"
)

// shown is a memory in a result's object.
type shown struct {
	ID         int64  `json:"id"`
	Kind       string `json:"kind"`
	Importance int    `json:"importance"`
	Saved      string `json:"saved"`    // how long ago; empty: unknown
	Category   string `json:"category"` // empty: none
	Stale      string `json:"stale"`    // a warning; empty: none
	Body       string `json:"body"`
	InContext  bool   `json:"inContext"` // Body is only the beginning: it was handed out before
	Cut        bool   `json:"cut"`       // Body is only the beginning: the whole doesn't fit in
}

var shownSchema = result(
	whole("id", ""), text("kind", ""), whole("importance", ""), text("saved", ""), text("category", ""), text("stale", ""),
	text("body", ""), boolean("inContext", "You have it: body is its beginning"), boolean("cut", "Too long here: body is its beginning; read memory://ID"),
)

// found is the object of a result that hands out memories.
type found struct {
	Notice       string  `json:"notice"` // what memories are, and are not
	Memories     []shown `json:"memories"`
	Conversation string  `json:"conversation"`
	Project      string  `json:"project"` // its slug; empty: none
	Note         string  `json:"note"`
}

var foundSchema = result(
	text("notice", ""), list("memories", "", shownSchema), text("conversation", "Handle for the next call"), text("project", ""), text("note", ""),
)

// hand is what was handed out, as a result. Notes are sentences of ours.
func (u *use) hand(h delivery.Handed, project string, notes ...string) Result {
	out := found{Notice: render.Warning, Memories: []shown{}, Conversation: h.Conversation, Project: project}
	var elements []render.Memory
	var r Result
	for _, i := range h.Items {
		m := render.Of(i.Memory)
		m.Category = i.Category
		s := shown{
			ID: i.ID, Kind: render.Harmless(i.Kind), Importance: i.Importance, Saved: render.Saved(m.UpdatedAt, h.At), Stale: render.Stale(m.UpdatedAt, h.At),
			Category: render.Harmless(i.Category), Body: render.Harmless(i.Body), InContext: i.Held,
		}
		switch {
		case i.Held:
			m = render.Memory{ID: i.ID, Body: i.Body, Beginning: true, Note: "already in context"}
			if u.call.Within != nil { // then it is known to be there
				m.Beginning, m.Named = false, true
			}
		case !i.Whole:
			m.Beginning, m.Note, s.Cut = true, "too long to show here; read the resource memory://ID with its id", true
		}
		switch {
		case m.Named:
			s.Body = ""
		case m.Beginning:
			s.Body = render.Harmless(render.Beginning(i.Body))
		default:
			r.Emitted = append(r.Emitted, delivery.Emitted{Delivery: journal.Delivery{Memory: i.ID, BodyHash: i.Hash}, Element: render.Element(m, h.At)})
		}
		out.Memories, elements = append(out.Memories, s), append(elements, m)
	}
	var said []string
	for _, n := range notes {
		if n = strings.TrimSpace(n); n != "" {
			said = append(said, render.Harmless(n))
		}
	}
	out.Note = strings.Join(said, " ")
	r.Object = out
	parts := []string{}
	if frame := render.Frame(elements, h.At); frame != "" {
		parts = append(parts, frame)
	}
	if out.Note != "" {
		parts = append(parts, out.Note)
	}
	if h.Conversation != "" && len(h.Items) > 0 {
		parts = append(parts, "conversation: "+h.Conversation+" (give it with the next search or list: what you have is then not sent again)")
	}
	r.Text = strings.Join(parts, "\n")
	return r
}
