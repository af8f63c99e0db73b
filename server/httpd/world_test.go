package httpd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/backup"
	"elowen/server/calibration"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/db/dbtest"
	"elowen/server/embedding"
	"elowen/server/feed"
	"elowen/server/job"
	"elowen/server/journal"
	"elowen/server/layout"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/project"
	"elowen/server/projection"
	"elowen/server/recall"
	"elowen/server/remote"
	"elowen/server/retention"
	"elowen/server/schedule"
	"elowen/server/secret"
	"elowen/server/transcript"
	"elowen/server/transfer"
	"elowen/server/turn"
	"elowen/server/vector"
	"elowen/shared/api"
	"elowen/shared/fault"
)

const password = "correct horse"

// world is a whole server without a network: real stores on a real file, and the
// handler that the program would serve.
type world struct {
	testing.TB
	db       *db.DB
	clock    *dbtest.Clock
	accounts *account.Store
	handler  http.Handler
	log      *bytes.Buffer
	services Services
	doc      map[string]any
	schemas  map[string]*jsonschema.Schema
}

func newWorld(t testing.TB, o GateOptions) *world {
	t.Helper()
	w := &world{TB: t, clock: dbtest.NewClock(dbtest.Start), log: &bytes.Buffer{}, schemas: map[string]*jsonschema.Schema{}}
	w.db = dbtest.Open(t, w.clock)
	log := slog.New(slog.NewTextHandler(w.log, nil))
	settings := retention.NewSettings()
	projects := project.New(w.db, project.Options{})
	categories := category.New(w.db, memory.CountByCategory)
	memories := memory.New(w.db, categories, settings)
	retained := retention.New(w.db, settings, memories, log)
	w.accounts = account.New(w.db, account.Options{
		Hash:         account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1},
		OnCreate:     categories.Seed,
		OwnsCategory: categories.Placeable,
	})
	if err := schedule.New(w.db, nil, nil, retained.Daily()).Boot(context.Background()); err != nil {
		t.Fatal(err)
	}
	changes := feed.New(w.db)
	t.Cleanup(changes.Close)
	projector := projection.New(projection.Config{DB: w.db, Feed: changes, Memories: memories, Rules: settings, Log: log})
	t.Cleanup(projector.Close)
	if o.Addr == "" {
		o.Addr = "127.0.0.1:4400"
	}
	gate, err := NewGate(w.accounts, o)
	if err != nil {
		t.Fatal(err)
	}
	w.services = Services{
		Gate: gate, Accounts: w.accounts, Categories: categories, Memories: memories, Retention: retained, Projector: projector, Projects: projects,
		Transfer: transfer.New(w.db, transfer.Parts{Accounts: w.accounts, Projects: projects, Categories: categories, Memories: memories, Retention: retained, Settings: settings}),
		Models: model.New(w.db, model.Options{
			Box: secret.New(filepath.Join(t.TempDir(), secret.FileName)), Others: retained.SettingsIn, Log: log,
		}),
		Recall: recall.New(w.db, recall.Options{
			Memories: memories, Indexes: vector.New(memories, 0), Service: embedding.NewService(), Settings: retained.SettingsIn, Log: log,
		}),
		Turns:       held(w.db, memories),
		Servers:     remote.New(w.db, remote.Options{Most: 10_000, Box: secret.New(filepath.Join(t.TempDir(), secret.FileName))}),
		Transcripts: transcript.New(w.db, transcript.Options{Service: embedding.NewService(), Log: log}),
		Jobs:        job.New(w.db, job.Options{Works: map[string]job.Work{api.OperationReindex: &job.Reindex{Memories: memories, DB: w.db, Service: embedding.NewService()}}}),
		Calibration: calibration.New(w.db, memories),
		Index:       func(context.Context, account.Identity) (api.IndexState, error) { return api.IndexState{}, nil },
		Map: func(ctx context.Context, who account.Identity) (api.Map, error) {
			return layout.New(w.db, layout.Options{Memories: memories, Rules: settings, Indexes: vector.New(memories, 0), Service: embedding.NewService()}).Map(ctx, who.Owner)
		},
		Erase:   w.erase,
		Backups: backup.NewKeeper(w.db, retained, t.TempDir(), 7),
		Examine: func(context.Context) api.Doctor {
			return api.Doctor{Checks: []api.Finding{{Check: "room", State: api.StateOK, Text: "much"}}, OK: true}
		},
		Storage: func(context.Context) (api.Storage, error) { return api.Storage{Engine: "sqlite"}, nil },
		Clock:   w.clock.Now, Version: "1.2.3", BasePath: o.BasePath, TempDir: t.TempDir(), Log: log,
	}
	w.handler = gate.Hosts(New(w.services))
	w.doc = readDocument(t)
	return w
}

