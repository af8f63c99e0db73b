package audit

import (
	"fmt"
	"strings"

	"elowen/server/vitality"
)

// The actions, as stored and as they travel.
const (
	ActionAdd      = "add"
	ActionUpdate   = "update"
	ActionCategory = "category"
	ActionReview   = "review"
	ActionMerge    = "merge"
	ActionTrash    = "trash"
	ActionRestore  = "restore"
	ActionPurge    = "purge"
	ActionEvict    = "auto-evict" // stands in the schema too, as the ledger's index
)

// The reasons of changes that give none of their own.
const (
	ReasonUndone     = "undone"
	ReasonWriterGone = "whoever wrote it is gone; it is the project's now"
)

// evictPrefix begins the reason of a sweep.
const evictPrefix = "auto-evict: "

// ReasonEvicted is why a sweep moves a memory of that vitality to the trash.
func ReasonEvicted(v float64, p vitality.Policy) string { return evictPrefix + vitality.Below(v, p) }

// EvictedWhy is a sweep's reason as people read it beside the word that it was one.
func EvictedWhy(reason string) string { return strings.TrimPrefix(reason, evictPrefix) }

// ReasonMerged is why a source of a merge is in the trash.
func ReasonMerged(into int64) string { return fmt.Sprintf("merged into %d", into) }

// ReasonCategoryDeleted is why a memory left a category.
func ReasonCategoryDeleted(name string) string { return "the category “" + name + "” was deleted" }
