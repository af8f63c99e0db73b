package remote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"elowen/server/render"
	"elowen/shared/setting"
)

// cut is a text's beginning of at most so many bytes, in whole characters.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

// described is what a server says of a tool, as a model is told.
func described(server string, t *mcp.Tool) string {
	text := t.Description
	if strings.TrimSpace(text) == "" {
		text = t.Title
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, cut(text, setting.Int("server.description")))
	return "Of the server " + server + ", which the person has added: " + render.Harmless(text)
}

// anything is the schema of a tool whose own can't be used.
var anything = json.RawMessage(`{"type":"object"}`)

// schemaOf is the schema of a tool's arguments: the server's, where it is one of an object
// and not too large.
func schemaOf(t *mcp.Tool) json.RawMessage {
	schema, ok := t.InputSchema.(map[string]any)
	if !ok || schema["type"] != "object" {
		return anything
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(schema) != nil || b.Len() > setting.Int("server.schema") {
		return anything
	}
	// A "<" stands in texts only, so what takes its place leaves the JSON as it is.
	text := json.RawMessage(render.Harmless(strings.TrimSpace(b.String())))
	if !json.Valid(text) {
		return anything
	}
	return text
}

// toolName is a tool's name as a model calls it: the server's, two underscores, and its
// own in such characters as all providers take.
func toolName(server, name string) string {
	own := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
	whole := server + "__" + own
	return whole[:min(len(whole), mostName)]
}

// mostName is how long a name of a tool may be for every provider.
const mostName = 64

// written is what a tool answers, as text. What is no text is named.
func written(r *mcp.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.ImageContent:
			parts = append(parts, fmt.Sprintf("[an image of %d bytes, which can't be shown here]", len(c.Data)))
		case *mcp.AudioContent:
			parts = append(parts, fmt.Sprintf("[a sound of %d bytes, which can't be played here]", len(c.Data)))
		case *mcp.ResourceLink:
			parts = append(parts, "[a link to the resource "+cut(c.URI, 500)+"]")
		case *mcp.EmbeddedResource:
			if c.Resource != nil && c.Resource.Text != "" {
				parts = append(parts, c.Resource.Text)
				continue
			}
			parts = append(parts, "[a resource that is no text]")
		default:
			parts = append(parts, "[something that can't be shown here]")
		}
	}
	text := strings.TrimSpace(strings.Join(parts, "\n"))
	if text == "" && r.StructuredContent != nil {
		if object, err := json.Marshal(r.StructuredContent); err == nil {
			text = string(object)
		}
	}
	if text == "" {
		text = "[The tool answered nothing.]"
	}
	return render.Harmless(strings.ToValidUTF8(text, "\uFFFD"))
}
