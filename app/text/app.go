package text

// Of the app as a whole.
const (
	AppName = "elowen"
	Program = "elowen" // as it is typed
	Home    = "elowen, home"

	Broken     = "This part of the page broke."
	BrokenKept = "What was saved is kept."
	Reload     = "Reload"
	PartFailed = "Something broke in this page. What was saved is kept."
	Undo       = "Undo"
	Close      = "Close"
	Cancel     = "Cancel"
	Save       = "Save"
	Copy       = "Copy"
	Copied     = "Copied"
	Retry      = "Try again"
)

// Of menus, dialogs and rows.
const (
	NoMatch    = "Nothing matches"
	MenuFilter = "Filter"
	TypePhrase = "Type"
	PickRow    = "Select (x)"
)

// Importance is an importance in a row.
func Importance(n int) string { return "importance " + Number(n) }

// Of failures.
const (
	NoAnswer = "The server does not answer. Nothing was lost here; try again when it is back."
)

// Of the frame.
const (
	Pages            = "Pages"
	SkipToContent    = "Skip to the content"
	YouHere          = "You"
	Categories       = "Categories"
	Account          = "Account"
	Settings         = "Settings"
	SignIn           = "Sign in"
	SetUp            = "Set up"
	ChangeCategories = "Change the categories"
	PickOne          = "Pick a memory to see its text, its vitality and its history."

	NothingHere    = "Nothing here"
	FilterDropped  = "A filter in the address means nothing here, and was left out."
	NothingHereWhy = "There is no page at this address."
	ToMemories     = "Go to your memories"
	CannotStart    = "elowen could not be reached"
	TryNow         = "Try now"
	SeeThem        = "See them"
	PauseOrChange  = "Pause or change retention"

	AccountNote  = "yours alone"
	SettingsNote = "for everyone on this server"
)

// Title is the title of the window.
func Title(page string) string { return page + " · " + AppName }

// IndexedOf counts what search by meaning knows.
func IndexedOf(n, of int) string { return Number(n) + " of " + Number(of) + " indexed" }

// Due says how many memories the next sweep finds.
func Due(n, left int, when string) string {
	return Memories(n) + " have faded below the floor. The sweep of " + when + " takes at most " + Number(left) + "; the rest wait."
}

// Key is a keyboard shortcut.
type Key struct {
	Keys []string
	What string
}

// KeysTitle heads the list of keys.
const KeysTitle = "Keys"

// Keys are all shortcuts.
var Keys = []Key{
	{[]string{"n"}, "New memory"},
	{[]string{"/"}, "Search"},
	{[]string{"j", "k"}, "Next, previous; ↓ ↑"},
	{[]string{"Home", "End"}, "First and last"},
	{[]string{"↵"}, "Open"},
	{[]string{"e"}, "Edit"},
	{[]string{"x"}, "Select"},
	{[]string{"J", "K"}, "Select and move"},
	{[]string{"⇧", "click"}, "Select up to here"},
	{[]string{"#"}, "To the trash; in the trash, purge"},
	{[]string{"z"}, "Undo, while it is offered"},
	{[]string{"Esc"}, "Leave: selection, detail, form"},
	{[]string{"Ctrl", "↵"}, "Save a form"},
	{[]string{"Ctrl", "k"}, "Search and commands"},
	{[]string{"g", "m"}, "Go to memory"},
	{[]string{"g", "p"}, "Go to the map"},
	{[]string{"g", "r"}, "Go to the recall check"},
	{[]string{"g", "t"}, "Go to the trash"},
	{[]string{"g", "c"}, "Go to categories"},
	{[]string{"g", "h"}, "Go to the chat"},
	{[]string{"g", "s"}, "Go to settings"},
	{[]string{"g", "a"}, "Go to the account"},
	{[]string{"?"}, "These keys"},
}
