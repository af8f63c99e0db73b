package text

import (
	"strconv"

	"elowen/shared/api"
)

// Of the pages before the app, and of the account.
const (
	Welcome      = "Welcome back"
	Name         = "Name"
	Password     = "Password"
	NeedBoth     = "Enter your name and your password."
	SigningIn    = "Signing in…"
	LostPassword = "No password, or a lost one? Whoever looks after this server can set one."
	SetupNeeded  = "This server has no account yet."
	SetupWhere   = "When it started it printed a link; open that to make the first one. It is in its terminal or log, or, for a service, in its journal, and looks like this:"
	HaveCode     = "I have the code"
	SetupClosed  = "There is an account already"
	SetupOver    = "This server has its first account; that is made only once. Sign in, or ask whoever looks after the server for an account of your own."

	StepAccount = "Account"
	StepMemory  = "First memory"
	StepNext    = "What next"
	SetupHead   = "Make the first account"
	SetupWhy    = "You sign in with it, and it looks after this server: people, backups, how memories fade. What you keep is yours alone. More people can be added later."
	NextHead    = "It is kept"
	NextSkipped = "You are in"
	NextWhy     = "It fades if nobody uses it, and stays if it is used: its page shows the curve and the date. What now?"
	NextSkipWhy = "Memories can be written at any time, with the key n. What now?"
	SeeIt       = "See the memory"
	SeeItHint   = "Its curve, its date, its history"
	OpenList    = "Open the workspace"
	OpenHint    = "Write, search, sort"
	BringHint   = "From another system's export, notes, or an older elowen"
	ConnectHead = "Connect an assistant"
	ConnectHint = "Claude Code, Cursor, Codex and others, in a minute"
	CodeHint    = "The part after # in the link that the server printed when it started."
	Code        = "One-time code"
	NeedCode    = "Enter the code that the server printed when it started."
	NeedName    = "Choose a name to sign in with."
	MakeAccount = "Make the account"
	Working     = "Working…"
	FirstHead   = "Write down one thing worth keeping"
	FirstHint   = "It counts as an ordinary fact. How important it is, and where it belongs, you can say later."
	FirstWhy    = "One fact, in your own language: a preference, a decision, something you would rather not explain twice."
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
	EndSession      = "End session"
	SignOutHint     = "Drafts and what this browser remembers of the lists are wiped."
	ProfileSaved    = "Saved"

	Tokens         = "Tokens"
	TokensWhy      = "A token lets a script or an assistant act as you. It is shown once and stored hashed."
	NoTokens       = "No tokens yet."
	NewToken       = "New token"
	TokenKept      = "I have it"
	TokenPutAway   = "The token is made and put away. It can be revoked under"
	ToTokens       = "Tokens"
	TokenOver      = "expired"
	TokenUse       = "Using it"
	TokenUseWhy    = "Whatever speaks HTTP can read and save as you, such as this, which writes a memory down."
	ConnectInstead = "Claude Code, Cursor, Codex and other assistants are connected under"
	TokenDocument  = "Every route is described in"
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

	ProfileHead   = "You"
	SwitchesLater = "Saving by itself, dreaming and learning procedures get their switches here once elowen does them."
	SwitchOn      = "on"
	SwitchOff     = "off"
	SessionsHead  = "Where you are signed in"
	SessionsWhy   = "each browser by itself"
	EndOthers     = "Sign out everywhere else"
	ThisOne       = "this browser"
	SessionEnded  = "Signed out there. Its windows are closed"

	People        = "People"
	PeopleWhy     = "Everyone who has an account on this server. Nobody sees another's memories, not even an administrator."
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

	SetPasswordEllipsis = "Set a password…"
	EraseEllipsis       = "Erase…"
	MakeAdmin           = "Make an administrator"
	MakeMember          = "Make a member"
	EndTheirs           = "Sign out everywhere"
	PasswordSet         = "Password set. Their sessions are signed out"
	RoleChanged         = "Role changed"
	Enabled             = "Enabled. They can sign in again"
	DisabledNow         = "Disabled. They are signed out, and their tokens are gone"
	Erased              = "Erased. Backups made before still have it"
	Erase               = "Erase"
	SetPassword         = "Set the password"
)

// SignedInOn says when a browser signed in.
func SignedInOn(when string) string { return "Signed in " + when }

// EndsUnused says when a session ends if nobody uses it.
func EndsUnused(date string) string { return "ends " + date + " if it isn't used" }

// AgoHours is Ago for what is noted by the hour.
func AgoHours(now, at api.Time) string {
	if now-at < hour {
		return "within the hour"
	}
	return Ago(now, at)
}

// SessionsEnded counts the sessions that were ended.
func SessionsEnded(n int) string {
	return Count(n, "other session", "other sessions") + " signed out"
}

// Expired says since when a token opens nothing.
func Expired(date string) string { return "expired " + date }

// MadeOn says when something was made.
func MadeOn(date string) string { return "made " + date }

// TokenCommand writes a memory down from a terminal.
func TokenCommand(origin string) string {
	return "curl " + origin + "/api/memory -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' -d '{\"body\": \"The ferry leaves at nine.\"}'"
}

// EraseTitle asks before a person is erased.
func EraseTitle(name string) string { return "Erase " + name }

// EraseBody says what that does.
var EraseBody = []string{
	"Their account goes, with every memory, its history and uses, their categories and tokens. This can't be undone.",
	"Backups made before still hold it. To keep their memories out of sight for a while, disable the account instead.",
}

// SetPasswordTitle heads the form of another person's password.
func SetPasswordTitle(name string) string { return "Password of " + name }

// SetPasswordBody says what that does.
const SetPasswordBody = "Tell it to them; they can change it. Wherever they are signed in they are signed out, their tokens go on."

// SignedOutPerson says how many sessions of a person were ended.
func SignedOutPerson(n int, name string) string {
	return Count(n, "session", "sessions") + " of " + name + " signed out"
}

// PersonActions names the menu of a person.
func PersonActions(name string) string { return "What to do with " + name }

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
const DisableBody = "They are signed out at once, and their tokens are revoked for good. Their memories are kept, and you can enable them again."

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

// TokenLost says that a token was made whose answer never came.
func TokenLost(name string) string {
	return "The answer with the token \"" + name + "\" was lost, and a token is shown only once. Revoke it and make another."
}
