package turn

import (
	"testing"

	"elowen/server/servertest/scripted"
	"elowen/shared/api"
)

// A message, what is recalled for it, a tool, and the answer: what was sent is what is
// stored, and what was sent before stays as it was.
func TestATurn(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		ferry := h.remember("The ferry to Amrum leaves at noon.")
		h.remember("Something else.")
		h.tools["Look"] = says("The harbour is open.")
		h.endpoint.Next(
			scripted.Says(scripted.Text("Let me look. "), scripted.Calls("c1", "Look", `{}`)),
			scripted.Says(scripted.Text("At noon, "), scripted.Text("from the harbour."), scripted.Usage(120, 9, 0)),
		)
		sent := h.say("When does the ferry leave?")
		if sent.Entry == nil || sent.Entry.Content != "When does the ferry leave?" || sent.Queued != nil {
			t.Fatalf("%+v", sent)
		}
		c := h.rest(api.ChatIdle)
		h.want("the branch", h.branch(), "u [start 1] a t a")
		first, second := h.request(), h.request()
		h.want("the first request", shape(first), "s u u(1)")
		h.want("the second request", shape(second), "s u u(1) a t")
		if h.uses(ferry) != 1 {
			t.Errorf("%d uses", h.uses(ferry))
		}
		if c.Title != "When does the ferry leave?" || c.Tokens != 129 {
			t.Errorf("%+v", c)
		}
		now, err := h.Context(ctx, h.ann, h.id)
		if err != nil || len(now.Items) != 1 || now.Items[0].ID != ferry || now.Items[0].Via != "start" || now.Items[0].Edited || now.Items[0].Why == nil {
			t.Errorf("%+v %v", now, err)
		}
		h.edit(ferry, "The ferry to Amrum leaves at one.")
		if now, err = h.Context(ctx, h.ann, h.id); err != nil || !now.Items[0].Edited {
			t.Errorf("%+v %v", now, err)
		}
		page, err := h.Entries(ctx, h.ann, h.id, "", 3)
		if err != nil || page.Total != 5 || len(page.Items) != 3 || page.Items[2].Content != "At noon, from the harbour." || page.NextCursor == "" {
			t.Fatalf("%+v %v", page, err)
		}
		page, err = h.Entries(ctx, h.ann, h.id, page.NextCursor, 3)
		if err != nil || len(page.Items) != 2 || page.Items[1].Via != "start" || !page.Items[1].Memories[0].Edited || page.NextCursor != "" {
			t.Errorf("%+v %v", page, err)
		}
	})
}
