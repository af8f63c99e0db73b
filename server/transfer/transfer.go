package transfer

import (
	"log/slog"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/project"
	"elowen/server/retention"
)

// Parts are the nouns that an import writes through.
type Parts struct {
	Accounts   *account.Store
	Projects   *project.Store // nil: there are none
	Categories *category.Store
	Memories   *memory.Store
	Retention  *retention.Store
	Settings   *retention.Settings
	Log        *slog.Logger // nil: nothing is logged
}

// Store exports and imports. It is safe for concurrent use.
type Store struct {
	db *db.DB
	Parts
	exports, imports *turnstile
	parse            parser
}

// New makes the store over an open database.
func New(d *db.DB, p Parts) *Store {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{db: d, Parts: p, exports: newTurnstile("exports", exportsMost), imports: newTurnstile("imports", importsMost), parse: parseLine}
}

// Options say how to import.
type Options struct {
	By      audit.Actor // who imports; for the events that lines don't bring themselves
	Foreign bool        // carried events are somebody else's word: the sweep's ledger never counts them
	DryRun  bool        // tell the fates, write nothing
	// Projects is of one who runs the instance: projects are made where there are none,
	// and the accounts become in them what the lines say.
	Projects bool
	// From is the format of what Bring brings; empty finds it out.
	From string
	// Skip leaves out what is refused of another system's, instead of holding all back.
	Skip bool
	// Turn is the account's place, if it was taken before the files were staged.
	Turn    *Turn
	TempDir string // where the lines are staged; empty for the system's place

	// Progress is told how far it is, in bytes of the input; nil tells no one.
	Progress func(done, total int64)
	// Step is told the same, and how many lines were judged by then; nil tells no one.
	Step func(done, total int64, lines int)
}

// ElowenOptions say how to read the older system's file.
type ElowenOptions struct {
	Map           map[string]string // its account names to ours; others are matched by name
	Only          string            // one account of ours; empty for all
	ReplacePolicy bool              // take its retention policy even where ours was set
	DryRun        bool
	Progress      func(done, total int64) // in memories
}
