package api

import "strings"

// Memory is one memory as it is served. The numbers of its last group are
// computed by the server at AsOf; no client computes one of them.
type Memory struct {
	ID         int64   `json:"id"`
	Revision   int64   `json:"revision"` // +1 at every change; If-Match and the 409 speak of it
	Subject    string  `json:"subject"`  // whom it is about; empty for the account itself
	Body       string  `json:"body"`
	Lang       string  `json:"lang"` // BCP 47 tag for the body's lang attribute (ja, zh, ko, th …); empty for no hint
	Kind       string  `json:"kind"`
	Importance int     `json:"importance"`
	Confidence float64 `json:"confidence"`
	CategoryID *int64  `json:"categoryId"`
	Shared     bool    `json:"shared"`    // it is of a project's pool: all who may read that may change it
	ProjectID  *int64  `json:"projectId"` // whose pool; null for one's own
	Writer     string  `json:"writer"`    // who wrote what is shared, as shown; empty for one's own, or where they are gone
	Source     string  `json:"source"`
	Status     string  `json:"status"`
	UseCount   int64   `json:"useCount"`
	LastUsedAt *Time   `json:"lastUsedAt"`
	CreatedAt  Time    `json:"createdAt"`
	UpdatedAt  Time    `json:"updatedAt"`
	ReviewedAt *Time   `json:"reviewedAt"`
	DeletedAt  *Time   `json:"deletedAt"`  // when it went to the trash
	DeletedWhy string  `json:"deletedWhy"` // the reason in the audit; of a sweep only what it found: "vitality 8.2 < 10"
	DeletedBy  string  `json:"deletedBy"`  // who did: one of the kinds below; empty: not in the trash, or nobody knows
	DeletedWho string  `json:"deletedWho"` // the same in words, as in Event: "You", "Daily sweep", …

	Vitality      float64 `json:"vitality"`      // 0 to 100, unrounded
	VitalityShown int     `json:"vitalityShown"` // whole, rounded so that it never crosses the floor
	EvictableAt   *Time   `json:"evictableAt"`   // the sweep that would move it to the trash; null where none would
	Indexed       bool    `json:"indexed"`       // has a fresh vector in the active space
	LateIndexed   bool    `json:"lateIndexed"`   // has fresh token vectors
	AsOf          Time    `json:"asOf"`
}

// The statuses of a memory.
const (
	StatusActive       = "active"
	StatusDeleted      = "deleted" // in the trash
	StatusConsolidated = "consolidated"
)

// WhyMergeTakenBack is why a memory is in the trash that was made of others which
// are themselves again.
const WhyMergeTakenBack = "merge taken back"

// Who moved a memory to the trash. A query takes the first two, and DeletedByPeople
// for whatever is neither.
const (
	DeletedBySweep  = "sweep"  // it faded
	DeletedByMerge  = "merge"  // it was made one with others
	DeletedByYou    = "you"    // the person whose memory it is
	DeletedByPerson = "person" // another person
	DeletedByAgent  = "agent"  // an assistant, or a program with a token
	DeletedByElowen = "elowen" // the server, but for its sweep
	DeletedByPeople = "people" // in a query only
)

// The sources of a memory.
const (
	SourceUser        = "user"
	SourceAgent       = "agent"
	SourceCurator     = "curator"
	SourceMerge       = "merge"
	SourceMaintenance = "maintenance"
	SourceImport      = "import"
	SourceVoice       = "voice"
	SourceChat        = "chat"
	SourceTeamChat    = "team_chat"
)

// MemoryAdd is the body of POST /api/memory. Absent fields take the defaults of
// the setting table; an absent category is the account's default one.
type MemoryAdd struct {
	Body       string          `json:"body" validate:"body"`
	Kind       string          `json:"kind,omitempty" validate:"omitempty,label"`
	Importance *int            `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"`
	Confidence *float64        `json:"confidence,omitempty" validate:"omitempty,setting=memory.confidence"`
	CategoryID Optional[int64] `json:"categoryId,omitzero"`
	Subject    string          `json:"subject,omitempty" validate:"line=memory.subject"`
	Reason     string          `json:"reason,omitempty" validate:"line=memory.reason"`
	ProjectID  int64           `json:"projectId,omitempty" validate:"min=0"` // the project that one works in; without a category, that project's own is taken
	Shared     bool            `json:"shared,omitempty"`                     // to the project's pool
}

