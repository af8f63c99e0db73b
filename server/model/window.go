package model

import (
	"cmp"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// How much a model reads at once is, the first that is known: what the role says, what
// the provider's list said when it was last read, what stands here, the setting
// chat.window.

// families are windows of models that are widely used, in tokens, by how their names
// begin; the longest beginning counts. They are from their makers' own pages of models
// (platform.openai.com/docs/models, docs.anthropic.com, ai.google.dev, docs.mistral.ai,
// api-docs.deepseek.com, the cards of the open ones), the smaller number where one name
// stands for several.
var families = []struct {
	name string
	size int
}{
	{"gpt-3.5-turbo", 16_385},
	{"gpt-4", 8_192},
	{"gpt-4-32k", 32_768},
	{"gpt-4-turbo", 128_000},
	{"gpt-4o", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4.5", 128_000},
	{"gpt-5", 400_000},
	{"gpt-5-chat", 128_000},
	{"gpt-oss", 131_072},
	{"chatgpt-4o", 128_000},
	{"o1", 200_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o3", 200_000},
	{"o4", 200_000},
	{"claude-", 200_000},
	{"claude-2.0", 100_000},
	{"claude-instant", 100_000},
	{"gemini-1.5-pro", 1_048_576},
	{"gemini-1.5", 1_048_576},
	{"gemini-2", 1_048_576},
	{"gemini-3", 1_048_576},
	{"gemma-2", 8_192},
	{"gemma-3", 131_072},
	{"llama-3", 8_192},
	{"llama-3.1", 131_072},
	{"llama-3.2", 131_072},
	{"llama-3.3", 131_072},
	{"llama-4", 1_048_576},
	{"mistral-large", 131_072},
	{"mistral-medium", 131_072},
	{"mistral-small", 32_768},
	{"mixtral-8x7b", 32_768},
	{"mixtral-8x22b", 65_536},
	{"codestral", 262_144},
	{"deepseek-", 65_536},
	{"qwen-", 32_768},
	{"qwen2.5", 32_768},
	{"qwen3", 32_768},
	{"grok-2", 131_072},
	{"grok-3", 131_072},
	{"grok-4", 262_144},
	{"kimi-k2", 131_072},
	{"command-r", 128_000},
	{"phi-4", 16_384},
}

// ollamaWindow is what Ollama reads at once unless its OLLAMA_CONTEXT_LENGTH says
// otherwise, whatever the model could read.
const ollamaWindow = 4_096

// known is a model's window by its family; 0 where it is of none. A name may stand
// behind its maker's.
func known(model string) int {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	best, size := -1, 0
	for _, f := range families {
		if len(f.name) > best && strings.HasPrefix(name, f.name) {
			best, size = len(f.name), f.size
		}
	}
	return size
}

// window is how much a provider's model reads at once. said is what the role says of
// it, 0 for nothing.
func (s *Store) window(tx *db.Tx, p provider, model string, said int) (int, error) {
	if said > 0 {
		return said, nil
	}
	var told int
	list, err := db.List(tx.Query(`SELECT size FROM model_window WHERE provider = ? AND model = ?`, p.ID, model), func(n *int) []any { return []any{n} })
	if err != nil {
		return 0, err
	}
	if len(list) > 0 {
		told = list[0]
	}
	if p.Kind == api.ProviderOllama {
		return cmp.Or(told, ollamaWindow), nil
	}
	return cmp.Or(told, known(model), setting.Int("chat.window")), nil
}

// tell keeps the windows that a provider told with its list, in the place of those
// before.
func tellWindows(tx *db.Tx, id string, list []listed) error {
	if err := forgetWindows(tx, id); err != nil {
		return err
	}
	for _, m := range list {
		if m.window == 0 {
			continue
		}
		if _, err := tx.Exec(`INSERT INTO model_window (provider, model, size) VALUES (?, ?, ?) ON CONFLICT (provider, model) DO NOTHING`, id, m.id, m.window); err != nil {
			return err
		}
	}
	return nil
}

func forgetWindows(tx *db.Tx, id string) error {
	_, err := tx.Exec(`DELETE FROM model_window WHERE provider = ?`, id)
	return err
}
