package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// details is what people and programs are told of a tool's result, beside its text.
type details struct {
	Deliveries []journal.Delivery `json:"memoryDeliveries,omitempty"`
	Failed     bool               `json:"failed,omitempty"`
	Cut        int                `json:"cutBytes,omitempty"` // that the model was not shown
	Object     any                `json:"object,omitempty"`
}

// caller is who calls a tool: looked up when it runs.
func (t *turn) caller(within delivery.Within) tool.Call {
	who, _ := t.whose()
	return tool.Call{
		Identify: func(ctx context.Context) (account.Identity, error) { return t.s.o.Identify(ctx, who) },
		Actor:    audit.ActorAgent, ProjectPath: t.slug, Within: within,
	}
}

// work runs the tools that an answer calls, one after the other: each sees what the one
// before has delivered. What one answers is stored when it ends.
func (t *turn) work(ctx context.Context, calls []journal.Call) error {
	for i, c := range calls {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		run := t.call
		if i >= setting.Int("turn.calls") {
			run = tooMany
		}
		t.phase(api.PhaseTool, c.Name)
		if err := t.use(ctx, c, run); err != nil {
			return err
		}
	}
	return nil
}

// tooMany answers a call beyond those that an answer may make: the model has to know that
// it was not run.
func tooMany(context.Context, journal.Call, *delivery.Context) tool.Outcome {
	return tool.Outcome{Failed: true, Text: fmt.Sprintf("The tool was not run: one answer may call at most %d. Call it again in the next one.", setting.Int("turn.calls"))}
}

// use has one tool run, and stores what it answers.
func (t *turn) use(ctx context.Context, c journal.Call, run func(context.Context, journal.Call, *delivery.Context) tool.Outcome) error {
	now, err := t.context(ctx)
	if err != nil {
		return err
	}
	out := run(ctx, c, now)
	if ctx.Err() != nil {
		return context.Cause(ctx) // without a result, as whoever asks again is told
	}
	text, cutOff := shown(out.Text)
	var fresh []journal.Delivery
	for _, d := range delivery.Admit(text, out.Emitted) {
		if !now.Has(d.Memory, d.BodyHash) {
			fresh = append(fresh, d)
		}
	}
	pending := t.s.contexts.Hold(t.id, now.Leaf, fresh)
	for _, counted := range []bool{true, false} {
		err = t.s.db.Update(ctx, func(tx *db.Tx) error {
			if _, err := journal.Append(tx, t.owner, t.id, now.Leaf, journal.Draft{Payload: &journal.Message{
				Role: journal.RoleToolResult, CallID: c.ID, Content: text, Details: detailsOf(out, fresh, cutOff),
			}}); err != nil || !counted || len(fresh) == 0 {
				return err
			}
			who, _ := t.whose()
			return t.count(tx, who, fresh)
		})
		if err == nil || ctx.Err() != nil || len(fresh) == 0 {
			break
		}
		if counted {
			t.s.o.Log.Error("memories that a tool showed could not be counted as used", "conversation", t.id, "error", err)
		}
	}
	if err != nil {
		pending.Withdraw("the result could not be stored")
	}
	return err
}

// call has a tool run. It answers whatever happens.
func (t *turn) call(ctx context.Context, c journal.Call, now *delivery.Context) (out tool.Outcome) {
	most, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	late := t.s.o.Wake(t.s.db.Now() + int64(setting.Int("turn.toolMillis")))
	go func() {
		select {
		case <-late:
			cancel()
		case <-over:
		}
	}()
	known := false
	panicked := fault.Guarded(func() { out, known = t.s.o.Kit.Run(most, t.at(c.ID, now), c.Name, []byte(c.Arguments)) })
	switch {
	case panicked != nil:
		t.s.o.Log.Error("a tool panicked", "tool", c.Name, "error", panicked)
		return tool.Outcome{Failed: true, Text: "The tool failed. Try once more; if it fails again, go on without it."}
	case most.Err() != nil && ctx.Err() == nil:
		return tool.Outcome{Failed: true, Text: fmt.Sprintf("The tool took longer than %s and was stopped. It may have done a part of its work.", time.Duration(setting.Int("turn.toolMillis"))*time.Millisecond)}
	case !known:
		return tool.Outcome{Failed: true, Text: "There is no tool of this name. Call one of those that were offered."}
	}
	return out
}

// shown is a tool's answer as the model is shown it, and how many bytes of it are not.
func shown(text string) (string, int) {
	text = storable(text)
	most := setting.Int("turn.result")
	if len(text) <= most {
		return text, 0
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	left := len(text) - n
	return text[:n] + fmt.Sprintf("\n[%d more bytes are not shown here.]", left), left
}

// detailsOf are stored beside a result. An object that has no JSON form is left out.
func detailsOf(out tool.Outcome, deliveries []journal.Delivery, cutOff int) json.RawMessage {
	d := details{Deliveries: deliveries, Failed: out.Failed, Cut: cutOff, Object: out.Object}
	if len(out.Emitted) > 0 {
		d.Object = nil // it would be the memories' bodies once more
	}
	text, err := json.Marshal(d)
	if err != nil || !db.Holds(string(text)) || len(text) > 4*setting.Int("turn.result") {
		d.Object = nil
		if text, err = json.Marshal(d); err != nil {
			return nil
		}
	}
	if string(text) == "{}" {
		return nil
	}
	return text
}
