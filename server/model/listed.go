package model

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"elowen/shared/setting"
)

// listed is a model as a provider lists it.
type listed struct {
	id     string
	window int // tokens; 0: it isn't told
	chat   bool
	embeds bool
}

var errNoList = errors.New("no list of models")

// parseList reads a provider's list of models: OpenAI's form, with what others add to
// it; Anthropic's, which is nearly that; or Ollama's. Names that could not be saved are
// left out, as is what is over the bound.
func parseList(answer []byte) ([]listed, error) {
	type entry struct {
		ID   string `json:"id"`
		Name string `json:"name"` // Ollama's id; elsewhere for people
		Type string `json:"type"` // embeddings, embedding, llm, vlm, chat: of some

		OpenRouter float64 `json:"context_length"` // and Together
		VLLM       float64 `json:"max_model_len"`
		Groq       float64 `json:"context_window"`
		LMStudio   float64 `json:"loaded_context_length"`
		Mistral    float64 `json:"max_context_length"` // and LM Studio, for what could be loaded
		Anthropic  float64 `json:"max_input_tokens"`
		Meta       *struct {
			Context float64 `json:"n_ctx"` // llama.cpp
		} `json:"meta"`
	}
	var in struct {
		Data   *[]json.RawMessage `json:"data"`
		Models *[]json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(answer, &in); err != nil {
		return nil, err
	}
	raw := in.Data
	if raw == nil {
		raw = in.Models
	}
	if raw == nil {
		return nil, errNoList
	}
	out := []listed{}
	seen := map[string]bool{}
	most, name := int(setting.Get("models.listed").Max), int(setting.Get("model.name").Max)
	for _, one := range *raw {
		var e entry
		if json.Unmarshal(one, &e) != nil {
			continue // one that is odd doesn't spoil the others
		}
		id := e.ID
		if id == "" {
			id = e.Name
		}
		id = strings.TrimSpace(id)
		if id == "" || len(id) > name || seen[id] || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
			continue
		}
		seen[id] = true
		m := listed{id: id}
		sizes := []float64{e.LMStudio, e.OpenRouter, e.VLLM, e.Groq, e.Anthropic, e.Mistral}
		if e.Meta != nil {
			sizes = append([]float64{e.Meta.Context}, sizes...)
		}
		for _, size := range sizes {
			if bounds := setting.Get("chat.window"); m.window == 0 && size >= bounds.Min && size <= bounds.Max {
				m.window = int(size)
			}
		}
		m.chat, m.embeds = uses(id, e.Type)
		if out = append(out, m); len(out) == most {
			break
		}
	}
	slices.SortFunc(out, func(a, b listed) int { return strings.Compare(a.id, b.id) })
	return out, nil
}

// What a model is for is in its name. A part that is in neither list says nothing.
var (
	embeds = []string{"embed", "bge-", "minilm", "e5-", "gte-"}
	speaks = []string{
		"gpt-", "chatgpt", "claude", "gemini", "gemma", "llama", "mistral", "mixtral", "ministral", "codestral", "magistral", "qwen", "qwq", "deepseek", "grok", "kimi",
		"command-r", "phi-", "o1", "o3", "o4", "glm-", "hermes", "instruct", "chat",
	}
	neither = []string{"whisper", "tts", "dall-e", "moderation", "image", "rerank", "transcribe", "realtime", "sora"}
)

// uses tells what a model may be picked for: all that it isn't known not to do.
func uses(id, kind string) (chat, embedding bool) {
	name := strings.ToLower(id[strings.LastIndex(id, "/")+1:])
	has := func(parts []string) bool {
		return slices.ContainsFunc(parts, func(p string) bool {
			if len(p) == 2 { // such as o1: where the name begins
				return strings.HasPrefix(name, p)
			}
			return strings.Contains(name, p)
		})
	}
	switch strings.ToLower(kind) {
	case "embedding", "embeddings":
		return false, true
	case "llm", "vlm", "chat", "language":
		return true, false
	}
	switch {
	case has(embeds):
		return false, true
	case has(neither):
		return false, false
	}
	return true, !has(speaks)
}
