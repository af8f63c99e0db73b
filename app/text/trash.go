package text

import "elowen/shared/api"

// Of the trash.
const (
	Faded           = "Faded"
	ByPeople        = "By people"
	MergedAway      = "Merged"
	Removed         = "Removed"
	SearchTrash     = "Search the trash"
	WentByHead      = "Went by"
	Why             = "Why"
	SelectAllTrash  = "Select all in the trash"
	SelectThis      = "Select"
	Actions         = "Actions"
	EmptyEllipsis   = "Empty trash…"
	OnlyPeoplePurge = "Retention never purges; people do, and programs with their token."
	NoneOfThese     = "None of these"
	NoneOfTheseWhy  = "Nothing in the trash came there in this way."
	TrashEmpty      = "The trash is empty"
	TrashEmptyWhy   = "What fades below the floor, or is moved here, waits until somebody restores or purges it."
)

// WentByWord says in the column who moved something to the trash.
func WentByWord(by, who string) string {
	switch {
	case by == "sweep":
		return Faded
	case by == "merge":
		return MergedAway
	case by == "agent":
		return "Assistant"
	case by == "":
		return Removed
	}
	return who
}

// WhyShort is the column of reasons.
func WhyShort(by, why string) string {
	if by == api.DeletedByMerge && why != api.WhyMergeTakenBack {
		return "is part of another memory now"
	}
	return why
}

// TrashTab labels a part of the trash with its number.
func TrashTab(label string, n int) string { return label + "\u00a0" + Number(n) }

// InTheTrash counts what is in the trash.
func InTheTrash(n int) string { return Number(n) + " in the trash" }

// FoundInTheTrash counts what a search or a part of the trash has.
func FoundInTheTrash(n int) string { return Number(n) + " found in the trash" }

// SelectedOf counts what is picked, of all.
func SelectedOf(n, of int) string { return Number(n) + " of " + Number(of) + " selected" }

// WhenIn heads the column of dates.
func WhenIn(zone string) string { return "When (" + zone + ")" }
