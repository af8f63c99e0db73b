package text

import (
	"strconv"

	"elowen/shared/setting"
)

// Of the vitality chart.
const (
	Vitality       = "Vitality"
	EligibleFrom   = "eligible from"
	LegendPast     = "past"
	LegendAhead    = "if it is not used again"
	LegendRecalled = "recalled"
	LegendFloor    = "floor"

	SentenceTrash        = "In the trash its vitality goes on falling, and nothing more happens to it by itself."
	SentenceConsolidated = "It was merged into another memory and is kept, but no longer recalled."
	SentenceOff          = "Retention is off: vitality falls, but nothing goes to the trash. "
	SentenceNever        = "As things stand, it stays: no daily sweep will take it."
	SentenceBelow        = "It is below the floor. Not used again, it goes to the trash at the sweep of "
	SentenceBelowEnd     = "."
	SentenceQueue        = "It is below the floor. Not used again, it may go to the trash from the sweep of "
	SentenceMoves        = ". Each recall moves the date."
	RetentionLink        = "Retention settings"

	TableCaption = "Vitality over time"
	TableWhen    = "When"
	TableNow     = "Now"
	TableEnd     = "goes to the trash if it is not used again"
)

// SentenceQueueEnd says why one that is due may have to wait.
func SentenceQueueEnd(limit int) string {
	return " on: more are due, and at most " + Number(limit) + " go a day."
}

// FloorLabel stands at the floor line.
func FloorLabel(floor float64) string { return "floor " + setting.Format(floor) }

// NowLabel stands at the line of the present.
func NowLabel(shown int) string { return strconv.Itoa(shown) + " now" }

// EligibleDate is the date under EligibleFrom; beyond the chart it points on.
func EligibleDate(date string, beyond bool) string {
	if beyond {
		return date + " →"
	}
	return date
}

// ChartTitle says what the chart shows.
func ChartTitle(shown, recalls, days int) string {
	return "Vitality " + strconv.Itoa(shown) + " now, recalled " + Count(recalls, "time", "times") + " in " + strconv.Itoa(days) + " days. Arrow keys read it out."
}

// ChartEnd says where it leads.
func ChartEnd(floor float64, date string) string {
	return "Reaches the floor of " + setting.Format(floor) + ", eligible from " + date + "."
}

// SentenceReaches leads up to the date of the sweep.
func SentenceReaches(date string) string {
	return "Not used again, it reaches the floor on " + date + " and goes to the trash at the sweep of "
}

// ReadPast reads a point of the past out.
func ReadPast(when, v string) string { return when + ": vitality " + v }

// ReadAhead reads a point of the forecast out.
func ReadAhead(when, v string) string { return when + ": " + v + " if it is not used again" }

// ReadRecall reads a recall out.
func ReadRecall(when, before, after string) string {
	return when + ": recalled, from " + before + " to " + after
}

// TableRecall is a recall in the table.
func TableRecall(before, after string) string { return "recalled, " + before + " to " + after }

// EarlierRecalls counts the recalls that the table leaves out.
func EarlierRecalls(n int) string { return Count(n, "earlier recall", "earlier recalls") }

// HalfLife says how fast it falls.
func HalfLife(days float64) string { return "unused, it halves every " + Days(days) }

// FadesIn says how long a new memory lasts.
func FadesIn(days float64) string {
	return "Fades in about " + Count(max(1, int(days+.5)), "day", "days") + " unless used."
}
