package text

import (
	"strconv"

	"elowen/shared/api"
)

// Of the list.
const (
	Memory         = "Memory"
	ListTab        = "List"
	Trash          = "Trash"
	NewMemory      = "New memory"
	MemoryViews    = "Memory views"
	ListPane       = "List"
	SearchMemories = "Search memories"
	Filters        = "Filters"
	BulkActions    = "What to do with the selected memories"
	ClearFilter    = "Clear"
	ClearFilters   = "Clear search and filters"
	ClearAll       = "Clear all"
	DaysHint       = "Or a number of days"

	Status           = "Status"
	Active           = "Active"
	Consolidated     = "Consolidated"
	All              = "All"
	InTrash          = "Trash"
	Category         = "Category"
	NoCategory       = "No category"
	Kind             = "Kind"
	CategoryHint     = "Filter, or name a new one"
	ImportanceField  = "Importance"
	OrMore           = "or more"
	Fades            = "Fades within…"
	Unreviewed       = "Not reviewed"
	NotIndexedFilter = "Not indexed"
	Sort             = "Sort"
	TurnRound        = "Turn round"

	Stays            = "stays"
	NeverUsed        = "never used"
	FlagTrash        = "in the trash"
	FlagConsolidated = "consolidated"
	FlagNotIndexed   = "not indexed"
	FlagNoCategory   = "no category, never recalled"

	PickNone = "Select none"
	Merge    = "Merge"
	Restore  = "Restore"

	KeyMove   = "move"
	KeySelect = "select"
	KeyKeys   = "keys"

	ListFailed   = "The list could not be read"
	NothingFound = "Nothing found"

	ReasonList = "from the list"
	Undone     = "Undone"
)

// NewKind offers a kind that none has yet.
func NewKind(kind string) string { return "Use " + Quote(kind) }

// NewCategory offers to make a category.
func NewCategory(name string) string { return "New category " + Quote(name) + "…" }

// SearchHint stands in the empty search field.
func SearchHint(n int) string { return "Search " + Memories(n) }

// Selected counts what is picked.
func Selected(n int) string { return Number(n) + " selected" }

// PickAll offers everything that matches.
func PickAll(n int) string { return "Select all " + Number(n) + " that match" }

// Clearing names the button that takes a filter away.
func Clearing(filter string) string { return ClearFilter + " " + filter }

// NewRows counts rows that wait above.
func NewRows(n int) string { return Number(n) + " new" }

// AtLeast is the filter of importance.
func AtLeast(n int) string { return "importance " + strconv.Itoa(n) + "+" }

// Level is a level of importance with its word.
func Level(n int, word string) string { return strconv.Itoa(n) + "  " + word }

// FadesWithin is the filter of the eviction date.
func FadesWithin(days int) string {
	switch days {
	case 1:
		return "fades within a day"
	case 365:
		return "fades within a year"
	}
	return "fades within " + strconv.Itoa(days) + " days"
}

// StatusName names a status of the filter.
func StatusName(status string) string {
	switch status {
	case api.StatusDeleted:
		return InTrash
	case api.StatusConsolidated:
		return Consolidated
	case "all":
		return All
	}
	return Active
}

// SortName names a sort, as in "1,284 memories  by last use".
func SortName(sort string) string {
	switch sort {
	case api.SortCreated:
		return "by creation"
	case api.SortVitality:
		return "by vitality"
	case api.SortImportance:
		return "by importance"
	case api.SortUsed:
		return "by last use"
	case api.SortEvictable:
		return "by when it fades"
	case api.SortRelevance:
		return "by relevance"
	}
	return "by last change"
}

// OrderName says which end comes first.
func OrderName(sort, order string) string {
	up := order == "asc"
	switch sort {
	case api.SortVitality, api.SortImportance:
		if up {
			return "lowest first"
		}
		return "highest first"
	case api.SortEvictable:
		if up {
			return "soonest first"
		}
		return "latest first"
	case api.SortRelevance:
		return "best first"
	}
	if up {
		return "oldest first"
	}
	return "newest first"
}

// SortedBy names the sort button.
func SortedBy(sort, order string) string {
	return "Sorted " + SortName(sort) + ", " + OrderName(sort, order)
}

// ListLabel names the list.
func ListLabel(sort string) string { return "Memories, " + SortName(sort) }

