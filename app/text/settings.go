package text

import (
	"strings"

	"elowen/shared/setting"
)

// Of the settings.
const (
	RetentionHead    = "Memory retention"
	RetentionWhy     = "A memory that is not used loses vitality. Below the floor, past its grace, it goes to the trash at the daily sweep. Nothing is purged."
	OnlyAdminsChange = "Only administrators change this. You see what it does to your memories."
	PolicyStale      = "Somebody saved other values meanwhile."
	PolicyStaleKept  = "What you typed is kept and compared with them now; Save again to put it in their place."
	PolicyLookAgain  = "Somebody saved other values first. Look at what stands here now, then save again."
	PolicySaved      = "Retention saved"

	HalfLifeHead = "Half-life by importance"
	HalfLifeUnit = "days until half is left, unused"
	DaysUnit     = "days"
	Defaults     = "Defaults"
	Discard      = "Discard"

	Would        = "What this would do"
	Asking       = "asking…"
	NotSavedYet  = "not saved yet"
	WouldNothing = "Nothing goes to the trash by itself. Vitality is still shown and still falls."
	Within30     = "within 30 days"
	FirstToGo    = "First to go"
	NobodyGoes   = "No memory of yours is on its way out."
	NobodyNow    = "Nothing goes at the next sweep."
)

// Nobody says that no memory goes at the next sweep, or, where none goes in 30 days
// either, that none is on its way.
func Nobody(within30 int) string {
	if within30 > 0 {
		return NobodyNow
	}
	return NobodyGoes
}

// NextSweep labels the number of the next sweep.
func NextSweep(when string) string { return "next sweep, " + when }

// InsteadOf is the number under the saved policy.
func InsteadOf(n int) string { return "instead of " + Number(n) }

// Was is the saved value.
func Was(v string) string { return "was\u00a0" + v }

// HalfLifeFor names a slider.
func HalfLifeFor(n int) string { return "Half-life for importance " + Number(n) }

// ApplyNext says when a saved policy takes effect.
const ApplyNext = "Dates and vitality follow at once; memories go at the next sweep."

// AllDefaults labels the button that puts every field back.
const AllDefaults = "Reset all to defaults"

// ValueChange names a changed number.
func ValueChange(label, was, is string) string { return label + " " + was + " → " + is }

// SwitchChange names a changed switch.
func SwitchChange(label string, on bool) string {
	if on {
		return label + " on"
	}
	return label + " off"
}

// HalfLifeOf names a level's half-life.
func HalfLifeOf(n int) string { return "half-life at importance " + Number(n) + ":" }

// Sentences joins short statements into a sentence.
func Sentences(parts []string) string {
	return strings.Join(parts, ", ") + "."
}

// HelpRange is the help of a number with its bounds.
func HelpRange(s setting.Setting) string {
	r := s.Range()
	switch {
	case PerMille(s):
		r = percents(s)
	case s.Kind == setting.Whole && s.Unit != "a day":
		r = Number(int(s.Min)) + " to " + Number(int(s.Max)) + " " + s.Unit
	case s.Unit != "" && s.Unit != "a day":
		r += " " + s.Unit
	}
	return s.Help + " " + r + "."
}

// PerMille tells whether a number is kept per mille; people are shown percent.
func PerMille(s setting.Setting) bool { return s.Unit == "per mille" }

// percents are the bounds of what is kept per mille.
func percents(s setting.Setting) string {
	return setting.Format(s.Min/10) + " to " + setting.Format(s.Max/10) + "%"
}

// Unit is what a number of a form is counted in.
func Unit(s setting.Setting) string {
	if PerMille(s) {
		return "%"
	}
	return s.Unit
}

// OutOfBounds says what a number may be.
func OutOfBounds(s setting.Setting) string {
	if s.Key == "retention.vitalityFloor" {
		return "The floor goes from " + s.Range() + ". To keep everything, turn retention off."
	}
	if PerMille(s) {
		return "From " + percents(s) + ", with at most one digit after the point."
	}
	if s.Kind == setting.Whole {
		return "A whole number from " + s.Range() + "."
	}
	return "From " + s.Range() + " " + s.Unit + "."
}
