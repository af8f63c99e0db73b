package journal

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// brief is what a part is, for comparing.
func brief(parts []Part) []string {
	list := []string{}
	for _, p := range parts {
		switch {
		case p.Summary != nil:
			list = append(list, "summary "+p.Summary.Summary)
		case p.Context != nil:
			list = append(list, "block "+p.Context.Block)
		default:
			list = append(list, p.Message.Role+" "+p.Message.Content)
		}
	}
	return list
}

func say(id int64, text string) Entry {
	return Entry{ID: id, Parent: id - 1, Payload: &Message{Role: RoleUser, Content: text}}
}

func put(id int64, p Payload) Entry { return Entry{ID: id, Parent: id - 1, Payload: p} }

func TestProject(t *testing.T) {
	for name, c := range map[string]struct {
		branch []Entry
		want   []string
	}{
		"nothing":  {nil, []string{}},
		"messages": {[]Entry{say(1, "a"), say(2, "b")}, []string{"user a", "user b"}},
		"a block stands behind its anchor, not where it was noted": {
			[]Entry{say(1, "a"), say(2, "b"), put(3, &TurnContext{Anchor: 1, Block: "x"}), put(4, &TurnContext{Anchor: 1, Block: "y"})},
			[]string{"user a", "block x", "block y", "user b"},
		},
		"what is cleared is gone": {
			[]Entry{say(1, "a"), put(2, &TurnContext{Anchor: 1, Block: "x"}), put(3, &TurnContext{Anchor: 1, Block: "y"}), put(4, &ContextCleared{Cleared: []int64{2}})},
			[]string{"user a", "block y"},
		},
		"a summary stands before the first entry that is kept": {
			[]Entry{say(1, "a"), say(2, "b"), say(3, "c"), put(4, &Compaction{Summary: "s", FirstKept: 3}), say(5, "d")},
			[]string{"summary s", "user c", "user d"},
		},
		"only the latest summary, which may keep what an earlier one kept not": {
			[]Entry{say(1, "a"), say(2, "b"), put(3, &Compaction{Summary: "s", FirstKept: 2}), say(4, "c"), put(5, &Compaction{Summary: "t", FirstKept: 1})},
			[]string{"summary t", "user a", "user b", "user c"},
		},
		"blocks leave with their anchors": {
			[]Entry{say(1, "a"), put(2, &TurnContext{Anchor: 1, Block: "x"}), say(3, "b"), put(4, &TurnContext{Anchor: 3, Block: "y"}), put(5, &Compaction{Summary: "s", FirstKept: 3})},
			[]string{"summary s", "user b", "block y"},
		},
		"nothing is kept": {
			[]Entry{say(1, "a"), put(2, &Compaction{Summary: "s", FirstKept: 9}), say(3, "b")},
			[]string{"summary s", "user b"},
		},
		"labels and what only people see are not shown": {
			[]Entry{say(1, "a"), put(2, &Label{Entry: 1, Text: "here"}), put(3, &Message{Role: RoleToolResult, Content: "r", CallID: "c", Details: json.RawMessage(`{"secret":1}`)})},
			[]string{"user a", "toolResult r"},
		},
	} {
		parts := Project(c.branch)
		if got := brief(parts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, p := range parts {
			if p.Message != nil && p.Message.Details != nil {
				t.Errorf("%s: details are shown", name)
			}
		}
	}
	if got := Labels([]Entry{say(1, "a"), put(2, &Label{Entry: 1, Text: "x"}), say(3, "b"), put(4, &Label{Entry: 3, Text: "y"}), put(5, &Label{Entry: 1})}); !reflect.DeepEqual(got, map[int64]string{3: "y"}) {
		t.Errorf("labels %v", got)
	}
}

// branches are any that Append lets be.
func branches(t *rapid.T) []Entry {
	n := rapid.IntRange(0, 40).Draw(t, "n")
	var list []Entry
	for i := range n {
		list = append(list, grown(t, list, int64(i+1)*3))
	}
	return list
}

// grown is an entry that may follow a branch.
func grown(t *rapid.T, list []Entry, id int64) Entry {
	e := Entry{ID: id, At: id * 1000}
	var blocks []int64
	for _, old := range list {
		e.Parent = old.ID
		if old.Payload.Type() == TypeTurnContext {
			blocks = append(blocks, old.ID)
		}
	}
	kind := rapid.SampledFrom([]Type{TypeMessage, TypeMessage, TypeMessage, TypeTurnContext, TypeTurnContext, TypeCompaction, TypeContextCleared, TypeLabel}).Draw(t, "type")
	any := func() int64 { return list[rapid.IntRange(0, len(list)-1).Draw(t, "of")].ID }
	switch {
	case kind == TypeMessage || len(list) == 0 || kind == TypeContextCleared && len(blocks) == 0:
		role := rapid.SampledFrom([]string{RoleUser, RoleAssistant, RoleToolResult}).Draw(t, "role")
		m := &Message{Role: role, Content: fmt.Sprint("said ", id)}
		if role == RoleToolResult {
			m.Details = json.RawMessage(`"for people"`)
		}
		e.Payload = m
	case kind == TypeTurnContext:
		e.Payload = &TurnContext{Anchor: any(), Block: fmt.Sprint("block ", id), Deliveries: []Delivery{{Memory: id, BodyHash: "h"}}}
	case kind == TypeCompaction:
		e.Payload = &Compaction{Summary: fmt.Sprint("summary ", id), FirstKept: any()}
	case kind == TypeContextCleared:
		e.Payload = &ContextCleared{Cleared: []int64{rapid.SampledFrom(blocks).Draw(t, "cleared")}}
	default:
		e.Payload = &Label{Entry: any(), Text: "l"}
	}
	return e
}

// seen says whether an entry is shown, looked at by itself: the slow way to say what
// Project must.
func seen(branch []Entry, i int) bool {
	place := func(id int64) int { return slices.IndexFunc(branch, func(e Entry) bool { return e.ID == id }) }
	from, latest := 0, -1
	for j, e := range branch {
		if c, ok := e.Payload.(*Compaction); ok {
			latest, from = j, place(c.FirstKept)
		}
	}
	switch p := branch[i].Payload.(type) {
	case *Message:
		return i >= from
	case *Compaction:
		return i == latest
	case *TurnContext:
		for _, e := range branch {
			if c, ok := e.Payload.(*ContextCleared); ok && slices.Contains(c.Cleared, branch[i].ID) {
				return false
			}
		}
		return place(p.Anchor) >= from
	}
	return false
}

func TestProjection(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		branch := branches(t)
		before, _ := json.Marshal(branch)
		parts := Project(branch)
		if again := Project(branch); !reflect.DeepEqual(parts, again) {
			t.Fatal("the same branch gives something else")
		}
		if after, _ := json.Marshal(branch); string(before) != string(after) {
			t.Fatal("the branch was changed")
		}
		// Exactly what is to be seen, each once.
		shown := map[int64]int{}
		for _, p := range parts {
			shown[p.Entry]++
		}
		for i, e := range branch {
			want := 0
			if seen(branch, i) {
				want = 1
			}
			if shown[e.ID] != want {
				t.Fatalf("entry %d (%s) is shown %d times, want %d", e.ID, e.Payload.Type(), shown[e.ID], want)
			}
		}
		// Messages in their order; blocks behind their anchor, with nothing said between.
		last, anchor := int64(0), int64(0)
		for i, p := range parts {
			switch {
			case p.Summary != nil && i != 0:
				t.Fatal("a summary that isn't the beginning")
			case p.Message != nil:
				if p.Entry <= last {
					t.Fatal("messages are out of their order")
				}
				last, anchor = p.Entry, p.Entry
			case p.Context != nil:
				if at := p.Context.Anchor; at < anchor {
					t.Fatalf("the block of entry %d stands too late", at)
				}
				anchor = p.Context.Anchor
			}
		}
		// What is said next stands behind all that was there, byte for byte.
		next := grown(t, branch, 1000)
		longer := Project(append(slices.Clone(branch), next))
		if newest := len(branch) == 0; !newest {
			if c, ok := next.Payload.(*TurnContext); ok && c.Anchor != branch[len(branch)-1].ID {
				return // anchored further back, as no turn does
			}
		}
		switch next.Payload.Type() {
		case TypeCompaction, TypeContextCleared:
		default:
			if len(longer) < len(parts) || !reflect.DeepEqual(longer[:len(parts)], parts) {
				t.Fatalf("what was shown has changed:\n%q\n%q", brief(parts), brief(longer))
			}
		}
	})
}

