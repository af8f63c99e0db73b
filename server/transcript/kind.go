package transcript

import (
	"context"
	"maps"
	"slices"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/embedding/queue"
	"elowen/server/journal"
	"elowen/server/late"
	"elowen/server/memory"
	"elowen/shared/fault"
)

// This file is what package queue derives in the background from turns.

// bodies are the turns of transcripts, as the queue goes through them.
type bodies struct{}

var _ queue.Bodies = bodies{}

// Noun implements queue.Bodies. Turns come and go with their conversation.
func (bodies) Noun() db.Noun { return db.NounConversation }

// Changed implements queue.Bodies: the turns of the transcripts among conversations, and
// where one of those is gone, what is gone.
func (bodies) Changed(tx *db.Tx, owner db.AccountID, lines, held []int64) ([]int64, error) {
	there, err := journal.GetAll(tx, owner, lines)
	if err != nil {
		return nil, err
	}
	found, err := among(tx, owner, slices.Collect(maps.Keys(there)))
	if err != nil {
		return nil, err
	}
	ids, err := journal.MessagesIn(tx, owner, slices.Sorted(maps.Keys(found)))
	if err != nil || len(there) == len(lines) {
		return ids, err
	}
	gone, err := journal.Gone(tx, owner, held)
	return append(ids, gone...), err
}

// Bodies implements queue.Bodies: as many as asked for, unless these are the last.
func (bodies) Bodies(tx *db.Tx, owner db.AccountID, before int64, limit int) ([]embedding.Body, error) {
	list := make([]embedding.Body, 0, limit)
	for len(list) < limit {
		ids, conversations, err := journal.Messages(tx, owner, before, limit)
		if err != nil {
			return nil, err
		}
		found, err := among(tx, owner, distinct(conversations))
		if err != nil {
			return nil, err
		}
		for i, id := range ids {
			if len(list) == limit {
				break
			}
			before = id
			if _, ok := found[conversations[i]]; ok {
				list = append(list, embedding.Body{Memory: id, Hash: textVersion})
			}
		}
		if len(ids) < limit {
			break
		}
	}
	return list, nil
}

// BodiesOf implements queue.Bodies.
func (bodies) BodiesOf(tx *db.Tx, owner db.AccountID, ids []int64) ([]embedding.Body, error) {
	entries, err := turns(tx, owner, ids)
	list := make([]embedding.Body, 0, len(entries))
	for _, e := range entries {
		list = append(list, embedding.Body{Memory: e.ID, Hash: textVersion})
	}
	return list, err
}

