package text

// Of the trash.
const (
	Faded           = "Faded"
	Removed         = "Removed"
	WentByHead      = "Went by"
	Why             = "Why"
	SelectAllTrash  = "Select all in the trash"
	SelectThis      = "Select"
	Actions         = "Actions"
	EmptyEllipsis   = "Empty trash…"
	OnlyPeoplePurge = "Retention never purges; people do, and programs with their token."
	TrashEmpty      = "The trash is empty"
	TrashEmptyWhy   = "What fades below the floor, or is moved here, waits until somebody restores or purges it."
)

// InTheTrash counts what is in the trash.
func InTheTrash(n int) string { return Number(n) + " in the trash" }

// SelectedOf counts what is picked, of all.
func SelectedOf(n, of int) string { return Number(n) + " of " + Number(of) + " selected" }

// WhenIn heads the column of dates.
func WhenIn(zone string) string { return "When (" + zone + ")" }