// erase is as the program puts it together.
func (w *world) erase(ctx context.Context, _ account.Identity, name string) error {
	return w.db.Update(ctx, func(tx *db.Tx) error {
		p, err := account.ByName(tx, name)
		if err != nil {
			return err
		}
		owner := db.AccountID(p.ID)
		for _, step := range []func(*db.Tx, db.AccountID) error{account.MarkErasing, model.EraseAccount, project.EraseAccount, turn.EraseAccount, transcript.EraseAccount, journal.EraseAccount, memory.EraseAccount, audit.EraseAccount, category.EraseAccount, (*db.Tx).EraseAccountLog, account.Delete} {
			if err := step(tx, owner); err != nil {
				return err
			}
		}
		return nil
	})
}

// person is somebody with an account, who asks with a token.
type person struct {
	*world
	name  string
	id    account.Identity
	token string
	made  int // counts things, so that no two are the same
}

func (w *world) person(name, role string, scopes ...string) *person {
	w.Helper()
	ctx := context.Background()
	if _, err := w.accounts.Add(ctx, api.PersonAdd{Name: name, Password: password, Role: role}); err != nil && !fault.Is(err, fault.Taken) {
		w.Fatal(err)
	}
	if len(scopes) == 0 {
		scopes = []string{api.ScopeRead, api.ScopeWrite}
		if role == api.RoleAdmin {
			scopes = append(scopes, api.ScopeAdmin)
		}
	}
	p, err := w.accounts.Person(ctx, name)
	if err != nil {
		w.Fatal(err)
	}
	tok, err := w.accounts.AddToken(ctx, db.AccountID(p.ID), api.TokenAdd{Name: "test", Scopes: scopes})
	if err != nil {
		w.Fatal(err)
	}
	id, err := w.accounts.Token(ctx, tok.Token)
	if err != nil {
		w.Fatal(err)
	}
	return &person{world: w, name: name, id: id, token: tok.Token}
}

// answer is a response that was read.
type answer struct {
	*httptest.ResponseRecorder
	text string
}

func (a answer) json(t testing.TB) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(a.text), &v); err != nil {
		t.Fatalf("%d %q: %v", a.Code, a.text, err)
	}
	return v
}

func into[T any](t testing.TB, a answer) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(a.text), &v); err != nil {
		t.Fatalf("%d %q: %v", a.Code, a.text, err)
	}
	return v
}

// request is one that a test sends. JSON is the media type of a body, unless the
// header says otherwise; a nil string header takes the usual one away.
type request struct {
	method, path string
	body         any // string, []byte or io.Reader as they are, else as JSON
	header       map[string]string
}

