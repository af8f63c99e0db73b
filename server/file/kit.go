package file

import (
	"context"
	"strings"

	"elowen/server/account"
	"elowen/server/project"
	"elowen/server/render"
	"elowen/server/tool"
	"elowen/shared/fault"
)

// The names of the tools.
const (
	ListFiles   = "ListFiles"
	ReadFile    = "ReadFile"
	SearchFiles = "SearchFiles"
)

// Options are what a Kit is made of.
type Options struct {
	Projects *project.Store
	// Allowed tells whether an administrator allows it.
	Allowed func(ctx context.Context) (bool, error)
}

// Kit is the tools. It is safe for concurrent use.
type Kit struct{ o Options }

// New makes the tools.
func New(o Options) *Kit { return &Kit{o} }

var (
	listInput = tool.Input(
		tool.Field{Name: "path", Kind: "string", Doc: "Folder in the project; left out: its root", Setting: "file.path"},
		tool.Field{Name: "depth", Kind: "integer", Doc: "Folders below each other", Setting: "file.depth"},
	)
	readInput = tool.Input(
		tool.Field{Name: "path", Kind: "string", Doc: "File in the project", Setting: "file.path", Needed: true},
		tool.Field{Name: "line", Kind: "integer", Doc: "First line, from 1", Setting: "file.line"},
		tool.Field{Name: "lines", Kind: "integer", Doc: "At most so many lines", Setting: "file.lines"},
	)
	searchInput = tool.Input(
		tool.Field{Name: "pattern", Kind: "string", Doc: "Regular expression (RE2), looked for in each line", Setting: "file.pattern", Needed: true},
		tool.Field{Name: "path", Kind: "string", Doc: "Folder or file to look in; left out: the whole project", Setting: "file.path"},
		tool.Field{Name: "name", Kind: "string", Doc: "Only files with such names, such as *.go", Setting: "file.path"},
		tool.Field{Name: "ignoreCase", Kind: "boolean", Doc: "Capitals and small letters are the same"},
	)
)

// Offers implements tool.Kit. Where no project's files may be read nothing is offered.
func (k *Kit) Offers(ctx context.Context, at tool.Place) ([]tool.Offer, error) {
	switch _, err := k.roots(ctx, at); {
	case fault.Is(err, fault.Forbidden) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Unauthenticated):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []tool.Offer{
		{Name: ListFiles, Description: "Lists the files and folders of the project that this conversation is about, on the machine that elowen runs on.", Input: listInput},
		{Name: ReadFile, Description: "Reads a text file of the project, with the numbers of its lines.", Input: readInput},
		{Name: SearchFiles, Description: "Finds lines in the project's text files: path, number and the line itself.", Input: searchInput},
	}, nil
}

// Run implements tool.Kit.
func (k *Kit) Run(ctx context.Context, at tool.Place, name string, args []byte) (tool.Outcome, bool) {
	var run func(context.Context, roots, []byte) (string, error)
	switch name {
	case ListFiles:
		run = list
	case ReadFile:
		run = read
	case SearchFiles:
		run = search
	default:
		return tool.Outcome{}, false
	}
	r, err := k.roots(ctx, at)
	if err != nil {
		return tool.Failure(err), true
	}
	text, err := run(ctx, r, args)
	if err != nil {
		return tool.Failure(err), true
	}
	return tool.Outcome{Text: render.Harmless(strings.ToValidUTF8(text, "\uFFFD"))}, true
}

// roots are the folders that may be read at a place. Errors: Forbidden where no files may
// be read, NotFound where there is no project, or none of the account's.
func (k *Kit) roots(ctx context.Context, at tool.Place) (roots, error) {
	allowed, err := k.o.Allowed(ctx)
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, fault.New(fault.Forbidden, "Files can't be read: an administrator has to allow it in the settings.")
	}
	who, err := at.Identify(ctx)
	if err != nil {
		return nil, err
	}
	found, err := k.o.Projects.Find(ctx, who.Owner, at.ProjectPath)
	if err != nil {
		return nil, err
	}
	if found.ID == 0 {
		return nil, fault.New(fault.NotFound, "This conversation is about no project, so there are no files to read.")
	}
	p, err := k.o.Projects.Get(ctx, account.Identity{Owner: who.Owner}, found.ID)
	if err != nil {
		return nil, err
	}
	if !p.Member || len(p.Roots) == 0 {
		return nil, fault.New(fault.NotFound, "The project has no folder that you may read.")
	}
	return named(p.Roots), nil
}
