package journal

import "slices"

// Entry is one entry of a conversation. It is never changed.
type Entry struct {
	ID      int64
	Parent  int64 // 0: the first of a branch
	At      int64 // Unix milliseconds
	Payload Payload
}

// Part is one thing that the model is shown.
type Part struct {
	Entry int64 // that it comes from
	// Message is what was said. Its Details are never there.
	Message *Message
	// Summary stands for what was before.
	Summary *Compaction
	// Context is a block of ours.
	Context *TurnContext
}

// Project is what the model sees of a branch, which begins with its first entry. It
// changes nothing, and depends on nothing else. What a branch refers to but doesn't
// have is left out.
func Project(branch []Entry) []Part {
	from, parts := 0, make([]Part, 0, len(branch))
	if at, c := compaction(branch); c != nil {
		from = at + 1
		if kept := slices.IndexFunc(branch[:at], func(e Entry) bool { return e.ID == c.FirstKept }); kept >= 0 {
			from = kept
		}
		parts = append(parts, Part{Entry: branch[at].ID, Summary: c})
	}
	cleared := map[int64]bool{}
	behind := map[int64][]Part{} // by anchor, in their order
	for _, e := range branch {
		if p, ok := e.Payload.(*ContextCleared); ok {
			for _, id := range p.Cleared {
				cleared[id] = true
			}
		}
	}
	for _, e := range branch {
		if p, ok := e.Payload.(*TurnContext); ok && !cleared[e.ID] {
			behind[p.Anchor] = append(behind[p.Anchor], Part{Entry: e.ID, Context: p})
		}
	}
	for _, e := range branch[from:] {
		if p, ok := e.Payload.(*Message); ok {
			parts = append(parts, Part{Entry: e.ID, Message: plain(p)})
		}
		parts = append(parts, behind[e.ID]...)
	}
	return parts
}

// plain is a message without what is for people alone.
func plain(p *Message) *Message {
	if len(p.Details) == 0 {
		return p
	}
	bare := *p
	bare.Details = nil
	return &bare
}

// compaction is the latest of a branch, and its place; nil where there is none.
func compaction(branch []Entry) (int, *Compaction) {
	for i := len(branch) - 1; i >= 0; i-- {
		if c, ok := branch[i].Payload.(*Compaction); ok {
			return i, c
		}
	}
	return 0, nil
}

// Labels are the names that a branch gives to entries.
func Labels(branch []Entry) map[int64]string {
	names := map[int64]string{}
	for _, e := range branch {
		if p, ok := e.Payload.(*Label); ok {
			if names[p.Entry] = p.Text; p.Text == "" {
				delete(names, p.Entry)
			}
		}
	}
	return names
}
