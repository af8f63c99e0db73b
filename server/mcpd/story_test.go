package mcpd_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/servertest"
)

// A client of the official SDK tells the same story over every way in.
func TestStory(t *testing.T) {
	for _, way := range []struct {
		name string
		open func(t *testing.T, s *servertest.Server, token string) *mcp.ClientSession
	}{
		{"http", func(t *testing.T, s *servertest.Server, token string) *mcp.ClientSession {
			return connect(t, s, token, nil)
		}},
		{"stdio, beside a server", func(t *testing.T, s *servertest.Server, _ string) *mcp.ClientSession {
			return session(t, pipes(t, s, "--user", "ann"))
		}},
		{"stdio, with a token", func(t *testing.T, s *servertest.Server, token string) *mcp.ClientSession {
			return session(t, pipes(t, s, "--token", token))
		}},
		{"stdio, a server elsewhere", func(t *testing.T, s *servertest.Server, token string) *mcp.ClientSession {
			return session(t, pipes(t, s, "--server", s.URL, "--token", token))
		}},
		{"stdio, without a server", func(t *testing.T, s *servertest.Server, _ string) *mcp.ClientSession {
			s.Stop()
			return session(t, pipes(t, s))
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			s := servertest.Start(t, servertest.Options{})
			s.Setup("ann")
			story(t, way.open(t, s, s.Token("ann").Secret()))
		})
	}
}

