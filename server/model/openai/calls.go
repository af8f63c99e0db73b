package openai

import (
	"fmt"
	"strings"

	"elowen/server/model/chat"
)

// piece is what comes of a call at a time.
type piece struct {
	index               int64
	id, name, arguments string
}

// calls puts calls together. Endpoints number them, or name them anew, or both.
type calls struct {
	list []*begun
}

// begun is a call that may not be whole.
type begun struct {
	index     int64
	id, name  string
	arguments strings.Builder
}

// add takes a piece. It is false for one call too many.
func (c *calls) add(p piece) bool {
	at := len(c.list) - 1
	for at >= 0 && c.list[at].index != p.index {
		at--
	}
	if at >= 0 && p.id != "" && c.list[at].id != "" && c.list[at].id != p.id {
		at = -1 // another call under the same number
	}
	if at < 0 {
		if len(c.list) == chat.CallsMost {
			return false
		}
		c.list = append(c.list, &begun{index: p.index})
		at = len(c.list) - 1
	}
	call := c.list[at]
	if p.id != "" {
		call.id = p.id
	}
	if call.name == "" {
		call.name = p.name
	}
	call.arguments.WriteString(p.arguments)
	return true
}

// whole are the calls. One without an id of its own gets one that no other has in the
// conversation, from the number of messages before it.
func (c *calls) whole(messages int) []chat.Call {
	seen := map[string]bool{}
	out := []chat.Call{}
	for i, b := range c.list {
		call := chat.Call{ID: b.id, Name: b.name, Arguments: b.arguments.String()}
		if call.ID == "" || seen[call.ID] {
			call.ID = fmt.Sprintf("call_%d_%d", messages, i)
		}
		seen[call.ID] = true
		if call.Arguments == "" {
			call.Arguments = "{}"
		}
		out = append(out, call)
	}
	return out
}
