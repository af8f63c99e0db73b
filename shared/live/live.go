// Package live holds the frames of the websocket at /api/live.
//
// A client subscribes to windows. The server answers each with a Snapshot, then
// sends Deltas in the order of the account's change log, and pushes rows again
// whose shown numbers moved with the clock alone. One that reads too slowly for
// deltas is sent a Snapshot again. A client that lost its
// connection subscribes again with what it has (Since, Epoch, Have, AsOf): it is
// sent a Delta that brings it up to date, or a Gap where the log no longer
// reaches back, and then takes a new snapshot.
package live

import (
	"encoding/json"

	"elowen/shared/api"
)

// The views that a window can show.
const (
	ViewMemories    = "memories"    // rows: Row
	ViewTrash       = "trash"       // as memories, of the trash
	ViewMemory      = "memory"      // one row: DetailRow
	ViewStats       = "stats"       // one row: StatsRow
	ViewCategories  = "categories"  // rows: CategoryRow, by name
	ViewMe          = "me"          // one row: MeRow
	ViewSettings    = "settings"    // one row: SettingsRow
	ViewProjects    = "projects"    // rows: ProjectRow, by name
	ViewIndex       = "index"       // one row: IndexRow
	ViewMaintenance = "maintenance" // rows: MaintenanceRow, the newest first
	ViewMap         = "map"         // one row: MapRow
	ViewTokens      = "tokens"      // rows: TokenRow, the oldest first

	ViewConversations = "conversations" // rows: ConversationRow, the last used first
	ViewConversation  = "conversation"  // of a conversation (Of): TalkRows
	ViewContext       = "context"       // of a conversation (Of): ContextRows
)

// The types of frame from the client.
const (
	TypeSubscribe   = "subscribe"
	TypeUnsubscribe = "unsubscribe"
	TypePing        = "ping"
)

// The types of frame from the server.
const (
	TypeSnapshot = "snapshot"
	TypeDelta    = "delta"
	TypeGap      = "gap"
	TypeError    = "error"
	TypePong     = "pong"
)

// Request is a frame from the client.
type Request struct {
	Type   string          `json:"type" validate:"oneof=subscribe unsubscribe ping"`
	ID     string          `json:"id,omitempty" validate:"max=64"`
	View   string          `json:"view,omitempty" validate:"max=64"`                           // one that the server doesn't have is answered with an error
	Query  api.MemoryQuery `json:"query,omitzero"`                                             // of memories and trash
	Memory int64           `json:"memory,omitempty" validate:"min=0"`                          // of view memory
	Days   int             `json:"days,omitempty" validate:"omitempty,setting=memory.history"` // of its chart
	Of     int64           `json:"of,omitempty" validate:"min=0"`                              // the id of what another view is of
	From   int             `json:"from,omitempty" validate:"min=0"`                            // rank of the first row
	Limit  int             `json:"limit,omitempty" validate:"omitempty,setting=live.window"`

	// To resume: what the client has.
	Since int64    `json:"since,omitempty" validate:"min=0"`
	Epoch string   `json:"epoch,omitempty" validate:"max=64"`
	AsOf  api.Time `json:"asOf,omitempty"`
	Have  []int64  `json:"have,omitempty" validate:"max=1000"` // ids of its rows
}

// Frame is a frame from the server. Which fields it has depends on its type:
//
//	snapshot  ID Epoch Seq AsOf Total From Rows
//	delta     ID Seq AsOf Total, and of Upsert, Remove, Order and From what changed
//	gap       ID Epoch
//	error     ID Error
//	pong      AsOf
type Frame struct {
	Type   string            `json:"type"`
	ID     string            `json:"id,omitempty"`
	Epoch  string            `json:"epoch,omitempty"` // changes when a backup is restored
	Seq    int64             `json:"seq,omitempty"`   // of the account's change log: all up to it is in
	AsOf   api.Time          `json:"asOf,omitempty"`
	Total  int               `json:"total"`
	From   int               `json:"from"`
	Rows   []json.RawMessage `json:"rows,omitempty"`
	Upsert []json.RawMessage `json:"upsert,omitempty"` // rows that are new in the window or changed
	Remove []int64           `json:"remove,omitempty"` // ids that left the window
	Order  []int64           `json:"order,omitempty"`  // the ids of the window in order, where that changed
	Error  *Problem          `json:"error,omitempty"`
}

// Problem is what went wrong with one window, in the terms of package fault.
type Problem struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Row is one row of the views memories and trash: a memory, and where a search
// found it, its text in runs.
type Row struct {
	api.Memory
	Marks []api.Run `json:"marks,omitempty"` // the part of the body to show, with the hits marked; absent without a search
}

