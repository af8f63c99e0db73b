package turn

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"elowen/server/journal"
	"elowen/server/recall"
	"elowen/server/render"
	"elowen/shared/setting"
)

var (
	queryLeast = setting.Int("live.queryLeast")
	liveQuery  = setting.Int("live.queryMost")
	liveTime   = time.Duration(setting.Int("live.searchSeconds")) * time.Second
	queryMost  = int(setting.Get("recall.query").Max)
)

// live is recall while a turn works. A pass over it comes before each call of the model
// but the first; what a search found comes in at a later pass.
type live struct {
	searches int        // that were begun
	bytes    int        // of blocks that came in
	last     string     // the query that is not searched for again
	steered  string     // the message that steered the turn and was not looked at yet
	running  *retrieval // nil: none
}

// reset gives a turn that was steered its whole budget again. What came in stays.
func (l *live) reset(message string) {
	l.searches, l.bytes, l.last, l.steered = 0, 0, "", message
}

// pass takes in what a search found, and begins the next one. It waits for nothing.
func (t *turn) pass(ctx context.Context) error {
	l, limits := &t.live, t.set.limits
	if !t.set.switches.SearchWhileWorking || limits.LiveSearches == 0 || limits.LivePerSearch == 0 {
		return nil
	}
	if r := l.running; r != nil {
		switch {
		case r.over():
			l.running = nil
			if err := t.settled(ctx, r); err != nil {
				return err
			}
		case t.s.db.Now()-r.since >= liveTime.Milliseconds():
			t.abandon()
		}
	}
	if l.running != nil || l.searches >= limits.LiveSearches || l.bytes >= limits.LiveBytes {
		return nil
	}
	who, ok := t.whose()
	if !ok {
		return nil
	}
	query, err := t.query(ctx)
	l.steered = "" // looked at, if only to be found too short
	if err != nil || utf8.RuneCountInString(query) < queryLeast || query == l.last {
		return err
	}
	l.searches++
	l.last = query
	l.running = t.retrieve(who, recall.Request{Query: query, Project: t.project, Limit: limits.LivePerSearch, Bytes: limits.LiveBytes}, false)
	l.running.within(t.s, liveTime)
	return nil
}

// settled takes in what a search found.
func (t *turn) settled(ctx context.Context, r *retrieval) error {
	l := &t.live
	t.s.o.Log.Info("a search while a turn works has ended", "conversation", t.id, "milliseconds", r.took, "found", len(r.result.Memories), "failed", r.err != nil)
	if r.took >= liveTime.Milliseconds() {
		return nil // it was given up
	}
	if r.err != nil {
		t.s.o.Log.Warn("memories could not be recalled while a turn works", "conversation", t.id, "error", r.err)
		return nil
	}
	out, err := t.attach(ctx, block{account: r.account, via: journal.ViaWorking, found: r.result.Memories, bytes: t.set.limits.LiveBytes - l.bytes})
	if err != nil {
		return err
	}
	l.bytes += out.bytes
	if out.dropped > 0 && l.last == r.request.Query {
		l.last = "" // the same may be searched for again, for what takes the places
	}
	return nil
}

// abandon gives up the search that runs.
func (t *turn) abandon() {
	if r := t.live.running; r != nil {
		t.s.o.Log.Info("a search while a turn works was given up", "conversation", t.id, "milliseconds", t.s.db.Now()-r.since)
		r.stop()
		t.live.running = nil
	}
}

// query is what the turn is about at the moment: the message that steered it, or the end
// of what its tools and its model said, without what elowen itself put in.
func (t *turn) query(ctx context.Context) (string, error) {
	if t.live.steered != "" {
		return tail(strings.TrimSpace(render.Without(t.live.steered)), liveQuery), nil
	}
	c, err := t.context(ctx)
	if err != nil {
		return "", err
	}
	var said []string
	room := 4 * liveQuery
	for i := len(c.Parts) - 1; i >= 0 && room > 0 && c.Parts[i].Entry > t.first; i-- {
		m := c.Parts[i].Message
		if m == nil || m.Role == journal.RoleUser {
			continue
		}
		if text := strings.TrimSpace(render.Without(m.Content)); text != "" {
			said = append(said, text)
			room -= len(text)
		}
	}
	for i, j := 0, len(said)-1; i < j; i, j = i+1, j-1 {
		said[i], said[j] = said[j], said[i]
	}
	return tail(strings.Join(said, "\n"), liveQuery), nil
}

// tail is the last n characters of a text.
func tail(text string, n int) string {
	for i := len(text); i > 0; n-- {
		if n == 0 {
			return strings.TrimSpace(text[i:])
		}
		_, size := utf8.DecodeLastRuneInString(text[:i])
		i -= size
	}
	return text
}

// cut is at most n characters of a text.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
