package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/recall"
	"elowen/server/secret"
	"elowen/server/servertest/scripted"
	"elowen/server/settings"
	"elowen/server/tool"
	"elowen/server/vitality"
	"elowen/shared/api"
)

var ctx = context.Background()

// clock moves when the test says so, and wakes whoever waits for an instant.
type clock struct {
	*dbtest.Clock
	mu     sync.Mutex
	timers []wake
}

type wake struct {
	at int64
	c  chan time.Time
}

func (c *clock) wake(at int64) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := wake{at, make(chan time.Time, 1)}
	c.timers = append(c.timers, w)
	c.fire()
	return w.c
}

func (c *clock) fire() {
	c.timers = slices.DeleteFunc(c.timers, func(w wake) bool {
		if w.at > c.Now() {
			return false
		}
		w.c <- time.UnixMilli(c.Now())
		return true
	})
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Advance(d.Milliseconds())
	c.fire()
}

// waits tells whether somebody waits for an instant.
func (c *clock) waits(at int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.timers, func(w wake) bool { return w.at == at })
}

type terms struct{}

func (terms) Terms(*db.Tx) (memory.Terms, error) {
	return memory.Terms{Policy: vitality.DefaultPolicy(), NextSweepAt: dbtest.Start}, nil
}

// finder finds the memories that have a word of the question, the first one first, and
// lets the test hold it up.
type finder struct {
	h *house

	mu    sync.Mutex
	asked []recall.Request
	hold  []chan struct{} // of the next questions, one each; nil: none
	fail  error
}

// next has the next question wait for a channel.
func (f *finder) next(gates ...chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = append(f.hold, gates...)
}

// free has no question wait any more that was not asked yet.
func (f *finder) free() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hold = nil
}

func (f *finder) questions() []recall.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

func (f *finder) Recall(ctx context.Context, who db.AccountID, r recall.Request) (recall.Result, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	var gate chan struct{}
	if len(f.hold) > 0 {
		gate, f.hold = f.hold[0], f.hold[1:]
	}
	fail := f.fail
	f.mu.Unlock()
	out := recall.Result{Memories: []recall.Recalled{}, Path: api.PathSemantic}
	// What is there is found at once, so that a test can have something happen between
	// the search and its end.
	err := f.h.d.View(ctx, func(tx *db.Tx) error {
		ids, err := tx.Column(`SELECT id AS v FROM memory WHERE owner_id = ? ORDER BY id`, int64(who))
		if err != nil {
			return err
		}
		rows, err := f.h.memories.Rows(tx, who, ids)
		room := r.Bytes
		for _, m := range rows {
			hash := audit.Hash(m.Body)
			if m.Status != api.StatusActive || r.Exclude != nil && r.Exclude.Has(m.ID, hash) || !shares(m.Body, r.Query) || len(m.Body) > room || len(out.Memories) == r.Limit {
				continue
			}
			room -= len(m.Body)
			out.Memories = append(out.Memories, recall.Recalled{Memory: m, Owner: who, BodyHash: hash, Similarity: api.Ptr(0.5), Relevance: 0.75})
		}
		return err
	})
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
	if fail != nil {
		return out, fail
	}
	return out, err
}

