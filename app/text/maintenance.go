package text

import (
	"strconv"

	"elowen/shared/api"
)

// Of the page of maintenance.
const (
	MaintenanceHead = "Maintenance"
	MaintenanceWhy  = "Long work on your own memories. It goes on when you leave this page, and after a restart it is begun again from here."

	ReindexHead = "Indexes"
	ReindexWhy  = "Makes the indexes of words and of meaning anew, from the memories themselves. Needed after trouble only; meanwhile recall finds less."
	ReindexDo   = "Make the indexes anew"

	SortHead    = "Categories"
	SortWhy     = "Files the memories that nobody has put into a category. Sorting all of them also moves those that people have filed."
	SortDo      = "Sort what is unfiled"
	SortAll     = "Sort every memory…"
	SortAllHead = "Sort every memory again?"
	SortAllWhy  = "Memories are moved to the category that fits best, those that you filed yourself too. Each move is in the memory's history, and can be taken back there one by one."
	SortAllDo   = "Sort all"

	Started      = "Started"
	StopIt       = "Stop"
	StoppedIt    = "Stopped. What is done stands"
	ReceiptsHead = "What was done lately"
	ReceiptsWhy  = "kept for a day"
	NoReceipts   = "Nothing in the last 24 hours."
	SeenIt       = "Got it"

	CalibrateHead  = "How alike is the same?"
	CalibrateWhy   = "Every embedding model measures likeness on a scale of its own. This compares your newest memories with each other and proposes from where on two say the same."
	CalibrateDo    = "Measure"
	Calibrating    = "Measuring…"
	CalibrateNone  = "Memories are not compared by meaning at present: there is no embedding model."
	CalibrateFew   = "Too few memories are indexed to propose anything."
	CalibrateApply = "Use what is proposed"
	CalibrateSaved = "Saved. It holds for everybody on this server"
	CalibrateStale = "Somebody changed the settings meanwhile. Measure again, then decide."
	CalibrateAdmin = "Only an administrator can change it: it holds for everybody on this server."
	CalibrateSame  = "What is proposed is what holds already."
	WhatHead       = "From this likeness on"
	NowHead        = "Now"
	ProposedHead   = "Proposed"
	DuplicateRow   = "a new memory is a duplicate of an old one"
	ParaphraseRow  = "a memory isn't recalled beside the other"
)

// OperationName names an operation of maintenance.
func OperationName(operation string) string {
	if operation == api.OperationReindex {
		return "Making the indexes anew"
	}
	return "Sorting into categories"
}

// JobDone says how far a job is: of all, and what failed.
func JobDone(m api.Maintenance) string {
	s := Number(m.Processed) + " of " + Memories(m.Total)
	if m.Failed > 0 {
		s += ", " + Number(m.Failed) + " failed; the server's log says why"
	}
	return s
}

// JobEnd says how a job ended.
func JobEnd(m api.Maintenance) string {
	switch m.Status {
	case api.JobCompleted:
		return "done"
	case api.JobStopped:
		return "stopped"
	case api.JobInterrupted:
		return "interrupted"
	}
	return "failed"
}

// JobBy says where a job was started, if it wasn't here.
func JobBy(ui bool) string {
	if ui {
		return ""
	}
	return "started elsewhere"
}

// PerCent writes a likeness, which is stored per mille, in per cent; null is none.
func PerCent(mille *int) string {
	if mille == nil {
		return "–"
	}
	return strconv.FormatFloat(float64(*mille)/10, 'f', -1, 64) + "%"
}

// Compared says what was measured.
func Compared(c api.Calibrated) string {
	half, most := c.Nearest.Median, c.Strangers.Most
	return Memories(c.Memories) + " were compared by " + c.Model + ". Half of them have another one that is at least " + PerCent(&half) +
		" alike; two that have nothing to do with each other hardly ever reach more than " + PerCent(&most) + "."
}
