package api

// Policy is the retention policy on the wire.
type Policy struct {
	Enabled            bool      `json:"enabled"`
	GraceDays          float64   `json:"graceDays"`
	VitalityFloor      float64   `json:"vitalityFloor"`
	DailyDeletionLimit float64   `json:"dailyDeletionLimit"` // whole; a fraction is refused, so it must be able to arrive
	HalfLifeDays       []float64 `json:"halfLifeDays"`       // ten, for importance 1 to 10
}

// PolicyChange is the body of PUT /api/settings/retention. Absent fields stay.
type PolicyChange struct {
	Revision           int64     `json:"revision"` // of the settings that the editor saw
	Enabled            *bool     `json:"enabled,omitempty"`
	GraceDays          *float64  `json:"graceDays,omitempty"`
	VitalityFloor      *float64  `json:"vitalityFloor,omitempty"`
	DailyDeletionLimit *float64  `json:"dailyDeletionLimit,omitempty"`
	HalfLifeDays       []float64 `json:"halfLifeDays,omitempty"`
}

// Bound is one row of the setting table as served.
type Bound struct {
	Key     string  `json:"key"`
	Label   string  `json:"label"`
	Help    string  `json:"help"`
	Unit    string  `json:"unit"`
	Default float64 `json:"default"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
}

// Sweep is the record of one sweep over one account or, in GET /api/retention, the last one.
type Sweep struct {
	At      Time `json:"at"`
	Trashed int  `json:"trashed"`
	Due     int  `json:"due"`     // eligible when it began
	Refused int  `json:"refused"` // eligible, but over the daily limit
}

// Retention answers GET /api/retention.
type Retention struct {
	Policy      Policy  `json:"policy"`
	Revision    int64   `json:"revision"`
	Bounds      []Bound `json:"bounds"`
	NextSweepAt Time    `json:"nextSweepAt"`
	LastSweep   *Sweep  `json:"lastSweep"`
	DueNow      int     `json:"dueNow"` // of this account
	LeftToday   int     `json:"leftToday"`

	// FadesInDays are ten, for importance 1 to 10: after how many days a memory that
	// was saved now and is never used may go. Empty while retention is off.
	FadesInDays []float64 `json:"fadesInDays"`
}

// PreviewRequest is the body of POST /api/retention/preview: a policy that one is
// thinking of. Absent fields are the policy in force.
type PreviewRequest struct {
	Policy PolicyChange `json:"policy"`
	Limit  int          `json:"limit,omitempty" validate:"omitempty,setting=list.limit"`
	Days   int          `json:"days,omitempty" validate:"omitempty,setting=preview.days"` // how far the curves go; without, there are none
	// Only says that the curves alone are asked for: no memory is looked at.
	Only string `json:"only,omitempty" validate:"omitempty,oneof=curves"`
}

// Preview says what a policy would do to this account's memories.
type Preview struct {
	Due        int          `json:"due"`        // eligible at the next sweep
	NextSweep  int          `json:"nextSweep"`  // of them, how many that sweep may take
	Within30   int          `json:"within30"`   // how many would go in 30 days, with the daily limit
	Eligible30 int          `json:"eligible30"` // how many become eligible in 30 days
	First      []PreviewRow `json:"first"`      // which go first
	SweepAt    Time         `json:"sweepAt"`
	Curves     *Curves      `json:"curves"` // null where no days were asked for
}

// PreviewRow is one memory of a preview, with the reason.
type PreviewRow struct {
	ID         int64   `json:"id"`
	Body       string  `json:"body"`
	Importance int     `json:"importance"`
	CategoryID *int64  `json:"categoryId"`
	Vitality   float64 `json:"vitality"`
	CreatedAt  Time    `json:"createdAt"`
	Reason     string  `json:"reason"`
}

// Settings answers GET /api/settings; groups that don't exist yet are absent.
type Settings struct {
	Revision  int64      `json:"revision"`
	Retention Policy     `json:"retention"`
	Limits    Limits     `json:"limits"`
	Runtime   Runtime    `json:"runtime"`
	Models    *Models    `json:"models,omitempty"` // for administrators
	Chat      *ModelPick `json:"chat"`             // who answers in conversations where nobody is picked; null: nobody
	Profile   Profile    `json:"profile"`          // what null in Runtime comes to
	Fields    []Bound    `json:"fields"`           // default, bounds and unit of each field, from the one table
}
