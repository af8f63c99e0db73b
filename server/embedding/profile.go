package embedding

import (
	"encoding/json"
	"math"
	"strings"

	"elowen/server/db"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Profile says how a model wants its texts, and how its cosines are to be read.
// The zero value is of a model that nothing is known of: no prefix, no means, no
// thresholds.
type Profile struct {
	Model      string     // by whose figures this is; empty: nothing is known
	PassageBy  string     // before a passage
	QueryBy    string     // before a query
	Passages   Means      // of background passages, taken off passages
	Queries    Means      // of background queries, taken off queries
	Foreign    Foreign    // tells which questions are seldom about anybody's memories
	Thresholds Thresholds // cosines after the means were taken off
	Relevance  Line       // makes the sum of late and blend the relevance
	Blend      Line       // makes the blend alone the relevance, where late is not known and cannot be guessed
	Late       Guess      // of late from the blend, for what has no token vectors
	Floor      float64    // of the relevance; 0: unknown
	Words      float64    // the weight of words in the blend, w; 0: unknown
}

// Known tells whether the model's cosines can be read: where not, they are good for
// the order of what was found, but nothing is relevant because of them.
func (p Profile) Known() bool { return p.Blend != (Line{}) || p.Relevance != (Line{}) }

// Guess is what late interaction would say, on average, of a blend.
type Guess struct {
	Base  float64 `json:"base"`
	Slope float64 `json:"slope"` // of the blend
}

// At is the guess for a blend.
func (g Guess) At(blend float64) float64 { return g.Base + g.Slope*blend }

// Thresholds are cosines of 0 to 1; 0 is unknown.
type Thresholds struct {
	Duplicate  float64 `json:"duplicate,omitempty"`  // the same fact in other words
	Paraphrase float64 `json:"paraphrase,omitempty"` // not worth showing beside the other
	Reinforce  float64 `json:"reinforce,omitempty"`  // consolidation: the same again
	Cluster    float64 `json:"cluster,omitempty"`    // consolidation: belongs together
}

// Line maps a value linearly: Zero becomes 0, One becomes 1. It is that of a store of
// Texts memories: the more there are, the nearer is the best of what has nothing to do
// with a question. Both values rise by Crowd each time that there are e times as many.
// That was measured from some ten memories on; of fewer it is the line of ten, since
// the nearest of two strangers is not that much farther than the nearest of ten.
type Line struct {
	Zero  float64 `json:"zero"` // the median best stranger
	One   float64 `json:"one"`  // the median own pair
	Crowd float64 `json:"crowd,omitempty"`
	Texts float64 `json:"texts,omitempty"` // 0: the line is the same for all stores
}

// lineLeast is the smallest store that lines are known of.
const lineLeast = 10

// In is the line of a store of so many memories.
func (l Line) In(memories int) Line {
	if l.Texts > 0 {
		texts := float64(max(memories, lineLeast))
		by := l.Crowd * math.Log(texts/l.Texts)
		l.Zero, l.One, l.Texts = l.Zero+by, l.One+by, texts
	}
	return l
}

// At is the line at x. A line that is none gives x back.
func (l Line) At(x float64) float64 {
	if l.One == l.Zero {
		return x
	}
	return (x - l.Zero) / (l.One - l.Zero)
}

// storedProfile is a Profile as it is stored with a space. Vectors are base64 of
// what Encode writes.
type storedProfile struct {
	Model      string            `json:"model"`
	PassageBy  string            `json:"passageBy,omitempty"`
	QueryBy    string            `json:"queryBy,omitempty"`
	Passages   map[string]string `json:"passages,omitempty"` // see Means.texts
	Queries    map[string]string `json:"queries,omitempty"`
	Foreign    storedForeign     `json:"foreign,omitzero"`
	Thresholds Thresholds        `json:"thresholds"`
	Relevance  Line              `json:"relevance"`
	Blend      Line              `json:"blend,omitzero"`
	Late       Guess             `json:"late,omitzero"`
	Floor      float64           `json:"floor,omitempty"`
	Words      float64           `json:"words,omitempty"`
}

// MarshalText writes the profile as it is stored and shipped.
func (p Profile) MarshalText() ([]byte, error) {
	return json.Marshal(storedProfile{
		Model: p.Model, PassageBy: p.PassageBy, QueryBy: p.QueryBy, Passages: p.Passages.texts(), Queries: p.Queries.texts(),
		Foreign:    p.Foreign.stored(),
		Thresholds: p.Thresholds, Relevance: p.Relevance, Blend: p.Blend, Late: p.Late, Floor: p.Floor, Words: p.Words,
	})
}

// UnmarshalText reads what MarshalText writes. Errors: Corrupt.
func (p *Profile) UnmarshalText(text []byte) error {
	var in storedProfile
	if err := json.Unmarshal(text, &in); err != nil {
		return fault.Wrap(fault.Corrupt, err, "The stored profile of a model cannot be read.")
	}
	passages, older, err := meansOf(in.Passages)
	if err != nil {
		return err
	}
	queries, _, err := meansOf(in.Queries)
	if err != nil {
		return err
	}
	foreign, err := in.Foreign.foreign()
	if err != nil {
		return err
	}
	if older { // its numbers are of other cosines: the model is got to know again
		passages, queries, foreign, in.Relevance, in.Blend, in.Thresholds = Means{}, Means{}, Foreign{}, Line{}, Line{}, Thresholds{}
	}
	*p = Profile{
		Model: in.Model, PassageBy: in.PassageBy, QueryBy: in.QueryBy, Passages: passages, Queries: queries, Foreign: foreign,
		Thresholds: in.Thresholds, Relevance: in.Relevance, Blend: in.Blend, Late: in.Late, Floor: in.Floor, Words: in.Words,
	}
	return nil
}

// SaveProfile keeps a profile that was fitted to a space.
func SaveProfile(tx *db.Tx, space SpaceID, p Profile) error {
	text, err := p.MarshalText()
	if err != nil {
		return fault.Wrap(fault.Internal, err, "")
	}
	return tx.Must(`UPDATE embedding_space SET profile = ? WHERE id = ?`, string(text), int64(space))
}

// ProfileOf is the profile of a stored space: the one that was fitted to it, else
// what is known of its model, else one that knows nothing.
func ProfileOf(tx *db.Tx, s Stored) (Profile, error) {
	var text string
	if err := tx.Row(`SELECT profile FROM embedding_space WHERE id = ?`, []any{int64(s.ID)}, &text); err != nil {
		return Profile{}, err
	}
	if text == "" {
		return KnownProfile(s.Space), nil
	}
	var p Profile
	err := p.UnmarshalText([]byte(text))
	return p, err
}

// The built-in models.
const (
	ModelE5Multilingual = "multilingual-e5-small"
	ModelE5English      = "e5-small-v2"
)

// KnownProfile is what the program knows of a space's model, by the name that the
// providers give it: of the built-in models all there is to know, of others what
// stands before their texts.
func KnownProfile(s Space) Profile {
	name := strings.ToLower(s.Model)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, ":")
	if s.Kind == api.ProviderLocal {
		return known(name)
	}
	// What these models were trained with, from their own descriptions.
	for _, k := range []struct{ begins, passage, query string }{
		{"multilingual-e5-", "passage: ", "query: "},
		{"e5-", "passage: ", "query: "},
		{"nomic-embed-text", "search_document: ", "search_query: "},
		{"snowflake-arctic-embed", "", "query: "},
		{"mxbai-embed-large", "", "Represent this sentence for searching relevant passages: "},
		{"bge-small-en", "", "Represent this sentence for searching relevant passages: "},
		{"bge-base-en", "", "Represent this sentence for searching relevant passages: "},
		{"bge-large-en", "", "Represent this sentence for searching relevant passages: "},
		{"embeddinggemma", "title: none | text: ", "task: search result | query: "},
	} {
		if strings.HasPrefix(name, k.begins) && !strings.Contains(name, "instruct") {
			return Profile{Model: k.begins, PassageBy: k.passage, QueryBy: k.query}
		}
	}
	return Profile{}
}
