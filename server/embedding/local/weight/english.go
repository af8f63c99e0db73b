package weight

import (
	"fmt"
	"io"

	"elowen/server/embedding/local/encoder"
)

// What the English model's graph has in its operations rather than its weights:
// BERT's numbers of heads and its epsilon.
const (
	englishHeads = 12
	englishEps   = 1e-12
)

// ReadEnglish reads e5-small-v2 from its ONNX graph: word, position and type vectors
// as uint8 with one scale and zero point, each linear as int8 with a scale and zero
// point for each of its outputs, biases and norms as float32.
func ReadEnglish(r io.ReaderAt, size int64) (*Model, error) {
	s := newSource(r, size)
	g, err := readGraph(s)
	if err != nil {
		return nil, err
	}
	f := &graphFile{graph: g, source: s}
	m := &Model{source: s}
	m.Heads, m.Eps = englishHeads, englishEps
	var word, position, kind func(int, []float32)
	m.Vocab, m.Width, word = f.vectors("embeddings.word_embeddings.weight", maxVocab)
	m.MaxTokens, _, position = f.vectors("embeddings.position_embeddings.weight", maxTokens)
	_, _, kind = f.vectors("embeddings.token_type_embeddings.weight", maxTokens)
	if f.err != nil {
		return nil, f.err
	}
	m.Word = func(id int32, dst []float32) { word(int(id), dst) }
	m.Position = make([]float32, m.MaxTokens*m.Width)
	for i := range m.MaxTokens {
		position(i, m.Position[i*m.Width:(i+1)*m.Width])
	}
	m.Type = make([]float32, m.Width)
	kind(0, m.Type)
	m.EmbNorm = f.norm("embeddings.LayerNorm", m.Width)
	m.Inner = f.length("encoder.layer.0.intermediate.dense.bias", maxWidth)
	for i := range maxLayers {
		name := fmt.Sprintf("encoder.layer.%d.", i)
		if _, more := g.tensors[name+"output.dense.bias"]; !more {
			break
		}
		m.Layers = append(m.Layers, encoder.Layer{
			Q:        f.linear(name, "attention.self.query", m.Width, m.Width),
			K:        f.linear(name, "attention.self.key", m.Width, m.Width),
			V:        f.linear(name, "attention.self.value", m.Width, m.Width),
			O:        f.linear(name, "attention.output.dense", m.Width, m.Width),
			AttnNorm: f.norm(name+"attention.output.LayerNorm", m.Width),
			Up:       f.linear(name, "intermediate.dense", m.Inner, m.Width),
			Down:     f.linear(name, "output.dense", m.Width, m.Inner),
			FFNorm:   f.norm(name+"output.LayerNorm", m.Width),
		})
	}
	if f.err == nil && len(m.Layers) == 0 {
		f.err = broken("the graph has no layers")
	}
	if f.err == nil {
		f.err = s.Err()
	}
	return m, f.err
}

// graphFile reads weights of a graph by name. After a failure it gives nothing.
type graphFile struct {
	*graph
	*source
	err error
}

// tensor finds a tensor of a type; dims of -1 may be anything.
func (f *graphFile) tensor(name string, kind int, dims ...int) onnxTensor {
	t, ok := f.tensors[name]
	fits := ok && t.kind == kind && len(t.dims) == len(dims)
	for i := 0; fits && i < len(dims); i++ {
		fits = dims[i] < 0 || t.dims[i] == dims[i]
	}
	if f.err == nil && !fits {
		f.err = broken("%q is missing or has another type or shape", name)
	}
	return t
}

// length is the length of a vector, at most limit.
func (f *graphFile) length(name string, limit int) int {
	t := f.tensor(name, onnxFloat, -1)
	if f.err == nil && (t.dims[0] < 1 || t.dims[0] > limit) {
		f.err = broken("%q has %d values", name, t.dims[0])
	}
	if f.err != nil {
		return 0
	}
	return t.dims[0]
}

func (f *graphFile) floats(name string, dims ...int) []float32 {
	t := f.tensor(name, onnxFloat, dims...)
	if f.err != nil {
		return nil
	}
	var list []float32
	list, f.err = t.floats(f.source)
	return list
}

// ints reads small numbers, the zero points.
func (f *graphFile) ints(name string, kind int, dims ...int) []int32 {
	t := f.tensor(name, kind, dims...)
	if f.err != nil {
		return nil
	}
	var list []int32
	list, f.err = t.ints(f.source)
	return list
}

func (f *graphFile) norm(name string, width int) encoder.Norm {
	return encoder.Norm{Gain: f.floats(name+".weight", width), Bias: f.floats(name+".bias", width)}
}

// vectors finds a table of at most limit vectors: their number, their width, and a
// function that dequantizes one.
func (f *graphFile) vectors(name string, limit int) (n, width int, row func(int, []float32)) {
	t := f.tensor(name+"_quantized", onnxUint8, -1, -1)
	scale := f.floats(name + "_scale")
	zero := f.ints(name+"_zero_point", onnxUint8)
	if f.err != nil {
		return 0, 0, nil
	}
	n, width = t.dims[0], t.dims[1]
	if n < 1 || n > limit || width < 1 || width > maxWidth || t.raw.n != int64(n)*int64(width) {
		f.err = broken("%q is %d × %d in %d bytes", name, n, width, t.raw.n)
		return 0, 0, nil
	}
	return n, width, func(i int, dst []float32) {
		f.row(t.raw.at+int64(i)*int64(width), width, func(b []byte) {
			for j, q := range b {
				dst[j] = float32(int32(q)-zero[0]) * scale[0]
			}
		})
	}
}

// linear finds a layer's linear by its path in the graph. The tensor's own name is a
// number; the multiplication that uses it has the path.
func (f *graphFile) linear(layer, part string, out, in int) encoder.Linear {
	weights := f.products[layer+part]
	bias := f.floats(layer+part+".bias", out)
	t := f.tensor(weights.values, onnxInt8, in, out)
	scale := f.floats(weights.scale, out)
	zero := f.ints(weights.zero, onnxInt8, out)
	if f.err == nil && t.raw.n != int64(in)*int64(out) {
		f.err = broken("%s%s has %d bytes", layer, part, t.raw.n)
	}
	if f.err != nil {
		return encoder.Linear{}
	}
	return encoder.Linear{Out: out, In: in, Bias: bias, Row: func(i int, dst []float32) {
		// The file has the inputs one after the other, each with all outputs.
		f.columns.use(f.source, t, func(all []byte) {
			for j := range dst[:in] {
				dst[j] = float32(int32(int8(all[j*out+i]))-zero[i]) * scale[i]
			}
		})
	}}
}
