package local

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"elowen/server/embedding/local/encoder"
	"elowen/server/embedding/local/token"
	"elowen/server/embedding/local/weight"
	"elowen/shared/fault"
)

// Names of the models, as in spaces and settings.
const (
	Multilingual = "multilingual-e5-small"
	English      = "e5-small-v2"
)

// Width is the length of both models' vectors.
const Width = 384

// Models are the built-in models.
type Models struct {
	files weight.Files
	list  []*Model
}

// New makes the models over the files of weights that there are, or will be: a file
// that is added later is found by the next call.
func New(files weight.Files) *Models {
	m := &Models{files: files}
	t := newTurns()
	for _, a := range []architecture{
		{name: Multilingual, pins: []weight.Pin{weight.Multilingual}, read: readMultilingual},
		{name: English, pins: []weight.Pin{weight.English, weight.EnglishTokenizer}, read: readEnglish},
	} {
		m.list = append(m.list, &Model{architecture: a, files: files, turns: t})
	}
	return m
}

// List are the models, available or not, the default one first.
func (m *Models) List() []*Model { return append([]*Model{}, m.list...) }

// Open is the model of a name. NotFound where there is none of that name,
// Unavailable where its weights aren't here.
func (m *Models) Open(name string) (*Model, error) {
	for _, one := range m.list {
		if one.name == name {
			return one, one.missing()
		}
	}
	return nil, fault.Newf(fault.NotFound, "There is no built-in model %q.", name)
}

// Close gives back files; no model may be used any more.
func (m *Models) Close() error {
	var err error
	for _, one := range m.list {
		err = errors.Join(err, one.close())
	}
	return err
}

// architecture is how a model is made from its files.
type architecture struct {
	name string
	pins []weight.Pin // the weights first
	// read gives the model and what makes its tokenizer.
	read func(files []*weight.Reader) (*weight.Model, func() (tokenizer, error), error)
}

// tokenizer is what both tokenizers do.
type tokenizer interface {
	Append(ids []int32, text string) []int32
	Frame() (begin, end int32)
}

func readMultilingual(files []*weight.Reader) (*weight.Model, func() (tokenizer, error), error) {
	m, err := weight.ReadMultilingual(files[0], files[0].Size())
	if err != nil {
		return nil, nil, err
	}
	return &m.Model, func() (tokenizer, error) { return token.NewUnigram(m.Tokenizer) }, nil
}

func readEnglish(files []*weight.Reader) (*weight.Model, func() (tokenizer, error), error) {
	m, err := weight.ReadEnglish(files[0], files[0].Size())
	if err != nil {
		return nil, nil, err
	}
	return m, func() (tokenizer, error) {
		file, err := io.ReadAll(io.NewSectionReader(files[1], 0, files[1].Size()))
		if err != nil {
			return nil, fault.Wrap(fault.Internal, err, "The tokenizer can't be read.")
		}
		return token.NewWordPiece(file)
	}, nil
}

// Model is one built-in model.
type Model struct {
	architecture
	files weight.Files
	turns *turns

	ready atomic.Bool // it is loaded

	mu        sync.Mutex
	loaded    *loaded          // guarded by mu, as what follows; nil until it was asked for
	tokenizer tokenizer        // the same
	open      []*weight.Reader // what the loaded model reads from
}

// loaded is a model in memory. It doesn't change.
type loaded struct {
	tokenizer
	encoder *encoder.Encoder
	failure func() error
	// The prefixes' pieces are as many whatever follows; these are their numbers.
	passageLead, queryLead int
}

// Name is the model's, one of the constants.
func (m *Model) Name() string { return m.name }

// Hash is the SHA-256 of the model's file, in hex: part of what makes two vectors
// comparable.
func (m *Model) Hash() string { return m.pins[0].SHA256 }

// Width is the length of its vectors.
func (m *Model) Width() int { return Width }

// Available tells whether the weights are here, without reading them.
func (m *Model) Available() bool { return m.missing() == nil }

// Loaded tells whether it answers without being read first. It never waits.
func (m *Model) Loaded() bool { return m.ready.Load() }

// missing is nil or an error of kind Unavailable.
func (m *Model) missing() error {
	for _, p := range m.pins {
		if !m.files.Has(p) {
			return fault.Newf(fault.Unavailable, "The weights of %s aren't part of this build; elowen setup --memory local --weights FILE adds them.", m.name)
		}
	}
	return nil
}

// load makes the model ready, once. A failure is tried again by the next call.
func (m *Model) load() (*loaded, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded != nil {
		return m.loaded, nil
	}
	if err := m.missing(); err != nil {
		return nil, err
	}
	files, err := m.openFiles()
	if err != nil {
		return nil, err
	}
	l, err := m.make(files)
	if err != nil {
		return nil, errors.Join(err, closeAll(files))
	}
	m.loaded, m.open = l, files
	m.ready.Store(true)
	return l, nil
}

// openFiles opens and checks all files.
func (m *Model) openFiles() ([]*weight.Reader, error) {
	var files []*weight.Reader
	for _, p := range m.pins {
		r, err := m.files.Open(p)
		if err != nil {
			return nil, errors.Join(err, closeAll(files))
		}
		files = append(files, r)
	}
	return files, nil
}

func closeAll(files []*weight.Reader) error {
	var err error
	for _, r := range files {
		err = errors.Join(err, r.Close())
	}
	return err
}

// make reads files that have been checked. The caller holds mu.
func (m *Model) make(files []*weight.Reader) (*loaded, error) {
	w, makeTokenizer, err := m.read(files)
	if err != nil {
		return nil, err
	}
	if m.tokenizer == nil {
		t, err := makeTokenizer()
		if err != nil {
			return nil, err
		}
		m.tokenizer = t
	}
	if w.Width != Width {
		return nil, fault.Newf(fault.Invalid, "%s is %d wide, not %d.", m.name, w.Width, Width)
	}
	e, err := encoder.New(w.Weights)
	if err == nil {
		err = w.Err()
	}
	if err != nil {
		return nil, err
	}
	w.Layers = nil // they are in the encoder, in another form
	t := m.tokenizer
	l := &loaded{tokenizer: t, encoder: e, failure: w.Err}
	l.passageLead = len(t.Append(nil, passagePrefix[:len(passagePrefix)-1]))
	l.queryLead = len(t.Append(nil, queryPrefix[:len(queryPrefix)-1]))
	return l, nil
}

func (m *Model) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := closeAll(m.open)
	m.loaded, m.tokenizer, m.open = nil, nil, nil
	m.ready.Store(false)
	return err
}

// Frequencies are the multilingual model's pieces with their probabilities: a
// background of how frequent words are, in all its languages. It takes the tokenizer
// alone and loads no layers. Errors are those of Open.
func (m *Models) Frequencies() (*token.Unigram, error) {
	one, err := m.Open(Multilingual)
	if err != nil {
		return nil, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.tokenizer == nil {
		files, err := one.openFiles()
		if err != nil {
			return nil, err
		}
		_, makeTokenizer, err := one.read(files)
		if err == nil {
			one.tokenizer, err = makeTokenizer()
		}
		if err := errors.Join(err, closeAll(files)); err != nil {
			return nil, err
		}
	}
	return one.tokenizer.(*token.Unigram), nil
}
