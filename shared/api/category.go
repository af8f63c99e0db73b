package api

// Category is a category as served.
type Category struct {
	ID          int64  `json:"id"`
	Revision    int64  `json:"revision"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Color       int    `json:"color"` // 1 to 10
	Icon        string `json:"icon"`
	ProjectID   *int64 `json:"projectId"` // recalled in that project only; null: everywhere
	Shared      bool   `json:"shared"`    // of the project's pool: only an administrator changes it
	Default     bool   `json:"default"`   // where adds without a category go
	Count       int    `json:"count"`     // active memories in it
	CreatedAt   Time   `json:"createdAt"`
	UpdatedAt   Time   `json:"updatedAt"`
}

// CategoryAdd is the body of POST /api/categories.
type CategoryAdd struct {
	Name        string `json:"name" validate:"required,line=category.name"`
	Description string `json:"description,omitempty" validate:"text=category.description"`
	Color       int    `json:"color,omitempty" validate:"omitempty,setting=category.color"` // 0 takes the least used one
	Icon        string `json:"icon,omitempty" validate:"line=category.icon"`
	Default     bool   `json:"default,omitempty"`
	ProjectID   int64  `json:"projectId,omitempty" validate:"min=0"` // binds it to a project of yours; 0: none
	Shared      bool   `json:"shared,omitempty"`                     // of that project's pool; only for an administrator
}

// CategoryPatch is the body of PATCH /api/categories/{id}.
type CategoryPatch struct {
	Name        *string `json:"name,omitempty" validate:"omitempty,min=1,line=category.name"`
	Description *string `json:"description,omitempty" validate:"omitempty,text=category.description"`
	Color       *int    `json:"color,omitempty" validate:"omitempty,setting=category.color"`
	Icon        *string `json:"icon,omitempty" validate:"omitempty,line=category.icon"`
	Default     *bool   `json:"default,omitempty"`

	ProjectID Optional[int64] `json:"projectId,omitzero"` // null unbinds it
}
