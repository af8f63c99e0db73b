package recall

import (
	"context"
	"log/slog"
	"strings"

	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/settings"
	"elowen/server/validation"
	"elowen/server/vector"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Options are what a Store is made of.
type Options struct {
	Memories *memory.Store
	Indexes  *vector.Indexes
	Service  *embedding.Service
	Scope    Scope // nil: category.Scope
	Late     Late  // nil: there is none
	// Background smooths how rare words are; it is asked for once there is a question.
	// nil knows no word.
	Background func() words.Background
	// Settings are all settings but the models, for answers to a change of them.
	Settings func(tx *db.Tx) (api.Settings, error)
	Log      *slog.Logger // nil is silent
}

// Store recalls. It is safe for concurrent use.
type Store struct {
	db        *db.DB
	o         Options
	questions *questions
	adds      chan struct{} // holds a value for each add that waits for its vector
}

// New makes the store over an open database.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Scope == nil {
		o.Scope = category.Scope
	}
	if o.Background == nil {
		o.Background = func() words.Background { return Background(nil) }
	}
	return &Store{db: d, o: o, questions: newQuestions(setting.Int("recall.questions")), adds: make(chan struct{}, setting.Int("similar.waiting"))}
}

// Retrieve answers what would be recalled for a question, and why. Nothing is counted
// as used. Errors: Invalid; NotFound for a project that the account may not see.
func (s *Store) Retrieve(ctx context.Context, account db.AccountID, in api.RetrieveRequest) (api.Retrieved, error) {
	out := api.Retrieved{Memories: []api.Memory{}, Candidates: []api.Candidate{}, Path: api.PathKeyword}
	if err := validation.Struct(in); err != nil {
		return out, err
	}
	r := Request{Query: in.Query, Project: in.ProjectID, Exclude: IDs(in.Exclude)}
	if in.Limit != nil {
		r.Limit = *in.Limit
	}
	if in.Bytes != nil {
		r.Bytes = *in.Bytes
	}
	if in.After != nil {
		r.After = int64(*in.After)
	}
	if in.Before != nil {
		r.Before = int64(*in.Before)
	}
	found, err := s.find(ctx, account, r, true)
	if err != nil {
		return out, err
	}
	for i := range found.Memories {
		out.Memories = append(out.Memories, found.Memories[i].Memory)
	}
	if found.candidates != nil {
		out.Candidates = found.candidates
	}
	out.Considered, out.Path, out.Note = found.considered, found.Path, found.Note
	return out, nil
}

// Recall implements Retriever. Errors: NotFound for a project that the account may not
// see.
func (s *Store) Recall(ctx context.Context, account db.AccountID, r Request) (Result, error) {
	found, err := s.find(ctx, account, r, false)
	return found.Result, err
}

// found is a Result with how it came about.
type found struct {
	Result
	candidates []api.Candidate
	considered int
}

// find answers a question. explained says that the candidates are wanted too.
func (s *Store) find(ctx context.Context, account db.AccountID, r Request, explained bool) (found, error) {
	out := found{Result: Result{Memories: []Recalled{}, Path: api.PathKeyword}}
	r.Query = strings.TrimSpace(r.Query)
	if Quiet(r.Query) {
		// Whether the project is there is told all the same.
		return out, s.db.View(ctx, func(tx *db.Tx) error {
			_, err := s.o.Scope(tx, account, r.Project)
			return err
		})
	}
	set, err := s.set(ctx)
	if err != nil {
		return out, err
	}
	q := s.ask(embedding.For(ctx, account), r.Query, set.runtime.LateInteraction)
	for again := true; ; again = false {
		err := s.db.ViewAgain(ctx, func(tx *db.Tx) (err error) {
			out, err = s.answer(tx, account, r, q, explained)
			return err
		})
		if !fault.Is(err, fault.Stale) {
			return out, err
		}
		// The model was changed between the question and the answer.
		if again {
			q = s.ask(embedding.For(ctx, account), r.Query, set.runtime.LateInteraction)
		} else {
			q.vector, q.problem = nil, fault.ProblemOf(err).Detail
		}
	}
}

// set is what was set, for the embedding space in use.
type set struct {
	limits  api.Limits
	runtime api.Runtime
	space   embedding.Stored
}

func (s *Store) set(ctx context.Context) (out set, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		out, err = readSet(tx)
		return err
	})
	return out, err
}

func readSet(tx *db.Tx) (out set, err error) {
	if out.space, err = embedding.Current(tx); err != nil {
		return out, err
	}
	if out.limits, err = settings.ReadLimits(tx); err != nil {
		return out, err
	}
	out.runtime, err = settings.ReadRuntime(tx, int64(out.space.ID))
	return out, err
}
