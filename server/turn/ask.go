package turn

import (
	"context"
	"fmt"
	"strings"

	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/model/chat"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// ask has the model answer what stands there, and stores what it said. Where it is cut
// off in the middle, what it said until then is kept, and the error says why.
func (t *turn) ask(ctx context.Context) ([]journal.Call, error) {
	c, err := t.context(ctx)
	if err != nil {
		return nil, err
	}
	offers, err := t.offers(ctx)
	if err != nil {
		return nil, err
	}
	said, _, err := t.answer(ctx, c.Leaf, chat.Request{Messages: messages(c.Parts), Tools: offers}, answering{bytes: setting.Int("turn.answer")})
	if said == nil {
		return nil, err
	}
	return said.Calls, err
}

// answering is how an answer is taken.
type answering struct {
	bytes int // that it may have at most
	// hear is told of what comes, text and calls, as it comes. Its error ends the answer. nil:
	// nobody is.
	hear func(chat.Event) error
	// passed has an answer be whatever the model says, for a program that judges it: also
	// one that says nothing, which is no entry, or was cut by its length.
	passed bool
}

// answer has the model answer a request, and stores what it says behind the leaf. Where it
// is cut off in the middle, what it said until then is kept, and the error says why; done
// is nil then. said is nil where nothing is kept.
func (t *turn) answer(ctx context.Context, leaf int64, r chat.Request, how answering) (said *journal.Message, done *chat.Done, err error) {
	t.phase(api.PhaseWaiting, "") // listen needs a phase: what is said belongs to one
	t.listen(leaf)
	said = &journal.Message{Role: journal.RoleAssistant, Model: t.model.Name()}
	var text strings.Builder
	var failed error
	for e, err := range t.model.Ask(ctx, r) {
		if err != nil {
			failed = err
			break
		}
		if ctx.Err() != nil {
			break
		}
		if text.Len() == 0 && len(said.Calls) == 0 && (e.Text != "" || e.Call != nil) {
			t.phase(api.PhaseAnswering, "")
		}
		switch {
		case e.Call != nil:
			said.Calls = append(said.Calls, callOf(*e.Call, said.Calls))
			t.speak("", e.Call)
		case e.Done != nil:
			done = e.Done
		case text.Len()+len(e.Text) > how.bytes:
			failed = fault.Newf(fault.Unavailable, "The model's answer is longer than %d bytes, and was ended there.", how.bytes)
		default:
			text.WriteString(e.Text)
			t.speak(e.Text, nil)
		}
		if failed == nil && how.hear != nil && e.Done == nil {
			failed = how.hear(e)
		}
		if failed != nil {
			break
		}
	}
	said.Content = storable(text.String())
	cause := context.Cause(ctx)
	switch {
	case cause != nil:
		said.Cut = journal.CutStopped
		failed = cause
	case failed != nil:
		said.Cut = journal.CutError
	case done == nil:
		said.Cut = journal.CutError
		failed = fault.New(fault.Unavailable, "The model's answer broke off in the middle. What it said until then is kept.")
	case done.Stop == chat.StopLength:
		said.Cut = journal.CutLength
		failed = fault.New(fault.Unavailable, "The model's answer reached the greatest length that it may have, and ends there. Ask the model to go on, or try again.")
	case done.Stop == chat.StopRefused:
		said.Cut = journal.CutError
		failed = fault.New(fault.Unavailable, "The model would not answer this, or not to the end.")
	}
	if done != nil && cause == nil && how.passed {
		failed = nil // it came to its end, such as it is
	}
	if said.Cut != "" && !how.passed {
		said.Calls = nil // nobody runs them
	}
	if said.Content == "" && len(said.Calls) == 0 {
		if failed == nil && !how.passed {
			failed = fault.New(fault.Unavailable, "The model answered nothing.")
		}
		return nil, done, failed
	}
	// What was said is kept also when the turn has ended meanwhile.
	keep := context.WithoutCancel(ctx)
	err = t.s.db.Update(keep, func(tx *db.Tx) error {
		if done != nil {
			if err := measured(tx, t.owner, t.id, done.Usage.Input+done.Usage.Output, t.model.Window()); err != nil {
				return err
			}
		}
		list, err := journal.Append(tx, t.owner, t.id, leaf, journal.Draft{Payload: said})
		if err == nil && t.relayed != nil {
			err = t.relayed.chain.note(tx, t.owner, t.id, list[0].ID, said)
		}
		return err
	})
	if err != nil {
		return nil, done, err
	}
	return said, done, failed
}

// storable is a text as either engine can store it.
func storable(text string) string {
	if db.Holds(text) {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// callOf is a call as it is stored: with an id that no other one of its answer has.
func callOf(c chat.Call, before []journal.Call) journal.Call {
	out := journal.Call{ID: storable(c.ID), Name: storable(c.Name), Arguments: storable(c.Arguments)}
	if out.ID == "" || called(before, out.ID) >= 0 {
		out.ID = fmt.Sprintf("call-%d-%s", len(before)+1, out.ID)
	}
	return out
}

// at is where the turn's tools run.
func (t *turn) at(call string, within delivery.Within) tool.Place {
	return tool.Place{
		Call:  t.caller(within),
		Owner: t.owner, Conversation: t.id, ID: call,
	}
}

// offers are the tools that the model may call: none where nobody's memories are to be
// used.
func (t *turn) offers(ctx context.Context) ([]chat.Tool, error) {
	if _, ok := t.whose(); !ok || t.s.o.Kit == nil {
		return nil, nil
	}
	list, err := t.s.o.Kit.Offers(ctx, t.at("", nil))
	if err != nil {
		return nil, err
	}
	out := make([]chat.Tool, len(list))
	for i, o := range list {
		out[i] = chat.Tool{Name: o.Name, Description: o.Description, Input: o.Input}
	}
	return out, nil
}
