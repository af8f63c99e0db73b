package weight

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// Types of tensors, of ONNX's TensorProto.DataType.
const (
	onnxFloat = 1
	onnxUint8 = 2
	onnxInt8  = 3
)

// Bounds of a graph, above what the English model has (900 nodes, 422 tensors).
const (
	maxNodes     = 1 << 14
	maxTensors   = 1 << 12
	maxNodeBytes = 1 << 20
	maxDims      = 8
)

// span is a part of the file.
type span struct{ at, n int64 }

// graph is what is read of an ONNX file: the tensors, and which of them the integer
// multiplications use.
type graph struct {
	tensors  map[string]onnxTensor
	products map[string]product // by the path of the linear, with dots
	nodes    int
	columns  columns
}

// onnxTensor is a TensorProto. Its values are in raw or in packed.
type onnxTensor struct {
	name   string
	kind   int
	dims   []int
	raw    span
	packed span // floats, or varints
}

// product names the tensors of an integer multiplication.
type product struct{ values, zero, scale string }

// Numbers of fields, of onnx.proto.
const (
	modelGraph       = 7
	graphNode        = 1
	graphInitializer = 5
	nodeInput        = 1
	nodeName         = 3
	nodeType         = 4
	tensorDims       = 1
	tensorType       = 2
	tensorFloats     = 4
	tensorInts       = 5
	tensorName       = 8
	tensorRaw        = 9
)

// field is one field of a message: a number, or the span of what is inside it.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	in     span
}

// fields calls visit for each field of a message, in order. The bytes of a field
// are not read, only where they are.
func (s *source) fields(m span, visit func(field) error) error {
	const head = 2 * binary.MaxVarintLen64
	for at, end := m.at, m.at+m.n; at < end; {
		b, err := s.part(at, min(head, end-at))
		if err != nil {
			return err
		}
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return broken("a field at %d can't be read", at)
		}
		f := field{number: number, kind: kind}
		b, at = b[n:], at+int64(n)
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			n = 4
		case protowire.Fixed64Type:
			n = 8
		case protowire.BytesType:
			var length uint64
			length, n = protowire.ConsumeVarint(b)
			if n >= 0 && length <= uint64(end-at-int64(n)) {
				f.in = span{at + int64(n), int64(length)}
				n += int(length)
				break
			}
			n = -1
		default:
			n = -1
		}
		if n < 0 || int64(n) > end-at {
			return broken("a field at %d can't be read", at)
		}
		at += int64(n)
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

// text reads a short string.
func (s *source) text(in span) (string, error) {
	if in.n > maxNodeBytes {
		return "", broken("a name of %d bytes", in.n)
	}
	b, err := s.part(in.at, in.n)
	return string(b), err
}

// readGraph reads the graph of a ModelProto.
func readGraph(s *source) (*graph, error) {
	g := &graph{tensors: map[string]onnxTensor{}, products: map[string]product{}}
	err := s.fields(span{0, s.size}, func(f field) error {
		if f.number != modelGraph || f.kind != protowire.BytesType {
			return nil
		}
		return s.fields(f.in, func(f field) error {
			switch {
			case f.kind != protowire.BytesType:
				return nil
			case f.number == graphNode:
				return g.readNode(s, f.in)
			case f.number == graphInitializer:
				return g.readTensor(s, f.in)
			}
			return nil
		})
	})
	return g, err
}

