package turn

import (
	"slices"
	"strings"
	"time"

	"elowen/server/db"
	"elowen/server/model/chat"
	"elowen/shared/api"
)

// speech is what goes on in a turn at the moment, for those who watch. Its fields are
// guarded by Store.mu.
type speech struct {
	phase string
	since int64
	tool  string
	text  strings.Builder
	calls []chat.Call
	after int64 // the leaf that an answer comes behind

	told time.Time // when it was last told
	due  bool      // it will be told soon
}

// Speech is what goes on in a conversation at an instant.
type Speech struct {
	Turn  api.TurnNow
	Text  string // what the model has said of an answer that is not whole yet
	Calls []api.ToolCall
	After int64 // the entry that it comes behind: where there is a later one, it has come
}

// Now tells what goes on in a conversation; ok is false where nothing does, or it is
// another account's.
func (s *Store) Now(owner db.AccountID, id int64) (now Speech, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ss := s.sessions[id]
	if ss == nil || ss.owner != owner || ss.now == nil {
		return now, false
	}
	n := ss.now
	now.Turn = api.TurnNow{Phase: n.phase, Since: api.Time(n.since), Tool: n.tool}
	now.Text, now.After = n.text.String(), n.after
	for _, c := range slices.Clone(n.calls) {
		now.Calls = append(now.Calls, api.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
	}
	return now, true
}

// tellEvery is how often those who watch are told of what the model says: often enough
// to be read along, seldom enough for many who do. It measures time that passes, as
// what is paced by it is no decision.
const tellEvery = 50 * time.Millisecond

// tell has those who watch look, soon. at once says that it is not only more of the same.
func (s *Store) tell(ss *session, atOnce bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		return
	}
	n := ss.now
	if n == nil {
		s.changed(ss.owner, ss.id)
		return
	}
	since := time.Since(n.told)
	switch {
	case atOnce || since >= tellEvery:
		n.told = time.Now()
		s.changed(ss.owner, ss.id)
	case !n.due:
		n.due = true
		time.AfterFunc(tellEvery-since, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			n.due, n.told = false, time.Now()
			if s.changed != nil {
				s.changed(ss.owner, ss.id)
			}
		})
	}
}

// phase notes what the turn does from now on.
func (t *turn) phase(phase, tool string) {
	t.s.mu.Lock()
	n := t.ss.now
	if n == nil {
		n = &speech{}
		t.ss.now = n
	}
	n.phase, n.tool, n.since = phase, tool, t.s.db.Now()
	t.s.mu.Unlock()
	t.s.tell(t.ss, true)
}

// speak notes more of an answer.
func (t *turn) speak(text string, call *chat.Call) {
	t.s.mu.Lock()
	if n := t.ss.now; n != nil {
		n.text.WriteString(text)
		if call != nil {
			n.calls = append(n.calls, *call)
		}
	}
	t.s.mu.Unlock()
	t.s.tell(t.ss, false)
}

// listen forgets what was said, which stands in the journal by now, and expects more
// behind an entry.
func (t *turn) listen(after int64) {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	if n := t.ss.now; n != nil {
		n.text.Reset()
		n.calls, n.after = nil, after
	}
}
