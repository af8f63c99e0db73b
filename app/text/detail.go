package text

import (
	"strconv"
	"strings"

	"elowen/shared/api"
)

// Of the detail.
const (
	DetailPane    = "Detail"
	BackToList    = "Back to the list"
	CloseDetail   = "Close"
	Edit          = "Edit"
	EditMemory    = "Edit memory"
	ToTrash       = "Move to trash"
	MoreActions   = "More"
	CopyText      = "Copy the text"
	CopyLink      = "Copy the link"
	CopyFailed    = "The browser refused to copy"
	MarkReviewed  = "Mark as reviewed"
	Reviewed      = "Marked as reviewed"
	PurgeEllipsis = "Purge…"

	NoSuchMemory = "There is no such memory"
	GoneMemory   = "This memory is gone"
	GoneWhy      = "It was purged, or it belongs to somebody else."

	RestoreNote    = "Restoring does not refresh vitality: a faded memory can be swept again at the next sweep. Use it, raise its importance, or"
	PauseRetention = "pause retention"

	ViewAs             = "Show as"
	AsText             = "Text"
	AsMarkdown         = "Markdown"
	NeverRecalled      = "In no category, so it is never recalled."
	NeverRecalledField = "In no category it is never recalled."
	FileIt             = "File it"
	Confidence         = "Confidence"
	Source             = "Source"
	Updated            = "Updated"
	Used               = "Used"
	Search             = "Search"
	Eligible           = "Fades"
	Never              = "never"
	Subject            = "About"
	Indexed            = "indexed"
	NotIndexedYet      = "not indexed"
	ChangeCategory     = "Change the category"
	ChangeKind         = "Change the kind"
	ChangeImportance   = "Change the importance"

	Range       = "Range"
	History     = "History"
	Older       = "Earlier changes"
	PutThisBack = "Put this version back"
	SimilarHead = "Similar"
	None        = "none"
	Foreign     = "carried over"
)

// Position is where the memory stands in the list.
func Position(n, total int) string { return Number(n) + " of " + Number(total) }

// Revision names a revision.
func Revision(n int64) string { return "revision " + strconv.FormatInt(n, 10) }

// PutBack says that an earlier text is current again.
func PutBack(n int64) string { return "The text of " + Revision(n) + " is back" }

// AndOthers counts the memories that are left out.
func AndOthers(n int) string { return "and " + Number(n) + " more" }

// PurgedOther names a memory that is gone.
func PurgedOther(id int64) string { return "memory " + strconv.FormatInt(id, 10) + ", purged" }

// Times counts uses.
func Times(n int64) string { return Count(int(n), "time", "times") }

// LastUsed is the date of the last use.
func LastUsed(date string) string { return "last " + date }

// ReviewedOn is the date of the review.
func ReviewedOn(date string) string { return "reviewed " + date }

// WentToTrash says when.
func WentToTrash(when string) string {
	if when == "" {
		return "In the trash."
	}
	return "In the trash since " + when + "."
}

// WhyTrash says who moved a memory to the trash, and why.
func WhyTrash(m api.Memory) string {
	why := ""
	if m.DeletedWhy != "" {
		why = ": " + Quote(m.DeletedWhy)
	}
	switch {
	case m.DeletedBy == api.DeletedBySweep:
		return "It faded: nobody used it, and the daily sweep took it (" + m.DeletedWhy + ")."
	case m.DeletedBy == api.DeletedByMerge && m.DeletedWhy == api.WhyMergeTakenBack:
		return "It was made of others by a merge that was taken back; they are there again."
	case m.DeletedBy == api.DeletedByMerge:
		return "It was made one with others; the history below leads to what they became."
	case m.DeletedBy == "" && m.DeletedWhy == "":
		return ""
	case m.DeletedBy == "":
		return "Reason" + why + "."
	}
	return m.DeletedWho + " moved it there" + why + "."
}

// SourceName says where a memory came from.
func SourceName(source string) string {
	switch source {
	case api.SourceUser:
		return "you"
	case api.SourceVoice:
		return "a voice session"
	case api.SourceChat:
		return "a chat"
	case api.SourceTeamChat:
		return "a team chat"
	}
	return source
}

// SimilarBy says how likeness was found.
func SimilarBy(by string) string {
	switch by {
	case "meaning":
		return "by meaning"
	case "body":
		return "identical"
	}
	return "by words"
}

// ShowLess labels the button that folds a long text.
const ShowLess = "Show less"

// ShowAll labels the button that shows a long text as a whole.
func ShowAll(bytes int) string { return "Show all (" + Size(int64(bytes)) + ")" }

// TokenMay says what the token that did something was allowed to do; nothing where no
// token did.
func TokenMay(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	return "a token that may " + strings.Join(scopes, " and ")
}

// EventWhat says what an event did, without its fields.
func EventWhat(e api.Event) string {
	switch e.Action {
	case "add":
		switch from, ok := e.Imported(); {
		case from != "":
			return "brought it in from " + from
		case ok:
			return "brought it in with an import"
		}
		return "saved it"
	case "update":
		for _, c := range e.Changes {
			if c.Field == "body" {
				if len(e.Changes) == 1 {
					return "changed the text"
				}
				return "changed the text and"
			}
		}
		return "changed"
	case "category":
		return "filed it:"
	case "merge":
		if n := len(e.Others); n > 0 {
			return "made it of " + Memories(n)
		}
		return "made it of others"
	case "trash":
		if len(e.Others) > 0 {
			return "merged it into another"
		}
		return "moved it to the trash"
	case "restore":
		return "restored it"
	case "purge":
		return "purged it"
	case "auto-evict":
		return "moved it to the trash, faded"
	case "consolidate":
		return "consolidated it"
	case "review":
		return "reviewed it"
	}
	return e.Action
}

// FieldName names a field of a change.
func FieldName(field string) string {
	switch field {
	case "categoryId", "category":
		return "category"
	case "importance":
		return "the importance"
	case "kind":
		return "the kind"
	case "confidence":
		return "the confidence"
	case "subject":
		return "whom it is about"
	}
	return field
}
