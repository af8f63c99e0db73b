package api

// RetrieveRequest is the body of POST /api/memory/retrieve: what would be recalled
// for a question, and why. Nothing is counted as used.
type RetrieveRequest struct {
	Query     string  `json:"query" validate:"text=recall.query"` // empty finds nothing
	ProjectID int64   `json:"projectId,omitempty" validate:"min=0"`
	Limit     *int    `json:"limit,omitempty" validate:"omitempty,setting=recall.limit"` // absent: limits.recallCount
	Bytes     *int    `json:"bytes,omitempty" validate:"omitempty,setting=recall.bytes"` // of the bodies together; absent: limits.recallBytes
	After     *Time   `json:"after,omitempty"`                                           // noted or last changed at or after
	Before    *Time   `json:"before,omitempty"`                                          // noted or last changed before
	Exclude   []int64 `json:"exclude,omitempty" validate:"omitempty,ids=recall.exclude"` // memories that are passed over
}

// The paths of a recall.
const (
	PathSemantic = "semantic"
	PathKeyword  = "keyword" // every memory that was picked came in by words alone
)

// Retrieved answers it.
type Retrieved struct {
	Memories   []Memory    `json:"memories"`   // those that were picked, the best first
	Candidates []Candidate `json:"candidates"` // the best 100, and up to 100 that were passed over
	Considered int         `json:"considered"` // memories that were nearest by meaning or by words
	Path       string      `json:"path"`       // semantic or keyword
	Note       string      `json:"note"`       // what people should know of how it was found; empty: nothing
}

// Why a candidate was picked or not.
const (
	ReasonPicked    = "picked"
	ReasonExcluded  = "excluded"  // the request passes it over
	ReasonRank      = "rank"      // a hundred others are better
	ReasonFloor     = "floor"     // not relevant enough
	ReasonDuplicate = "duplicate" // says the same as a picked one
	ReasonBytes     = "bytes"     // does not fit in any more
	ReasonCount     = "count"     // as many as asked for were better
)

// Candidate is a memory that recall looked at.
type Candidate struct {
	ID          int64    `json:"id"`
	Body        string   `json:"body"`       // its beginning
	Similarity  *float64 `json:"similarity"` // cosine, with what is common to all texts taken off; null without a fresh vector
	Keyword     float64  `json:"keyword"`    // BM25
	Late        *float64 `json:"late"`       // late interaction; null without fresh token vectors
	Relevance   float64  `json:"relevance"`  // 0 is the best of what has nothing to do with it, 1 what belongs to it; may be less and more
	Importance  int      `json:"importance"`
	Vitality    float64  `json:"vitality"`
	Score       float64  `json:"score"` // what they are ordered by
	Reason      string   `json:"reason"`
	DuplicateOf int64    `json:"duplicateOf,omitempty"` // of a duplicate: the picked one
}

// Limits are the instance's limits of recall.
type Limits struct {
	RecallCount  int `json:"recallCount"`
	RecallBytes  int `json:"recallBytes"`
	RecallWaitMs int `json:"recallWaitMs"`

	// While a turn works: searches a turn, memories a search, and bytes of blocks a turn.
	LiveSearches  int `json:"liveSearches"`
	LivePerSearch int `json:"livePerSearch"`
	LiveBytes     int `json:"liveBytes"`
}

// LimitsChange is the body of PUT /api/settings/limits. Absent fields stay, null is
// the default.
type LimitsChange struct {
	Revision     int64         `json:"revision"` // of the settings that the editor saw
	RecallCount  Optional[int] `json:"recallCount,omitzero" validate:"omitempty,setting=limits.recallCount"`
	RecallBytes  Optional[int] `json:"recallBytes,omitzero" validate:"omitempty,setting=limits.recallBytes"`
	RecallWaitMs Optional[int] `json:"recallWaitMs,omitzero" validate:"omitempty,setting=limits.recallWaitMs"`

	LiveSearches  Optional[int] `json:"liveSearches,omitzero" validate:"omitempty,setting=limits.liveSearches"`
	LivePerSearch Optional[int] `json:"livePerSearch,omitzero" validate:"omitempty,setting=limits.livePerSearch"`
	LiveBytes     Optional[int] `json:"liveBytes,omitzero" validate:"omitempty,setting=limits.liveBytes"`
}

// Runtime is how the instance recalls. What is null is as the profile of the
// embedding model says; a value belongs to the model that was in use when it was
// saved, and is null under another one.
type Runtime struct {
	RelevanceFloor      *int `json:"relevanceFloor"`      // per mille
	DuplicateThreshold  *int `json:"duplicateThreshold"`  // per mille
	ParaphraseThreshold *int `json:"paraphraseThreshold"` // per mille
	ImportanceWeight    int  `json:"importanceWeight"`    // per mille
	VitalityWeight      int  `json:"vitalityWeight"`      // per mille
	LateInteraction     bool `json:"lateInteraction"`
	FileTools           bool `json:"fileTools"`      // a model may read the files of a project that its conversation is about
	PrivateServers      bool `json:"privateServers"` // members' own MCP servers may be at private addresses
}

// Profile is what the profile of the embedding model in use says, per mille; null is
// what it says nothing of, where the default holds.
type Profile struct {
	RelevanceFloor      *int `json:"relevanceFloor"`
	DuplicateThreshold  *int `json:"duplicateThreshold"`
	ParaphraseThreshold *int `json:"paraphraseThreshold"`
}

// RuntimeChange is the body of PUT /api/settings/runtime. Absent fields stay, null is
// the model profile's value, or the default.
type RuntimeChange struct {
	Revision            int64          `json:"revision"` // of the settings that the editor saw
	RelevanceFloor      Optional[int]  `json:"relevanceFloor,omitzero" validate:"omitempty,setting=runtime.relevanceFloor"`
	DuplicateThreshold  Optional[int]  `json:"duplicateThreshold,omitzero" validate:"omitempty,setting=runtime.duplicateThreshold"`
	ParaphraseThreshold Optional[int]  `json:"paraphraseThreshold,omitzero" validate:"omitempty,setting=runtime.paraphraseThreshold"`
	ImportanceWeight    Optional[int]  `json:"importanceWeight,omitzero" validate:"omitempty,setting=runtime.importanceWeight"`
	VitalityWeight      Optional[int]  `json:"vitalityWeight,omitzero" validate:"omitempty,setting=runtime.vitalityWeight"`
	LateInteraction     Optional[bool] `json:"lateInteraction,omitzero"`
	FileTools           Optional[bool] `json:"fileTools,omitzero"`
	PrivateServers      Optional[bool] `json:"privateServers,omitzero"`
}
