package text

import "strings"

// Of the page of the categories.
const (
	CategoriesWhy   = "Only memories in a category are recalled. What a category is for is said in its description."
	AddCategory     = "New category"
	EditCategory    = "Edit category"
	PickCategory    = "Pick a category to change it, or make a new one."
	NoCategories    = "No categories yet"
	NoCategoriesWhy = "Without one, nothing is recalled. Make the first: General will do."
	NoDescription   = "No description yet"

	CategoryName     = "Name"
	CategoryNameHelp = "Short, in your own words."
	NameMissing      = "Give it a name."
	DescriptionField = "What belongs here"
	DescriptionHelp  = "A sentence or two. Whoever files new memories, a person or a model, decides by it."
	ProjectOf        = "Recalled in"
	ProjectOfHelp    = "Everywhere, or only while you work in one project."
	ProjectShared    = "It is the project's own: those who share it read what is in it."
	Everywhere       = "Everywhere"
	AnotherProject   = "a project that you don't see"
	ColorField       = "Colour"
	IconField        = "Icon"
	NoIcon           = "No icon"
	DefaultField     = "Default"
	DefaultHelp      = "New memories go here where nobody says otherwise."
	DefaultTag       = "default"
	MakeDefault      = "Make default"
	ClearDefault     = "Clear default"
	NoDefaultNow     = "There is no default: new memories stay in no category"

	DeleteEllipsis   = "Delete…"
	DeleteCategory   = "Delete the category"
	CategoryStale    = "This category was changed elsewhere while you were typing."
	SavedNow         = "Saved now:"
	SaveMineAnyway   = "Save mine"
	BackToCategories = "Back to the categories"
)

// Colors are the names of the ten colours.
var Colors = []string{"Fern", "Sky", "Clay", "Iris", "Ochre", "Heather", "Lagoon", "Moss", "Slate", "Rowan"}

// IconName names an icon.
func IconName(icon string) string {
	switch icon {
	case "plug":
		return "connection"
	case "database":
		return "data"
	case "message-square":
		return "talk"
	}
	name, _, _ := strings.Cut(icon, "-")
	return name
}

// TooLong says how long a text may be.
func TooLong(most int) string { return "At most " + Number(most) + " characters." }

// CategoryMade says that a category was made.
func CategoryMade(name string) string { return "Category " + Quote(name) + " made" }

// CategorySaved says that a category was saved.
func CategorySaved(name string) string { return "Category " + Quote(name) + " saved" }

// CategoryDeleted says that a category is gone, and of how many memories.
func CategoryDeleted(name string, n int) string {
	if n == 0 {
		return "Category " + Quote(name) + " deleted"
	}
	return "Category " + Quote(name) + " deleted; " + Memories(n) + " in none now"
}

// DefaultNow says where new memories go.
func DefaultNow(name string) string { return "New memories go to " + Quote(name) + " now" }

// MakeDefaultOf names the button beside a category.
func MakeDefaultOf(name string) string { return MakeDefault + ": " + name }

// ClearDefaultOf names the button beside the default one.
func ClearDefaultOf(name string) string { return ClearDefault + ": " + name }

// DeleteCategoryTitle heads the question.
func DeleteCategoryTitle(name string) string { return "Delete " + Quote(name) }

// DeleteCategoryBody says what happens.
func DeleteCategoryBody(n int, def bool) []string {
	var body []string
	switch n {
	case 0:
		body = append(body, "No active memory is in it.")
	case 1:
		body = append(body, "Its memory stays, in no category. What is in no category is never recalled, until it is filed again.")
	default:
		body = append(body, "Its "+Memories(n)+" stay, in no category. What is in no category is never recalled, until it is filed again.")
	}
	if def {
		body = append(body, "It is the default: new memories will stay in no category.")
	}
	return body
}

// Unfiled says how many memories are in no category.
func Unfiled(n int) string {
	if n == 1 {
		return "1 memory is in no category and is never recalled."
	}
	return Memories(n) + " are in no category and are never recalled."
}
