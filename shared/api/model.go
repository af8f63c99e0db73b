package api

// The kinds of model provider.
const (
	ProviderLocal      = "local"      // the built-in models
	ProviderOpenAI     = "openai"     // anything that speaks OpenAI's API, with or without a key
	ProviderOpenRouter = "openrouter" // the same at its fixed address
	ProviderOllama     = "ollama"
	ProviderAnthropic  = "anthropic"
)

// The roles of models.
const (
	RoleChat        = "chat"
	RoleUtility     = "utility"
	RoleEmbedding   = "embedding"
	RoleMaintenance = "maintenance"
)

// Models is who is asked for what: providers, and the roles they have.
type Models struct {
	Providers []Provider `json:"providers"` // the built-in one first; it is always there
	Roles     Roles      `json:"roles"`
}

// Provider is a model provider as it is served. Its key never is.
type Provider struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	BaseURL string `json:"baseUrl"` // empty: the kind's own
	HasKey  bool   `json:"hasKey"`
	KeyLost bool   `json:"keyLost"` // one was stored that can no longer be read: give it again
}

// Roles are the roles of models; null is nobody.
type Roles struct {
	Chat        *Role `json:"chat"`
	Utility     *Role `json:"utility"`
	Embedding   *Role `json:"embedding"`
	Maintenance *Role `json:"maintenance"`
}

// Role is a provider's model.
type Role struct {
	Provider   string `json:"provider" validate:"line=model.provider"`
	Model      string `json:"model" validate:"line=model.name"`
	Dimensions *int   `json:"dimensions,omitempty" validate:"omitempty,setting=model.dimensions"` // of vectors; absent: what the model gives
	Window     *int   `json:"window,omitempty" validate:"omitempty,setting=chat.window"`          // how much it reads at once, in tokens; absent: what is known of the model
}

// ModelsChange is the body of PUT /api/settings/models. What is absent stays.
type ModelsChange struct {
	Revision  int64            `json:"revision"` // of the settings that the editor saw
	Providers []ProviderChange `json:"providers,omitempty" validate:"omitempty,max=20,dive"`
	Roles     map[string]*Role `json:"roles,omitempty" validate:"omitempty,dive,keys,oneof=chat utility embedding maintenance,endkeys,omitempty"` // by role; null clears one
}

// ProviderChange is one provider of the new list. One whose id is not in the list
// goes, with its key.
type ProviderChange struct {
	ID      string           `json:"id" validate:"line=model.provider"`
	Kind    string           `json:"kind" validate:"oneof=local openai openrouter ollama anthropic"`
	BaseURL string           `json:"baseUrl,omitempty" validate:"line=model.baseUrl"`
	APIKey  Optional[string] `json:"apiKey,omitzero" secret:"true"` // absent: the stored one stays, unless the address changes; null takes it away

	// What a provider is served with may be sent back as it came; it changes nothing.
	HasKey  bool `json:"hasKey,omitempty"`
	KeyLost bool `json:"keyLost,omitempty"`
}

// ModelTest is the body of POST /api/settings/models/test: whom to ask for what.
// An absent provider is the stored one of the role.
type ModelTest struct {
	Role     string          `json:"role" validate:"oneof=chat utility embedding maintenance"`
	Provider *ProviderChange `json:"provider,omitempty"` // as it would be saved; an absent key is the stored one of that id and address
	Choice   *Role           `json:"choice,omitempty"`   // absent: the stored one
}

// ModelTested answers it.
type ModelTested struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"` // what came, or what is wrong
	Width   int    `json:"width"`   // of the vector that came; 0: none came
	Millis  int    `json:"millis"`  // how long it took
}

// IndexState is how far an account's memories are indexed for search by meaning.
type IndexState struct {
	Model   string `json:"model"`   // whose vectors; empty: embeddings are off
	Indexed int    `json:"indexed"` // active memories with a fresh vector
	Total   int    `json:"total"`   // active memories
	Problem string `json:"problem"` // what is wrong; empty: nothing
	RetryAt *Time  `json:"retryAt"` // when the model is asked again after a problem
	Failed  int    `json:"failed"`  // memories that could not be embedded and are tried again later
}
