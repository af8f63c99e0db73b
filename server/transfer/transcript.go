package transfer

import (
	"encoding/json"
	"regexp"

	"elowen/server/db"
	"elowen/server/transcript"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// partBytes is from how many bytes of turns on an export begins another part of a
// transcript: with a turn of the largest size a part stays under import.line.
const partBytes = 256 << 10

// transcripts writes those of an account.
func (s *Store) transcripts(tx *db.Tx, owner db.AccountID, out *lineWriter) error {
	for t, err := range transcript.Export(tx, owner) {
		if err != nil {
			return err
		}
		parts, err := apart(t.Turns)
		if err != nil {
			return err
		}
		for n, turns := range parts {
			line := &api.Line{Type: api.LineTranscript, Turns: turns}
			if n == 0 {
				line.Surface, line.StartedAt, line.Participants, line.CreatedAt = t.Surface, t.StartedAt, t.Participants, optional(t.Came)
			}
			if len(parts) > 1 {
				line.Part, line.Parts = n+1, len(parts)
			}
			if out.write(line); out.err != nil {
				return out.err
			}
		}
	}
	return nil
}

// apart cuts turns into as many parts as lines need; at least one.
func apart(turns []api.TurnAdd) (parts [][]api.TurnAdd, err error) {
	from, size := 0, 0
	for i := range turns {
		text, err := json.Marshal(turns[i])
		if err != nil {
			return nil, fault.Wrap(fault.Internal, err, "")
		}
		if size > 0 && size+len(text) > partBytes {
			parts, from, size = append(parts, turns[from:i]), i, 0
		}
		size += len(text)
	}
	return append(parts, turns[from:]), nil
}

// said is a line of a transcript.
type said struct {
	add         api.TranscriptAdd // of a part after the first only the turns
	came        int64
	part, parts int // from 1
}

func (p *parsed) parseTranscript(line *api.Line) error {
	if line.Body != "" || line.Category.Set || len(line.Events) > 0 || line.Shared || line.Project != "" {
		return fault.New(fault.Invalid, "A line of type transcript has surface, startedAt, createdAt, participants, turns, part and parts, nothing of a memory.")
	}
	p.said = said{api.TranscriptAdd{Surface: line.Surface, StartedAt: line.StartedAt, Participants: line.Participants, Turns: line.Turns}, millis(line.CreatedAt), line.Part, line.Parts}
	if line.Part == 0 && line.Parts == 0 {
		p.said.part, p.said.parts = 1, 1
	}
	if p.said.part < 1 || p.said.part > p.said.parts {
		return fault.BadField("part", "range", "", "part must be a number from 1 to parts.")
	}
	return nil
}

// transcriptType finds the lines of transcripts without reading the others.
var transcriptType = regexp.MustCompile(`"type"\s*:\s*"transcript"`)

// bringTranscripts brings in all transcripts, each in a decision of its own, and notes
// what became of their lines: a transcript may be in several.
func (i *importing) bringTranscripts(in *staged) error {
	var open []*parsed // the parts of one, as far as they came
	alone := func() {  // its rest is missing
		for _, p := range open {
			i.spoken[p.number] = spoken{err: fault.Newf(fault.Invalid, "It is part %d of the %d of a transcript that is not here whole. They have to follow each other.", p.said.part, p.said.parts)}
		}
		open = nil
	}
	err := in.lines(func(l rawLine) error {
		if l.data == nil || !transcriptType.Match(l.data) {
			alone()
			return nil
		}
		p := parseLine(l.number, l.data, i.db.Now(), false)
		if p.err != nil || p.kind != api.LineTranscript {
			alone()
			return nil
		}
		if n := len(open); n == 0 || p.said.part != n+1 || p.said.parts != open[0].said.parts || p.account != open[0].account {
			alone()
		}
		open = append(open, p)
		if p.said.part != len(open) {
			alone()
			return nil
		}
		if len(open) == p.said.parts {
			done := open
			open = nil
			return i.bringTranscript(done)
		}
		return nil
	})
	if err == nil {
		alone()
	}
	return err
}

// spoken is what became of a line of a transcript.
type spoken struct {
	fate string
	id   int64
	err  error
}

func (i *importing) bringTranscript(parts []*parsed) error {
	whole := parts[0].said.add
	for _, p := range parts[1:] {
		whole.Turns = append(whole.Turns, p.said.add.Turns...)
	}
	c, err := transcript.Carry(whole, parts[0].said.came)
	var out spoken
	if err == nil {
		c.Ready()
		err = i.decide(func(tx *db.Tx) (err error) {
			out, err = i.carry(tx, parts[0], c)
			return err
		})
	}
	if err != nil && internal(err) {
		return err
	}
	for _, p := range parts {
		i.spoken[p.number] = spoken{out.fate, out.id, err}
	}
	return nil
}

// carry brings one in, unless an import did before or the account has the same.
func (i *importing) carry(tx *db.Tx, p *parsed, c *transcript.Carried) (spoken, error) {
	t, err := i.owned(tx, p)
	if err != nil {
		return spoken{}, err
	}
	name := "transcript:" + c.Identity()
	if i.o.DryRun {
		m := markOf(name)
		if t.seen[m]++; t.seen[m] > 1 { // one that comes twice is one
			return spoken{fate: api.FateExisting}, nil
		}
		if t.owner == 0 {
			return spoken{fate: api.FateAdded}, nil
		}
	}
	before, err := recall(tx, t.owner, jsonlSource, []string{name})
	if err != nil {
		return spoken{}, err
	}
	if id, ok := before[name]; ok {
		there, err := transcript.Owns(tx, t.owner, id)
		if !there { // it was deleted since, and stays so
			return spoken{fate: api.FateKept}, err
		}
		return spoken{fate: api.FateExisting, id: id}, err
	}
	id, err := c.There(tx, t.owner)
	if err != nil || i.o.DryRun {
		return spoken{fate: fateOf(id), id: id}, err
	}
	out := spoken{fate: fateOf(id), id: id}
	if id == 0 {
		if out.id, err = c.Insert(tx, t.owner); err != nil {
			return out, err
		}
	}
	return out, remember(tx, t.owner, jsonlSource, []origin{{name, out.id}})
}

func fateOf(there int64) string {
	if there != 0 {
		return api.FateExisting
	}
	return api.FateAdded
}

// transcriptFate tells the fate of a transcript's line; it was brought in before.
func (i *importing) transcriptFate(p *parsed) {
	s := i.spoken[p.number]
	p.fate.Fate, p.fate.ID, p.err = s.fate, s.id, s.err
}
