package site

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"elowen/assets"

	"github.com/andybalholm/brotli"
)

// lengthHeader carries the length of the plain content, for progress: browsers
// count unpacked bytes, Content-Length packed ones.
const lengthHeader = "Elowen-Length"

// content is one answer with its encodings.
type content struct {
	mediaType string
	tag       string // hash of the plain content, without quotes
	size      int    // of the plain content
	forGood   bool   // the address changes whenever the content does
	body      []byte // nil where only encodings are kept
	encoded   func() encodings
}

type encodings struct{ br, gzip []byte }

// newContent is text made by this package.
func newContent(mediaType string, body []byte) *content {
	sum := sha256.Sum256(body)
	return fileContent(&assets.File{
		Type: mediaType, Hash: hex.EncodeToString(sum[:8]), Size: len(body), Body: body,
	})
}

// fileContent is a file of a set. Text is compressed when it is first asked for,
// fast enough not to be noticed; the program comes compressed.
func fileContent(f *assets.File) *content {
	c := &content{mediaType: f.Type, tag: f.Hash, size: f.Size, body: f.Body}
	c.encoded = sync.OnceValue(func() encodings {
		if f.Br != nil || f.Gzip != nil {
			return encodings{f.Br, f.Gzip}
		}
		if !compressible(f.Type) || len(f.Body) < 512 {
			return encodings{}
		}
		return compress(f.Body)
	})
	return c
}

// kept is the same content at an address that may be cached for good.
func (c *content) kept() *content {
	k := *c
	k.forGood = true
	return &k
}

func compressible(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || strings.Contains(mediaType, "json") ||
		mediaType == "image/svg+xml" || mediaType == "application/wasm"
}

func compress(body []byte) encodings {
	var br, gz bytes.Buffer
	b := brotli.NewWriterLevel(&br, 6)
	z := gzip.NewWriter(&gz)
	// Writing to a buffer can't fail.
	_, _ = b.Write(body)
	_ = b.Close()
	_, _ = z.Write(body)
	_ = z.Close()
	return encodings{br.Bytes(), gz.Bytes()}
}

// serve answers with the best encoding that the client takes. Each encoding has
// its own strong ETag.
func (c *content) serve(w http.ResponseWriter, r *http.Request, status int) {
	enc := c.encoded()
	name, body := choose(r.Header.Get("Accept-Encoding"), enc)
	if name == "" {
		body = c.body
	}
	tag := `"` + c.tag + `"`
	if name != "" {
		tag = `"` + c.tag + "-" + name + `"`
	}
	h := w.Header()
	h.Set("ETag", tag)
	if enc.br != nil || enc.gzip != nil {
		h.Set("Vary", "Accept-Encoding")
	}
	if c.forGood {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	if status == http.StatusOK && matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", c.mediaType)
	if c.mediaType == "application/wasm" {
		h.Set(lengthHeader, strconv.Itoa(c.size))
	}
	if name != "" {
		h.Set("Content-Encoding", name)
	}
	if body == nil && c.size > 0 {
		c.unpack(w, r, enc, status)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// unpack serves a client that takes no compression what is kept compressed only.
func (c *content) unpack(w http.ResponseWriter, r *http.Request, enc encodings, status int) {
	z, err := gzip.NewReader(bytes.NewReader(enc.gzip))
	if err != nil {
		plain(w, http.StatusInternalServerError, "The program in this build can't be unpacked.")
		return
	}
	w.Header().Set("Content-Length", strconv.Itoa(c.size))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = io.Copy(w, z)
	}
}

// choose picks brotli before gzip among what Accept-Encoding allows. Of the
// weights only zero matters: it forbids.
func choose(accept string, enc encodings) (string, []byte) {
	allowed := func(name string) bool {
		verdict := false
		for _, part := range strings.Split(accept, ",") {
			coding, params, _ := strings.Cut(part, ";")
			coding = strings.ToLower(strings.TrimSpace(coding))
			if coding != name && coding != "*" {
				continue
			}
			verdict = !zeroWeight(params)
			if coding == name {
				return verdict
			}
		}
		return verdict
	}
	if enc.br != nil && allowed("br") {
		return "br", enc.br
	}
	if enc.gzip != nil && allowed("gzip") {
		return "gzip", enc.gzip
	}
	return "", nil
}

func zeroWeight(params string) bool {
	for _, p := range strings.Split(params, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if !strings.EqualFold(strings.TrimSpace(key), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		return err == nil && q <= 0
	}
	return false
}

// matches tells whether If-None-Match names the tag, compared weakly as it must be.
func matches(lines []string, tag string) bool {
	for _, line := range lines {
		for _, t := range strings.Split(line, ",") {
			t = strings.TrimSpace(t)
			if t == "*" || strings.TrimPrefix(t, "W/") == tag {
				return true
			}
		}
	}
	return false
}