func story(t *testing.T, c *mcp.ClientSession) {
	if !strings.Contains(c.InitializeResult().Instructions, "MemorySearch") {
		t.Errorf("instructions: %q", c.InitializeResult().Instructions)
	}
	var tools []string
	for tool, err := range c.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	if len(tools) != 10 || tools[0] != "MemoryAdd" {
		t.Errorf("tools %v", tools)
	}

	var none found
	if said := call(t, c, "MemorySearch", args{"query": "Which tea does Anna drink?"}, &none); len(none.Memories) != 0 || !strings.Contains(said, "Nothing was found") {
		t.Errorf("an empty store: %+v %s", none, said)
	}
	var tea, coffee struct {
		ID       int64  `json:"id"`
		Existing bool   `json:"existing"`
		Category string `json:"category"`
		Similar  []struct {
			ID int64 `json:"id"`
		} `json:"similar"`
	}
	call(t, c, "MemoryAdd", args{"body": "Anna drinks green sencha tea in the morning.", "importance": 6, "kind": "preference"}, &tea)
	if tea.ID == 0 || tea.Existing || tea.Category != "General" {
		t.Errorf("added %+v", tea)
	}
	call(t, c, "MemoryAdd", args{"body": "Anna drinks green sencha tea in the morning."}, &coffee)
	if coffee.ID != tea.ID || !coffee.Existing {
		t.Errorf("the same again: %+v", coffee)
	}
	call(t, c, "MemoryAdd", args{"body": "Anna drinks green sencha tea in the morning, at seven."}, &coffee)
	if coffee.ID == tea.ID || len(coffee.Similar) != 1 || coffee.Similar[0].ID != tea.ID {
		t.Errorf("a similar one: %+v", coffee)
	}

	var first, again found
	said := call(t, c, "MemorySearch", args{"query": "When does Anna drink sencha tea?"}, &first)
	if len(first.Memories) != 2 || first.Memories[0].InContext || first.Conversation == "" || first.Memories[0].Saved != "today" || !strings.Contains(said, "</memory>") {
		t.Fatalf("searched: %+v\n%s", first, said)
	}
	call(t, c, "MemorySearch", args{"query": "When does Anna drink sencha tea?", "conversation": first.Conversation}, &again)
	if len(again.Memories) != 2 || !again.Memories[0].InContext || again.Conversation != first.Conversation {
		t.Errorf("searched again: %+v", again)
	}

	call(t, c, "MemoryUpdate", args{"id": coffee.ID, "body": "Anna drinks sencha tea at eight.", "category": "general"}, nil)
	call(t, c, "MemorySearch", args{"query": "When does Anna drink sencha tea?", "conversation": first.Conversation}, &again)
	for _, m := range again.Memories {
		if m.InContext != (m.ID == tea.ID) {
			t.Errorf("after a change: %+v", m)
		}
	}
	// A conflict: what one agent deletes, another can't change.
	call(t, c, "MemoryDelete", args{"id": tea.ID}, nil)
	if why := wrong(t, c, "MemoryUpdate", args{"id": tea.ID, "body": "x"}); !strings.Contains(why, "trash") {
		t.Errorf("a change of what is in the trash: %s", why)
	}
	wrong(t, c, "MemoryUpdate", args{"id": 99999, "body": "x"})
	wrong(t, c, "MemoryMerge", args{"ids": []int64{tea.ID, coffee.ID}, "body": "x"})

	var cat, other struct {
		ID int64 `json:"id"`
	}
	call(t, c, "MemoryCategoryCreate", args{"name": "Drinks", "description": "What people drink"}, &cat)
	if why := wrong(t, c, "MemoryCategoryCreate", args{"name": "drinks"}); !strings.Contains(why, "already") {
		t.Errorf("the same name: %s", why)
	}
	call(t, c, "MemoryAdd", args{"body": "Bert drinks cocoa.", "category": "Drinks"}, &other)
	if why := wrong(t, c, "MemoryAdd", args{"body": "x y", "category": "Food"}); !strings.Contains(why, "Drinks") {
		t.Errorf("an unknown category: %s", why)
	}
	var merged struct {
		ID     int64   `json:"id"`
		Merged []int64 `json:"merged"`
	}
	call(t, c, "MemoryMerge", args{"ids": []any{coffee.ID, other.ID}, "body": "Anna drinks sencha at eight, Bert cocoa."}, &merged)
	if merged.ID == 0 || !slices.Equal(merged.Merged, []int64{coffee.ID, other.ID}) {
		t.Errorf("merged %+v", merged)
	}
	var recent found
	call(t, c, "MemoryListRecent", args{}, &recent)
	if !slices.Equal(recent.ids(), []int64{merged.ID}) {
		t.Errorf("recent %v", recent.ids())
	}
	var shelves struct {
		Categories []struct {
			ID       int64  `json:"id"`
			Name     string `json:"name"`
			Memories int    `json:"memories"`
			Default  bool   `json:"default"`
		} `json:"categories"`
	}
	call(t, c, "MemoryCategories", nil, &shelves)
	if len(shelves.Categories) != 2 || shelves.Categories[0].Name != "Drinks" || !shelves.Categories[1].Default {
		t.Errorf("categories %+v", shelves)
	}
	call(t, c, "MemoryCategoryDelete", args{"id": cat.ID}, nil)
	if why := wrong(t, c, "MemoryCategoryDelete", args{"id": cat.ID}); !strings.Contains(why, "no category") {
		t.Errorf("deleted twice: %s", why)
	}
	if why := wrong(t, c, "MemoryCategoryDelete", args{"id": shelves.Categories[1].ID}); !strings.Contains(why, "default category") {
		t.Errorf("the default category deleted: %s", why)
	}
	if why := wrong(t, c, "MemoryRecategorize", args{}); !strings.Contains(why, "model") {
		t.Errorf("sorting without a model: %s", why)
	}

	// What it is called with as digits in a text is taken, too.
	call(t, c, "MemoryDelete", args{"id": "  " + itoa(merged.ID)}, nil)

	read, err := c.ListResources(ctx, nil)
	if err != nil || read.Resources == nil {
		t.Errorf("resources: %+v %v", read, err)
	}
	for _, p := range []string{"recall", "remember", "review"} {
		got, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: p, Arguments: map[string]string{"about": "sencha"}})
		if err != nil || len(got.Messages) != 1 {
			t.Errorf("%s: %+v %v", p, got, err)
		}
	}
}