func shares(body, query string) bool {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return r < 'a' || r > 'z' })
	for _, w := range strings.FieldsFunc(strings.ToLower(body), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(w) > 3 && slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// tools are a test's own tools by name.
type tools map[string]func(ctx context.Context, at tool.Place, args string) tool.Outcome

func (k tools) Offers(context.Context, tool.Place) ([]tool.Offer, error) {
	var list []tool.Offer
	for name := range k {
		list = append(list, tool.Offer{Name: name, Description: name, Input: json.RawMessage(`{"type":"object"}`)})
	}
	slices.SortFunc(list, func(a, b tool.Offer) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

func (k tools) Run(ctx context.Context, at tool.Place, name string, args []byte) (tool.Outcome, bool) {
	run, ok := k[name]
	if !ok {
		return tool.Outcome{}, false
	}
	return run(ctx, at, string(args)), true
}

// says is a tool that answers a text.
func says(text string) func(context.Context, tool.Place, string) tool.Outcome {
	return func(context.Context, tool.Place, string) tool.Outcome { return tool.Outcome{Text: text} }
}

// house is an instance with a person in it, and an endpoint of models.
type house struct {
	t        testing.TB
	d        *db.DB
	clock    *clock
	ann, bob db.AccountID
	memories *memory.Store
	models   *model.Store
	endpoint *scripted.Server
	finder   *finder
	kit      tool.Kit
	tools    tools
	kept     *journal.Snapshots
	running  int // turns at a time; 0: as many as is usual
	log      *logged
	*Store
	id int64 // a conversation of ann's
}

// logged keeps what was logged.
type logged struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newHouse(t testing.TB) *house {
	t.Helper()
	c := &clock{Clock: dbtest.NewClock(dbtest.Start)}
	return furnish(t, dbtest.Open(t, c.Clock), c)
}

// each runs a test on every engine there is.
func each(t *testing.T, test func(t *testing.T, h *house)) {
	dbtest.Each(t, nil, func(t *testing.T, d *db.DB, c *dbtest.Clock) { test(t, furnish(t, d, &clock{Clock: c})) })
}

func furnish(t testing.TB, d *db.DB, c *clock) *house {
	t.Helper()
	h := &house{t: t, d: d, clock: c, endpoint: scripted.New(t), tools: tools{}, log: &logged{}}
	h.finder = &finder{h: h}
	categories := category.New(d, memory.CountByCategory)
	h.memories = memory.New(d, categories, terms{})
	h.update(func(tx *db.Tx) (err error) {
		if h.ann, err = account.InsertLocked(tx, "ann", "", api.RoleMember, 0); err != nil {
			return err
		}
		if h.bob, err = account.InsertLocked(tx, "bob", "", api.RoleMember, 0); err != nil {
			return err
		}
		return categories.Seed(tx, h.ann)
	})
	h.models = model.New(d, model.Options{
		Box: secret.New(secret.File(filepath.Join(t.TempDir(), "keys"), func(string) (string, bool) { return "", false })),
		Others: func(tx *db.Tx) (api.Settings, error) {
			_, revision, err := settings.Read(tx, settings.Retention)
			return api.Settings{Revision: revision}, err
		},
		Sleep: func(context.Context, time.Duration) {},
	})
	set := tool.New(tool.Options{Memories: h.memories, Categories: categories, Recall: h.finder, Delivery: delivery.New(d, h.memories, categories)})
	h.kit = tool.Kits{h.tools, set.Kit()}
	h.serve()
	h.open()
	t.Cleanup(func() { h.Store.Close() })
	return h
}

// serve makes the store that is tested, as a program does that starts.
func (h *house) serve() {
	h.kept = journal.NewSnapshots(0)
	h.Store = New(h.d, Options{
		Snapshots: h.kept, Memories: h.memories, Recall: h.finder, Models: ModelsOf(h.models), Kit: h.kit, Wake: h.clock.wake, Running: h.running,
		Identify: func(_ context.Context, owner db.AccountID) (account.Identity, error) {
			return account.Identity{Owner: owner, Name: "ann", Role: api.RoleMember, Scopes: []string{api.ScopeRead, api.ScopeWrite}}, nil
		},
		Log: slog.New(slog.NewTextHandler(io.Writer(h.log), nil)),
	})
}

// restart ends the program, and starts it again.
func (h *house) restart() {
	h.t.Helper()
	h.Store.Close()
	h.serve()
	if _, err := h.Recover(ctx, true); err != nil {
		h.t.Fatal(err)
	}
}

// open makes the endpoint's model the chat role, and begins a conversation.
func (h *house) open() {
	h.t.Helper()
	h.role(h.endpoint.OpenAI(), false)
	c, err := h.Create(ctx, h.ann, api.ConversationAdd{})
	if err != nil {
		h.t.Fatal(err)
	}
	h.id = c.ID
}

// role says whose the chat role is, and whether there is a utility role.
func (h *house) role(address string, utility bool) {
	h.t.Helper()
	now, err := h.models.Settings(ctx, true)
	if err != nil {
		h.t.Fatal(err)
	}
	in := api.ModelsChange{
		Revision:  now.Revision,
		Providers: []api.ProviderChange{{ID: "p", Kind: api.ProviderOpenAI, BaseURL: address}},
		Roles:     map[string]*api.Role{api.RoleChat: {Provider: "p", Model: "m"}},
	}
	if utility {
		in.Roles[api.RoleUtility] = &api.Role{Provider: "p", Model: "u"}
	}
	if address == "" {
		in.Roles[api.RoleChat] = nil
	}
	if _, err := h.models.Save(ctx, in); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) update(fn func(tx *db.Tx) error) {
	h.t.Helper()
	if err := h.d.Update(ctx, fn); err != nil {
		h.t.Fatal(err)
	}
}

// limits changes the limits.
func (h *house) limits(in api.LimitsChange) {
	h.t.Helper()
	h.update(func(tx *db.Tx) error { return settings.ChangeLimits(tx, in) })
}

// remember adds a memory of ann's.
func (h *house) remember(body string) int64 {
	h.t.Helper()
	m, err := h.memories.Add(ctx, h.ann, audit.Actor{Name: audit.ActorAgent}, api.SourceAgent, api.MemoryAdd{Body: body})
	if err != nil {
		h.t.Fatal(err)
	}
	return m.ID
}

func (h *house) uses(id int64) int64 {
	h.t.Helper()
	m, err := h.memories.Get(ctx, h.ann, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return m.UseCount
}

// edit gives a memory another body.
func (h *house) edit(id int64, body string) {
	h.t.Helper()
	m, err := h.memories.Get(ctx, h.ann, id)
	if err == nil {
		_, err = h.memories.Patch(ctx, h.ann, audit.Actor{Name: audit.ActorAgent}, id, m.Revision, api.MemoryPatch{Body: &body})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// trash moves a memory to the trash.
func (h *house) trash(id int64) {
	h.t.Helper()
	if _, err := h.memories.Trash(ctx, h.ann, audit.Actor{Name: audit.ActorAgent}, id, 0, ""); err != nil {
		h.t.Fatal(err)
	}
}

// switches are ann's: recall after a message, and while a turn works.
func (h *house) switches(after, working bool) {
	h.t.Helper()
	n := map[bool]int{true: 1}
	h.update(func(tx *db.Tx) error {
		_, err := tx.Exec(`UPDATE account SET search_after_message = ?, search_while_working = ? WHERE id = ?`, n[after], n[working], int64(h.ann))
		return err
	})
}

// say sends a message.
func (h *house) say(content string, change ...func(*api.MessageSend)) api.MessageSent {
	h.t.Helper()
	in := api.MessageSend{Content: content}
	for _, c := range change {
		c(&in)
	}
	out, err := h.Send(ctx, h.ann, h.id, in)
	if err != nil {
		h.t.Fatalf("%q: %v", content, err)
	}
	return out
}

func steering(in *api.MessageSend) { in.Steer = true }

func editing(id int64) func(*api.MessageSend) {
	return func(in *api.MessageSend) { in.Edit = id }
}

// until waits for something that happens by itself.
func (h *house) until(what string, is func() bool) {
	h.t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 60*time.Second {
			h.t.Fatalf("it never came: %s\n%s", what, h.log)
		}
	}
}

// chat is the conversation as it is.
func (h *house) chat() api.Conversation {
	h.t.Helper()
	c, err := h.Get(ctx, h.ann, h.id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// rest waits for the end of all turns, and checks how the last one ended.
func (h *house) rest(state string) api.Conversation {
	h.t.Helper()
	h.until("the end of the turn", func() bool { return h.chat().State != api.ChatRunning })
	h.until("the end of the session", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		ss := h.sessions[h.id]
		return ss == nil || ss.end == nil
	})
	c := h.chat()
	if c.State != state {
		h.t.Fatalf("the turn is %s: %s\n%s", c.State, c.Problem, h.log)
	}
	return c
}

// turn says something and waits for the answer.
func (h *house) turn(content string, change ...func(*api.MessageSend)) {
	h.t.Helper()
	h.say(content, change...)
	h.rest(api.ChatIdle)
}

// branch is the active branch in short: u, a, t for messages, [ids] for a block, and so on.
func (h *house) branch() string {
	h.t.Helper()
	var out []string
	err := h.d.View(ctx, func(tx *db.Tx) error {
		list, err := journal.Branch(tx, h.ann, h.id)
		for _, e := range list {
			switch p := e.Payload.(type) {
			case *journal.Message:
				s := map[string]string{journal.RoleUser: "u", journal.RoleAssistant: "a", journal.RoleToolResult: "t"}[p.Role]
				if p.Cut != "" {
					s += "!"
				}
				for _, d := range p.Deliveries() {
					s += fmt.Sprintf("(%d)", d.Memory)
				}
				out = append(out, s)
			case *journal.TurnContext:
				ids := []string{}
				for _, d := range p.Deliveries {
					ids = append(ids, fmt.Sprint(d.Memory))
				}
				out = append(out, "["+p.Via+" "+strings.Join(ids, ",")+"]")
			default:
				out = append(out, string(e.Payload.Type()))
			}
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// want compares, line by line of a test.
func (h *house) want(what, got, want string) {
	h.t.Helper()
	if got != want {
		h.t.Errorf("%s: %q, not %q", what, got, want)
	}
}

// request is the next request that the endpoint gets.
func (h *house) request() *scripted.Request {
	h.t.Helper()
	h.until("a request", func() bool { return len(h.endpoint.Requests()) > 0 })
	return h.endpoint.Await(h.t)
}

// shape is a request in short: the roles of its messages, and the ids of the memories that
// stand in each.
func shape(r *scripted.Request) string {
	var out []string
	for _, m := range r.Asked().Messages {
		s := m.Role[:1]
		for _, id := range shownIn(m.Text) {
			s += fmt.Sprintf("(%s)", id)
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

// shownIn are the ids of the memories whose elements stand whole in a text.
func shownIn(text string) (ids []string) {
	for part := range strings.SplitSeq(text, `<memory id="`) {
		id, rest, ok := strings.Cut(part, `"`)
		attributes, body, closed := strings.Cut(rest, `>`)
		if ok && closed && strings.Contains(body, "</memory>") && !strings.Contains(attributes, "already in context") {
			ids = append(ids, id)
		}
	}
	return ids
}
