package text

import "strconv"

// Of the form of a memory.
const (
	NewHead    = "New memory"
	BodyHint   = "One fact, in your own language"
	SaveMemory = "Save memory"
	Saving     = "Saving…"
	KeySave    = "saves"
	Discarded  = "Edit discarded"

	NotText   = "This holds half a character, which can't be kept as it is. Remove it, or paste the text again."
	BodyEmpty = "Write something first."
	TextKept  = "Your text is kept here."

	AlreadyThere = "You had this already, word for word"
	MergeKeeps   = "The merged memory takes the highest importance, all uses, the last use, and the common category. The sources go to the trash, and Undo brings them back."

	Somebody   = "Somebody"
	TextIsKept = "Your text is kept below."
	Yours      = "Yours, not saved"
	KeepTheirs = "Keep theirs"
	EditBoth   = "Edit both together"
)

// Field names a field with what is chosen in it.
func Field(label, chosen string) string { return label + ": " + chosen }

// Bytes counts the bytes of a body.
func Bytes(n, most int) string { return Number(n) + " of " + Number(most) + " bytes" }

// BodyLong says that a body is too long.
func BodyLong(n, most int) string {
	return "This has " + Number(n) + " bytes; " + Number(most) + " fit into one memory. Nothing was cut."
}

// Bounds says what a number may be.
func Bounds(span string) string { return "From " + span + "." }

// SavedAs says that a change was saved.
func SavedAs(revision int64) string { return "Saved as " + Revision(revision) }

// Added says that a memory was saved, and how many resemble it.
func Added(similar int) string {
	if similar == 0 {
		return "Saved"
	}
	return "Saved. " + Count(similar, "memory is", "memories are") + " similar"
}

// MergeHead heads a merge.
func MergeHead(n int) string { return "Make one of " + Memories(n) }

// MergeNow labels the button of a merge.
func MergeNow(n int) string { return "Merge " + Number(n) }

// Unmerged says that a merge was taken back: how many of its memories are there again,
// and whether the one that was made of them went to the trash.
func Unmerged(sources int, trashed bool) string {
	if !trashed {
		return PutBackMany(sources)
	}
	if sources == 0 {
		return "Undone: what was made of them is in the trash"
	}
	return "Undone: " + Memories(sources) + " as before. What was made of them is in the trash"
}

// Merged says that memories were merged.
func Merged(n int) string { return Memories(n) + " merged into one" }

// ChangedMeanwhile says whose change collided.
func ChangedMeanwhile(who string) string {
	if who == "You" {
		return "This was changed elsewhere while you were typing."
	}
	return who + " changed this while you were typing."
}

// Theirs heads the saved side of a conflict.
func Theirs(at string, revision int64) string { return "Saved " + at + ", " + Revision(revision) }

// SaveMine labels the button that saves the typed side.
func SaveMine(revision int64) string {
	return "Save mine as revision " + strconv.FormatInt(revision, 10)
}