// readTensor reads a tensor's description.
func (g *graph) readTensor(s *source, in span) error {
	var t onnxTensor
	err := s.fields(in, func(f field) (err error) {
		switch {
		case f.number == tensorDims && f.kind == protowire.VarintType:
			if len(t.dims) == maxDims || f.value > math.MaxInt32 {
				return broken("a tensor's shape")
			}
			t.dims = append(t.dims, int(f.value))
		case f.number == tensorType && f.kind == protowire.VarintType:
			t.kind = int(f.value)
		case f.number == tensorName && f.kind == protowire.BytesType:
			t.name, err = s.text(f.in)
		case f.number == tensorRaw && f.kind == protowire.BytesType:
			t.raw = f.in
		case (f.number == tensorFloats || f.number == tensorInts) && f.kind == protowire.BytesType:
			if t.packed.n > 0 {
				return broken("a tensor's values are in pieces")
			}
			t.packed = f.in
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, twice := g.tensors[t.name]; twice || len(g.tensors) == maxTensors {
		return broken("the tensor %q is there twice, or there are too many", t.name)
	}
	g.tensors[t.name] = t
	return nil
}

// The ends of the names that the quantizer gave to the operations of a linear.
const (
	multiplies = "/MatMul_quant"
	scales     = "/MatMul_quant_scales_mul"
)

// readNode reads an operation, if it is of a quantized linear.
func (g *graph) readNode(s *source, in span) error {
	if g.nodes++; g.nodes > maxNodes || in.n > maxNodeBytes {
		return broken("the graph is too large")
	}
	b, err := s.part(in.at, in.n)
	if err != nil {
		return err
	}
	var name, operation string
	var inputs []string
	node := newSource(bytes.NewReader(b), in.n)
	err = node.fields(span{0, in.n}, func(f field) (err error) {
		if f.kind != protowire.BytesType {
			return nil
		}
		switch f.number {
		case nodeName:
			name, err = node.text(f.in)
		case nodeType:
			operation, err = node.text(f.in)
		case nodeInput:
			var input string
			input, err = node.text(f.in)
			inputs = append(inputs, input)
		}
		return err
	})
	if err != nil {
		return err
	}
	if path, ok := strings.CutSuffix(name, multiplies); ok && operation == "MatMulInteger" && len(inputs) == 4 {
		key := dotted(path)
		p := g.products[key]
		p.values, p.zero = inputs[1], inputs[3]
		g.products[key] = p
	}
	if path, ok := strings.CutSuffix(name, scales); ok && operation == "Mul" && len(inputs) == 2 {
		key := dotted(path)
		p := g.products[key]
		p.scale = inputs[1]
		g.products[key] = p
	}
	return nil
}

// dotted is a node's path in the form of the tensors' names.
func dotted(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", ".")
}

// count is the number of values that the shape asks for, or -1.
func (t onnxTensor) count() int64 {
	n := int64(1)
	for _, d := range t.dims {
		if n *= int64(d); n > maxVocab*maxWidth {
			return -1
		}
	}
	return n
}

// floats reads the values of a float tensor.
func (t onnxTensor) floats(s *source) ([]float32, error) {
	from := t.raw
	if from.n == 0 {
		from = t.packed
	}
	if n := t.count(); n < 0 || from.n != 4*n {
		return nil, broken("%q has %d bytes", t.name, from.n)
	}
	return s.floats(from.at, int(from.n/4))
}

// ints reads the values of a small tensor of bytes, which are packed varints.
func (t onnxTensor) ints(s *source) ([]int32, error) {
	n := t.count()
	if n < 0 || n > maxWidth || t.raw.n > 0 || t.packed.n > binary.MaxVarintLen64*n {
		return nil, broken("%q has %d bytes", t.name, t.packed.n)
	}
	b, err := s.part(t.packed.at, t.packed.n)
	if err != nil {
		return nil, err
	}
	list := make([]int32, 0, n)
	for len(b) > 0 {
		v, size := protowire.ConsumeVarint(b)
		if size < 0 || int64(v) < math.MinInt8 || int64(v) > math.MaxUint8 {
			return nil, broken("%q has a value that isn't a byte", t.name)
		}
		list, b = append(list, int32(int64(v))), b[size:]
	}
	if int64(len(list)) != n {
		return nil, broken("%q has %d values, not %d", t.name, len(list), n)
	}
	return list, nil
}

// columns keeps the matrix whose columns are being read.
type columns struct {
	mu   sync.Mutex
	of   span
	data []byte
}

// use hands a tensor's bytes to read, which must not keep them.
func (c *columns) use(s *source, t onnxTensor, read func([]byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != t.raw {
		c.of, c.data = t.raw, make([]byte, t.raw.n)
		s.row(t.raw.at, int(t.raw.n), func(b []byte) { copy(c.data, b) })
	}
	read(c.data)
}
