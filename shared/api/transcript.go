package api

// The routes of transcripts.
const (
	PathTranscripts      = "/api/transcripts"
	PathTranscriptSearch = "/api/transcripts/search"
)

// TranscriptPath is the path of one transcript.
func TranscriptPath(id int64) string { return itemPath(PathTranscripts, id, nil) }

// The surfaces that a transcript may come from.
const (
	SurfaceVoice    = "voice"     // a voice session
	SurfaceChat     = "chat"      // one person and an agent
	SurfaceTeamChat = "team_chat" // several of both
)

// What a participant of a transcript is.
const (
	ParticipantSelf   = "self"   // whose account it is
	ParticipantPerson = "person" // somebody else
	ParticipantAgent  = "agent"  // no person
)

// TranscriptAdd is the body of POST /api/transcripts: a conversation that was held
// elsewhere, whole.
type TranscriptAdd struct {
	Surface      string        `json:"surface" validate:"required,oneof=voice chat team_chat"`
	StartedAt    *Time         `json:"startedAt" validate:"required"`
	Participants []Participant `json:"participants" validate:"count=transcript.participants,dive"`
	Turns        []TurnAdd     `json:"turns" validate:"count=transcript.turns,dive"` // in their order
}

// Participant is somebody who speaks in a transcript.
type Participant struct {
	Name string `json:"name" validate:"line=transcript.name"`                        // each once
	Role string `json:"role,omitempty" validate:"omitempty,oneof=self person agent"` // absent: person
}

// TurnAdd is what somebody said in one go.
type TurnAdd struct {
	Speaker string `json:"speaker" validate:"line=transcript.name"` // the name of a participant
	Text    string `json:"text" validate:"text=transcript.text"`
	At      *Time  `json:"at,omitempty"` // absent: when the one before was said, or the transcript began
}

// Transcript is a stored one, without its turns.
type Transcript struct {
	ID           int64         `json:"id"` // of the conversation
	Surface      string        `json:"surface"`
	StartedAt    Time          `json:"startedAt"`
	CreatedAt    Time          `json:"createdAt"` // when it came here
	Participants []Participant `json:"participants"`
	Turns        int           `json:"turns"`
}

// TranscriptWhole is a stored transcript with its turns.
type TranscriptWhole struct {
	Transcript
	Items []Turn `json:"items"`
}

// Turn is one of a stored transcript.
type Turn struct {
	ID      int64  `json:"id"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	At      Time   `json:"at"`
}

// TranscriptSearch is the body of POST /api/transcripts/search.
type TranscriptSearch struct {
	Query          string `json:"query" validate:"text=recall.query"`                            // empty finds nothing
	Limit          *int   `json:"limit,omitempty" validate:"omitempty,setting=transcript.limit"` // turns
	ConversationID int64  `json:"conversationId,omitempty" validate:"min=0"`                     // absent: all
}

// TranscriptFound answers it.
type TranscriptFound struct {
	Turns []TurnFound `json:"turns"` // the best first; there is no floor
	Path  string      `json:"path"`  // semantic, or keyword where meaning took no part
	Note  string      `json:"note"`  // what people should know of how they were found; empty: nothing
}

// TurnFound is a turn that was found, with how well it and those beside it answer.
type TurnFound struct {
	Turn
	ConversationID int64    `json:"conversationId"`
	Surface        string   `json:"surface"`
	StartedAt      Time     `json:"startedAt"`  // of the conversation
	Similarity     *float64 `json:"similarity"` // cosine, half the turn's and half that of it with the one before; null without fresh vectors
	Keyword        float64  `json:"keyword"`    // BM25, likewise in parts of 0.3 and 0.7
	Late           *float64 `json:"late"`       // late interaction, with the turns before and after; null without fresh token vectors
	Score          float64  `json:"score"`      // what they are ordered by
}
