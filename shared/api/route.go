package api

import "strconv"

// Paths of the REST routes, relative to the base path.
const (
	PathHealth      = "/healthz"
	PathReady       = "/readyz"
	PathMetrics     = "/metrics"
	PathOpenAPI     = "/api/openapi.json"
	PathLive        = "/api/live"
	PathMCP         = "/mcp" // the Model Context Protocol, for agents
	PathV1          = "/v1/" // OpenAI's API, for programs that speak it
	PathSetup       = "/api/setup"
	PathLogin       = "/api/login"
	PathLogout      = "/api/logout"
	PathMe          = "/api/me"
	PathPeople      = "/api/people"
	PathTokens      = "/api/tokens"
	PathMemory      = "/api/memory"
	PathMerge       = "/api/memory/merge"
	PathPurge       = "/api/memory/purge"
	PathEmptyTrash  = "/api/memory/empty-trash"
	PathBulk        = "/api/memory/bulk"
	PathUndo        = "/api/memory/undo"
	PathRetrieve    = "/api/memory/retrieve"
	PathEvents      = "/api/memory/events"
	PathStats       = "/api/memory/stats"
	PathCategories  = "/api/categories"
	PathSettings    = "/api/settings"
	PathIndex       = "/api/memory/index"
	PathLimits      = "/api/settings/limits"
	PathRuntime     = "/api/settings/runtime"
	PathModels      = "/api/settings/models"
	PathModelsTest  = "/api/settings/models/test"
	PathModelList   = "/api/models"
	PathUsage       = "/api/usage"
	PathRetention   = "/api/retention"
	PathPreview     = "/api/retention/preview"
	PathSweep       = "/api/retention/sweep"
	PathMaintenance = "/api/maintenance"
	PathCalibrate   = "/api/calibrate"
	PathExport      = "/api/export"
	PathImport      = "/api/import"
)

// MemoryPath is the path of one memory, with an optional last part such as "restore".
func MemoryPath(id int64, part ...string) string { return itemPath(PathMemory, id, part) }

// CategoryPath is the path of one category.
func CategoryPath(id int64) string { return itemPath(PathCategories, id, nil) }

// MaintenancePath is the path of one maintenance job, with a last part such as "stop".
func MaintenancePath(id int64, part ...string) string { return itemPath(PathMaintenance, id, part) }

// TokenPath is the path of one token.
func TokenPath(id int64) string { return itemPath(PathTokens, id, nil) }

func itemPath(base string, id int64, part []string) string {
	path := base + "/" + strconv.FormatInt(id, 10)
	for _, p := range part {
		path += "/" + p
	}
	return path
}

// HeaderVersion is the header in which every answer names the server's release: a page
// that is of another one offers to be loaded anew.
const HeaderVersion = "Elowen-Version"

// HeaderProject names where a program works, for those that are set up once for a folder:
// a path or a project's name.
const HeaderProject = "X-Elowen-Project-Path"

// HeaderConversation is what a program under PathV1 calls a conversation, and
// HeaderConversationID which of the account's conversations that is.
const (
	HeaderConversation   = "X-Elowen-Conversation"
	HeaderConversationID = "X-Elowen-Conversation-Id"
)

// HeaderIdempotency is the header that makes a write safe to repeat.
const HeaderIdempotency = "Idempotency-Key"
