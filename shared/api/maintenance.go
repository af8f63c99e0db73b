package api

// The operations of maintenance.
const (
	OperationReindex      = "reindex"
	OperationRecategorize = "recategorize"
)

// What a recategorize job looks at.
const (
	RecategorizeUncategorized = "uncategorized" // memories in no category, or where nobody put them
	RecategorizeAll           = "all"           // every one, whoever filed it
)

// The states of a maintenance job.
const (
	JobRunning     = "running"
	JobCompleted   = "completed"
	JobFailed      = "failed"      // it could not go on; error says why
	JobStopped     = "stopped"     // somebody stopped it
	JobInterrupted = "interrupted" // the server ended meanwhile; the next start goes on where it was
)

// MaintenanceStart is the body of POST /api/maintenance. One job runs per account and
// operation: starting it again answers the one that runs.
type MaintenanceStart struct {
	Operation string `json:"operation" validate:"required,oneof=reindex recategorize"`
	Mode      string `json:"mode,omitempty" validate:"omitempty,oneof=uncategorized all"` // of recategorize; absent: uncategorized
}

// Maintenance is a maintenance job: how far it is, then its receipt.
type Maintenance struct {
	ID             int64  `json:"id"`
	Operation      string `json:"operation"`
	Status         string `json:"status"`
	Total          int    `json:"total"`     // memories that it is about
	Processed      int    `json:"processed"` // of them, done with: succeeded and failed
	Succeeded      int    `json:"succeeded"`
	Failed         int    `json:"failed"` // the server's log says why
	Error          string `json:"error"`  // why it ended, or what it waits for; empty: nothing
	FinishedAt     *Time  `json:"finishedAt"`
	UIInitiated    bool   `json:"uiInitiated"`    // somebody started it in the app
	AcknowledgedAt *Time  `json:"acknowledgedAt"` // when its end was taken note of
}

// Running tells whether it still does.
func (m Maintenance) Running() bool { return m.Status == JobRunning }

// Calibrated answers POST /api/calibrate: how alike an account's own memories are to
// the embedding model in use, and the thresholds that follow. Nothing is changed.
type Calibrated struct {
	Model    string `json:"model"`    // empty: embeddings are off
	Memories int    `json:"memories"` // that were compared
	Pairs    int    `json:"pairs"`    // of memories that have nothing to do with each other, by chance
	Enough   bool   `json:"enough"`   // false: too few to propose anything by

	// Cosines with what is common to all texts taken off, per mille.
	Strangers CalibratedSpread `json:"strangers"` // of two memories by chance
	Nearest   CalibratedSpread `json:"nearest"`   // of a memory and the one nearest to it

	Proposed Profile `json:"proposed"` // null: keep what is there
	Current  Profile `json:"current"`  // what holds now; null: the default
}

// CalibratedSpread is how a cosine is spread, per mille.
type CalibratedSpread struct {
	Low    int `json:"low"`    // a tenth is below
	Median int `json:"median"` // half is below
	High   int `json:"high"`   // a tenth is above
	Most   int `json:"most"`   // one in a hundred is above
}
