package text

import (
	"elowen/shared/api"
)

// Of the pages of models, and of recall and its limits.
const (
	Models        = "Models"
	ModelsWhy     = "Who is asked for what. The built-in model needs no key and no network; memories leave this server only to the providers that you name here."
	Providers     = "Providers"
	AddProvider   = "Add a provider"
	RemoveIt      = "Remove"
	Address       = "Address"
	KeyOf         = "Key"
	HasKey        = "has a key; type to replace it"
	KeyLost       = "the stored key cannot be read any more; give it again"
	NoKey         = "none"
	BuiltIn       = "Runs inside this server."
	RolesHead     = "Roles"
	NoOne         = "Nobody"
	ModelField    = "Model"
	WidthField    = "Vector length"
	WidthHint     = "as it comes"
	WindowField   = "Context in tokens"
	WindowHint    = "as known"
	TestIt        = "Test"
	Testing       = "Testing…"
	ModelsSaved   = "Models saved"
	TuningSaved   = "Saved"
	FormStale     = "Somebody saved other values meanwhile."
	FormStaleKept = "What you typed is kept. Look again, then save."

	RecallHead = "Recall and limits"
	RecallWhy  = "Which memories are handed to an assistant with a message, in which order, and how many. Recall check shows what it does to a question."
	LimitsHead = "Limits"
	Thresholds = "Relevance"
)

// RoleName names a role, and RoleWhy says what it is for.
func RoleName(role string) string {
	switch role {
	case api.RoleEmbedding:
		return "Embedding"
	case api.RoleUtility:
		return "Utility"
	case api.RoleMaintenance:
		return "Maintenance"
	}
	return "Chat"
}

// RoleWhy says what a role is for.
func RoleWhy(role string) string {
	switch role {
	case api.RoleEmbedding:
		return "Makes memories comparable by meaning. Another model means another index; the old one stays until it is replaced."
	case api.RoleUtility:
		return "Small decisions: into which category a memory belongs. Nobody: none are made."
	case api.RoleMaintenance:
		return "Reorganizes memories at night. Nobody: nothing is reorganized."
	}
	return "Answers in conversations."
}

// KindName names a kind of provider.
func KindName(kind string) string {
	switch kind {
	case api.ProviderLocal:
		return "Built in"
	case api.ProviderOpenAI:
		return "OpenAI, or what speaks as it does"
	case api.ProviderOpenRouter:
		return "OpenRouter"
	case api.ProviderOllama:
		return "Ollama"
	}
	return "Anthropic"
}

// Tested says what a test found.
func Tested(t api.ModelTested) string {
	return t.Message + " " + Number(t.Millis) + " ms."
}

// Own is what stands in an empty field: the model's own value, or the default.
func Own(v string, known bool) string {
	if known {
		return "the model's: " + v
	}
	return "default: " + v
}

// Of projects.
const (
	Projects         = "Projects"
	ProjectsWhy      = "What belongs to a piece of work: recalled in its folders and nowhere else, and shared with those who work in it where you say so."
	NoProjects       = "There is none yet."
	ProjectName      = "Name of a project"
	AddProject       = "Add"
	ProjectAdded     = "Project added"
	ProjectSaved     = "Project saved"
	ProjectGone      = "Project deleted"
	ChangeEllipsis   = "Change"
	NotShared        = "not shared"
	SharesPool       = "shares memories"
	NamedForPool     = "Named for the pool"
	RootsField       = "Folders, one on a line"
	ProjectAbout     = "What it is about"
	AliasesField     = "Other names, one on a line"
	AliasesWhy       = "By its names and folders an assistant finds the project it works in: small letters, digits and dashes."
	StartSharing     = "Share memories"
	StopSharing      = "Stop sharing"
	SharingWhy       = "Shared memories are read by its members; while somebody is named, only by those who are."
	MemberField      = "Somebody's name to sign in with"
	AddMember        = "Add member"
	DeleteProject    = "Delete the project"
	DeleteProjectWhy = "Its categories stay, in no project. It can be deleted only while its pool is empty."
)
