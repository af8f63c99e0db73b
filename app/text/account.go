package text

import "strconv"

// Of the pages before the app, and of the account.
const (
	Welcome    = "Welcome back"
	Name       = "Name"
	Password   = "Password"
	NeedBoth   = "Enter your name and your password."
	SigningIn  = "Signing in…"
	FirstStart = "A new server has no accounts yet: open the link that it printed when it started."

	StepAccount = "Account"
	StepMemory  = "First memory"
	SetupHead   = "Make the first account"
	SetupWhy    = "It looks after this server, and your memories are yours alone. More people can be added later."
	Code        = "One-time code"
	NeedCode    = "Enter the code that the server printed when it started."
	NeedName    = "Choose a name to sign in with."
	MakeAccount = "Make the account"
	Working     = "Working…"
	FirstHead   = "Write down one thing worth keeping"
	FirstWhy    = "One fact, in your own language. Your assistants will find it when it matters."
	SaveGoOn    = "Save and go on"
	Skip        = "Skip"

	Profile         = "Profile"
	ShownName       = "Shown name"
	ShownNameHint   = "How you appear here and in the history. Empty shows the name you sign in with."
	SignInName      = "Name to sign in with"
	DefaultCategory = "Default category"
	DefaultHint     = "Where new memories go that name no category."
	Theme           = "Theme"
	ThemeHint       = "Of this browser."
	ThemeSystem     = "System"
	ThemeLight      = "Light"
	ThemeDark       = "Dark"
	ChangePassword  = "Change the password"
	CurrentPassword = "Current password"
	NewPassword     = "New password"
	PasswordChanged = "Password changed. Other sessions are signed out"
	SignOut         = "Sign out"
	SignOutHint     = "Drafts and what this browser remembers of the lists are wiped."
	ProfileSaved    = "Saved"

	Tokens         = "Tokens"
	TokensWhy      = "A token lets a script or an assistant act as you. It is shown once and stored hashed."
	NoTokens       = "No tokens yet."
	NewToken       = "New token"
	TokenName      = "What it is for"
	TokenScopes    = "May"
	TokenDays      = "Expires after"
	TokenDaysHint  = "days; 0 never"
	CreateToken    = "Create token"
	TokenOnce      = "Copy it now: it is not shown again."
	Revoke         = "Revoke"
	RevokeEllipsis = "Revoke…"
	Revoked        = "Token revoked. Its connections are closed"
	TokenNeverUsed = "never used"
	NoExpiry       = "never expires"
	TokenNeeded    = "Say what the token is for."

	People        = "People"
	PeopleWhy     = "Everyone who has an account on this server. Nobody sees another's memories."
	Role          = "Role"
	RoleAdmin     = "administrator"
	RoleMember    = "member"
	Disabled      = "disabled"
	Locked        = "no password yet"
	Disable       = "Disable…"
	Enable        = "Enable"
	AddPerson     = "Add a person"
	AddPersonHint = "Without a password the account is locked until one is set."
	PersonAdded   = "Added"
	You           = "you"
	OnlyAdmins    = "Only administrators see this page."
	Since         = "since"
)

// PasswordRule says how long a password must be.
func PasswordRule(least int) string { return "At least " + strconv.Itoa(least) + " characters." }

// PasswordShort says that it is too short.
func PasswordShort(least int) string {
	return "Too short: it needs at least " + strconv.Itoa(least) + " characters."
}

// RevokeTitle asks before a token is revoked.
func RevokeTitle(name string) string { return "Revoke " + Quote(name) }

// RevokeBody says what that does.
const RevokeBody = "Whatever uses this token is cut off at once. It can't be brought back; a new token can take its place."

// DisableTitle asks before a person is disabled.
func DisableTitle(name string) string { return "Disable " + name }

// DisableBody says what that does.
const DisableBody = "They are signed out at once, and their tokens stop working. Their memories are kept, and you can enable them again."

// Expires says when a token ends.
func Expires(date string) string { return "expires " + date }

// LastUse says when a token was used.
func LastUse(when string) string { return "used " + when }

// ScopeName names a scope.
func ScopeName(scope string) string {
	switch scope {
	case "read":
		return "read"
	case "write":
		return "read and write"
	case "admin":
		return "administer"
	}
	return scope
}

// Disabling labels the button that disables a person.
const Disabling = "Disable"