func (w *world) send(r request) answer {
	w.Helper()
	var body io.Reader
	switch b := r.body.(type) {
	case nil:
	case string:
		body = strings.NewReader(b)
	case []byte:
		body = bytes.NewReader(b)
	case io.Reader:
		body = b
	default:
		data, err := json.Marshal(b)
		if err != nil {
			w.Fatal(err)
		}
		body = bytes.NewReader(data)
	}
	req := httptest.NewRequest(r.method, "http://127.0.0.1:4400/", body)
	path, query, _ := strings.Cut(r.path, "?")
	req.URL.RawQuery = query
	if err := setPath(req, path); err != nil {
		w.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range r.header {
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, req)
	return answer{rec, rec.Body.String()}
}

// setPath takes the path as it stands, with all that a client could put there.
func setPath(r *http.Request, path string) error {
	plain, err := url.PathUnescape(path)
	if err == nil {
		r.URL.Path = plain
		if plain != path {
			r.URL.RawPath = path
		}
	}
	return err
}

// do sends a request with the person's token.
func (p *person) do(method, path string, body any, header ...string) answer {
	p.Helper()
	r := request{method: method, path: path, body: body, header: map[string]string{"Authorization": "Bearer " + p.token}}
	for i := 0; i+1 < len(header); i += 2 {
		r.header[header[i]] = header[i+1]
	}
	return p.send(r)
}

// must is do that has to succeed.
func (p *person) must(method, path string, body any, header ...string) answer {
	p.Helper()
	a := p.do(method, path, body, header...)
	if a.Code > 299 {
		p.Fatalf("%s %s: %d %s\n%s", method, path, a.Code, a.text, p.log)
	}
	return a
}

// problem checks that an answer is a problem document of the kind, and returns it.
func (w *world) problem(what string, a answer, kind fault.Kind) fault.Problem {
	w.Helper()
	p := fault.Problem{}
	if err := json.Unmarshal([]byte(a.text), &p); err != nil {
		w.Errorf("%s: %d %q: %v", what, a.Code, a.text, err)
		return p
	}
	if a.Code != kind.Status() || p.Status != a.Code || p.Code != kind.Code() || p.Title == "" || p.Detail == "" || a.Header().Get("Content-Type") != fault.ProblemType {
		w.Errorf("%s: %d %s, want %v", what, a.Code, a.text, kind)
	}
	return p
}

// conforms checks a JSON answer against what the document says of the route.
func (w *world) conforms(r Route, a answer) {
	w.Helper()
	pointer := "/paths/" + strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(r.Path) + "/" + strings.ToLower(r.Method) +
		fmt.Sprintf("/responses/%d/content/application~1json/schema", a.Code)
	schema := w.schemas[pointer]
	if schema == nil {
		schema = compile(w, w.doc, pointer)
		w.schemas[pointer] = schema
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(a.text))
	if err != nil {
		w.Errorf("%s %s: %v", r.Method, r.Path, err)
		return
	}
	if err := schema.Validate(v); err != nil {
		w.Errorf("%s %s does not answer as documented: %v\n%s", r.Method, r.Path, err, a.text)
	}
}

// things is one of everything that an account can have, for requests about it.
type things struct {
	memory, other, trashed, category, token int64
	change                                  int64 // of many, that can be undone
	session                                 int64
	job, receipt                            int64 // of maintenance: one that runs, one that ended
	project                                 int64 // that the account has a part in, and shares
	transcript                              int64
	conversation, entry, queued             int64
	server                                  int64
	person                                  string // another account, for an administrator
	backup                                  string // a backup, for an administrator
}

// things makes fresh ones. mark stands in every text of theirs.
func (p *person) things(mark string) things {
	p.Helper()
	p.made++
	var th things
	add := func(what string) int64 {
		body := fmt.Sprintf("%s: %s number %d is kept here", mark, what, p.made)
		return into[api.MemoryAdded](p, p.must("POST", api.PathMemory, api.MemoryAdd{Body: body, Subject: mark, Kind: mark, Reason: mark})).ID
	}
	th.memory, th.other, th.trashed = add("lamp"), add("river"), add("stone")
	p.must("DELETE", api.MemoryPath(th.trashed), nil)
	th.change = into[api.BulkDone](p, p.must("POST", api.PathBulk, api.MemoryBulk{IDs: []int64{th.other}, Action: api.BulkImportance, Importance: api.Ptr(8)})).Undo
	th.category = into[api.Category](p, p.must("POST", api.PathCategories, api.CategoryAdd{Name: fmt.Sprint(mark, " ", p.made), Description: mark, Icon: mark})).ID
	tok, err := p.accounts.AddToken(context.Background(), p.id.Owner, api.TokenAdd{Name: mark})
	if err != nil {
		p.Fatal(err)
	}
	th.token = tok.ID
	opened, err := p.accounts.Login(context.Background(), "192.0.2.7", api.Login{Name: p.name, Password: password})
	if err != nil {
		p.Fatal(err)
	}
	th.session = opened.Identity.SessionID
	th.project = p.project(fmt.Sprint(mark, "-", p.made))
	th.transcript = into[api.Transcript](p, p.must("POST", api.PathTranscripts, talk(mark, p.made))).ID
	th.conversation, th.entry, th.queued = p.conversation(mark)
	th.server = into[api.Server](p, p.must("POST", api.PathServers, api.ServerAdd{Name: fmt.Sprint("s", p.made), Kind: api.ServerHTTP, URL: "http://127.0.0.1:1/" + url.PathEscape(mark), Secrets: map[string]string{"X-Key": mark}})).ID
	for _, id := range []*int64{&th.receipt, &th.job} {
		m, err := p.services.Jobs.Start(context.Background(), p.id.Owner, api.MaintenanceStart{Operation: api.OperationReindex}, false)
		if err != nil {
			p.Fatal(err)
		}
		*id = m.ID
		if id == &th.receipt {
			if _, err := p.services.Jobs.Stop(context.Background(), p.id.Owner, m.ID); err != nil {
				p.Fatal(err)
			}
		}
	}
	if p.id.Role == api.RoleAdmin {
		th.backup = p.backup()
		th.person = fmt.Sprint(p.name, "-helper", p.made)
		p.must("POST", api.PathPeople, api.PersonAdd{Name: th.person, Password: password})
		p.join(th.project, th.person, true)
	}
	return th
}

// talk is a transcript with a mark in every text.
func talk(mark string, n int) api.TranscriptAdd {
	return api.TranscriptAdd{
		Surface: api.SurfaceVoice, StartedAt: api.Ptr(api.Time(dbtest.Start)), Participants: []api.Participant{{Name: mark, Role: api.ParticipantSelf}, {Name: "Helper", Role: api.ParticipantAgent}},
		Turns: []api.TurnAdd{{Speaker: mark, Text: fmt.Sprintf("%s: where does the lamp stand, time %d?", mark, n)}, {Speaker: "Helper", Text: mark + ": in the hall", At: api.Ptr(api.Time(dbtest.Start + 5000))}},
	}
}

// boss is an administrator who is nobody, for what only one may do.
var boss = account.Identity{Scopes: []string{api.ScopeAdmin}}

// project makes a project that shares, with the person as a member.
func (p *person) project(name string) int64 {
	p.Helper()
	made, err := p.services.Projects.Add(context.Background(), boss, api.ProjectAdd{Name: name, Slug: strings.ToLower(fmt.Sprint("p-", p.name, "-", p.made)), Description: name, Sharing: true})
	if err != nil {
		p.Fatal(err)
	}
	p.join(made.ID, p.name, true)
	return made.ID
}

// join makes somebody a member of a project, or not.
func (w *world) join(project int64, name string, in bool) {
	w.Helper()
	if _, err := w.services.Projects.SetMember(context.Background(), boss, project, 0, api.ProjectMemberSet{Name: name, Member: &in}); err != nil {
		w.Fatal(err)
	}
}

// backup is a backup that is there, made where there is none.
func (p *person) backup() string {
	p.Helper()
	list, err := p.services.Backups.List(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	if len(list.Items) > 0 {
		return list.Items[0].Name
	}
	b, err := p.services.Backups.Now(context.Background())
	if err != nil {
		p.Fatal(err)
	}
	return b.Name
}

// call sends the example of a route about the things.
func (p *person) call(r Route, th things, header ...string) answer {
	p.Helper()
	p.made++
	query, body := th.example(r, p.made)
	return p.callWith(r, th, query, body, header...)
}

func (p *person) callWith(r Route, th things, query string, body any, header ...string) answer {
	p.Helper()
	path := th.path(r)
	if query != "" {
		path += "?" + query
	}
	if savesSettings(r.Path) {
		now, err := p.services.Retention.Settings(context.Background())
		if err != nil {
			p.Fatal(err)
		}
		body = settingsChange(r.Path, now.Revision, p.made)
	}
	if r.Path == api.PathImport {
		header = append(header, "Content-Type", jsonl)
	}
	return p.do(r.Method, path, body, header...)
}

// without leaves fields out of decoded JSON, wherever they stand.
func without(v any, names ...string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			skip := false
			for _, n := range names {
				skip = skip || n == k
			}
			if !skip {
				out[k] = without(inner, names...)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = without(inner, names...)
		}
		return out
	}
	return v
}

func same(a, b any) bool { return reflect.DeepEqual(a, b) }
