package text

// Of the palette.
const (
	PaletteOpen     = "Search and commands, Ctrl K"
	PaletteHint     = "Search memories, or say what to do"
	PaletteMemories = "Memories"
	PaletteDo       = "Do"
	PaletteKeep     = "Write it down"
	PaletteGo       = "Go to"
	PaletteSort     = "Sort"
	PaletteShelves  = "Categories"

	KeyOpen     = "open"
	KeyCommands = "commands only"
	KeyCategory = "category"

	OpenIt           = "Open"
	ShowUnfiled      = "Memories in no category"
	ShowUnreviewed   = "Memories not reviewed"
	ShowConsolidated = "Consolidated memories"
	ShowFading       = "Memories that fade within 30 days"
	LightTheme       = "Light theme"
	DarkTheme        = "Dark theme"
	SystemTheme      = "Theme of the system"
)

// ShowMatches leads to the list of all that match.
func ShowMatches(n int) string {
	if n == 1 {
		return "Show the one match in the list"
	}
	return "Show all " + Number(n) + " matches in the list"
}

// NewNamed offers to write what was typed down.
func NewNamed(words string) string { return "New memory " + Quote(Clip(words, 40)) }

// SortBy offers a sort.
func SortBy(sort string) string { return "Sort " + SortName(sort) }

// FileIn offers to file in a category.
func FileIn(category string) string { return "File in " + Quote(category) }

// SetImportance offers a level.
func SetImportance(n int, word string) string { return "Importance " + Number(n) + ", " + word }

// SetKind offers a kind.
func SetKind(kind string) string { return "Kind " + kind }