// StatsRow is the row of the view stats.
type StatsRow struct {
	ID    int64           `json:"id"` // always 0; every row has one
	Stats api.MemoryStats `json:"stats"`
}

// CategoryRow is a row of the view categories.
type CategoryRow struct{ api.Category }

// ProjectRow is a row of the view projects.
type ProjectRow struct{ api.Project }

// MeRow is the row of the view me. Its id is the account's.
type MeRow struct{ api.Me }

// SettingsRow is the row of the view settings.
type SettingsRow struct {
	ID int64 `json:"id"` // always 0
	api.Retention
}

// IndexRow is the row of the view index.
type IndexRow struct {
	ID int64 `json:"id"` // always 0
	api.IndexState
}

// MapRow is the row of the view map: that the map is another one now. Its points are
// read by GET /api/memory/map.
type MapRow struct {
	ID    int64 `json:"id"`    // always 0
	Seq   int64 `json:"seq"`   // of the account's change log
	Total int   `json:"total"` // active memories of the account's own
}

// MaintenanceRow is a row of the view maintenance.
type MaintenanceRow struct{ api.Maintenance }

// TokenRow is a row of the view tokens; never with its secret.
type TokenRow struct{ api.Token }

// ConversationRow is a row of the view conversations.
type ConversationRow struct{ api.Conversation }

// TalkRow is a row of the view conversation of one conversation (Request.Of). The first
// row, of the id 0, is how it stands: Conversation, and Turn while one runs. Then come
// the last entries of its active branch (Request.Limit of them; older ones are read by
// GET /api/conversations/{id}/messages), with their own ids. What the model says at the
// moment comes last, in pieces with the ids -1, -2 …: only the last of them changes
// while it speaks, and all go when the entry that they become comes. Total counts the
// entries of the branch, From is the rank of the first one that is shown.
type TalkRow struct {
	ID           int64                  `json:"id"`
	Conversation *api.Conversation      `json:"conversation,omitempty"` // of the row 0
	Turn         *api.TurnNow           `json:"turn,omitempty"`         // of the row 0
	Entry        *api.ConversationEntry `json:"entry,omitempty"`        // of an entry
	Piece        *Piece                 `json:"piece,omitempty"`        // of a piece
}

// Piece is a part of what the model says at the moment: a paragraph, or another block
// of its own. It has Node or Call.
type Piece struct {
	Node *api.Node     `json:"node,omitempty"`
	Call *api.ToolCall `json:"call,omitempty"` // a tool that it calls
}

// ContextRow is a row of the view context of one conversation (Request.Of): a memory
// that the model sees, in the order in which they came, then those that have left, the
// last one first. Its id is a number of its own: several versions of a memory may be there.
type ContextRow struct {
	ID     int64             `json:"id"`
	Memory api.ContextMemory `json:"memory"`
}

// DetailRow is the row of the view memory.
type DetailRow struct {
	ID int64 `json:"id"` // the memory's
	api.MemoryDetail
}

// Key is the id by which deltas name the row.
func (r Row) Key() int64 { return r.ID }

// Key is always 0.
func (r StatsRow) Key() int64 { return r.ID }

// Key is the category's id.
func (r CategoryRow) Key() int64 { return r.ID }

// Key is the project's id.
func (r ProjectRow) Key() int64 { return r.ID }

// Key is the account's id.
func (r MeRow) Key() int64 { return r.ID }

// Key is always 0.
func (r SettingsRow) Key() int64 { return r.ID }

// Key is always 0.
func (r IndexRow) Key() int64 { return r.ID }

// Key is always 0.
func (r MapRow) Key() int64 { return r.ID }

// Key is the job's id.
func (r MaintenanceRow) Key() int64 { return r.ID }

// Key is the token's id.
func (r TokenRow) Key() int64 { return r.ID }

// Key is the conversation's id.
func (r ConversationRow) Key() int64 { return r.ID }

// Key is 0, the entry's id, or that of a piece.
func (r TalkRow) Key() int64 { return r.ID }

// Key is the row's own id.
func (r ContextRow) Key() int64 { return r.ID }

// Key is the memory's id.
func (r DetailRow) Key() int64 { return r.ID }

// Close codes of the websocket, beside the standard ones.
const (
	CloseSlow      = 4000 // the client did not read at all for long; connect again
	CloseSignedOut = 4001 // the session or token is no longer valid
	CloseRestart   = 4002 // the server is going down; connect again
)
