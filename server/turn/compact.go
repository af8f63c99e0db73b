package turn

import (
	"context"
	"strings"

	"elowen/server/db"
	"elowen/server/journal"
	"elowen/server/model/chat"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// summarize is what a model is asked for at the end of what is to be summarized.
const summarize = `Summarize the conversation so far for the one who goes on with it and won't see it: what was asked for and decided, what was done and found out with names, numbers and places as they are, what is open, and what comes next. Leave out what stands in notes of the memory, which come again where they matter. Write the summary alone.`

// bytesPerToken is how long a token is taken to be where nobody has counted.
const bytesPerToken = 3

// full tells whether a context is to be summarized before the model is asked: from its
// share of what the model takes on.
func full(tokens, window, percent int) bool {
	return window > 0 && percent > 0 && tokens*100 >= window*percent
}

// compactIfFull summarizes what was before, where the context has grown too large.
func (t *turn) compactIfFull(ctx context.Context) error {
	window := t.model.Window()
	if window == 0 || t.set.compactAt == 0 {
		return nil
	}
	c, err := t.context(ctx)
	if err != nil {
		return err
	}
	if !full(t.tokens(c.Snapshot), window, t.set.compactAt) {
		return nil
	}
	kept := firstKept(c.Snapshot, window*setting.Int("conversation.keptPercent")/100*bytesPerToken)
	if kept == 0 || !frees(c.Snapshot, kept, window) {
		return nil // a summary is of no use: the provider has to say whether it fits
	}
	return t.compact(ctx, c.Snapshot, kept, t.model, "")
}

// frees tells whether a summary of what is before an entry would make room worth its
// price. What takes the rest of a context, such as the tools, is in every request anew.
func frees(b *journal.Snapshot, kept int64, window int) bool {
	bytes := 0
	for _, p := range before(b, kept) {
		bytes += sizeOf(p)
	}
	return bytes/bytesPerToken*100 >= window*setting.Int("conversation.freedPercent")
}

// before are the parts before an entry.
func before(b *journal.Snapshot, kept int64) []journal.Part {
	for i, p := range b.Parts {
		if p.Entry == kept {
			return b.Parts[:i]
		}
	}
	return b.Parts
}

// tokens is about how large the context is: as the provider counted it at the last
// answer, and what has come since.
func (t *turn) tokens(b *journal.Snapshot) int {
	var r row
	if err := t.s.db.View(context.WithoutCancel(t.s.ctx), func(tx *db.Tx) (err error) { r, err = get(tx, t.owner, t.id); return err }); err != nil {
		return 0
	}
	bytes, since := 0, 0
	for _, p := range b.Parts {
		n := sizeOf(p)
		bytes += n
		since += n
		if p.Message != nil && p.Message.Role == journal.RoleAssistant || p.Summary != nil {
			since = 0
		}
	}
	if r.tokens == 0 || len(b.Parts) > 0 && b.Parts[0].Summary != nil && summaryIsNewest(b) {
		return bytes / bytesPerToken
	}
	return r.tokens + since/bytesPerToken
}

// summaryIsNewest tells whether nothing was answered since the summary was written.
func summaryIsNewest(b *journal.Snapshot) bool {
	for i := len(b.Branch) - 1; i >= 0; i-- {
		switch p := b.Branch[i].Payload.(type) {
		case *journal.Compaction:
			return true
		case *journal.Message:
			if p.Role == journal.RoleAssistant {
				return false
			}
		}
	}
	return false
}

func sizeOf(p journal.Part) int {
	switch {
	case p.Summary != nil:
		return len(p.Summary.Summary)
	case p.Context != nil:
		return len(p.Context.Block)
	}
	n := len(p.Message.Content)
	for _, c := range p.Message.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	return n
}

// firstKept is the first entry that a summary leaves as it was: the earliest message of
// a person, or of the model, from which on it is no more than so many bytes; else, and
// where that would be all there is, the last message of a person. 0: nothing would be
// before it.
func firstKept(b *journal.Snapshot, most int) int64 {
	kept, size, last, first := int64(0), 0, int64(0), int64(0)
	for i := len(b.Parts) - 1; i >= 0; i-- {
		p := b.Parts[i]
		size += sizeOf(p)
		if p.Message == nil || p.Message.Role == journal.RoleToolResult {
			continue
		}
		first = p.Entry
		if p.Message.Role == journal.RoleUser && last == 0 {
			last = p.Entry
		}
		if size <= most {
			kept = p.Entry
		}
	}
	if kept == 0 || kept == first {
		kept = last
	}
	if kept == first {
		return 0
	}
	return kept
}

// compact has a model write the summary of what is before an entry, and stores it.
func (t *turn) compact(ctx context.Context, b *journal.Snapshot, kept int64, m Model, instructions string) error {
	t.phase(api.PhaseCompacting, "")
	ask := summarize
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		ask += "\n\n" + instructions
	}
	var text strings.Builder
	var done *chat.Done
	for e, err := range m.Ask(ctx, chat.Request{Messages: append(messages(before(b, kept)), chat.Message{Role: chat.User, Text: ask})}) {
		if err != nil {
			return err
		}
		if e.Done != nil {
			done = e.Done
		}
		if text.WriteString(e.Text); text.Len() > setting.Int("turn.answer") {
			done = nil
			break
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	summary := strings.TrimSpace(storable(text.String()))
	// What is missing at the end of a summary is lost to all that comes after it.
	if done == nil || done.Stop != chat.StopEnd || summary == "" {
		return fault.New(fault.Unavailable, "The conversation has grown too large and is to be summarized, but the model wrote no whole summary.")
	}
	return t.s.db.Update(ctx, func(tx *db.Tx) error {
		if _, err := journal.Append(tx, t.owner, t.id, b.Leaf, journal.Draft{Payload: &journal.Compaction{Summary: summary, FirstKept: kept, TokensBefore: max(t.tokensOf(tx), 0)}}); err != nil {
			return err
		}
		return measured(tx, t.owner, t.id, 0, m.Window())
	})
}

func (t *turn) tokensOf(tx *db.Tx) int {
	r, err := get(tx, t.owner, t.id)
	if err != nil {
		return 0
	}
	return r.tokens
}

// Compact has a conversation summarized by hand; it goes on beside the caller, as a turn.
// Errors: Invalid, also where there is nothing to summarize; NotFound; Taken while a turn
// runs.
func (s *Store) Compact(ctx context.Context, owner db.AccountID, id int64, in api.CompactStart) (api.Conversation, error) {
	if err := validation.Struct(in); err != nil {
		return api.Conversation{}, err
	}
	if err := whole(in.Model); err != nil {
		return api.Conversation{}, err
	}
	did, err := db.Do(ctx, s.db, func(tx *db.Tx) (sent, error) {
		r, err := get(tx, owner, id)
		if err != nil {
			return sent{}, err
		}
		if r.running() {
			return sent{}, errRunning
		}
		b, err := s.o.Snapshots.At(tx, owner, id, r.Leaf)
		if err != nil {
			return sent{}, err
		}
		kept := firstKept(b, 0) // whoever asks wants room
		if kept == 0 {
			return sent{}, fault.New(fault.Invalid, "There is nothing to summarize yet.")
		}
		return sent{Entry: kept, Began: true}, s.take(tx, owner, id)
	})
	if err != nil {
		return api.Conversation{}, err
	}
	s.beginWith(owner, id, work{do: func(t *turn, ctx context.Context) error {
		pick := t.row.model()
		if in.Model != nil && in.Model.Provider != "" {
			pick = in.Model
		}
		m, err := s.o.Models.Preflight(ctx, owner, pick)
		if err != nil {
			return err
		}
		c, err := t.context(ctx)
		if err != nil {
			return err
		}
		return t.compact(ctx, c.Snapshot, did.Entry, m, in.Instructions)
	}})
	return s.Get(ctx, owner, id)
}
