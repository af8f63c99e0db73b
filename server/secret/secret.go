package secret

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/crypto/chacha20poly1305"

	"elowen/shared/fault"
)

// FileName is the key's name in the data directory.
const FileName = "secret.key"

// FileVariable names the variable with the path of the key, where it is elsewhere.
const FileVariable = "ELOWEN_SECRET_KEY_FILE"

// Box seals and opens texts. It is safe for concurrent use.
type Box struct {
	file string

	mu  sync.Mutex
	key []byte // nil before it was needed
}

// New makes a Box whose key is in a file. It is not read before it is needed.
func New(file string) *Box { return &Box{file: file} }

// File is where the key is: named by the environment, or in the data directory.
func File(dir string, env func(string) (string, bool)) string {
	if file, ok := env(FileVariable); ok && file != "" {
		return file
	}
	return filepath.Join(dir, FileName)
}

// version begins every sealed text.
const version = 1

var errLost = fault.New(fault.Gone, "The stored key cannot be read any more: the file that it was encrypted with was lost or replaced. Give it again.")

// Seal encrypts a text under a name. Errors: Unavailable where the key can neither
// be read nor made.
func (b *Box) Seal(name, text string) ([]byte, error) {
	key, err := b.load(true)
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err, "")
	}
	out := make([]byte, 1+aead.NonceSize(), 1+aead.NonceSize()+len(text)+aead.Overhead())
	out[0] = version
	if _, err := rand.Read(out[1:]); err != nil {
		return nil, fault.Wrap(fault.Internal, err, "")
	}
	return aead.Seal(out, out[1:], []byte(text), []byte(name)), nil
}

// Open decrypts what Seal made under the name. Errors: Gone where the key is not the
// one that it was sealed with, or is lost; Unavailable where it cannot be read.
func (b *Box) Open(name string, sealed []byte) (string, error) {
	key, err := b.load(false)
	if err != nil {
		return "", err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return "", fault.Wrap(fault.Internal, err, "")
	}
	if len(sealed) < 1+aead.NonceSize() || sealed[0] != version {
		return "", errLost
	}
	text, err := aead.Open(nil, sealed[1:1+aead.NonceSize()], sealed[1+aead.NonceSize():], []byte(name))
	if err != nil {
		return "", errLost
	}
	return string(text), nil
}

// load reads the key, and makes it where it is not there and make is set.
func (b *Box) load(make bool) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.key != nil {
		return b.key, nil
	}
	text, err := os.ReadFile(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		if !make {
			return nil, errLost
		}
		text, err = create(b.file)
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The file with the key for stored secrets cannot be read: "+err.Error())
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != chacha20poly1305.KeySize {
		return nil, fault.Newf(fault.Corrupt, "%s is no key for stored secrets. It was left as it is: bring the right file back, or move it away and give the keys of the providers again.", b.file)
	}
	b.key = key
	return key, nil
}

// create writes a new key, for its owner alone. Where another program made one
// meanwhile, that one counts.
func create(file string) ([]byte, error) {
	key := make([]byte, chacha20poly1305.KeySize)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	text := []byte(base64.StdEncoding.EncodeToString(key) + "\n")
	// Written whole under another name first, so that nobody ever reads half a key.
	temp, err := os.CreateTemp(filepath.Dir(file), ".secret-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(temp.Name())
	if _, err = temp.Write(text); err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	err = os.Link(temp.Name(), file)
	if errors.Is(err, fs.ErrExist) {
		return os.ReadFile(file)
	}
	if err != nil { // a file system without links
		if err := os.Rename(temp.Name(), file); err != nil {
			return nil, err
		}
	}
	return text, nil
}
