package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/memory"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// parsed is a line of an import, read and judged.
type parsed struct {
	number  int // from 1
	account string
	kind    string // the line's type
	err     error  // why it is refused; then nothing else counts

	category string         // of a memory, by name; empty for none
	unnamed  bool           // a memory's line that says nothing of a category
	filed    bool           // so it goes to the default one
	faded    bool           // a sweep would take it as it comes in
	project  string         // slug: of type project its own; else where it belongs; empty for nowhere
	in       int64          // that project, once it is known
	shared   bool           // of that project's pool
	work     api.ProjectAdd // of type project
	as       api.ProjectMember
	said     said            // of type transcript
	memory   memory.Carried  // of type memory; of type purged its events
	shelf    api.CategoryAdd // of type category
	identity string          // names the memory whatever its id; see identify
	dated    bool            // the line says when the memory was made
	made     *api.Time       // when, as it says
	head     string          // of one that is refused: how it begins, as it stands there
	fate     api.LineFate

	file    string // of another system's: where there are several
	foreign bool   // it is another system's: known by its text alone
}

// parseLine reads one line. What it refuses it refuses with a plain sentence, and
// nothing is repaired. now stands for instants that the line doesn't name.
func parseLine(number int, data []byte, now int64, foreign bool) *parsed {
	p := &parsed{number: number}
	if p.err = p.parse(data, now, foreign); p.err != nil {
		p.head = string(data[:min(len(data), headBytes)])
	}
	p.fate = api.LineFate{Line: number}
	return p
}

func (p *parsed) parse(data []byte, now int64, foreign bool) error {
	if most := setting.Int("import.line"); len(data) > most {
		return fault.Newf(fault.TooLarge, "The line is longer than %d bytes.", most)
	}
	var line api.Line
	if err := validation.Unmarshal(data, &line); err != nil {
		return err
	}
	if err := validation.Struct(line); err != nil {
		switch line.Type {
		case "skill", "daily":
			return fault.Newf(fault.Invalid, "Lines of type %s are not known to this version.", line.Type)
		}
		return err
	}
	p.kind, p.account, p.project, p.shared = line.Type, line.Account, line.Project, line.Shared
	if p.shared && p.project == "" {
		return fault.BadField("project", "required", "", "What is shared needs its project.")
	}
	if foreign {
		for i := range line.Events {
			line.Events[i].Foreign = true
		}
	}
	switch line.Type {
	case api.LineCategory:
		return p.parseCategory(&line)
	case api.LineProject:
		return p.parseProject(&line)
	case api.LinePurged:
		return p.parsePurged(&line)
	case api.LineTranscript:
		return p.parseTranscript(&line)
	}
	return p.parseMemory(&line, now)
}

func (p *parsed) parseCategory(line *api.Line) error {
	if line.Body != "" || line.Category.Set || len(line.Events) > 0 {
		return fault.New(fault.Invalid, "A line of type category has name, description, color, icon and default, nothing of a memory.")
	}
	p.shelf = api.CategoryAdd{Name: line.Name, Description: line.Description, Color: line.Color, Icon: line.Icon, Default: line.Default}
	return validation.Struct(p.shelf)
}

func (p *parsed) parseProject(line *api.Line) error {
	if line.Body != "" || line.Category.Set || len(line.Events) > 0 || line.Shared {
		return fault.New(fault.Invalid, "A line of type project has project (its slug), name, description, roots, aliases, sharing, member and named, nothing of a memory.")
	}
	if line.Project == "" {
		return fault.BadField("project", "required", "", "A project needs its slug.")
	}
	p.work = api.ProjectAdd{Slug: line.Project, Name: line.Name, Description: line.Description, Roots: line.Roots, Aliases: line.Aliases, Sharing: line.Sharing}
	if p.work.Name == "" {
		p.work.Name = line.Project
	}
	p.as = api.ProjectMember{Member: line.Member, Named: line.Named}
	return validation.Struct(p.work)
}