// NothingWhy says what was looked for in vain.
func NothingWhy(q string, meaning, filters bool) string {
	switch {
	case meaning:
		return "Nothing that is indexed is near to " + Quote(Clip(q, 60)) + " in meaning."
	case q != "" && filters:
		return "No memory has " + Quote(Clip(q, 60)) + " in it, with these filters."
	case q != "":
		return "No memory has " + Quote(Clip(q, 60)) + " in it."
	case filters:
		return "No memory matches these filters."
	}
	return "There is no memory here."
}

// Trashed says that memories went to the trash.
func Trashed(n int) string {
	if n == 1 {
		return "Moved to the trash"
	}
	return Memories(n) + " moved to the trash"
}

// Restored says that memories came back.
func Restored(n int) string {
	if n == 1 {
		return "Restored. Its vitality is what it was"
	}
	return Memories(n) + " restored. Their vitality is what it was"
}

// Purged says that memories are gone for good.
func Purged(n int) string { return Memories(n) + " purged" }

// Changed says what became of memories.
func Changed(n int, what string) string {
	if n == 0 {
		return "Nothing to change"
	}
	return Memories(n) + ": " + what
}

// BulkTitle heads the question before a change of another number than was seen.
func BulkTitle(action string, n int) string {
	switch action {
	case api.BulkTrash:
		return "Move " + Memories(n) + " to the trash"
	case api.BulkRestore:
		return "Restore " + Memories(n)
	}
	return "Change " + Memories(n)
}

// BulkBody says what the change of many would do.
func BulkBody(action, what string) string {
	switch action {
	case api.BulkTrash:
		return "Everything that matches the filters, shown or not. It can be restored from there."
	case api.BulkRestore:
		return "Everything that matches, shown or not. Vitality stays what it is."
	}
	return "Everything that matches the filters, shown or not: " + what + ". Undo puts each back as it was."
}

// BulkDo labels the button.
func BulkDo(action string, n int) string {
	switch action {
	case api.BulkTrash:
		return "Move " + Number(n)
	case api.BulkRestore:
		return "Restore " + Number(n)
	}
	return "Change " + Number(n)
}

// NowKind says what kind memories are now.
func NowKind(kind string) string { return "now of kind " + kind }

// PutBackMany says that a change was taken back.
func PutBackMany(n int) string {
	if n == 0 {
		return "Nothing was left to undo"
	}
	return "Undone: " + Memories(n) + " as before"
}

// NowIn says where memories are filed now.
func NowIn(category string) string {
	if category == "" {
		return "now in no category"
	}
	return "now in " + Quote(category)
}

// PurgeTitle heads the dialog of a purge.
func PurgeTitle(n int) string {
	if n == 1 {
		return "Purge this memory"
	}
	return "Purge " + Memories(n)
}

// PurgeBody says what a purge does.
var PurgeBody = []string{
	"The text is removed from the data directory, with its past versions, its search entries and its use history. This cannot be undone.",
	"The audit keeps that it happened, without the text. What old conversations and older backups already hold stays in them.",
}

// PurgePhrase must be typed.
func PurgePhrase(n int) string {
	if n == 1 {
		return "purge"
	}
	return "purge " + strconv.Itoa(n)
}

// PurgeAction labels the button.
func PurgeAction(n int) string {
	if n == 1 {
		return "Purge"
	}
	return "Purge " + Number(n)
}

// EmptyTitle heads the dialog of emptying the trash.
func EmptyTitle(n int) string { return "Empty the trash: " + Memories(n) }

// EmptyPhrase must be typed.
func EmptyPhrase(n int) string { return "empty " + strconv.Itoa(n) }

// EmptyAction labels the button.
const EmptyAction = "Empty the trash"

// Of the list that has nothing in it yet.
const (
	NoMemories     = "No memories yet"
	NoMemoriesWhy  = "The first ring is the one you write. After that, your assistants add theirs."
	WriteFirst     = "Write the first memory"
	WriteFirstHint = "One fact, decision or preference"
	MakeToken      = "Make a token for a script or an assistant"
	MakeTokenHint  = "With it they read and save here, through the API"
	ImportHead     = "Import"
	ImportHint     = "From ChatGPT, Claude, mem0, notes, or another elowen"
)
