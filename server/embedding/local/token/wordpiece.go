package token

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"
)

// WordPiece is BERT's tokenizer, uncased.
type WordPiece struct {
	trie                *trie
	inside              uint32 // base of what goes on within a word
	begin, end, unknown int32
	special             []special
	scratch             sync.Pool
}

// special is a piece that is taken from a text as it is written.
type special struct {
	text string
	id   int32
}

const (
	continuation = "##" // before the pieces that go on within a word
	maxWord      = 100  // runes; a longer word is unknown as a whole
)

// wordPieceFile is what is read of a tokenizer.json.
type wordPieceFile struct {
	Added []struct {
		ID         int32  `json:"id"`
		Content    string `json:"content"`
		SingleWord bool   `json:"single_word"`
		LStrip     bool   `json:"lstrip"`
		RStrip     bool   `json:"rstrip"`
		Normalized bool   `json:"normalized"`
	} `json:"added_tokens"`
	Normalizer struct {
		Type    string `json:"type"`
		Clean   bool   `json:"clean_text"`
		Chinese bool   `json:"handle_chinese_chars"`
		Accents *bool  `json:"strip_accents"`
		Lower   bool   `json:"lowercase"`
	} `json:"normalizer"`
	Before struct {
		Type string `json:"type"`
	} `json:"pre_tokenizer"`
	Model struct {
		Type    string           `json:"type"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		Max     int              `json:"max_input_chars_per_word"`
		Vocab   map[string]int32 `json:"vocab"`
	} `json:"model"`
}

// NewWordPiece makes the tokenizer of a tokenizer.json of Hugging Face's
// tokenizers (https://huggingface.co/docs/tokenizers). One that asks for anything
// that this doesn't do is an error of kind Invalid, not another tokenizer.
func NewWordPiece(file []byte) (*WordPiece, error) {
	var f wordPieceFile
	if err := json.Unmarshal(file, &f); err != nil {
		return nil, corrupt("it isn't a tokenizer.json")
	}
	n := f.Normalizer
	if f.Model.Type != "WordPiece" || f.Model.Prefix != continuation || f.Model.Max != maxWord ||
		f.Before.Type != "BertPreTokenizer" || n.Type != "BertNormalizer" ||
		!n.Clean || !n.Chinese || !n.Lower || n.Accents != nil && !*n.Accents {
		return nil, corrupt("it isn't an uncased BERT's")
	}
	pieces, err := inOrder(f.Model.Vocab)
	if err != nil {
		return nil, err
	}
	w := &WordPiece{}
	for _, a := range f.Added {
		if a.Content == "" || a.SingleWord || a.LStrip || a.RStrip || a.Normalized || f.Model.Vocab[a.Content] != a.ID {
			return nil, corrupt("the special piece %q", a.Content)
		}
		w.special = append(w.special, special{a.Content, a.ID})
	}
	for _, want := range []struct {
		piece string
		id    *int32
	}{{"[CLS]", &w.begin}, {"[SEP]", &w.end}, {f.Model.Unknown, &w.unknown}} {
		id, ok := f.Model.Vocab[want.piece]
		if !ok {
			return nil, corrupt("there is no piece %q", want.piece)
		}
		*want.id = id
	}
	ids := make([]int32, pieces.Count())
	for i := range ids {
		ids[i] = int32(i)
	}
	if w.trie, err = newTrie(pieces, ids); err != nil {
		return nil, err
	}
	var ok bool
	if w.inside, ok = w.trie.under(continuation); !ok {
		return nil, corrupt("no pieces go on within a word")
	}
	w.scratch.New = func() any { return new(words) }
	return w, nil
}

// inOrder turns a vocabulary into pieces; every number must be there once.
func inOrder(vocab map[string]int32) (Pieces, error) {
	list := make([]string, len(vocab))
	for piece, id := range vocab {
		if id < 0 || int(id) >= len(list) || piece == "" || list[id] != "" {
			return Pieces{}, corrupt("piece %q has the number %d of %d", piece, id, len(list))
		}
		list[id] = piece
	}
	var p Pieces
	for _, piece := range list {
		p.add(piece)
	}
	return p, p.check()
}

// Count is the number of pieces.
func (w *WordPiece) Count() int { return w.trie.pieces.Count() }

// Frame are the pieces that a sequence begins and ends with.
func (w *WordPiece) Frame() (begin, end int32) { return w.begin, w.end }

// words is what one text needs.
type words struct {
	cleaned, plain, text []byte
	matches              []match
}

// Append appends the numbers of a text's pieces, without those of Frame.
func (w *WordPiece) Append(ids []int32, text string) []int32 {
	s := w.scratch.Get().(*words)
	defer w.scratch.Put(s)
	for text != "" {
		at, found := w.nextSpecial(text)
		ids = w.plain(s, ids, text[:at])
		if found == nil {
			break
		}
		ids = append(ids, found.id)
		text = text[at+len(found.text):]
	}
	return ids
}

// nextSpecial is where the first special piece stands in a text, the longest of
// those that stand there; or the text's end and nil.
func (w *WordPiece) nextSpecial(text string) (int, *special) {
	at, found := len(text), (*special)(nil)
	for i := range w.special {
		p := &w.special[i]
		// What begins after the best so far can't be it.
		in := text[:min(len(text), at+len(p.text))]
		if k := strings.Index(in, p.text); k >= 0 && (k < at || found != nil && len(p.text) > len(found.text)) {
			at, found = k, p
		}
	}
	return at, found
}

// plain appends the pieces of a text without special ones.
func (w *WordPiece) plain(s *words, ids []int32, text string) []int32 {
	s.normalize(text)
	start := -1 // of the open word
	for at := 0; at < len(s.text); {
		r, size := utf8.DecodeRune(s.text[at:])
		space := unicode.IsSpace(r)
		if space || isPunctuation(r) {
			if start >= 0 {
				ids = w.word(s, ids, s.text[start:at])
				start = -1
			}
			if !space {
				ids = w.word(s, ids, s.text[at:at+size])
			}
		} else if start < 0 {
			start = at
		}
		at += size
	}
	if start >= 0 {
		ids = w.word(s, ids, s.text[start:])
	}
	return ids
}

// word appends the pieces of one word: the longest that it begins with, then the
// longest that the rest goes on with, and so on; or the unknown one alone.
func (w *WordPiece) word(s *words, ids []int32, word []byte) []int32 {
	if len(word) > maxWord && utf8.RuneCount(word) > maxWord {
		return append(ids, w.unknown)
	}
	before := len(ids)
	base, skip := w.trie.root, 0
	for len(word) > 0 {
		s.matches = w.trie.matches(s.matches[:0], word, base, skip)
		// The prefix alone may be a piece, but goes on nowhere.
		if len(s.matches) == 0 || s.matches[len(s.matches)-1].length == 0 {
			return append(ids[:before], w.unknown)
		}
		m := s.matches[len(s.matches)-1]
		ids = append(ids, m.id)
		word = word[m.length:]
		base, skip = w.inside, len(continuation)
	}
	return ids
}

// normalize writes a text without what BERT doesn't see: controls dropped, spaces
// made plain, ideographs set apart, then decomposed, without marks, in lower case.
func (s *words) normalize(text string) {
	s.cleaned = s.cleaned[:0]
	plain := true
	for _, r := range text {
		switch {
		case isDropped(r):
		case unicode.IsSpace(r):
			s.cleaned = append(s.cleaned, ' ')
		case r < utf8.RuneSelf:
			s.cleaned = append(s.cleaned, byte(r))
		default:
			plain = false
			apart := unicode.Is(ideographs, r)
			if apart {
				s.cleaned = append(s.cleaned, ' ')
			}
			s.cleaned = utf8.AppendRune(s.cleaned, r)
			if apart {
				s.cleaned = append(s.cleaned, ' ')
			}
		}
	}
	s.text = s.text[:0]
	if plain {
		for _, c := range s.cleaned {
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			s.text = append(s.text, c)
		}
		return
	}
	s.plain = norm.NFD.Append(s.plain[:0], s.cleaned...)
	for at := 0; at < len(s.plain); {
		r, size := utf8.DecodeRune(s.plain[at:])
		at += size
		if !isMark(r) {
			s.text = utf8.AppendRune(s.text, unicode.ToLower(r))
		}
	}
}