func (p *parsed) parsePurged(line *api.Line) error {
	if line.Body != "" || len(line.Versions) > 0 || len(line.Used) > 0 {
		return fault.New(fault.Invalid, "What is left of a purged memory is its events, nothing else.")
	}
	if len(line.Events) == 0 {
		return fault.BadField("events", "required", "", "A line of type purged needs its events.")
	}
	p.memory = memory.Carried{Events: line.Events}
	p.identity, p.dated = purgedIdentity(line.Events), true
	return nil
}

// purgedIdentity names what is left of a memory by all that it is, wherever it is.
func purgedIdentity(events []api.LineEvent) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%s\x00%s\x00%d\x00%s\x00%s\x00", e.Action, audit.Kind(e.Actor), e.At, e.Before, e.After)
	}
	return "purged:" + digest(b.String())
}

func (p *parsed) parseMemory(line *api.Line, now int64) error {
	p.memory.Body = line.Body // to be told, also if something else is refused
	p.unnamed = !line.Category.Set
	if name := line.Category.Value; name != nil {
		shelf := api.CategoryAdd{Name: *name}
		if err := validation.Struct(shelf); err != nil {
			return fault.BadField("category", "name", "", "The category's name cannot be taken: "+fault.ProblemOf(err).Detail)
		}
		p.category = strings.TrimSpace(shelf.Name)
	}
	p.memory = memory.Carried{
		Body: line.Body, Kind: line.Kind, Importance: setting.Int("memory.importance"), Confidence: setting.Get("memory.confidence").Default,
		Subject: line.Subject, Source: line.Source, Status: line.Status, UseCount: line.UseCount,
		LastUsedAt: millis(line.LastUsedAt), CreatedAt: millis(line.CreatedAt), UpdatedAt: millis(line.UpdatedAt),
		ReviewedAt: millis(line.ReviewedAt), DeletedAt: millis(line.DeletedAt), DeletedWhy: line.DeletedWhy,
		DeletedBy: line.DeletedBy, DeletedHow: line.DeletedHow,
		Revision: line.Revision, Uses: line.Used, Events: line.Events, Versions: line.Versions,
	}
	if line.Importance != nil {
		if !setting.Get("memory.importance").Contains(float64(*line.Importance)) { // 0 would mean the default to the store
			return fault.BadField("importance", "setting", setting.Get("memory.importance").Range(), "importance must be a whole number from "+setting.Get("memory.importance").Range()+".")
		}
		p.memory.Importance = *line.Importance
	}
	if line.Confidence != nil {
		p.memory.Confidence = *line.Confidence
	}
	p.countUses()
	for _, e := range line.Events {
		p.memory.Revision = max(p.memory.Revision, e.Revision)
	}
	if err := p.memory.Check(now); err != nil {
		return err
	}
	p.dated, p.made = line.CreatedAt != nil, line.CreatedAt
	p.identify()
	return nil
}

// countUses fills in what a line leaves to its uses: how many, and the last one.
func (p *parsed) countUses() {
	m := &p.memory
	counted := int64(0)
	last := int64(0)
	for _, u := range m.Uses {
		if u.Kind == api.UseRecall {
			counted++
		}
		last = max(last, int64(u.At))
	}
	if m.UseCount == 0 {
		m.UseCount = counted
	}
	if m.LastUsedAt == 0 {
		m.LastUsedAt = last
	}
}

// identify names the memory by what stays: its text as it was and when it was
// made. One that doesn't say when is known by its text and category.
func (p *parsed) identify() {
	if p.dated {
		p.identity = "memory:" + digest(strconv.FormatInt(p.memory.CreatedAt, 10)+"\x00"+p.memory.Body)
		return
	}
	p.identity = "text:" + digest(category.Key(p.category)+"\x00"+p.memory.Body)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

func millis(t *api.Time) int64 {
	if t == nil {
		return 0
	}
	return int64(*t)
}
