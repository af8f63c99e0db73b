package api

// UsageQuery is the query of GET /api/usage.
type UsageQuery struct {
	Days *int `json:"days,omitempty" validate:"omitempty,setting=usage.days"` // how far back, today included
}

// ModelQuery is the query of GET /api/models.
type ModelQuery struct {
	Provider string `json:"provider,omitempty" validate:"omitempty,max=40"` // whose; absent: everybody's
}

// Usage answers GET /api/usage: what the account's requests to models took.
type Usage struct {
	From  string      `json:"from"`  // a date, in UTC
	To    string      `json:"to"`    // the last one, today
	Items []UsageDay  `json:"items"` // the latest day first; a day and role without a request is not there
	Roles []UsageRole `json:"roles"` // the sums, of roles that were asked
}

// UsageDay is a role's on a day.
type UsageDay struct {
	Day string `json:"day"` // a date, in UTC
	UsageRole
}

// UsageRole is what a role took. Tokens are as the provider counts them; one that
// doesn't say takes none.
type UsageRole struct {
	Role         string `json:"role"`
	Requests     int64  `json:"requests"`
	InputTokens  int64  `json:"inputTokens"` // those from the provider's cache included
	OutputTokens int64  `json:"outputTokens"`
	CachedTokens int64  `json:"cachedTokens"` // of the input
}

// ModelList answers GET /api/models: what can be picked. Whoever doesn't look after the
// server gets what answers in conversations, and no problems: those tell of addresses
// and keys.
type ModelList struct {
	Items    []ListedModel  `json:"items"` // by provider, then by name
	Problems []ModelProblem `json:"problems"`
}

// ListedModel is a model as its provider lists it.
type ListedModel struct {
	Provider  string `json:"provider"` // its id
	ID        string `json:"id"`
	Window    int    `json:"window"`    // how much it reads at once, in tokens, as far as known
	Chat      bool   `json:"chat"`      // false: known not to answer in words
	Embedding bool   `json:"embedding"` // false: known not to embed
}

// ModelProblem says why a provider's list is not there.
type ModelProblem struct {
	Provider string `json:"provider"`
	Detail   string `json:"detail"`
}
