package token_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"elowen/server/embedding/local/token"
	"elowen/shared/fault"
)

// model is a Unigram model of a few pieces, in a file's form.
func model(pieces []string, scores []float32) token.UnigramModel {
	m := token.UnigramModel{Begin: 0, End: 1, Unknown: 2}
	m.Offsets = binary.LittleEndian.AppendUint32(nil, 0)
	for i, p := range pieces {
		m.Text = append(m.Text, p...)
		m.Offsets = binary.LittleEndian.AppendUint32(m.Offsets, uint32(len(m.Text)))
		m.Scores = binary.LittleEndian.AppendUint32(m.Scores, math.Float32bits(scores[i]))
	}
	change := func(from rune, to ...rune) {
		m.Changes = append(binary.LittleEndian.AppendUint32(m.Changes, uint32(from)), byte(len(to)))
		for _, r := range to {
			m.Changes = binary.LittleEndian.AppendUint32(m.Changes, uint32(r))
		}
	}
	change('\t', ' ')
	change('\x7f')
	change('½', '1', '/', '2')
	return m
}

var smallPieces = []string{"<s>", "</s>", "<unk>", "▁", "▁ab", "▁abc", "abcd", "a", "b", "c", "d", "é", "▁1", "/", "2", "漢字", "漢"}
var smallScores = []float32{0, 0, 0, -2, -3, -4, -5, -6, -6, -6, -6, -7, -3, -4, -4, -8, -9}

