package embedding

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Snapshot is an Embedder with the space that its vectors are stored under and the
// profile that they are read by. It never changes; another configuration is
// another Snapshot.
type Snapshot struct {
	Stored
	Embedder Embedder // nil: nobody can be asked; Problem says why
	Profile  Profile
	Problem  string
}

// Ready tells whether there is somebody to ask.
func (s *Snapshot) Ready() bool { return s.On() && s.Embedder != nil }

// missing is the error of one that isn't Ready.
func (s *Snapshot) missing() error {
	if s.Problem != "" {
		return fault.New(fault.Unavailable, s.Problem)
	}
	return fault.New(fault.Unavailable, "No embedding model is set up.")
}

// State is how an Embedder that goes over a network is.
type State struct {
	Problem string // what is wrong, for people; empty: nothing
	RetryAt int64  // when it is asked again, in Unix milliseconds; 0: at once
}

// Stater is an Embedder that can tell how it is.
type Stater interface{ State() State }

// Loader is an Embedder whose model must be brought into memory before it answers.
// What can do without it asks nothing of one that isn't Loaded.
type Loader interface{ Loaded() bool }

// Prompt tells whether there is somebody to ask who needn't be waited for first.
func (s *Snapshot) Prompt() bool {
	if !s.Ready() {
		return false
	}
	l, loads := s.Embedder.(Loader)
	return !loads || l.Loaded()
}

// Service lends the Snapshot in use, and lets questions go before background
// work. It is safe for concurrent use.
type Service struct {
	snapshot atomic.Pointer[Snapshot]

	mu     sync.Mutex
	asking int
	quiet  chan struct{}   // closed while nobody asks
	news   []chan struct{} // told of each new snapshot
}

// NewService makes a service that is off.
func NewService() *Service {
	s := &Service{quiet: make(chan struct{})}
	close(s.quiet)
	s.snapshot.Store(&Snapshot{})
	return s
}

// Use makes a snapshot the one in use.
func (s *Service) Use(snapshot *Snapshot) {
	s.snapshot.Store(snapshot)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.news {
		select {
		case c <- struct{}{}:
		default: // it is told already
		}
	}
}

// Snapshot is the one in use. It is never nil; where embeddings are off it is not On.
func (s *Service) Snapshot() *Snapshot { return s.snapshot.Load() }

// News is a channel that receives after each change of the snapshot from now on.
func (s *Service) News() <-chan struct{} {
	c := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.news = append(s.news, c)
	return c
}

// State is how the Embedder in use is.
func (s *Service) State() State {
	snapshot := s.Snapshot()
	if snapshot.Problem != "" {
		return State{Problem: snapshot.Problem}
	}
	if is, ok := snapshot.Embedder.(Stater); ok {
		return is.State()
	}
	return State{}
}

// Query embeds a question, and answers the vector with the snapshot that it belongs
// to. It gives up a little before ctx does, so that its caller can still answer by
// words. Errors: Unavailable where embeddings are off or the model cannot be asked.
func (s *Service) Query(ctx context.Context, text string) ([]float32, *Snapshot, error) {
	snapshot := s.Snapshot()
	if !snapshot.Ready() {
		return nil, snapshot, snapshot.missing()
	}
	defer s.ask()()
	ctx, cancel := Sooner(ctx)
	defer cancel()
	list, err := snapshot.Embedder.Embed(ctx, []string{text}, Query)
	if err == nil && len(list) == 1 {
		err = list[0].Err
	}
	if err != nil && ctx.Err() != nil { // what an Embedder says of it is not for people
		err = fault.Wrap(fault.Unavailable, err, "The embedding model did not answer in time.")
	}
	if err != nil {
		return nil, snapshot, err
	}
	if len(list) != 1 {
		return nil, snapshot, fault.New(fault.Unavailable, "The embedding model did not answer the question.")
	}
	if len(list[0].Vectors) == 0 {
		return nil, snapshot, fault.New(fault.Unavailable, "The embedding model did not answer the question.")
	}
	return list[0].Vectors[0], snapshot, nil
}

// Embed embeds texts that whoever asks waits for, and answers one vector a text, of length
// 1: of a text that takes several windows their mean. Errors: Unavailable where embeddings
// are off or the model cannot be asked; that of the first text that cannot be embedded.
func (s *Service) Embed(ctx context.Context, texts []string, kind Kind) ([][]float32, error) {
	snapshot := s.Snapshot()
	if !snapshot.Ready() {
		return nil, snapshot.missing()
	}
	defer s.ask()()
	out := make([][]float32, 0, len(texts))
	for from := 0; from < len(texts); {
		to := snapshot.Embedder.Limits().Take(texts, from)
		most, cancel := Sooner(ctx)
		list, err := snapshot.Embedder.Embed(most, texts[from:to], kind)
		cancel()
		if err != nil {
			return nil, err
		}
		if len(list) != to-from {
			return nil, fault.New(fault.Unavailable, "The embedding model did not answer all texts.")
		}
		for _, r := range list {
			v, err := r.mean()
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		from = to
	}
	return out, nil
}

// mean is the mean of a text's vectors, of length 1.
func (r Result) mean() ([]float32, error) {
	switch {
	case r.Err != nil:
		return nil, r.Err
	case len(r.Vectors) == 0:
		return nil, fault.New(fault.Unavailable, "The embedding model did not answer all texts.")
	case len(r.Vectors) == 1:
		return r.Vectors[0], nil
	}
	sum := make([]float32, len(r.Vectors[0]))
	for _, v := range r.Vectors {
		for i := range min(len(sum), len(v)) {
			sum[i] += v[i]
		}
	}
	return sum, Normalize(sum)
}

// ask notes that somebody asks, until the function it gives is called.
func (s *Service) ask() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking == 0 {
		s.quiet = make(chan struct{})
	}
	s.asking++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.asking--; s.asking == 0 {
			close(s.quiet)
		}
	}
}

// Quiet waits until nobody asks a question, but no longer than most: background
// work lets questions go first, and is not starved by them.
func (s *Service) Quiet(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	quiet := s.quiet
	s.mu.Unlock()
	select {
	case <-quiet:
		return
	default:
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-quiet:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Sooner is a context that ends before ctx does: with a tenth of its time left, at
// the latest after the setting embedding.seconds.
func Sooner(ctx context.Context) (context.Context, context.CancelFunc) {
	most := time.Duration(setting.Int("embedding.seconds")) * time.Second
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(end)*9/10)
	}
	return context.WithTimeout(ctx, most)
}