// Any entries at all: nothing panics, nothing is shown twice, and nothing is changed.
func FuzzProject(f *testing.F) {
	for _, s := range []string{
		``, `[{"id":1,"type":"message","payload":{"role":"user","content":"a"}}]`,
		`[{"id":1,"type":"message","payload":{}},{"id":2,"type":"compaction","payload":{"firstKeptEntryId":2}}]`,
		`[{"id":1,"type":"turn_context","payload":{"anchorEntryId":1}},{"id":1,"type":"context_cleared","payload":{"clearedEntryIds":[1,1]}}]`,
		`[{"id":0,"type":"label","payload":{"entryId":-1}}]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var raw []struct {
			ID      int64           `json:"id"`
			Type    Type            `json:"type"`
			Payload json.RawMessage `json:"payload"`
		}
		if json.Unmarshal(data, &raw) != nil {
			return
		}
		var branch []Entry
		known := map[int64]bool{}
		for _, r := range raw {
			p, err := decode(r.Type, r.Payload)
			if err != nil || known[r.ID] {
				continue
			}
			_ = p.check()
			known[r.ID] = true
			branch = append(branch, Entry{ID: r.ID, Payload: p})
		}
		before, _ := json.Marshal(branch)
		count := map[int64]int{}
		for _, p := range Project(branch) {
			if count[p.Entry]++; count[p.Entry] > 1 || !known[p.Entry] {
				t.Fatalf("entry %d is shown again, or out of nothing", p.Entry)
			}
			if p.Message != nil && len(p.Message.Details) > 0 {
				t.Fatal("details are shown")
			}
		}
		Labels(branch)
		if after, _ := json.Marshal(branch); string(before) != string(after) {
			t.Fatal("the branch was changed")
		}
	})
}