// MemoryAdded answers POST /api/memory: the memory at the top level, and what it
// resembles.
type MemoryAdded struct {
	Memory
	Existing       bool      `json:"existing"` // the identical body was there already in that category; nothing was added
	Similar        []Similar `json:"similar"`
	SimilarPending bool      `json:"similarPending"` // more may come on the memory's live frame
}

// Similar is a memory that resembles another.
type Similar struct {
	ID         int64   `json:"id"`
	Similarity float64 `json:"similarity"` // 0 to 1
	Body       string  `json:"body"`
	By         string  `json:"by"` // "body" (identical), "words" or "meaning"
}

// MemoryPatch is the body of PATCH /api/memory/{id}. Absent fields stay.
type MemoryPatch struct {
	Body       *string         `json:"body,omitempty" validate:"omitempty,body"`
	Kind       *string         `json:"kind,omitempty" validate:"omitempty,label"`
	Importance *int            `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"`
	Confidence *float64        `json:"confidence,omitempty" validate:"omitempty,setting=memory.confidence"`
	CategoryID Optional[int64] `json:"categoryId,omitzero"`
	Subject    *string         `json:"subject,omitempty" validate:"omitempty,line=memory.subject"`
	Reviewed   *bool           `json:"reviewed,omitempty"`
	Version    *int64          `json:"version,omitempty"` // puts the body of that earlier revision back
	Reason     string          `json:"reason,omitempty" validate:"line=memory.reason"`
}

// CategoryChoice is the body of PUT /api/memory/{id}/category; null takes it out.
type CategoryChoice struct {
	CategoryID *int64 `json:"categoryId"`
}

// MemoryMerged answers POST /api/memory/merge.
type MemoryMerged struct {
	Memory
	Undo int64 `json:"undo"` // as in BulkDone
}

// MemoryUndo is the body of POST /api/memory/undo.
type MemoryUndo struct {
	Change int64 `json:"change" validate:"min=1"` // what a change of many answered as Undo
	// CategoryID stands for a category that was deleted by the change: what was in that
	// one goes there. Without it, it stays in none.
	CategoryID int64 `json:"categoryId,omitempty" validate:"min=0"`
}

// MemoryMerge is the body of POST /api/memory/merge.
type MemoryMerge struct {
	IDs    []int64 `json:"ids" validate:"ids=memory.merge"`
	Body   string  `json:"body" validate:"body"`
	Reason string  `json:"reason,omitempty" validate:"line=memory.reason"`
}

// IDs is the body of routes that take a list of memories.
type IDs struct {
	IDs []int64 `json:"ids" validate:"ids=memory.bulk"`
}

// The actions of a bulk change.
const (
	BulkCategory   = "category"
	BulkImportance = "importance"
	BulkKind       = "kind"
	BulkTrash      = "trash"
	BulkRestore    = "restore"
	BulkPurge      = "purge"
)

// MemoryBulk is the body of POST /api/memory/bulk: one transaction, all or
// nothing. Either IDs or All names the memories.
type MemoryBulk struct {
	IDs        []int64         `json:"ids,omitempty" validate:"omitempty,ids=memory.bulk"`
	All        *MemoryQuery    `json:"all,omitempty"` // every memory that matches
	Action     string          `json:"action" validate:"oneof=category importance kind trash restore purge"`
	CategoryID Optional[int64] `json:"categoryId,omitzero"`
	Importance *int            `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"`
	Kind       *string         `json:"kind,omitempty" validate:"omitempty,label"`
	Reason     string          `json:"reason,omitempty" validate:"line=memory.reason"`

	// Expect is how many memories the caller believes it names; another number is
	// Stale, with Matching as the current state.
	Expect *int `json:"expect,omitempty" validate:"omitempty,min=0"`
}