// Texts implements queue.Bodies. Each text is a window; its revision is the number of its
// conversation.
func (bodies) Texts(tx *db.Tx, owner db.AccountID, ids []int64) ([]memory.Text, error) {
	entries, err := turns(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	windows, err := windowsOf(tx, owner, entries)
	list := make([]memory.Text, 0, len(entries))
	for _, e := range entries {
		list = append(list, memory.Text{Body: embedding.Body{Memory: e.ID, Hash: textVersion}, Revision: e.Conversation, Text: windows[e.ID].text()})
	}
	return list, err
}

// turns are those of ids that are turns of transcripts, the newest first.
func turns(tx *db.Tx, owner db.AccountID, ids []int64) ([]journal.Placed, error) {
	entries, err := journal.Entries(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	var conversations []int64
	for _, e := range entries {
		conversations = append(conversations, e.Conversation)
	}
	found, err := among(tx, owner, distinct(conversations))
	if err != nil {
		return nil, err
	}
	list := make([]journal.Placed, 0, len(entries))
	for _, e := range entries {
		_, message := e.Payload.(*journal.Message)
		if _, ok := found[e.Conversation]; ok && message {
			list = append(list, e)
		}
	}
	newestFirst(list)
	return list, nil
}

// windowsOf are the windows of turns.
func windowsOf(tx *db.Tx, owner db.AccountID, entries []journal.Placed) (map[int64]window, error) {
	var above []int64
	for _, e := range entries {
		if e.Parent != 0 {
			above = append(above, e.Parent)
		}
	}
	parents, err := journal.Entries(tx, owner, above)
	windows := make(map[int64]window, len(entries))
	for _, e := range entries {
		before, _ := parents[e.Parent].Payload.(*journal.Message)
		windows[e.ID] = windowOf(e.Entry, before)
	}
	return windows, err
}

// VectorName and TokenName are what failures are kept under.
const (
	VectorName = "turn-vector"
	TokenName  = "turn-tokens"
)

// textsMost is how many turns a request is given: a memory that comes meanwhile waits for
// no more than that.
const textsMost = 8

// Vectors is the kind of the embedding in use.
type Vectors struct {
	service *embedding.Service
	news    <-chan struct{}
}

var _ queue.Elsewhere = (*Vectors)(nil)

// NewVectors makes it over the service that lends the embedding.
func NewVectors(s *embedding.Service) *Vectors { return &Vectors{s, s.News()} }

// Name implements queue.Kind.
func (v *Vectors) Name() string { return VectorName }

// News implements queue.Kind.
func (v *Vectors) News() <-chan struct{} { return v.news }

// Bodies implements queue.Elsewhere.
func (v *Vectors) Bodies() queue.Bodies { return bodies{} }

// Run implements queue.Kind.
func (v *Vectors) Run() (queue.Run, bool) {
	s := v.service.Snapshot()
	return vectorRun{s}, s.Ready()
}

type vectorRun struct{ *embedding.Snapshot }

func (r vectorRun) Source() string { return r.Identity() }

func (r vectorRun) Limits() embedding.Limits {
	l := r.Embedder.Limits()
	l.Texts = max(1, min(l.Texts/2, textsMost)) // each is two
	return l
}

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
	return missing(tx, owner, now, bodies)
}

func (r vectorRun) Derive(ctx context.Context, texts []memory.Text) (queue.Batch, error) {
	var plain []string
	for _, t := range texts {
		w := readWindow(t.Text)
		plain = append(plain, w.alone())
		if w.before != "" {
			plain = append(plain, w.pair())
		}
	}
	list, err := r.embed(ctx, plain)
	if err != nil {
		return queue.Batch{}, err
	}
	b := queue.Batch{Errs: make([]error, len(texts))}
	items := make([]item, len(texts))
	for i, t := range texts {
		w := readWindow(t.Text)
		it := item{entry: t.Memory, conversation: t.Revision}
		own := list[0]
		pair := own
		if list = list[1:]; w.before != "" {
			pair, list = list[0], list[1:]
		}
		for _, one := range []embedding.Result{own, pair} {
			if b.Errs[i] == nil && one.Err != nil {
				b.Errs[i] = one.Err
			}
			if b.Errs[i] == nil && len(one.Vectors) == 0 {
				b.Errs[i] = fault.New(fault.Corrupt, "The model answered no vector.")
			}
		}
		it.own, it.pair = own.Vectors, pair.Vectors
		items[i] = it
	}
	b.Put = func(tx *db.Tx, owner db.AccountID, still []bool) (int, error) {
		var list []item
		for i := range items {
			if still[i] && b.Errs[i] == nil {
				list = append(list, items[i])
			}
		}
		return put(tx, owner, r.ID, list)
	}
	return b, nil
}

// embed asks in calls of what the model takes.
func (r vectorRun) embed(ctx context.Context, texts []string) ([]embedding.Result, error) {
	var list []embedding.Result
	for from := 0; from < len(texts); {
		to := r.Embedder.Limits().Take(texts, from)
		some, err := r.Embedder.Embed(ctx, texts[from:to], embedding.Passage)
		if err != nil {
			return nil, err
		}
		if len(some) != to-from {
			return nil, fault.New(fault.Unavailable, "The embedding model did not answer to each text.")
		}
		list, from = append(list, some...), to
	}
	return list, nil
}

// Tokens is the kind of late interaction.
type Tokens struct {
	reranker *late.Reranker
	on       func() bool
	news     <-chan struct{}
}

var _ queue.Elsewhere = (*Tokens)(nil)

// NewTokens makes it over a Reranker. on tells whether late interaction is on; news
// receives when that has changed. Without weights it is off.
func NewTokens(r *late.Reranker, on func() bool, news <-chan struct{}) *Tokens {
	return &Tokens{r, on, news}
}

// Name implements queue.Kind.
func (t *Tokens) Name() string { return TokenName }

// News implements queue.Kind.
func (t *Tokens) News() <-chan struct{} { return t.news }

// Bodies implements queue.Elsewhere.
func (t *Tokens) Bodies() queue.Bodies { return bodies{} }

// Run implements queue.Kind.
func (t *Tokens) Run() (queue.Run, bool) { return tokenRun{t.reranker}, t.on() && t.reranker.Ready() }

type tokenRun struct{ *late.Reranker }

func (r tokenRun) Source() string { return r.Hash() }

func (r tokenRun) Limits() embedding.Limits {
	return embedding.Limits{Texts: textsMost, Bytes: 1 << 16}
}

func (r tokenRun) State() embedding.State { return embedding.State{} }

func (r tokenRun) InUse(*db.Tx) (bool, error) { return true, nil }

func (r tokenRun) MissingOf(tx *db.Tx, owner db.AccountID, bodies []embedding.Body) ([]int64, error) {
	return missingTokens(tx, owner, r.Hash(), bodies)
}

func (r tokenRun) Derive(ctx context.Context, texts []memory.Text) (queue.Batch, error) {
	b := queue.Batch{Errs: make([]error, len(texts))}
	items := make([]tokens, len(texts))
	for i, t := range texts {
		packed, err := r.Passage(ctx, readWindow(t.Text).alone())
		if err != nil {
			return queue.Batch{}, err
		}
		items[i] = tokens{t.Memory, packed}
	}
	b.Put = func(tx *db.Tx, owner db.AccountID, still []bool) (int, error) {
		var list []tokens
		for i := range items {
			if still[i] {
				list = append(list, items[i])
			}
		}
		return putTokens(tx, owner, r.Hash(), list)
	}
	return b, nil
}