func smallUnigram(t testing.TB) *token.Unigram {
	t.Helper()
	u, err := token.NewUnigram(model(smallPieces, smallScores))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUnigram(t *testing.T) {
	u := smallUnigram(t)
	for text, want := range map[string]string{
		"":            "▁",
		" ":           "▁",
		"ab":          "▁ab",
		"abc":         "▁abc",
		"abcd":        "▁ abcd", // -7, where ▁abc d is -10
		"abd":         "▁ab d",
		"  ab\t \tab": "▁ab ▁ab",
		"ab ":         "▁ab ▁",
		"a\x7fb":      "▁ab",
		"a\x00b":      "▁ab",
		"½":           "▁1 / 2",
		"漢字漢":         "▁ 漢字 漢",
		"zz":          "▁ <unk> <unk>",
		"aé":          "▁ a é",
		"\xff":        "▁ <unk>",
		"<s>":         "▁ <s>",
		"<unk>":       "▁ <unk> <unk> <unk> <unk> <unk>",
	} {
		var got []string
		for _, id := range u.Append(nil, text) {
			got = append(got, smallPieces[id])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q is %q, not %q", text, s, want)
		}
	}
	if p := u.WordLogProbability("abcd"); p != -7 {
		t.Errorf("abcd has %v", p)
	}
	if begin, end := u.Frame(); begin != 0 || end != 1 || u.Count() != len(smallPieces) {
		t.Errorf("frame %d %d of %d", begin, end, u.Count())
	}
}

func TestUnigramRefusesWhatDoesNotFit(t *testing.T) {
	for name, harm := range map[string]func(*token.UnigramModel){
		"no pieces":           func(m *token.UnigramModel) { m.Offsets = nil },
		"half an offset":      func(m *token.UnigramModel) { m.Offsets = m.Offsets[:len(m.Offsets)-1] },
		"an offset back":      func(m *token.UnigramModel) { binary.LittleEndian.PutUint32(m.Offsets[8:], 0) },
		"an offset outside":   func(m *token.UnigramModel) { m.Text = m.Text[:4] },
		"a first offset":      func(m *token.UnigramModel) { m.Offsets[0] = 1 },
		"cut characters":      func(m *token.UnigramModel) { m.Offsets[4*5]++ },
		"no scores":           func(m *token.UnigramModel) { m.Scores = nil },
		"a score above":       func(m *token.UnigramModel) { m.Scores[15], m.Scores[14] = 0x40, 0x40 },
		"no number":           func(m *token.UnigramModel) { copy(m.Scores, "\xff\xff\xff\xff") },
		"a special one":       func(m *token.UnigramModel) { m.Unknown = 99 },
		"a special below":     func(m *token.UnigramModel) { m.Begin = -1 },
		"cut changes":         func(m *token.UnigramModel) { m.Changes = m.Changes[:7] },
		"changes without end": func(m *token.UnigramModel) { m.Changes = m.Changes[:4] },
		"changes in disorder": func(m *token.UnigramModel) { m.Changes = append(m.Changes, m.Changes...) },
		"no character":        func(m *token.UnigramModel) { m.Changes[3] = 0xff },
	} {
		m := model(smallPieces, smallScores)
		harm(&m)
		if _, err := token.NewUnigram(m); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, pieces := range map[string][]string{
		"the same twice": {"a", "b", "c", "a"},
		"an empty one":   {"a", "b", "c", ""},
	} {
		if _, err := token.NewUnigram(model(pieces, smallScores)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var smallVocab = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un", "##believ", "##able", "##a", "a", "able", ".", "漢", "strasse", "##s", "resume", "#"}

// tokenizerJSON is a file of a few pieces; change makes it another.
func tokenizerJSON(t testing.TB, change func(map[string]any)) []byte {
	t.Helper()
	vocab := map[string]any{}
	for i, p := range smallVocab {
		vocab[p] = i
	}
	file := map[string]any{
		"version": "1.0",
		"added_tokens": []any{
			map[string]any{"id": 4, "content": "[MASK]", "special": true},
			map[string]any{"id": 0, "content": "[PAD]", "special": true},
		},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model": map[string]any{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab,
		},
	}
	if change != nil {
		change(file)
	}
	b, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func smallWordPiece(t testing.TB) *token.WordPiece {
	t.Helper()
	w, err := token.NewWordPiece(tokenizerJSON(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWordPiece(t *testing.T) {
	w := smallWordPiece(t)
	for text, want := range map[string]string{
		"":                             "",
		" \t\u3000":                    "",
		"Unbelievable.":                "un ##believ ##able .",
		"unable":                       "un ##able",
		"unx":                          "[UNK]",
		"a漢a":                          "a 漢 a",
		"RÉSUMÉ re\u0301sume\u0301":    "resume resume",
		"a[MASK]a [mask]":              "a [MASK] a [UNK] [UNK] [UNK]",
		"[PAD][MASK]":                  "[PAD] [MASK]",
		"[[MASK]":                      "[UNK] [MASK]",
		"a\u200da\u00ad\x01":           "a ##a",
		"a\u00a0a":                     "a a",
		"##a":                          "# # a",
		"straße":                       "[UNK]",
		"a\x00\xffa":                   "a ##a",
		strings.Repeat("a", 100):       "a" + strings.Repeat(" ##a", 99),
		strings.Repeat("a", 101):       "[UNK]",
		strings.Repeat("a", 98) + "éb": "[UNK]",
	} {
		var got []string
		for _, id := range w.Append(nil, text) {
			got = append(got, smallVocab[id])
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%+q is %q, not %q", text, s, want)
		}
	}
	if begin, end := w.Frame(); begin != 2 || end != 3 || w.Count() != len(smallVocab) {
		t.Errorf("frame %d %d of %d", begin, end, w.Count())
	}
}

func TestWordPieceRefusesOthers(t *testing.T) {
	in := func(part, key string, value any) func(map[string]any) {
		return func(file map[string]any) { file[part].(map[string]any)[key] = value }
	}
	vocab := func(piece string, id any) func(map[string]any) {
		return func(file map[string]any) { file["model"].(map[string]any)["vocab"].(map[string]any)[piece] = id }
	}
	for name, change := range map[string]func(map[string]any){
		"cased":            in("normalizer", "lowercase", false),
		"with accents":     in("normalizer", "strip_accents", false),
		"another model":    in("model", "type", "Unigram"),
		"another prefix":   in("model", "continuing_subword_prefix", "@@"),
		"longer words":     in("model", "max_input_chars_per_word", 200),
		"other words":      in("pre_tokenizer", "type", "Whitespace"),
		"no unknown":       in("model", "unk_token", "?"),
		"a number twice":   vocab("a", 5),
		"a number outside": vocab("x", 99),
		"a number below":   vocab("x", -1),
		"an empty piece":   vocab("", 17),
		"a text as number": vocab("x", "1"),
		"an unknown special": func(file map[string]any) {
			file["added_tokens"] = []any{map[string]any{"id": 9, "content": "[NONE]"}}
		},
		"a special with spaces": func(file map[string]any) {
			file["added_tokens"] = []any{map[string]any{"id": 4, "content": "[MASK]", "lstrip": true}}
		},
	} {
		if _, err := token.NewWordPiece(tokenizerJSON(t, change)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := token.NewWordPiece([]byte(`{"model":`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("half a file: %v", err)
	}
}

func FuzzNewWordPiece(f *testing.F) {
	f.Add(tokenizerJSON(f, nil))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if w, err := token.NewWordPiece(file); err == nil {
			w.Append(nil, "Unbelievable résumé 漢字 [MASK]")
		} else if !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
}

func FuzzNewUnigram(f *testing.F) {
	m := model(smallPieces, smallScores)
	f.Add(m.Text, m.Offsets, m.Scores, m.Changes, m.Unknown)
	f.Fuzz(func(t *testing.T, text, offsets, scores, changes []byte, unknown int32) {
		m := token.UnigramModel{Pieces: token.Pieces{Text: text, Offsets: offsets}, Scores: scores, Changes: changes, Unknown: unknown}
		if u, err := token.NewUnigram(m); err == nil {
			u.Append(nil, "abcd ½ 漢字 é\t\x7f")
		} else if !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
}

func TestWindows(t *testing.T) {
	w := token.Window{Size: 10, Overlap: 2, Most: 3}
	numbers := func(from, to int32) (list []int32) {
		for i := from; i < to; i++ {
			list = append(list, i)
		}
		return list
	}
	row := func(from, to int32) []int32 {
		return append(append([]int32{100, 0, 1}, numbers(from, to)...), 101)
	}
	for n, want := range map[int32][][]int32{
		2:  {{100, 0, 1, 101}},
		3:  {row(2, 3)},
		8:  {row(2, 8)},
		9:  {row(2, 8), row(6, 9)},
		12: {row(2, 8), row(6, 12)},
		13: {row(2, 8), row(6, 12), row(10, 13)},
		50: {row(2, 8), row(6, 12), row(10, 16)},
	} {
		got := w.Windows(numbers(0, n), 2, 100, 101)
		if !slices.EqualFunc(got, want, slices.Equal[[]int32]) {
			t.Errorf("%d pieces: %v, not %v", n, got, want)
		}
	}
}
