package queue

import (
	"context"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/shared/fault"
)

// Kind is something that is derived from bodies.
type Kind interface {
	// Name is what failures are kept under, such as "vector".
	Name() string
	// Run is the kind with the model in use. ok is false while it is off.
	Run() (r Run, ok bool)
	// News receives when another Run may be in use.
	News() <-chan struct{}
}

// Bodies are what a kind derives from, such as all memories.
type Bodies interface {
	// Noun is whose lines of the change log are about them.
	Noun() db.Noun
	// Changed are the ids of bodies that lines of the log may be about, by the ids that
	// the lines tell: what there is, and those of held, which were there before, that
	// are gone.
	Changed(tx *db.Tx, owner db.AccountID, lines, held []int64) ([]int64, error)
	// Bodies are the account's below an id, the newest first, without their texts.
	// before 0 begins with the newest.
	Bodies(tx *db.Tx, owner db.AccountID, before int64, limit int) ([]embedding.Body, error)
	// BodiesOf are those of ids that there are, in no particular order.
	BodiesOf(tx *db.Tx, owner db.AccountID, ids []int64) ([]embedding.Body, error)
	// Texts are the same with their texts, the newest first.
	Texts(tx *db.Tx, owner db.AccountID, ids []int64) ([]memory.Text, error)
}

// Elsewhere is a Kind that doesn't derive from memories. Before each of its requests it
// is looked whether the kinds before it have something to do.
type Elsewhere interface {
	Kind
	Bodies() Bodies
}

// memories are the bodies of all kinds that don't say otherwise.
type memories struct{ *memory.Store }

func (memories) Noun() db.Noun { return db.NounMemory }

// Changed implements Bodies: a line is a memory.
func (memories) Changed(_ *db.Tx, _ db.AccountID, lines, _ []int64) ([]int64, error) {
	return lines, nil
}

// Run derives with one model. It never changes, and can be compared: equal ones are
// the same.
type Run interface {
	// Source names the model, as failures are kept under it.
	Source() string
	// Limits are what Derive should be given.
	Limits() embedding.Limits
	// InUse tells whether the store still wants this model's work.
	InUse(tx *db.Tx) (bool, error)
	// MissingOf is those of bodies that nothing fresh was derived from.
	MissingOf(tx *db.Tx, owner db.AccountID, bodies []embedding.Body) ([]int64, error)
	// Derive asks the model, outside of any transaction. An error is of the call as
	// a whole.
	Derive(ctx context.Context, texts []memory.Text) (Batch, error)
	// State is how the model is.
	State() embedding.State
}

// Batch is what was derived from texts.
type Batch struct {
	// Errs has an entry for each text: nil where something was derived. One of kind
	// Unavailable says nothing of the text: it is tried again with the others.
	Errs []error
	// Put stores what was derived from those texts that are still the bodies of their
	// memories, if the model is still in use, and tells of how many.
	Put func(tx *db.Tx, owner db.AccountID, still []bool) (stored int, err error)
}

// VectorName is the name of Vectors.
const VectorName = "vector"

// Vectors is the kind of the embedding in use.
type Vectors struct {
	service *embedding.Service
	news    <-chan struct{}
}

// NewVectors makes it over the service that lends the embedding.
func NewVectors(s *embedding.Service) *Vectors { return &Vectors{s, s.News()} }

// Name implements Kind.
func (v *Vectors) Name() string { return VectorName }

// News implements Kind.
func (v *Vectors) News() <-chan struct{} { return v.news }

// Run implements Kind.
func (v *Vectors) Run() (Run, bool) {
	s := v.service.Snapshot()
	return vectorRun{s}, s.Ready()
}

type vectorRun struct{ *embedding.Snapshot }

func (r vectorRun) Source() string           { return r.Identity() }
func (r vectorRun) Limits() embedding.Limits { return r.Embedder.Limits() }

func (r vectorRun) State() embedding.State {
	if is, ok := r.Embedder.(embedding.Stater); ok {
		return is.State()
	}
	return embedding.State{}
}

func (r vectorRun) InUse(tx *db.Tx) (bool, error) {
	now, err := embedding.Current(tx)
	return now.ID == r.ID, err
}

func (r vectorRun) MissingOf(tx *db.Tx, owner db.AccountID, bodies []embedding.Body) ([]int64, error) {
	now, err := embedding.Current(tx) // for its width, which the first vectors told
	if err != nil || now.ID != r.ID {
		return nil, err
	}
	return embedding.MissingOf(tx, owner, now, bodies)
}

func (r vectorRun) Derive(ctx context.Context, texts []memory.Text) (Batch, error) {
	plain := make([]string, len(texts))
	for i := range texts {
		plain[i] = texts[i].Text
	}
	list, err := r.Embedder.Embed(ctx, plain, embedding.Passage)
	if err != nil {
		return Batch{}, err
	}
	if len(list) != len(texts) {
		return Batch{}, fault.New(fault.Unavailable, "The embedding model did not answer to each text.")
	}
	b := Batch{Errs: make([]error, len(texts))}
	items := make([]embedding.Item, len(texts))
	for i, one := range list {
		if b.Errs[i] = one.Err; one.Err == nil && len(one.Vectors) == 0 {
			b.Errs[i] = fault.New(fault.Corrupt, "The model answered no vector.")
		}
		items[i] = embedding.Item{Memory: texts[i].Memory, BodyHash: texts[i].Hash, Script: embedding.Group(texts[i].Text), Vectors: one.Vectors}
	}
	b.Put = func(tx *db.Tx, owner db.AccountID, still []bool) (int, error) {
		var list []embedding.Item
		for i := range items {
			if still[i] && b.Errs[i] == nil {
				list = append(list, items[i])
			}
		}
		return embedding.Put(tx, owner, r.ID, list)
	}
	return b, nil
}
