package setting

import "slices"

// table holds every row. Retention's half-lives follow the importance scale.
var table = append([]Setting{
	{Key: "memory.body", Label: "Body", Help: "One self-contained fact.", Unit: "bytes", Kind: Whole, Default: 0, Min: 1, Max: 100_000},
	{Key: "memory.kind", Label: "Kind", Help: "user, feedback, project, reference, fact, preference, decision, or a label of your own.", Unit: "characters", Kind: Text, DefaultText: "fact", Min: 1, Max: 40},
	{Key: "memory.subject", Label: "Subject", Help: "Whom it is about; empty for yourself.", Unit: "characters", Kind: Text, Min: 0, Max: 120},
	{Key: "memory.importance", Label: "Importance", Help: "What forgetting it would cost.", Kind: Whole, Default: 5, Min: 1, Max: 10, Who: Member},
	{Key: "memory.confidence", Label: "Confidence", Help: "How sure it is.", Kind: Number, Default: 0.8, Min: 0, Max: 1, Who: Member},
	{Key: "memory.useCount", Label: "Uses that a memory may bring along", Kind: Whole, Default: 0, Min: 0, Max: 1e9},
	{Key: "memory.revision", Label: "Revision that a memory may bring along", Kind: Whole, Default: 1, Min: 1, Max: 1e9},
	{Key: "memory.merge", Label: "Memories in a merge", Kind: Whole, Default: 2, Min: 2, Max: 100},
	{Key: "memory.bulk", Label: "Memories in one bulk action", Kind: Whole, Default: 0, Min: 1, Max: 100_000},
	{Key: "memory.reason", Label: "Reason", Help: "Why a change was made, for the history.", Unit: "characters", Kind: Text, Min: 0, Max: 500},
	{Key: "memory.history", Label: "Days of history shown", Unit: "days", Kind: Whole, Default: 30, Min: 1, Max: 365},
	{Key: "memory.forecast", Label: "Days of forecast where nothing crosses the floor", Unit: "days", Kind: Whole, Default: 90, Min: 1, Max: 365},
	{Key: "memory.usageDays", Label: "Days that usage events are kept", Unit: "days", Kind: Whole, Default: 90, Min: 90, Max: 90},
	{Key: "memory.query", Label: "Search text", Unit: "characters", Kind: Text, Min: 0, Max: 2_000},

	{Key: "category.name", Label: "Name", Unit: "characters", Kind: Text, Min: 1, Max: 80, Who: Member},
	{Key: "category.description", Label: "Description", Help: "What belongs here; the classifier reads it.", Unit: "characters", Kind: Text, Min: 0, Max: 1_000, Who: Member},
	{Key: "category.color", Label: "Colour", Help: "One of ten.", Kind: Whole, Default: 9, Min: 1, Max: 10, Who: Member},
	{Key: "category.icon", Label: "Icon", Unit: "characters", Kind: Text, Min: 0, Max: 40, Who: Member},

	{Key: "project.name", Label: "Name", Unit: "characters", Kind: Text, Min: 1, Max: 80, Who: Admin},
	{Key: "project.slug", Label: "Short name", Help: "Small letters, digits and dashes; for exports and command lines.", Unit: "characters", Kind: Text, Min: 0, Max: 60, Who: Admin},
	{Key: "project.description", Label: "Description", Unit: "characters", Kind: Text, Min: 0, Max: 1_000, Who: Admin},
	{Key: "project.root", Label: "Root", Help: "An absolute path; what is below it belongs to the project.", Unit: "characters", Kind: Text, Min: 1, Max: 1_000, Who: Admin},

	{Key: "account.name", Label: "Name", Help: "Letters, digits, and . _ - between them.", Unit: "characters", Kind: Text, Min: 1, Max: 64, Who: Admin},
	{Key: "account.displayName", Label: "Shown name", Unit: "characters", Kind: Text, Min: 0, Max: 120, Who: Member},
	{Key: "account.password", Label: "Password", Unit: "characters", Kind: Secret, Min: 10, Max: 256, Who: Member},
	{Key: "account.tokenName", Label: "Token name", Unit: "characters", Kind: Text, Min: 1, Max: 80, Who: Member},
	{Key: "account.tokenDays", Label: "Days until a token expires", Help: "0 never.", Unit: "days", Kind: Whole, Default: 0, Min: 0, Max: 3_650, Who: Member},
	{Key: "account.sessionDays", Label: "Days until an unused session ends", Unit: "days", Kind: Whole, Default: 30, Min: 1, Max: 365},
	{Key: "account.sessionRotateHours", Label: "Hours until a session gets a new secret", Unit: "hours", Kind: Whole, Default: 24, Min: 1, Max: 720},
	{Key: "account.sessionOverlapSeconds", Label: "Seconds that the secret before a renewal still serves", Unit: "seconds", Kind: Whole, Default: 60, Min: 1, Max: 600},
	{Key: "account.loginAttempts", Label: "Failed sign-ins before one has to wait", Unit: "a quarter of an hour", Kind: Whole, Default: 10, Min: 1, Max: 100},
	{Key: "account.nameAttempts", Label: "Failed sign-ins to one account, from anywhere, before those who never signed in there have to wait", Unit: "a quarter of an hour", Kind: Whole, Default: 30, Min: 1, Max: 1_000},
	{Key: "account.hashes", Label: "Passwords checked at a time", Kind: Whole, Default: 2, Min: 2, Max: 2},

	{Key: "me.searchAfterMessage", Label: "Search after a message", Help: "What belongs to a message is recalled with it.", Kind: Bool, Default: 1, Who: Member},
	{Key: "me.searchWhileWorking", Label: "Search while working", Help: "More is looked for while an answer is being worked on.", Kind: Bool, Default: 1, Who: Member},
	{Key: "me.autoSave", Label: "Save by itself", Help: "What is worth keeping of a conversation is saved without being asked for.", Kind: Bool, Default: 0, Who: Member},
	{Key: "me.dreaming", Label: "Dreaming", Help: "In the background similar memories are merged, others corrected or shortened.", Kind: Bool, Default: 0, Who: Member},
	{Key: "me.learnSkills", Label: "Learn procedures", Help: "What was done the same way again and again becomes a procedure.", Kind: Bool, Default: 0, Who: Member},

	{Key: "list.limit", Label: "Rows a page", Unit: "rows", Kind: Whole, Default: 50, Min: 1, Max: 500},
	{Key: "list.fades", Label: "Fades within", Unit: "days", Kind: Whole, Default: 30, Min: 1, Max: 3_650},

	{Key: "http.body", Label: "Request body", Unit: "bytes", Kind: Whole, Default: 1 << 20, Min: 1, Max: 1 << 20},
	{Key: "http.idempotencyKey", Label: "Idempotency key", Unit: "characters", Kind: Text, Min: 1, Max: 200},
	{Key: "import.line", Label: "Line of an import", Unit: "bytes", Kind: Whole, Default: 1 << 20, Min: 1, Max: 1 << 20},
	{Key: "import.lines", Label: "Lines of an import", Unit: "lines", Kind: Whole, Default: 1_000_000, Min: 1, Max: 1_000_000},
	{Key: "import.items", Label: "Memories of an import from another system", Help: "They come in all at once or not at all.", Kind: Whole, Default: 100_000, Min: 1, Max: 100_000},
	{Key: "import.files", Label: "Files of an import from another system", Kind: Whole, Default: 20_000, Min: 1, Max: 20_000},
	{Key: "import.parts", Label: "Files of one upload", Help: "Each is a file that the server holds open; more of them come in a zip.", Kind: Whole, Default: 256, Min: 1, Max: 256},
	{Key: "import.directory", Label: "Directories of an import's zips", Help: "Together; what a zip says it has in it is held in memory.", Unit: "bytes", Kind: Whole, Default: 8 << 20, Min: 64 << 10, Max: 8 << 20},
	{Key: "import.groups", Label: "Categories that an import from another system makes", Help: "Where there are more of them, it makes none.", Kind: Whole, Default: 24, Min: 0, Max: 100},
	{Key: "import.value", Label: "A single value in another system's JSON", Unit: "bytes", Kind: Whole, Default: 16 << 20, Min: 1 << 10, Max: 16 << 20},
	{Key: "import.file", Label: "File of an import", Unit: "bytes", Kind: Whole, Default: 256 << 20, Min: 1, Max: 256 << 20},

	{Key: "live.window", Label: "Rows of a live window", Unit: "rows", Kind: Whole, Default: 60, Min: 1, Max: 200},
	{Key: "live.windows", Label: "Live windows of a connection", Kind: Whole, Default: 16, Min: 1, Max: 16},
	{Key: "live.frame", Label: "Frame from a client", Unit: "bytes", Kind: Whole, Default: 64 << 10, Min: 1, Max: 64 << 10},
	{Key: "live.queue", Label: "Frames waiting for a slow client", Unit: "frames", Kind: Whole, Default: 64, Min: 1, Max: 1_024},
	{Key: "live.heartbeatSeconds", Label: "Seconds between heartbeats", Unit: "seconds", Kind: Whole, Default: 25, Min: 1, Max: 300},
	{Key: "live.reprojectSeconds", Label: "Seconds until shown numbers are computed again", Unit: "seconds", Kind: Whole, Default: 15, Min: 1, Max: 3_600},

	{Key: "offline.rows", Label: "Rows of lists that the browser keeps", Unit: "rows", Kind: Whole, Default: 500, Min: 1, Max: 5_000},
	{Key: "offline.details", Label: "Opened memories that the browser keeps", Kind: Whole, Default: 50, Min: 1, Max: 500},
	{Key: "offline.changes", Label: "Changes that may wait in the browser", Kind: Whole, Default: 500, Min: 1, Max: 5_000},
	{Key: "offline.patienceMillis", Label: "Milliseconds until the kept page is shown instead of waiting", Unit: "ms", Kind: Whole, Default: 4_000, Min: 500, Max: 30_000},
	{Key: "offline.updateMinutes", Label: "Minutes between looks for a new version of the app", Unit: "minutes", Kind: Whole, Default: 60, Min: 1, Max: 1_440},

	{Key: "db.changeDays", Label: "Days that the change log is kept", Unit: "days", Kind: Whole, Default: 7, Min: 7, Max: 7},
	{Key: "db.idempotencyDays", Label: "Days that an idempotency key is remembered", Unit: "days", Kind: Whole, Default: 7, Min: 7, Max: 7},
	{Key: "db.foreignMillis", Label: "Milliseconds until another process's write is noticed", Unit: "ms", Kind: Whole, Default: 200, Min: 50, Max: 500},
	{Key: "backup.kept", Label: "Daily backups kept", Unit: "files", Kind: Whole, Default: 7, Min: 1, Max: 100},

	{Key: "preview.days", Label: "Days that the curves of a preview go", Unit: "days", Kind: Whole, Default: 365, Min: 1, Max: 365},
	{Key: "preview.uses", Label: "Uses of the memory that the curves of a preview show", Kind: Whole, Default: 6, Min: 0, Max: 1e9},

	{Key: "serve.addr", Label: "Address to listen on", Kind: Text, DefaultText: "127.0.0.1:4400", Who: Host},
	{Key: "serve.basePath", Label: "Path under which everything stands", Kind: Text, DefaultText: "/", Who: Host},
	{Key: "serve.publicURL", Label: "Address under which people reach it", Help: "Names the allowed host and origin, and decides on Secure cookies.", Kind: Text, Who: Host},

	{Key: "retention.enabled", Label: "Automatic removal", Help: "Off pauses the sweep; nothing fades into the trash.", Kind: Bool, Default: 1, Who: Admin},
	{Key: "retention.graceDays", Label: "Grace period", Help: "A memory younger than this is never moved to the trash. 0 means none.", Unit: "days", Kind: Number, Default: 14, Min: 0, Max: 365, Who: Admin},
	{Key: "retention.vitalityFloor", Label: "Vitality floor", Help: "Below it a memory becomes eligible.", Kind: Number, Default: 10, Min: 1, Max: 90, Who: Admin},
	{Key: "retention.dailyDeletionLimit", Label: "Daily trash limit", Help: "At most this many a person in any 24 hours; the rest wait.", Unit: "a day", Kind: Whole, Default: 5, Min: 1, Max: 200, Who: Admin},
}, slices.Concat(recall, models, transcripts, agents, tools, conversations, relayed, halfLives())...)

