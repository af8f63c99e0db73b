package httpd

import (
	"fmt"
	"strings"

	"elowen/shared/api"
)

// path fills a route's path in.
func (th things) path(r Route) string {
	id := th.memory
	switch {
	case strings.HasPrefix(r.Path, api.PathCategories):
		id = th.category
	case strings.HasSuffix(r.Path, "/ack"):
		id = th.receipt
	case strings.HasPrefix(r.Path, api.PathMaintenance):
		id = th.job
	case strings.HasPrefix(r.Path, api.PathTokens):
		id = th.token
	case strings.HasPrefix(r.Path, api.PathTranscripts):
		id = th.transcript
	case strings.HasPrefix(r.Path, api.PathConversations):
		id = th.conversation
	case strings.HasPrefix(r.Path, api.PathProjects):
		id = th.project
	case strings.HasPrefix(r.Path, api.PathServers):
		id = th.server
	case strings.HasPrefix(r.Path, api.PathSessions):
		id = th.session
	case strings.HasSuffix(r.Path, "/restore"), strings.HasSuffix(r.Path, "/purge"):
		id = th.trashed
	}
	name := th.person
	if strings.HasPrefix(r.Path, api.PathBackups) {
		name = th.backup
	}
	return strings.NewReplacer("{id}", fmt.Sprint(id), "{name}", name, "{queued}", fmt.Sprint(th.queued)).Replace(r.Path)
}

