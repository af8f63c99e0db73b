package foreign

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/api"
)

// chatGPT reads what ChatGPT wrote to its memory, out of the conversations of an account
// export: messages to the tool "bio", and the newest of the states of its memory that
// it was given with a conversation. A list of memories as JSON is read, too, and text
// as its settings show it or it writes it when it is asked.
type chatGPT struct {
	written   []fact
	state     []fact // of the newest state
	stateAt   float64
	hasState  bool
	forgotten int
	talks     int // conversations
}

// fact is what was written to memory.
type fact struct {
	f    *File
	line int
	text string
	at   stamp
}

func (r *chatGPT) picks(f *File) bool {
	base := strings.ToLower(path.Base(f.Name))
	switch ending(f.Name) {
	case ".txt", ".md", ".markdown", "":
		return true
	case ".json":
		return strings.HasPrefix(base, "conversations") || strings.HasPrefix(base, "memor")
	}
	return false
}

// exported are files of an account export that have nothing of its memory.
var exported = map[string]bool{"user.json": true, "users.json": true, "message_feedback.json": true, "model_comparisons.json": true, "shared_conversations.json": true,
	"user_settings.json": true, "export_manifest.json": true, "projects.json": true, "group_chats.json": true, "sora.json": true, "login_history.json": true}

func (r *chatGPT) read(c *collector, f *File) error {
	if e := ending(f.Name); e != ".json" {
		shape, err := shapeOf(f)
		if err != nil {
			return err
		}
		if shape.kind != '[' || len(shape.keys) == 0 {
			return c.prose(f, entries)
		}
	}
	c.groups = "headings"
	d, err := f.json()
	if err != nil {
		return err
	}
	defer d.close()
	if d.kind() == '{' {
		err = d.object(func(name string) error {
			if (name == "memories" || name == "conversations") && d.kind() == '[' {
				return d.array(func() error { return r.element(c, d) })
			}
			return d.skip()
		})
	} else {
		err = d.array(func() error { return r.element(c, d) })
	}
	if err != nil {
		return err
	}
	return d.end()
}

// element is a conversation, or an entry of a list of memories.
func (r *chatGPT) element(c *collector, d *cursor) error {
	line, err := d.line()
	if err != nil {
		return err
	}
	if d.kind() != '{' {
		return d.unexpected("an object")
	}
	var text string
	var at stamp
	talk, off := false, false
	err = d.object(func(name string) error {
		switch {
		case name == "mapping" && d.kind() == '{':
			talk = true
			return d.object(func(string) error { return r.node(d) })
		case name == "content" || name == "text" || name == "memory" || name == "created_at" || name == "enabled":
			raw, at2, err := d.value()
			if err != nil {
				return err
			}
			switch name {
			case "created_at":
				if err := record(raw, &at); err != nil {
					return c.refuse(d.f, at2, raw, "created_at is no time that could be read.")
				}
			case "enabled":
				off = string(raw) == "false"
			default:
				_ = record(raw, &text) // another kind is no text
			}
			return nil
		}
		return d.skip()
	})
	if err != nil {
		return err
	}
	if talk {
		r.talks++
		return nil
	}
	if off {
		r.forgotten++
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return c.refuse(d.f, line, nil, "It has no text, and is no conversation.")
	}
	return c.add(d.f, line, "", api.Line{Body: text, CreatedAt: c.at(at)})
}

// node is a message of a conversation with its place in the tree.
func (r *chatGPT) node(d *cursor) error {
	if d.kind() != '{' {
		return d.skip()
	}
	return d.object(func(name string) error {
		if name != "message" || d.kind() != '{' {
			return d.skip()
		}
		raw, line, err := d.value()
		if err != nil {
			return err
		}
		if bytes.Contains(raw, []byte(`"bio"`)) || bytes.Contains(raw, []byte(`"model_set_context"`)) {
			return r.message(d.f, line, raw)
		}
		return nil
	})
}

func (r *chatGPT) message(f *File, line int, raw []byte) error {
	var m struct {
		Author struct {
			Role string `json:"role"`
		} `json:"author"`
		Recipient string  `json:"recipient"`
		Created   float64 `json:"create_time"`
		Content   struct {
			Type  string           `json:"content_type"`
			Parts []jsontext.Value `json:"parts"`
			Text  string           `json:"text"`
			State string           `json:"model_set_context"`
		} `json:"content"`
	}
	if record(raw, &m) != nil {
		return nil // another kind of message
	}
	at, _ := epoch(m.Created)
	if m.Content.State != "" {
		if r.hasState && m.Created < r.stateAt {
			return nil
		}
		r.hasState, r.stateAt, r.state = true, m.Created, nil
		p := &prose{style: entries, emit: func(b block) error {
			r.state = append(r.state, fact{f, line, b.text, b.at})
			return nil
		}}
		return p.text(m.Content.State, line, 0)
	}
	if m.Recipient != "bio" || m.Author.Role != "assistant" {
		return nil
	}
	texts := []string{m.Content.Text}
	for _, part := range m.Content.Parts {
		var text string
		if record(part, &text) == nil {
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		switch text = strings.TrimSpace(text); {
		case text == "":
		case len(text) >= 6 && strings.EqualFold(text[:6], "forget"):
			r.forgotten++
		default:
			r.written = append(r.written, fact{f, line, text, at})
		}
	}
	return nil
}

func (r *chatGPT) end(c *collector) error {
	list := r.written
	if r.hasState { // the state has what was written before it, and not what was deleted
		list = slices.DeleteFunc(list, func(x fact) bool { return float64(x.at.ms) <= r.stateAt*1000 })
		list = append(slices.Clone(r.state), list...)
	}
	slices.SortStableFunc(list, func(a, b fact) int { return cmp.Compare(a.at.ms, b.at.ms) })
	for _, x := range list {
		if err := c.add(x.f, x.line, "", api.Line{Body: x.text, CreatedAt: c.at(x.at)}); err != nil {
			return err
		}
	}
	switch {
	case r.talks > 0 && r.hasState:
		c.note("Read the newest state of ChatGPT's memory in %s, and what was written to it since.", count(r.talks, "conversation", "conversations"))
	case r.talks > 0:
		c.note("Read what ChatGPT wrote to its memory in %s. What was deleted there later may be among it; nothing else of the conversations is taken.", count(r.talks, "conversation", "conversations"))
	}
	if r.forgotten > 0 {
		c.note("Left out %s to forget something, or switched off.", count(r.forgotten, "entry that was", "entries that were"))
	}
	return nil
}
