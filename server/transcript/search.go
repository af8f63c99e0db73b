package transcript

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/journal"
	"elowen/server/late"
	"elowen/server/lexicon"
	"elowen/server/settings"
	"elowen/server/validation"
	"elowen/server/words"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// asked is a question that was made ready outside of any transaction.
type asked struct {
	text     string
	snapshot *embedding.Snapshot // whose vector it is
	vector   []float32           // nil: by words alone
	problem  string              // why there is no vector; empty: nobody is to be asked
	late     *late.Question      // nil: there is none
}

// Search finds the turns that answer a question best. Errors: Invalid; NotFound for a
// conversation that is no transcript of the account's.
func (s *Store) Search(ctx context.Context, owner db.AccountID, in api.TranscriptSearch) (api.TranscriptFound, error) {
	out := api.TranscriptFound{Turns: []api.TurnFound{}, Path: api.PathKeyword}
	if err := validation.Struct(in); err != nil {
		return out, err
	}
	q := &asked{text: strings.TrimSpace(in.Query)}
	if q.text != "" && words.ParseQuery(q.text).Empty() {
		q.text = "" // nothing but marks
	}
	if q.text != "" {
		on := false
		err := s.db.View(ctx, func(tx *db.Tx) error {
			r, err := settings.ReadRuntime(tx, 0)
			on = r.LateInteraction
			return err
		})
		if err != nil {
			return out, err
		}
		s.ask(embedding.For(ctx, owner), q, on)
	}
	for again := true; ; again = false {
		out, err := s.look(ctx, owner, in, q)
		if !fault.Is(err, fault.Stale) {
			return out, err
		}
		// The model was changed between the question and the answer.
		if again {
			s.ask(ctx, q, q.late != nil)
		} else {
			q.vector, q.problem = nil, fault.ProblemOf(err).Detail
		}
	}
}

// look answers a question in one transaction. The turn of the account's index is taken
// before: what waits for it is no transaction.
func (s *Store) look(ctx context.Context, owner db.AccountID, in api.TranscriptSearch, q *asked) (out api.TranscriptFound, err error) {
	var x *held // nil: by words alone
	if q.vector != nil {
		if x, err = s.indexes.enter(ctx, owner); err != nil {
			return out, err
		}
		defer x.close()
	}
	err = s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = s.answer(tx, owner, in, q, x)
		return err
	})
	return out, err
}

// ask makes a question ready, by meaning and for late interaction at the same time. It
// never fails: what cannot be asked is not, and the question says why.
func (s *Store) ask(ctx context.Context, q *asked, byTokens bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("recall.embedMillis"))*time.Millisecond)
	defer cancel()
	q.vector, q.problem, q.late = nil, "", nil
	var wait sync.WaitGroup
	if byTokens && s.o.Late != nil && s.o.Late.Ready() {
		wait.Go(func() {
			var lq *late.Question
			var err error
			panicked := fault.Guarded(func() { lq, err = s.o.Late.Question(ctx, q.text, s.o.Background()) })
			if panicked != nil {
				s.o.Log.Error("making a question ready for late interaction panicked", "error", panicked)
			} else if err == nil {
				q.late = lq
			} else if ctx.Err() == nil {
				s.o.Log.Warn("a question could not be made ready for late interaction", "error", err)
			}
		})
	}
	defer wait.Wait()
	if q.snapshot = s.o.Service.Snapshot(); !q.snapshot.On() {
		q.problem = q.snapshot.Problem
		return
	}
	v, snapshot, err := s.o.Service.Query(ctx, q.text)
	if err != nil {
		q.problem = fault.ProblemOf(err).Detail
		return
	}
	q.snapshot, q.vector = snapshot, v
}

// answering is one question in one transaction.
type answering struct {
	s       *Store
	tx      *db.Tx
	owner   db.AccountID
	in      api.TranscriptSearch
	q       *asked
	index   *held // nil where the question has no vector
	profile embedding.Profile
	turns   lexicon.Found // what its words found among turns
	indexed int           // turns with fresh vectors
	problem string
}

func (s *Store) answer(tx *db.Tx, owner db.AccountID, in api.TranscriptSearch, q *asked, x *held) (api.TranscriptFound, error) {
	out := api.TranscriptFound{Turns: []api.TurnFound{}, Path: api.PathKeyword}
	if in.ConversationID != 0 {
		if _, err := get(tx, owner, in.ConversationID); err != nil {
			return out, err
		}
	}
	if q.text == "" {
		return out, nil
	}
	a := &answering{s: s, tx: tx, owner: owner, in: in, q: q, index: x, profile: embedding.WordsAlone(), problem: q.problem}
	list, err := a.candidates()
	if err != nil {
		return out, err
	}
	list, transcripts, err := a.confirm(weigh(list, a.profile))
	if err != nil {
		return out, err
	}
	if err := a.compare(list); err != nil {
		return out, err
	}
	judge(list, a.profile)
	limit := setting.Int("transcript.limit")
	if in.Limit != nil {
		limit = *in.Limit
	}
	for _, c := range list[:min(len(list), limit)] {
		out.Turns = append(out.Turns, served(c, transcripts[c.entry.Conversation]))
	}
	if q.vector != nil && a.problem == "" {
		out.Path = api.PathSemantic
	}
	out.Note, err = a.note()
	return out, err
}