// example is a request for a route that succeeds.
func (th things) example(r Route, n int) (query string, body any) {
	switch r.Method + " " + r.Path {
	case "POST " + api.PathSetup:
		return "", api.Setup{Code: "code", Name: "first", Password: password}
	case "POST " + api.PathLogin:
		return "", api.Login{Name: "ann", Password: password}
	case "PATCH " + api.PathMe:
		return "", api.MePatch{DisplayName: api.Ptr("Somebody"), DefaultCategoryID: api.Some(th.category)}
	case "POST " + api.PathPeople:
		return "", api.PersonAdd{Name: fmt.Sprint("new-", th.memory, "-", n), Password: password}
	case "PATCH " + api.PathPeople + "/{name}":
		return "", api.PersonPatch{DisplayName: api.Ptr("Somebody else"), Password: api.Ptr("another password")}
	case "POST " + api.PathTokens:
		return "", api.TokenAdd{Name: "another", Days: 3}
	case "GET " + api.PathMemory:
		return "status=all&q=lamp&sort=relevance&limit=5", nil
	case "POST " + api.PathMemory:
		return "", api.MemoryAdd{Body: fmt.Sprintf("Tea at four, cup %d", n), CategoryID: api.Some(th.category), Importance: api.Ptr(7)}
	case "POST " + api.PathMerge:
		return "", api.MemoryMerge{IDs: []int64{th.memory, th.other}, Body: fmt.Sprintf("Both of them, time %d", n)}
	case "POST " + api.PathPurge:
		return "", api.IDs{IDs: []int64{th.trashed}}
	case "POST " + api.PathBulk:
		return "", api.MemoryBulk{IDs: []int64{th.memory, th.other}, Action: api.BulkCategory, CategoryID: api.Some(th.category)}
	case "POST " + api.PathUndo:
		return "", api.MemoryUndo{Change: th.change}
	case "PATCH " + api.PathMemory + "/{id}":
		return "", api.MemoryPatch{Body: api.Ptr(fmt.Sprintf("Changed, time %d", n)), CategoryID: api.Some(th.category)}
	case "PUT " + api.PathMemory + "/{id}/category":
		return "", api.CategoryChoice{CategoryID: &th.category}
	case "GET " + api.PathMemory + "/{id}/vitality-history":
		return "days=20", nil
	case "POST " + api.PathCategories:
		return "", api.CategoryAdd{Name: fmt.Sprint("Shelf ", n)}
	case "PATCH " + api.PathCategories + "/{id}":
		return "", api.CategoryPatch{Name: api.Ptr(fmt.Sprint("Drawer ", n)), Default: api.Ptr(true)}
	case "POST " + api.PathProjects:
		return "", api.ProjectAdd{Name: fmt.Sprint("Harbour ", th.memory, "-", n), Roots: []string{fmt.Sprintf("/srv/%d/%d", th.memory, n)}, Aliases: []string{fmt.Sprintf("h-%d-%d", th.memory, n)}, Sharing: true}
	case "PATCH " + api.PathProjects + "/{id}":
		return "", api.ProjectPatch{Name: api.Ptr(fmt.Sprint("Quay ", n)), Roots: &[]string{fmt.Sprintf("/srv/quay/%d/%d", th.memory, n)}}
	case "POST " + api.PathProjects + "/{id}/members":
		return "", api.ProjectMemberSet{Name: th.person, Named: api.Ptr(true)}
	case "POST " + api.PathModelsTest:
		return "", api.ModelTest{Role: api.RoleChat, Provider: &api.ProviderChange{ID: "p", Kind: api.ProviderOpenAI, BaseURL: "http://127.0.0.1:1/v1"}}
	case "POST " + api.PathMaintenance:
		return "", api.MaintenanceStart{Operation: api.OperationReindex}
	case "POST " + api.PathRetrieve:
		return "", api.RetrieveRequest{Query: "lamp in the hall", Limit: api.Ptr(5), Exclude: []int64{th.trashed}}
	case "POST " + api.PathTranscripts:
		return "", talk("somebody", n)
	case "POST " + api.PathConversations:
		return "", api.ConversationAdd{Title: fmt.Sprint("Talk ", n)}
	case "PATCH " + api.PathConversations + "/{id}":
		return "", api.ConversationPatch{Title: api.Ptr(fmt.Sprint("Another talk ", n)), CompactAt: api.Some(50)}
	case "POST " + api.PathConversations + "/{id}/messages":
		return "", api.MessageSend{Content: fmt.Sprint("Question ", n), Edit: th.entry}
	case "POST " + api.PathConversations + "/{id}/fork", "POST " + api.PathConversations + "/{id}/leaf":
		return "", api.EntryPick{EntryID: th.entry}
	case "POST " + api.PathConversations + "/{id}/compact":
		return "", api.CompactStart{Instructions: fmt.Sprint("Briefly, time ", n)}
	case "POST " + api.PathServers:
		return "", api.ServerAdd{Name: fmt.Sprint("new-", n), Kind: api.ServerHTTP, URL: "https://tools.example.org/mcp"}
	case "PATCH " + api.PathServers + "/{id}":
		return "", api.ServerPatch{URL: api.Ptr(fmt.Sprint("http://127.0.0.1:1/", n)), Enabled: api.Ptr(n%2 == 0)}
	case "POST " + api.PathTranscriptSearch:
		return "", api.TranscriptSearch{Query: "lamp in the hall", Limit: api.Ptr(5), ConversationID: th.transcript}
	case "PUT " + api.PathSettings + "/retention", "PUT " + api.PathModels, "PUT " + api.PathLimits, "PUT " + api.PathRuntime:
		return "", nil // the revision is asked for at the time
	case "POST " + api.PathPreview:
		return "", api.PreviewRequest{Limit: 5}
	case "POST " + api.PathImport:
		return "", fmt.Sprintf(`{"type":"memory","body":"Brought in, time %d"}`+"\n", n)
	}
	return "", nil
}

// savesSettings tells whether a path takes a group of the settings.
func savesSettings(path string) bool {
	return path == api.PathSettings+"/retention" || path == api.PathModels || path == api.PathLimits || path == api.PathRuntime
}

// settingsChange is a change of a group, each n another one.
func settingsChange(path string, revision int64, n int) any {
	switch path {
	case api.PathLimits:
		return api.LimitsChange{Revision: revision, RecallCount: api.Some(1 + n%50)}
	case api.PathRuntime:
		return api.RuntimeChange{Revision: revision, ImportanceWeight: api.Some(n % 300), RelevanceFloor: api.Null[int]()}
	case api.PathModels:
		return api.ModelsChange{Revision: revision, Providers: []api.ProviderChange{
			{ID: fmt.Sprint("p", n), Kind: api.ProviderOpenAI, BaseURL: "http://127.0.0.1:1/v1", APIKey: api.Some("sk-verysecret")},
		}}
	}
	return api.PolicyChange{Revision: revision, GraceDays: api.Ptr(float64(10 + n%5))}
}
