package api

// Setup is the body of POST /api/setup: the first account, an administrator.
type Setup struct {
	Code     string `json:"code" validate:"required,max=100" secret:"true"` // the one-time code that the server printed
	Name     string `json:"name" validate:"name"`
	Password string `json:"password" validate:"password" secret:"true"`
}

// Login is the body of POST /api/login.
type Login struct {
	Name     string `json:"name" validate:"required,max=200"`
	Password string `json:"password" validate:"required,max=1000" secret:"true"`
}

// The roles.
const (
	RoleAdmin  = "admin"
	RoleMember = "member"
)

// Person is an account as served.
type Person struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`        // unique, used to sign in
	DisplayName string `json:"displayName"` // shown; empty for Name
	Role        string `json:"role"`
	Disabled    bool   `json:"disabled"`
	Locked      bool   `json:"locked"` // has no password yet
	CreatedAt   Time   `json:"createdAt"`
	Revision    int64  `json:"revision"`
}

// Me answers GET /api/me.
type Me struct {
	Person
	Scopes            []string `json:"scopes"`            // what this session or token may do
	DefaultCategoryID *int64   `json:"defaultCategoryId"` // where adds without a category go
	Memory            MeMemory `json:"memory"`

	// Terminal is how elowen is called at the server's own terminal. It is for those who
	// look after the server: null without the scope admin.
	Terminal *Terminal `json:"terminal"`
}

// Terminal is how elowen is called at a terminal of the machine that it runs on.
type Terminal struct {
	Program string `json:"program"` // elowen, or its path where that name finds another or none
	Data    string `json:"data"`    // the data directory, for --data; empty: the one that is taken without it
}

// MeMemory is the account's own switches; their rows in package setting are me.*.
type MeMemory struct {
	SearchAfterMessage bool `json:"searchAfterMessage"`
	SearchWhileWorking bool `json:"searchWhileWorking"`
	AutoSave           bool `json:"autoSave"`
	Dreaming           bool `json:"dreaming"`
	LearnSkills        bool `json:"learnSkills"`
}

// MePatch is the body of PATCH /api/me. A new password needs the current one.
type MePatch struct {
	DisplayName       *string         `json:"displayName,omitempty" validate:"omitempty,line=account.displayName"`
	Password          *string         `json:"password,omitempty" validate:"omitempty,password" secret:"true"`
	CurrentPassword   *string         `json:"currentPassword,omitempty" validate:"omitempty,max=1000" secret:"true"`
	DefaultCategoryID Optional[int64] `json:"defaultCategoryId,omitzero"`
	Memory            *MeMemoryPatch  `json:"memory,omitempty"`
}

// MeMemoryPatch changes the switches that it names.
type MeMemoryPatch struct {
	SearchAfterMessage *bool `json:"searchAfterMessage,omitempty"`
	SearchWhileWorking *bool `json:"searchWhileWorking,omitempty"`
	AutoSave           *bool `json:"autoSave,omitempty"`
	Dreaming           *bool `json:"dreaming,omitempty"`
	LearnSkills        *bool `json:"learnSkills,omitempty"`
}

// PersonAdd is the body of POST /api/people. Without a password the account is locked.
type PersonAdd struct {
	Name        string `json:"name" validate:"name"`
	DisplayName string `json:"displayName,omitempty" validate:"line=account.displayName"`
	Password    string `json:"password,omitempty" validate:"omitempty,password" secret:"true"`
	Role        string `json:"role,omitempty" validate:"omitempty,oneof=admin member"`
}

// PersonPatch is the body of PATCH /api/people/{name}.
type PersonPatch struct {
	DisplayName *string `json:"displayName,omitempty" validate:"omitempty,line=account.displayName"`
	Password    *string `json:"password,omitempty" validate:"omitempty,password" secret:"true"`
	Role        *string `json:"role,omitempty" validate:"omitempty,oneof=admin member"`
	Disabled    *bool   `json:"disabled,omitempty"`
}

// The scopes of a token.
const (
	ScopeRead  = "read"
	ScopeWrite = "write"
	ScopeAdmin = "admin"
)

// Token is a personal token as served; its secret is shown once, at creation.
type Token struct {
	ID         int64    `json:"id"`
	Name       string   `json:"name"`
	Scopes     []string `json:"scopes"`
	CreatedAt  Time     `json:"createdAt"`
	ExpiresAt  *Time    `json:"expiresAt"`
	LastUsedAt *Time    `json:"lastUsedAt"`
	Token      string   `json:"token,omitempty"` // "elw_…", only in the answer to the creation
}

// TokenAdd is the body of POST /api/tokens.
type TokenAdd struct {
	Name   string   `json:"name" validate:"required,line=account.tokenName"`
	Scopes []string `json:"scopes,omitempty" validate:"omitempty,min=1,unique,dive,oneof=read write admin"` // default read and write
	Days   int      `json:"days,omitempty" validate:"setting=account.tokenDays"`                            // 0 never expires
}
