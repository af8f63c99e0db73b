package turn

import (
	"testing"

	"elowen/server/journal"
)

// What a summary leaves: as much as fits, from a message on; else the last thing that a
// person said, however long; never all of it.
func TestFirstKept(t *testing.T) {
	said := func(id int64, role, content string) journal.Part {
		return journal.Part{Entry: id, Message: &journal.Message{Role: role, Content: content}}
	}
	block := journal.Part{Entry: 2, Context: &journal.TurnContext{Anchor: 1, Block: "12345"}}
	talk := []journal.Part{
		said(1, journal.RoleUser, "12345"), block, said(3, journal.RoleAssistant, "12345"),
		said(4, journal.RoleUser, "12345"), said(5, journal.RoleToolResult, "12345"), said(6, journal.RoleAssistant, "12345"),
	}
	for _, c := range []struct {
		name  string
		parts []journal.Part
		most  int
		want  int64
	}{
		{"nothing", nil, 100, 0},
		{"one message", talk[:1], 0, 0},
		{"one exchange", talk[:3], 0, 0},
		{"all fits: the last thing that a person said", talk, 1000, 4},
		{"the last answer", talk, 5, 6},
		{"a tool's result is no beginning", talk, 10, 6},
		{"from a person on", talk, 15, 4},
		{"from an answer on", talk, 20, 3},
		{"nothing fits", talk, 0, 4},
		{"nothing fits, and there is but one message of a person", talk[:3], 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := firstKept(&journal.Snapshot{Parts: c.parts}, c.most); got != c.want {
				t.Errorf("%d, not %d", got, c.want)
			}
		})
	}
}
