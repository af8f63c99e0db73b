package tool

import (
	"fmt"
	"strings"

	"elowen/server/project"
	"elowen/server/render"
	"elowen/shared/api"
	"elowen/shared/fault"
)

type addArguments struct {
	Body        string `json:"body" validate:"body"`
	Kind        string `json:"kind,omitempty" validate:"omitempty,label"`
	Importance  *int   `json:"importance,omitempty" validate:"omitempty,setting=memory.importance"`
	Category    string `json:"category,omitempty" validate:"line=agent.category"`
	Shared      bool   `json:"shared,omitempty"`
	ProjectPath string `json:"projectPath,omitempty" validate:"text=agent.path"`
}

// alike is a memory that another resembles, in a result's object.
type alike struct {
	ID         int64   `json:"id"`
	Similarity float64 `json:"similarity"` // 0 to 1
	Body       string  `json:"body"`       // its beginning
}

// added is the object of the result.
type added struct {
	ID       int64   `json:"id"`
	Existing bool    `json:"existing"`
	Category string  `json:"category"`
	Project  string  `json:"project"`
	Shared   bool    `json:"shared"`
	Similar  []alike `json:"similar"`
	Note     string  `json:"note"`
}

func memoryAdd() *Tool {
	return &Tool{
		Name: "MemoryAdd", Title: "Save a memory", Scope: api.ScopeWrite, Idempotent: true,
		Description: "Saves one lasting fact, preference, decision or lesson, as soon as you learn it: one self-contained statement that will be understood without this conversation, no secrets, nothing that the code or files say anyway. It is stored even beside a similar one, which is reported: then use MemoryMerge or MemoryUpdate. To correct something stored use MemoryUpdate.",
		Input: object(
			text("body", "The statement, with names and absolute dates").needed().within("memory.body"),
			text("kind", "fact, preference, decision, user, feedback, project, reference, or a label of your own").within("memory.kind"),
			whole("importance", "What forgetting it would cost: 1 a convenience, 5 a normal fact, 7 an important decision, 10 safety or law").within("memory.importance"),
			text("category", "Name of one of MemoryCategories; usually left out").within("agent.category"),
			boolean("shared", "Into the project's pool, for everyone in it"),
			text("projectPath", "Folder you work in, or a project's name: for what holds there only").within("agent.path"),
		),
		Output: result(whole("id", ""), boolean("existing", "It was stored already"), text("category", ""), text("project", ""), boolean("shared", ""),
			list("similar", "", result(whole("id", ""), number("similarity", ""), text("body", "Its beginning"))), text("note", "")),
		run: add,
	}
}

func add(u *use) (Result, error) {
	in, err := arguments[addArguments](u)
	if err != nil {
		return Result{}, err
	}
	if err := fresh(in.Body); err != nil {
		return Result{}, err
	}
	// Where the agent works is no word on where a fact holds, which the argument is. What
	// is shared goes to where it works.
	var where project.Found
	told := in.ProjectPath
	if told != "" || in.Shared {
		if where, told, err = u.where(told); err != nil {
			return Result{}, err
		}
	}
	if in.Shared && where.ID == 0 {
		why := missing(where, told)
		if why == "" {
			why = "projectPath is missing."
		}
		return Result{}, fault.BadField("projectPath", "required", "", "What is shared needs a project. "+why+" Nothing was stored.")
	}
	request := api.MemoryAdd{Body: in.Body, Kind: in.Kind, Importance: in.Importance, Shared: in.Shared, ProjectID: where.ID}
	if in.Category != "" {
		pool := int64(0)
		if in.Shared {
			pool = where.ID
		}
		c, err := u.categoryNamed(in.Category, pool)
		if err != nil {
			return Result{}, err
		}
		request.CategoryID = api.Some(c.ID)
	}
	m, err := u.Memories.Add(u.ctx, u.owner(), u.by(), api.SourceAgent, request)
	if err != nil {
		return Result{}, err
	}
	out := added{ID: m.ID, Existing: m.Existing, Project: where.Slug, Shared: m.Shared, Similar: []alike{}}
	if out.Category, err = u.categoryName(m.Memory); err != nil {
		return Result{}, err
	}
	return out.result(m, missing(where, in.ProjectPath)), nil
}

func (out added) result(m api.MemoryAdded, note string) Result {
	var elements []render.Memory
	for _, s := range m.Similar {
		beginning := render.Cut(s.Body, similarBeginning)
		out.Similar = append(out.Similar, alike{ID: s.ID, Similarity: s.Similarity, Body: render.Harmless(beginning)})
		elements = append(elements, render.Memory{ID: s.ID, Body: beginning, Note: fmt.Sprintf("similarity %.2f", s.Similarity)})
	}
	in := ""
	if out.Category != "" {
		in = " in " + out.Category
	}
	said := fmt.Sprintf("Saved as memory %d%s.", out.ID, in)
	if out.Existing {
		said = fmt.Sprintf("It was stored already, as memory %d%s; nothing was added.", out.ID, in)
	}
	notes := []string{note}
	if out.Category == "" {
		notes = append(notes, "It is in no category, so it is not recalled by itself; MemoryUpdate files it.")
	}
	if len(elements) > 0 {
		notes = append(notes, "These are similar. If one says the same, put them together with MemoryMerge; if one is outdated now, delete it with MemoryDelete; else leave them.")
	}
	out.Note = strings.TrimSpace(strings.Join(notes, " "))
	parts := []string{strings.TrimSpace(said + " " + out.Note)}
	if frame := render.Frame(elements, 0); frame != "" {
		parts = append(parts, frame)
	}
	return Result{Text: strings.Join(parts, "\n"), Object: out}
}

// similarBeginning is how much of a similar memory is shown, in characters: enough to
// see whether it says the same, too little to count as handed out.
const similarBeginning = 240
