package recall

import (
	"container/list"
	"context"
	"sync"
	"time"

	"elowen/server/embedding"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// asked is a question that was made ready outside of any transaction.
type asked struct {
	text     string
	script   string
	snapshot *embedding.Snapshot // whose vector it is
	vector   []float32           // nil: by words alone
	problem  string              // why there is no vector; empty: nobody is to be asked
	late     LateQuestion        // nil: there is none
}

// ask makes a question ready, by meaning and for late interaction at the same time. It
// never fails: what cannot be asked is not, and the question says why.
func (s *Store) ask(ctx context.Context, text string, late bool) *asked {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("recall.embedMillis"))*time.Millisecond)
	defer cancel()
	q := &asked{text: text, script: embedding.Group(text)}
	var wait sync.WaitGroup
	if late && s.o.Late != nil && s.o.Late.Ready() {
		wait.Go(func() {
			var lq LateQuestion
			var err error
			if panicked := fault.Guarded(func() { lq, err = s.o.Late.Question(ctx, text) }); panicked != nil {
				s.o.Log.Error("making a question ready for late interaction panicked", "error", panicked)
			} else if err == nil {
				q.late = lq
			} else if ctx.Err() == nil {
				s.o.Log.Warn("a question could not be made ready for late interaction", "error", err)
			}
		})
	}
	s.embed(ctx, q)
	wait.Wait()
	return q
}

// embed gives a question its vector.
func (s *Store) embed(ctx context.Context, q *asked) {
	q.snapshot = s.o.Service.Snapshot()
	if !q.snapshot.On() {
		q.problem = q.snapshot.Problem
		return
	}
	if v, ok := s.questions.get(q.snapshot.ID, q.text); ok {
		q.vector = v
		return
	}
	v, snapshot, err := s.o.Service.Query(ctx, q.text)
	if err != nil {
		q.problem = fault.ProblemOf(err).Detail
		return
	}
	q.snapshot, q.vector = snapshot, v
	s.questions.put(snapshot.ID, q.text, v)
}

// questions keeps the vectors of the last questions: the same one is asked again while
// somebody reads on, or tries another limit. It is safe for concurrent use.
type questions struct {
	most int

	mu    sync.Mutex
	at    map[questionKey]*list.Element
	order list.List // of *question, the last used first
}

type questionKey struct {
	space embedding.SpaceID
	text  string
}

type question struct {
	key    questionKey
	vector []float32
}

func newQuestions(most int) *questions {
	return &questions{most: most, at: map[questionKey]*list.Element{}}
}

func (q *questions) get(space embedding.SpaceID, text string) ([]float32, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e, ok := q.at[questionKey{space, text}]
	if !ok {
		return nil, false
	}
	q.order.MoveToFront(e)
	return e.Value.(*question).vector, true
}

func (q *questions) put(space embedding.SpaceID, text string, v []float32) {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := questionKey{space, text}
	if e, ok := q.at[key]; ok {
		e.Value.(*question).vector = v
		q.order.MoveToFront(e)
		return
	}
	q.at[key] = q.order.PushFront(&question{key, v})
	for q.order.Len() > q.most {
		last := q.order.Back()
		delete(q.at, last.Value.(*question).key)
		q.order.Remove(last)
	}
}
