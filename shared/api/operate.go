package api

import "net/url"

// Paths of the routes for those who look after the server, and of one's sessions.
const (
	PathSessions = "/api/sessions"
	PathBackups  = "/api/backups"
	PathStorage  = "/api/storage"
	PathDoctor   = "/api/doctor"
)

// SessionPath is the path of one session.
func SessionPath(id int64) string { return itemPath(PathSessions, id, nil) }

// BackupPath is the path of one backup, with an optional last part such as "check".
func BackupPath(name string, part ...string) string {
	path := PathBackups + "/" + url.PathEscape(name)
	for _, p := range part {
		path += "/" + p
	}
	return path
}

// PersonPath is the path of one account, with an optional last part such as "sessions".
func PersonPath(name string, part ...string) string {
	path := PathPeople + "/" + url.PathEscape(name)
	for _, p := range part {
		path += "/" + p
	}
	return path
}

// SetupState answers GET /api/setup. It is open to everyone, so it tells nothing
// else.
type SetupState struct {
	Needed bool `json:"needed"` // there is no account yet
}

// Session is a browser that is signed in, as its person sees it.
type Session struct {
	ID         int64 `json:"id"`
	CreatedAt  Time  `json:"createdAt"`
	LastUsedAt Time  `json:"lastUsedAt"` // to the hour
	ExpiresAt  Time  `json:"expiresAt"`  // if it isn't used
	Current    bool  `json:"current"`    // the one that asks
}

// Ended says how many sessions were ended.
type Ended struct {
	Ended int `json:"ended"`
}

// Backup is a copy of the store in the server's folder of backups.
type Backup struct {
	Name      string   `json:"name"`
	Size      int64    `json:"size"` // bytes
	Daily     bool     `json:"daily"`
	WrittenAt Time     `json:"writtenAt"`
	CheckedAt Time     `json:"checkedAt"` // when it was last read back: at its writing, or since
	Faults    []string `json:"faults"`    // what was found then; none is well
}

// Backups answers GET /api/backups, newest first.
type Backups struct {
	Items      []Backup `json:"items"`
	NextCursor string   `json:"nextCursor"` // always empty: they come at once
	Total      int      `json:"total"`
	AsOf       Time     `json:"asOf"`
	Directory  string   `json:"directory"` // on the server
	Kept       int      `json:"kept"`      // how many daily ones are kept
	NextAt     *Time    `json:"nextAt"`    // of the next daily one; null before a server has set it
	Running    bool     `json:"running"`   // one is being written
}

// The states of a Finding.
const (
	StateOK      = "ok"
	StateWarning = "warning"
	StateFailed  = "failed"
)

// Finding is what one check of the server found.
type Finding struct {
	Check string `json:"check"`
	State string `json:"state"`
	Text  string `json:"text"`
	Mend  string `json:"mend"` // what to do; empty where nothing is to be done
}

// Doctor answers GET /api/doctor, and `elowen doctor --json`.
type Doctor struct {
	Checks []Finding `json:"checks"`
	OK     bool      `json:"ok"` // none failed
}

// Storage answers GET /api/storage: what takes up room, in bytes.
type Storage struct {
	Engine    string `json:"engine"`    // sqlite or postgres
	File      string `json:"file"`      // of the database; empty for postgres
	Database  int64  `json:"database"`  // all of it, its index of words and free pages included
	Words     int64  `json:"words"`     // of it, the index of words
	Tokens    int64  `json:"tokens"`    // of it, token vectors
	Free      int64  `json:"free"`      // of it, pages that are used again; a vacuum gives them back
	Log       int64  `json:"log"`       // the write-ahead log beside it
	Backups   int64  `json:"backups"`   // all of the folder of backups
	Aside     int64  `json:"aside"`     // databases that restores put aside
	Room      *int64 `json:"room"`      // free on the file system; null where that isn't known
	Directory string `json:"directory"` // the data directory
}

// The stages of an import.
const (
	StageReading = "reading" // the lines are looked at; nothing is written
	StageWriting = "writing"
)

// ImportStep is a line of the answer to POST /api/import?progress=1: how far it is
// and, in the last line, the report or what went wrong.
type ImportStep struct {
	Stage  string        `json:"stage,omitempty"`
	Done   int64         `json:"done"`  // bytes of the file
	Total  int64         `json:"total"` // bytes of the file
	Lines  int           `json:"lines"` // judged until now
	Report *ImportReport `json:"report,omitempty"`
	// Problem is a problem document (RFC 9457), as it would be answered without
	// progress.
	Problem *ImportProblem `json:"problem,omitempty"`
}

// ImportProblem is a problem document in an ImportStep.
type ImportProblem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Code   string `json:"code"`
}

// Curves are how a memory of each importance would fade under a policy: used Uses
// times, the last time at day 0, and never since.
type Curves struct {
	Uses   int       `json:"uses"`
	Days   []float64 `json:"days"`   // where the points are
	Levels []Curve   `json:"levels"` // of importance 1 to 10
}

// Curve is one level's.
type Curve struct {
	Importance int       `json:"importance"`
	Vitality   []float64 `json:"vitality"`  // at each of Days
	FloorDays  float64   `json:"floorDays"` // after how many days it is below the floor
}