// Level is one step of the importance scale: what forgetting would cost.
type Level struct {
	Importance   int
	Word         string  // a short label
	Meaning      string  // a sentence; shared by tools, prompts and forms
	HalfLifeDays float64 // the default half-life
}

// Levels is the scale, from 1 to 10. The five anchors are the documents'; the
// steps between lean on the lower anchor.
func Levels() []Level { return append([]Level(nil), levels...) }

var levels = []Level{
	{1, "convenience", "A small convenience", 1},
	{2, "minor", "More than a convenience, less than a reference", 3},
	{3, "reference", "A narrow reference", 7},
	{4, "useful", "A reference that is used in more than one place", 14},
	{5, "normal", "A normal durable fact or preference", 21},
	{6, "notable", "A durable fact that several tasks lean on", 30},
	{7, "important", "An important decision or constraint across several tasks", 45},
	{8, "weighty", "A decision that is costly to get wrong", 60},
	{9, "critical", "A critical constraint or the lesson of a recurring failure", 90},
	{10, "exceptional", "An exceptional safety, legal or ownership boundary", 180},
}

// Kinds are the kinds of memory that forms offer; any other label is allowed too.
func Kinds() []string {
	return []string{"fact", "preference", "decision", "user", "feedback", "project", "reference"}
}

// HalfLifeKey is the table key of a level's half-life.
func HalfLifeKey(importance int) string {
	return "retention.halfLifeDays." + Format(float64(importance))
}

func halfLives() []Setting {
	rows := make([]Setting, len(levels))
	for i, l := range levels {
		rows[i] = Setting{
			Key: HalfLifeKey(l.Importance), Label: "Half-life of importance " + Format(float64(l.Importance)),
			Help: "Days without use until the vitality has halved.", Unit: "days", Kind: Number,
			Default: l.HalfLifeDays, Min: 0.1, Max: 365, Who: Admin,
		}
	}
	return rows
}