// EmptyTrash is the body of POST /api/memory/empty-trash, which may be absent.
type EmptyTrash struct {
	Expect    *int  `json:"expect,omitempty" validate:"omitempty,min=0"` // as in MemoryBulk
	ProjectID int64 `json:"projectId,omitempty" validate:"min=0"`        // the trash of that project's pool; 0: one's own
}

// Matching is the current state that a change of many is refused with where it
// expected another number.
type Matching struct {
	Count int `json:"count"`
}

// BulkDone answers the routes that change many memories.
type BulkDone struct {
	Changed int     `json:"changed"`
	IDs     []int64 `json:"ids"`  // those that were changed
	Undo    int64   `json:"undo"` // the number for POST /api/memory/undo; 0 where it can't be undone
}

// The sorts of a list.
const (
	SortUpdated    = "updated"
	SortCreated    = "created"
	SortVitality   = "vitality"
	SortImportance = "importance"
	SortUsed       = "used" // by last use
	SortEvictable  = "evictable"
	SortRelevance  = "relevance" // only with Q
)

// How a list's text is searched.
const (
	MatchWords   = "words"
	MatchMeaning = "meaning"
)

// Sorts lists the sorts.
func Sorts() []string {
	return []string{SortUpdated, SortCreated, SortVitality, SortImportance, SortUsed, SortEvictable, SortRelevance}
}

// MemoryQuery names memories: the filters and the order of a list, a live
// window, or a bulk action. The zero value is every active memory, the last
// updated first.
type MemoryQuery struct {
	Status        string `json:"status,omitempty" validate:"omitempty,oneof=active deleted consolidated all"` // default active
	Kind          string `json:"kind,omitempty" validate:"omitempty,label"`
	CategoryID    int64  `json:"categoryId,omitempty" validate:"min=0"` // 0 is any
	Uncategorized bool   `json:"uncategorized,omitempty"`
	ProjectID     int64  `json:"projectId,omitempty" validate:"min=0"`                                // one's own in categories of that project
	Pool          bool   `json:"pool,omitempty"`                                                      // with ProjectID: those of its pool instead
	Importance    int    `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"` // at least
	FadesWithin   int    `json:"fadesWithin,omitempty" validate:"omitempty,setting=list.fades"`       // days
	NotIndexed    bool   `json:"notIndexed,omitempty"`
	Unreviewed    bool   `json:"unreviewed,omitempty"`
	DeletedBy     string `json:"deletedBy,omitempty" validate:"omitempty,oneof=sweep merge people"` // of the trash
	After         *Time  `json:"after,omitempty"`                                                   // created at or after
	Before        *Time  `json:"before,omitempty"`                                                  // created before
	Q             string `json:"q,omitempty" validate:"line=memory.query"`
	Match         string `json:"match,omitempty" validate:"omitempty,oneof=words meaning"`
	Sort          string `json:"sort,omitempty" validate:"omitempty,oneof=updated created vitality importance used evictable relevance"`
	Order         string `json:"order,omitempty" validate:"omitempty,oneof=asc desc"` // default: desc, but asc for evictable
}

