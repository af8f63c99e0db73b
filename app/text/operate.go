package text

import (
	"strconv"
	"strings"

	"elowen/shared/api"
	"elowen/shared/setting"
)

// Of the pages of those who look after the server.
const (
	NeedsServer = "This comes from the server, which does not answer. It is asked again by itself."

	BackupsHead     = "Backups"
	BackupsWhy      = "A copy of everything at one instant, read back after it was written. One a day is made by itself; those made by hand stay until you remove them."
	BackupNow       = "Back up now"
	BackingUp       = "Backing up…"
	BackedUp        = "Backup written and read back"
	BackupRuns      = "A backup is being written."
	NoBackups       = "There is none yet. The server writes one a day while it runs."
	Daily           = "daily"
	ByHand          = "by hand"
	CheckAgain      = "Check again"
	Checking        = "Checking…"
	CheckedWell     = "It is whole"
	Download        = "Download"
	RemoveEllipsis  = "Remove…"
	RemoveBackup    = "Remove the backup"
	BackupRemoved   = "Backup removed"
	RestoreHead     = "How to bring one back"
	RestoreSteps    = "On the server's machine: stop elowen, run this, start it again. What stands there now is kept beside it."
	BackupHoldsAll  = "A backup holds every person's memories, unencrypted. Keep it where you would keep those."
	BackupName      = "Backup"
	BackupSize      = "Size"
	BackupState     = "State"
	BackupTo        = "They are in"
	RemoveBackupWhy = "The file is removed from the server. It can't be brought back."

	StorageHead  = "Storage"
	StorageWhy   = "What elowen keeps on the server's disk, part by part."
	PartMemories = "Memories, their history and uses"
	PartWords    = "Index of words"
	PartFree     = "Free pages inside the database"
	PartLog      = "Write-ahead log"
	PartBackups  = "Backups"
	PartAside    = "Databases that restores put aside"
	Whole        = "Together"
	DiskFree     = "free on the disk"
	VacuumHead   = "Giving free pages back"
	VacuumWhy    = "New memories use the free pages first, so nothing needs to be done. To make the file smaller now, stop elowen and run:"
	DatabaseFile = "Database"
	Postgres     = "PostgreSQL keeps the database; its own tools compact and back it up."

	HealthHead  = "Health"
	HealthWhy   = "The checks of elowen doctor: the program, the place, the database and its backups."
	LookAgain   = "Look again"
	Looking     = "Looking…"
	AllWell     = "All is well."
	StateOK     = "well"
	StateWarn   = "look"
	StateFailed = "failed"
	HowToMend   = "To mend it: "
)

