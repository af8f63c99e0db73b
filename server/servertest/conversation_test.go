package servertest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"elowen/server/servertest"
	"elowen/server/servertest/scripted"
	"elowen/shared/api"
	wire "elowen/shared/live"
)

// watcher is a live window of a conversation, put together from its frames.
type watcher struct {
	t     *testing.T
	conn  *websocket.Conn
	ctx   context.Context
	rows  map[int64]wire.TalkRow
	order []int64
	sizes []int
}

func watch(t *testing.T, s *servertest.Server, c *servertest.Client, of int64) *watcher {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	conn, _, err := websocket.Dial(ctx, strings.Replace(s.URL, "http", "ws", 1)+api.PathLive, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Secret()}}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(1 << 20)
	w := &watcher{t: t, conn: conn, ctx: ctx, rows: map[int64]wire.TalkRow{}}
	text, _ := json.Marshal(wire.Request{Type: wire.TypeSubscribe, ID: "w", View: wire.ViewConversation, Of: of})
	if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
		t.Fatal(err)
	}
	return w
}

// until takes frames until something is shown.
func (w *watcher) until(what string, is func() bool) {
	w.t.Helper()
	for !is() {
		_, text, err := w.conn.Read(w.ctx)
		if err != nil {
			w.t.Fatalf("%s: %v, with %v", what, err, w.rows)
		}
		var f wire.Frame
		if err := json.Unmarshal(text, &f); err != nil || f.Error != nil {
			w.t.Fatalf("%s: %v", text, err)
		}
		w.sizes = append(w.sizes, len(text))
		if f.Type == wire.TypeSnapshot {
			w.rows, w.order = map[int64]wire.TalkRow{}, nil
		}
		for _, id := range f.Remove {
			delete(w.rows, id)
			w.order = slices.DeleteFunc(w.order, func(o int64) bool { return o == id })
		}
		for _, raw := range append(f.Rows, f.Upsert...) {
			var r wire.TalkRow
			if err := json.Unmarshal(raw, &r); err != nil {
				w.t.Fatal(err)
			}
			if _, known := w.rows[r.ID]; !known {
				w.order = append(w.order, r.ID)
			}
			w.rows[r.ID] = r
		}
		if f.Order != nil {
			w.order = f.Order
		}
	}
}

// said is the text of the pieces.
func (w *watcher) said() (text string) {
	var deep func(n api.Node)
	deep = func(n api.Node) {
		text += n.Text
		for _, in := range n.In {
			deep(in)
		}
	}
	for _, id := range w.order {
		if p := w.rows[id].Piece; id < 0 && p != nil && p.Node != nil {
			deep(*p.Node)
		}
	}
	return text
}

// A person chats over REST; a window follows: what is recalled, what is said while it is
// said, and the entry that it becomes. After a restart everything is there.
func TestConversation(t *testing.T) {
	endpoint := scripted.New(t)
	s := servertest.Start(t, servertest.Options{})
	anna := s.Setup("anna")
	var now api.Settings
	anna.Must(http.MethodGet, api.PathSettings, nil, &now)
	anna.Must(http.MethodPut, api.PathModels, api.ModelsChange{Revision: now.Revision, Providers: []api.ProviderChange{
		{ID: "p", Kind: api.ProviderOpenAI, BaseURL: endpoint.OpenAI()},
	}, Roles: map[string]*api.Role{api.RoleChat: {Provider: "p", Model: "m"}}}, nil)
	m := anna.Add("The ferry to Amrum leaves Dagebüll at noon.")
	program := s.Token("anna", "read", "write")

	var c api.Conversation
	program.Must(http.MethodPost, api.PathConversations, api.ConversationAdd{}, &c)
	w := watch(t, s, program, c.ID)
	w.until("the first frame", func() bool { return w.rows[0].Conversation != nil })

	more, end := make(chan struct{}), make(chan struct{})
	endpoint.Next(scripted.Says(
		scripted.Text("It leaves **at noon**.\n\nFrom "), scripted.Gate(more), scripted.Text("Dagebüll."), scripted.Gate(end), scripted.Usage(50, 5, 0)))
	var sent api.MessageSent
	program.Must(http.MethodPost, api.ConversationPath(c.ID, "messages"), api.MessageSend{Content: "When does the ferry to Amrum leave Dagebüll?"}, &sent)
	w.until("the pieces", func() bool { return strings.Contains(w.said(), "From") })
	if head := w.rows[0]; head.Turn == nil || head.Turn.Phase != api.PhaseAnswering || head.Conversation.State != api.ChatRunning || w.rows[-1].Piece == nil || w.rows[-2].Piece == nil {
		t.Errorf("%+v", head)
	}
	block := w.rows[w.order[2]].Entry
	if block == nil || block.Via != "start" || len(block.Memories) != 1 || block.Memories[0].ID != m.ID || block.Memories[0].Edited {
		t.Fatalf("%+v", block)
	}
	close(more)
	w.until("the rest", func() bool { return strings.HasSuffix(w.said(), "Dagebüll.") })
	var queued api.MessageSent
	program.Must(http.MethodPost, api.ConversationPath(c.ID, "messages"), api.MessageSend{Content: "Thanks!"}, &queued)
	w.until("the queue", func() bool { return len(w.rows[0].Conversation.Queued) == 1 })
	close(end)
	w.until("the end", func() bool {
		return w.rows[0].Conversation.State == api.ChatIdle && len(w.order) == 6 && w.said() == "" && w.rows[0].Turn == nil
	})
	if e := w.rows[w.order[3]].Entry; e == nil || e.Content != "It leaves **at noon**.\n\nFrom Dagebüll." || len(e.Nodes) != 2 || e.Model != "m" {
		t.Errorf("%+v", e)
	}

	// An edit of the memory shows on its chip; the window of what is in context has it too.
	anna.Must(http.MethodPatch, api.MemoryPath(m.ID), api.MemoryPatch{Body: api.Ptr("The ferry to Amrum leaves Dagebüll at one.")}, nil)
	w.until("the edit", func() bool { return w.rows[block.ID].Entry.Memories[0].Edited })
	var inside api.ConversationContext
	program.Must(http.MethodGet, api.ConversationPath(c.ID, "context"), nil, &inside)
	if len(inside.Items) != 1 || !inside.Items[0].Edited || inside.Items[0].EntryID != block.ID {
		t.Errorf("%+v", inside)
	}

	// Another account sees nothing of it.
	bob := s.Person("bob")
	for _, path := range []string{api.ConversationPath(c.ID), api.ConversationPath(c.ID, "messages"), api.ConversationPath(c.ID, "context")} {
		if err := bob.Do(http.MethodGet, path, nil, nil); err == nil {
			t.Errorf("%s is shown to another", path)
		}
	}

	s.Restart()
	again := s.Login("anna")
	var page api.Page[api.ConversationEntry]
	again.Must(http.MethodGet, api.ConversationPath(c.ID, "messages"), nil, &page)
	if len(page.Items) != 5 || page.Items[1].Memories[0].ID != m.ID {
		t.Errorf("%+v", page)
	}
	again.Must(http.MethodDelete, api.ConversationPath(c.ID), nil, nil)
	if err := again.Do(http.MethodGet, api.ConversationPath(c.ID), nil, nil); err == nil {
		t.Error("it is still there")
	}
}
