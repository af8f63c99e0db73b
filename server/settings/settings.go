// Package settings keeps the instance's settings: a group is a row, and all of them
// have one revision.
//
// # Concepts
//
// A group (retention, models, …) is JSON whose meaning is its noun's. Whoever saves
// one names the revision that the editor saw; any save raises it, of whichever
// group, so that one number says whether somebody looked at the settings as they are.
//
// # Tables
//
// policy. No other package's SQL names it.
//
// # What it does not do
//
// It knows no fields and no defaults of groups that are a noun's: what was never saved
// is empty. Only limits and runtime, which several nouns go by, are read and changed
// here: what is stored of them is what was set, and the rest is the setting table's.
package settings

import (
	"elowen/server/db"
	"elowen/shared/fault"
)

// The groups.
const (
	Retention = "retention"
	Limits    = "limits"
	Runtime   = "runtime"
	Models    = "models"
)

// first is the revision before anything was saved.
const first = 1

// Read is a group as it was saved, empty where it never was, and the revision of the
// settings.
func Read(tx *db.Tx, group string) (text string, revision int64, err error) {
	err = tx.Row(`SELECT COALESCE(MAX(CASE WHEN name = ? THEN value ELSE '' END), ''), COALESCE(MAX(revision), ?) FROM policy`, []any{group, first}, &text, &revision)
	return text, revision, err
}

// Write saves a group, and gives the revision that the settings have now.
func Write(tx *db.Tx, group, text string) (revision int64, err error) {
	_, now, err := Read(tx, group)
	if err != nil {
		return 0, err
	}
	_, err = tx.Exec(`INSERT INTO policy (name, value, revision) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value, revision = excluded.revision`, group, text, now+1)
	return now + 1, err
}

// Seen judges the revision that a change names. Errors: Invalid where it names none,
// Stale where it is another than the present one: the caller adds the settings as
// they are.
func Seen(named, now int64) *fault.Error {
	switch {
	case named < 1:
		return fault.BadField("revision", "required", "", "Name the revision of the settings that you saw.")
	case named != now:
		return fault.New(fault.Stale, "The settings were changed meanwhile. Look at them again before you save.")
	}
	return nil
}