// Bytes of a size, for people: "12.4 MB". Files are told in powers of ten, as disks
// and file managers do.
func Size(n int64) string {
	const unit = 1000
	if n < unit {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	value, name := float64(n)/unit, "kB"
	for _, next := range []string{"MB", "GB", "TB"} {
		if value < unit {
			break
		}
		value, name = value/unit, next
	}
	digits := 1
	if value >= 100 {
		digits = 0
	}
	return strconv.FormatFloat(value, 'f', digits, 64) + " " + name
}

// NextBackup says when the next daily backup comes.
func NextBackup(when string, kept int) string {
	return "The next one is made " + when + ", after the sweep. The last " + Number(kept) + " daily ones are kept."
}

// CheckedAt says when a backup was read back.
func CheckedAt(when string) string { return "whole, read back " + when }

// Command is a command of elowen as one types it at the server's terminal.
func Command(at api.Terminal, args ...string) string {
	if at.Data != "" {
		args = append(args, "--data", at.Data)
	}
	s := shell(at.Program)
	for _, a := range args {
		s += " " + shell(a)
	}
	return s
}

// shell writes an argument as a POSIX shell reads it.
func shell(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Findings counts what is wrong.
func Findings(failed, warnings int) string {
	var parts []string
	if failed > 0 {
		parts = append(parts, Count(failed, "check failed", "checks failed"))
	}
	if warnings > 0 {
		parts = append(parts, Count(warnings, "check is worth a look", "checks are worth a look"))
	}
	return strings.Join(parts, ", ") + "."
}

// CheckName names a check in the app.
func CheckName(check string) string { return strings.ToUpper(check[:1]) + check[1:] }

// Of bringing memories in and taking them out.
const (
	TransferHead = "Import and export"
	ImportWhy    = "What another system remembers of you: an export of ChatGPT, Claude, mem0 or an MCP memory server, notes of basic-memory, a list of facts as text or Markdown. Or lines that elowen exports: {\"type\": \"memory\", \"body\": \"…\"}, one a line."
	DropHere     = "Drop a file, a zip or several files here"
	OrChoose     = "or choose one"
	ChooseFile   = "Choose a file"
	AnotherFile  = "Another file"
	LooksFirst   = "It is looked through first, line by line; nothing is written before you say so."
	FormatHead   = "Format"
	AsItSeems    = ", as it seems"
	LineHeld     = "held back"
	MemoryHead   = "Memory"
	Sending      = "Sending the file"
	LookThrough  = "Looking through the lines"
	BringingIn   = "Bringing the memories in"
	WouldBe      = "What would become of its lines"
	WasBrought   = "What became of its lines"
	LineAdded    = "added"
	LineExisting = "there already"
	LineKept     = "kept as you edited it"
	LineRefused  = "refused"
	NothingNew   = "Every line is there already. There is nothing to bring in."
	ImportFailed = "The import did not get through"
	ImportKept   = "What was written before stands. The same file again goes on from there."
	Cancelled    = "Cancelled. "
	NothingDone  = "Nothing was written."
	LineHead     = "Line"
	FateHead     = "What became of it"
	FateWould    = "What would become of it"
	AllAdded     = "All others are added."
	ToTheList    = "To the memories"

	ExportHead = "Export"
	ExportWhy  = "All of your memories with their uses, earlier texts and history, and your categories and transcripts. An import elsewhere, or here, brings back the same. Conversations and settings are not in it: a backup of the server has all."
	ExportDo   = "Download the export"
	AtTerminal = "At a terminal"
	OlderHead  = "An older elowen's database is brought in at a terminal, with its people, categories and history:"

	DuePause  = "Pause retention"
	DuePaused = "Retention is paused"
)

// TooLargeFile says how large a file may be.
func TooLargeFile(size, most int64) string {
	return "The file has " + Size(size) + ", and at most " + Size(most) + " can be brought in at once. Split it; nothing was sent."
}

// FileOf names a file with its size.
func FileOf(name string, size int64) string { return name + " · " + Size(size) }

// LinesRate says how far an import is and how quickly it goes.
func LinesRate(lines, rate int) string {
	s := Count(lines, "line", "lines")
	if rate > 0 {
		s += " · " + Number(rate) + " lines/s"
	}
	return s
}

// BytesOf says how much of a file was sent.
func BytesOf(done, total int64) string { return Size(done) + " of " + Size(total) }

// BringIn labels the button that imports.
func BringIn(n int) string { return "Bring " + Memories(n) + " in" }

// BringOthersIn labels the button that imports what is not refused.
func BringOthersIn(n int) string { return "Leave out what is refused, bring " + Memories(n) + " in" }

// FilesOf names a file that comes with others.
func FilesOf(first string, n int) string {
	if n > 1 {
		return first + " and " + Number(n-1) + " more"
	}
	return first
}

// NewCategories names the categories that an import makes.
func NewCategories(names []string) string { return "New categories: " + strings.Join(names, ", ") }

// MoreOf labels the button that shows more.
func MoreOf(n int) string { return Number(n) + " more" }

// PlaceOf is where a line stands.
func PlaceOf(f api.LineFate) string {
	switch {
	case f.File == "":
		return Number(f.Line)
	case f.Line == 0:
		return f.File
	}
	return f.File + ":" + Number(f.Line)
}

// FormatName is the name of an import's format as people know it; empty is none yet.
func FormatName(format string) string {
	switch format {
	case "":
		return "found out by itself"
	case api.FormatChatGPT:
		return "ChatGPT"
	case api.FormatClaude:
		return "Claude"
	case api.FormatMCPMemory:
		return "MCP memory server (graph)"
	case api.FormatMarkdown:
		return "Markdown"
	case api.FormatText:
		return "plain text"
	case api.FormatJSONL:
		return "elowen"
	}
	return format
}

// FateName says what becomes of a line.
func FateName(f api.LineFate) string {
	switch f.Fate {
	case api.FateAdded:
		return LineAdded
	case api.FateExisting:
		return LineExisting
	case api.FateKept:
		return LineKept
	case api.FateHeld:
		return LineHeld
	}
	return f.Message
}

// DueAfterImport says how many of what was brought in have faded already.
func DueAfterImport(n, limit int, when string) string {
	s := Count(n, "of your memories is", "of your memories are")
	return s + " below the floor and will be eligible at the next sweep, " + when + " or when the server is started again. At most " + Number(limit) + " a day go to the trash; the rest wait. Whatever is recalled before stays."
}

// Of the curves of the half-lives.
const (
	CurvesHead  = "How it fades"
	DayZero     = "0 days"
	AsSaved     = "as saved"
	CurvesTable = "Days until a memory of each importance is below the floor"
	BelowFloor  = "Below the floor"
)

// CurvesNote says what the curves show.
func CurvesNote(uses int) string { return "one year, " + Count(uses, "use", "uses") + ", none since" }

// CurvesTitle says what the curves show, in full.
func CurvesTitle(uses int) string {
	return "Vitality over a year for each importance, after " + Count(uses, "use", "uses") + ". Arrow keys read it out."
}

// AndMore counts the changes that aren't named.
func AndMore(n int) string { return "and " + Number(n) + " more" }

// CurveChange names a changed level.
func CurveChange(importance int, was, is string) string {
	return "importance " + strconv.Itoa(importance) + ": " + was + " → " + is + " days"
}

// FloorAfter says after how many days memories of three levels are below the floor;
// a negative floor is none.
func FloorAfter(floor, one, five, ten float64) string {
	if floor < 0 {
		return "Retention is off: no memory goes, however far it fades."
	}
	return "Below the floor of " + setting.Format(floor) + " after " + wholeDays(one) + " at importance 1, " + wholeDays(five) + " at 5, " + wholeDays(ten) + " at 10."
}

func wholeDays(d float64) string {
	if d < 10 {
		return Days(float64(int(d*10+0.5)) / 10)
	}
	return Days(float64(int(d + 0.5)))
}

// AfterDays says after how many days.
func AfterDays(d float64) string { return "after " + wholeDays(d) }

// ReadDay reads a day of the curves out.
func ReadDay(day float64, levels string) string {
	return "After " + wholeDays(day) + " · " + levels
}