// Normal fills the defaults in, so that equal queries are equal values.
func (q MemoryQuery) Normal() MemoryQuery {
	if q.Status == "" {
		q.Status = StatusActive
	}
	if q.Sort == "" || q.Sort == SortRelevance && q.Q == "" {
		q.Sort = SortUpdated
		if q.Q != "" {
			q.Sort = SortRelevance
		}
	}
	if q.Order == "" {
		q.Order = "desc"
		if q.Sort == SortEvictable {
			q.Order = "asc"
		}
	}
	if q.Match == "" && q.Q != "" {
		q.Match = "words"
	}
	if q.Q == "" {
		q.Match = ""
	}
	return q
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"nextCursor"` // empty at the end
	Total      int    `json:"total"`
	AsOf       Time   `json:"asOf"`
}

// Rank answers GET /api/memory/{id}/rank: where a memory stands in a list.
type Rank struct {
	Rank  int `json:"rank"` // from 0; −1 where it isn't in that list
	Total int `json:"total"`
}

// Other is another memory that something is about.
type Other struct {
	ID   int64  `json:"id"`
	Body string `json:"body"` // its beginning; empty where it was purged
}

// Run is a piece of a text with a role: a diff ("equal", "insert", "delete") or
// a search hit ("text", "mark"). The server makes them; the browser only shows them.
type Run struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// Event is one entry of the audit, as served.
type Event struct {
	ID       int64         `json:"id"`
	MemoryID int64         `json:"memoryId"`
	Action   string        `json:"action"` // add, update, category, merge, trash, restore, purge, auto-evict, consolidate, review
	Actor    string        `json:"actor"`  // user:ID, agent, daemon, migration, token:ID, import
	Who      string        `json:"who"`    // the actor in words: "You", "Daily sweep", …
	Model    string        `json:"model"`  // where a model decided
	Reason   string        `json:"reason"`
	Revision int64         `json:"revision"` // of the memory after it; 0 where unknown
	At       Time          `json:"at"`
	Foreign  bool          `json:"foreign"`  // carried over from elsewhere
	Restores bool          `json:"restores"` // its text can be put back
	Changes  []FieldChange `json:"changes"`
	Scopes   []string      `json:"scopes,omitempty"` // what the token that did it was allowed to do
	Others   []Other       `json:"others,omitempty"` // the sources of a merge, or what it was merged into
}

// ReasonImported begins the reason, in the audit, of a memory that an import added;
// ReasonImportedFrom does where it is known what it came from.
const (
	ReasonImported     = "imported"
	ReasonImportedFrom = ReasonImported + " from "
)

// Imported tells whether an import added the memory, and from what, if that is known.
func (e Event) Imported() (from string, ok bool) {
	if e.Action != "add" {
		return "", false
	}
	from, named := strings.CutPrefix(e.Reason, ReasonImportedFrom)
	if named {
		return from, true
	}
	return "", e.Reason == ReasonImported
}

// FieldChange is one changed field of an event. Body changes come as Diff where
// both texts still exist; elsewhere as the short hashes of the texts.
type FieldChange struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
	Diff   []Run  `json:"diff,omitempty"`
}

// HistoryPoint is an instant and the vitality then.
type HistoryPoint struct {
	At       Time    `json:"at"`
	Vitality float64 `json:"vitality"`
}

// VitalityHistory answers GET /api/memory/{id}/vitality-history.
type VitalityHistory struct {
	Points       []HistoryPoint `json:"points"`  // the past; a recall is two points at one instant
	Recalls      []Time         `json:"recalls"` // when it was used, within Points
	Forecast     []HistoryPoint `json:"forecast"`
	Floor        *float64       `json:"floor"` // null while retention is off
	HalfLifeDays float64        `json:"halfLifeDays"`
	CrossesAt    *Time          `json:"crossesAt"`   // when it reaches the floor if it isn't used again
	EvictableAt  *Time          `json:"evictableAt"` // the sweep that would take it then
	HistoryFrom  Time           `json:"historyFrom"` // the curve begins here, exact or absent
	Now          Time           `json:"now"`
}

// MemoryDetail is the row of the live view "memory": the memory with all that its
// page shows.
type MemoryDetail struct {
	Memory  Memory          `json:"memory"`
	History VitalityHistory `json:"history"`
	Events  []Event         `json:"events"` // newest first, the first page
	More    bool            `json:"more"`   // there are more events
	Similar []Similar       `json:"similar"`
	Shape   []Node          `json:"shape,omitempty"` // of a body that is Markdown; absent for plain text
}

// MemoryStats answers GET /api/memory/stats.
type MemoryStats struct {
	Active        int            `json:"active"`
	Deleted       int            `json:"deleted"`
	Faded         int            `json:"faded"`  // of the deleted ones: those that a sweep took
	Merged        int            `json:"merged"` // of the deleted ones: the sources of merges
	Consolidated  int            `json:"consolidated"`
	Uncategorized int            `json:"uncategorized"`
	NotIndexed    int            `json:"notIndexed"`
	DueNow        int            `json:"dueNow"` // active ones that a sweep now would find eligible
	Kinds         map[string]int `json:"kinds"`
	Categories    map[string]int `json:"categories"` // by id in decimal
	Importance    map[string]int `json:"importance"` // by level in decimal
	AsOf          Time           `json:"asOf"`
}
