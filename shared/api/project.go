package api

import "strconv"

// Project is a project as served.
type Project struct {
	ID          int64    `json:"id"`
	Revision    int64    `json:"revision"`
	Slug        string   `json:"slug"` // its name in exports and on command lines: small letters, digits and dashes
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Roots       []string `json:"roots"`   // absolute real paths; what is below one belongs to the project
	Aliases     []string `json:"aliases"` // other slugs that it is known by
	Sharing     bool     `json:"sharing"` // it has a pool, for those named for it, or for its members where nobody is
	Member      bool     `json:"member"`  // you are one
	Pool        bool     `json:"pool"`    // you may read its pool now
	CreatedAt   Time     `json:"createdAt"`
	UpdatedAt   Time     `json:"updatedAt"`
}

// ProjectAdd is the body of POST /api/projects.
type ProjectAdd struct {
	Name        string   `json:"name" validate:"required,line=project.name"`
	Slug        string   `json:"slug,omitempty" validate:"line=project.slug"` // made of the name where it is absent
	Description string   `json:"description,omitempty" validate:"text=project.description"`
	Roots       []string `json:"roots,omitempty" validate:"omitempty,max=50,dive,line=project.root"`
	Aliases     []string `json:"aliases,omitempty" validate:"omitempty,max=50,dive,line=project.slug"`
	Sharing     bool     `json:"sharing,omitempty"`
}

// ProjectPatch is the body of PATCH /api/projects/{id}. Absent fields stay; a list
// takes the place of the one there was.
type ProjectPatch struct {
	Name        *string   `json:"name,omitempty" validate:"omitempty,min=1,line=project.name"`
	Slug        *string   `json:"slug,omitempty" validate:"omitempty,min=1,line=project.slug"`
	Description *string   `json:"description,omitempty" validate:"omitempty,text=project.description"`
	Roots       *[]string `json:"roots,omitempty" validate:"omitempty,max=50,dive,line=project.root"`
	Aliases     *[]string `json:"aliases,omitempty" validate:"omitempty,max=50,dive,line=project.slug"`
	Sharing     *bool     `json:"sharing,omitempty"`
}

// ProjectMember is somebody who works in a project, or is named for its pool.
type ProjectMember struct {
	Name        string `json:"name"`        // to sign in with
	DisplayName string `json:"displayName"` // shown
	Member      bool   `json:"member"`      // works in it
	Named       bool   `json:"named"`       // may read the pool by name; while somebody is named, only those may
}

// ProjectMembers answers the routes of a project's members.
type ProjectMembers struct {
	Revision int64           `json:"revision"` // the project's
	Items    []ProjectMember `json:"items"`    // by name
}

// ProjectMemberSet is the body of POST /api/projects/{id}/members: what somebody is
// in the project. Absent fields stay; somebody new becomes a member.
type ProjectMemberSet struct {
	Name   string `json:"name" validate:"required,max=200"`
	Member *bool  `json:"member,omitempty"`
	Named  *bool  `json:"named,omitempty"`
}

// PathProjects is the path of the projects.
const PathProjects = "/api/projects"

// ProjectPath is the path of one project, with an optional last part such as "members".
func ProjectPath(id int64, part ...string) string { return itemPath(PathProjects, id, part) }

// MemberPath is the path of somebody in a project.
func MemberPath(project int64, name string) string {
	return PathProjects + "/" + strconv.FormatInt(project, 10) + "/members/" + name
}