// candidates are the best by words and the best by cosine.
func (a *answering) candidates() ([]*candidate, error) {
	var x *resident
	if a.q.vector != nil {
		var err error
		defer a.index.close()
		if x, err = a.index.open(a.tx, a.q.snapshot); err != nil { // first: others wait for the turn
			return nil, err
		}
	}
	hits, err := a.words()
	if err != nil {
		return nil, err
	}
	keywords := make(map[int64]float64, len(hits))
	for _, h := range hits {
		keywords[h.ID] = h.Score
	}
	best := words.Top(hits, pool)
	list := make([]*candidate, 0, len(best)+pool)
	known := make(map[int64]*candidate, len(best))
	take := func(id int64) *candidate {
		c := known[id]
		if c == nil {
			c = &candidate{id: id, keyword: keywords[id]}
			known[id] = c
			list = append(list, c)
		}
		return c
	}
	for _, h := range best {
		take(h.ID)
	}
	if x == nil {
		return list, nil
	}
	if len(x.slots) > 0 && len(a.q.vector) != x.width {
		// A model that answers otherwise than it did when turns were indexed.
		a.problem = fmt.Sprintf("The model answered a question of %d numbers where turns have %d.", len(a.q.vector), x.width)
		return list, nil
	}
	a.profile, a.indexed = a.q.snapshot.Profile, len(x.slots)
	question := append([]float32(nil), a.q.vector...)
	a.profile.Queries.Centre(question)
	for _, n := range x.nearest(question, a.in.ConversationID, pool) {
		take(n.entry)
	}
	for _, c := range list {
		c.cosine, c.near = x.of(c.id, question)
	}
	return list, nil
}

// words are the turns that have words of the question, by ascending id.
func (a *answering) words() ([]words.Hit, error) {
	background := a.s.o.Background()
	owners := []db.AccountID{a.owner}
	var err error
	if a.turns, err = lexicon.Turns.Find(a.tx, owners, a.q.text, background); err != nil {
		return nil, err
	}
	pairs, err := lexicon.Pairs.Find(a.tx, owners, a.q.text, background)
	if err != nil {
		return nil, err
	}
	hits := worded(a.turns.Hits, pairs.Hits)
	if a.in.ConversationID == 0 {
		return hits, nil
	}
	branch, err := journal.Branch(a.tx, a.owner, a.in.ConversationID)
	if err != nil {
		return nil, err
	}
	own := make(map[int64]bool, len(branch))
	for _, e := range branch {
		own[e.ID] = true
	}
	kept := hits[:0]
	for _, h := range hits {
		if own[h.ID] {
			kept = append(kept, h)
		}
	}
	return kept, nil
}

// confirm reads the rows, which decide whatever an index says.
func (a *answering) confirm(list []*candidate) ([]*candidate, map[int64]api.Transcript, error) {
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	entries, err := journal.Entries(a.tx, a.owner, ids)
	if err != nil {
		return nil, nil, err
	}
	var conversations []int64
	for _, e := range entries {
		conversations = append(conversations, e.Conversation)
	}
	transcripts, err := among(a.tx, a.owner, distinct(conversations))
	kept := list[:0]
	for _, c := range list {
		e, there := entries[c.id]
		if _, ok := transcripts[e.Conversation]; there && ok {
			c.entry = e
			kept = append(kept, c)
		}
	}
	return kept, transcripts, err
}

// compare gives candidates their late interaction, with the turns before and after each.
func (a *answering) compare(list []*candidate) error {
	if a.q.late == nil || len(list) == 0 {
		return nil
	}
	row := a.q.late.Row(a.turns)
	if row == nil {
		return nil
	}
	ids := make([]int64, len(list))
	for i, c := range list {
		ids[i] = c.id
	}
	after, err := journal.Below(a.tx, a.owner, ids)
	if err != nil {
		return err
	}
	wanted := ids
	for _, c := range list {
		wanted = append(wanted, c.entry.Parent, after[c.id])
	}
	best := map[int64][]float32{}
	if err := tokenVectors(a.tx, a.owner, a.s.o.Late.Hash(), distinct(wanted), func(id int64, packed []byte) { best[id] = row.Best(packed) }); err != nil {
		return err
	}
	for _, c := range list {
		own, ok := best[c.id]
		if !ok {
			continue
		}
		var beside [][]float32
		for _, id := range []int64{c.entry.Parent, after[c.id]} {
			if b, ok := best[id]; ok {
				beside = append(beside, b)
			}
		}
		score := row.Score(own, besidePart, beside...)
		c.late = &score
	}
	return nil
}

func served(c *candidate, t api.Transcript) api.TurnFound {
	out := api.TurnFound{ConversationID: t.ID, Surface: t.Surface, StartedAt: t.StartedAt, Keyword: c.keyword, Late: c.late, Score: c.score}
	out.Turn, _ = turn(c.entry.Entry)
	if c.near {
		out.Similarity = &c.cosine
	}
	return out
}

// note is what people should know of how the turns were found.
func (a *answering) note() (string, error) {
	now, err := embedding.Current(a.tx)
	if err != nil {
		return "", err
	}
	switch {
	case a.q.vector == nil && a.problem == "" && !now.On():
		return "Found by words alone: no embedding model is set up.", nil
	case a.problem != "":
		return "Found by words alone. " + a.problem, nil
	}
	st, err := lexicon.Turns.StatsOf(a.tx, a.owner)
	if err != nil || a.q.vector == nil || a.indexed >= st.Docs {
		return "", err
	}
	return fmt.Sprintf("%d of %d turns indexed for %s.", a.indexed, st.Docs, a.q.snapshot.Name()), nil
}
