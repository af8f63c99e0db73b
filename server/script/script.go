package script

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"elowen/server/code"
	"elowen/server/delivery"
	"elowen/server/render"
	"elowen/server/tool"
	"elowen/shared/fault"
)

// Code is the name of the tool.
const Code = "Code"

// Kit is the tool Code, over the tools that its scripts may call.
type Kit struct {
	within  tool.Kit
	sandbox *code.Sandbox
	log     *slog.Logger
}

// New makes the tool. within is what scripts may call.
func New(within tool.Kit, sandbox *code.Sandbox, log *slog.Logger) *Kit {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Kit{within, sandbox, log}
}

const description = `Runs a JavaScript program for work that takes several tool calls, or that has to filter, join, count or calculate. Only what it prints with print() or console.log() comes back to you; objects print as JSON. It may call the other tools: await tools.NAME({arguments}), with the names and arguments that they have here; several at once with Promise.all. A memory tool gives its result as an object, such as {memories: [{id, body, kind, importance, category, saved}], note} of MemorySearch and MemoryListRecent; tools without one give text. A tool that fails throws. Top-level await works. There are no files, no network, no timers and no modules.
Example: const r = await tools.MemorySearch({query: "deadlines"}); for (const m of r.memories) if (m.importance > 6) print(m.id, m.body);`

var input = tool.Input(tool.Field{Name: "script", Kind: "string", Doc: "The program", Setting: "code.script", Needed: true})

// Offers implements tool.Kit.
func (k *Kit) Offers(context.Context, tool.Place) ([]tool.Offer, error) {
	return []tool.Offer{{Name: Code, Description: description, Input: input}}, nil
}

type arguments struct {
	Script string `json:"script" validate:"required"`
}

// Run implements tool.Kit.
func (k *Kit) Run(ctx context.Context, at tool.Place, name string, args []byte) (tool.Outcome, bool) {
	if name != Code {
		return tool.Outcome{}, false
	}
	out, err := k.run(ctx, at, args)
	if err != nil {
		if fault.KindOf(err) == fault.Unavailable {
			k.log.Error("a script could not be run", "error", err)
		}
		return tool.Failure(err), true
	}
	return out, true
}

// called is a nested call, for people.
type called struct {
	Name   string `json:"name"`
	Failed bool   `json:"failed,omitempty"`
}

// ran is what is told of a script beside its text.
type ran struct {
	Calls []called `json:"calls"`
}

func (k *Kit) run(ctx context.Context, at tool.Place, args []byte) (tool.Outcome, error) {
	if _, err := at.Identify(ctx); err != nil {
		return tool.Outcome{}, err
	}
	in, err := tool.Arguments[arguments](input, args)
	if err != nil {
		return tool.Outcome{}, err
	}
	offers, err := k.within.Offers(ctx, at)
	if err != nil {
		return tool.Outcome{}, err
	}
	job := code.Job{Script: in.Script}
	for _, o := range offers {
		job.Tools = append(job.Tools, o.Name)
	}
	var mu sync.Mutex
	var memories []nested
	told := ran{Calls: []called{}}
	job.Call = func(ctx context.Context, name string, args json.RawMessage) code.Answer {
		mu.Lock()
		told.Calls = append(told.Calls, called{Name: name})
		n := len(told.Calls)
		mu.Unlock()
		inner := at
		inner.ID = fmt.Sprintf("%s.%d", at.ID, n)
		out, ok := k.within.Run(ctx, inner, name, args)
		if !ok {
			out = tool.Outcome{Failed: true, Text: "There is no such tool any more."}
		}
		mu.Lock()
		defer mu.Unlock()
		told.Calls[n-1].Failed = out.Failed
		for _, e := range out.Emitted {
			memories = append(memories, nested{e, bodyOf(e.Element)})
		}
		return answer(out)
	}
	done, err := k.sandbox.Run(ctx, job)
	if err != nil {
		return tool.Outcome{}, err
	}
	return outcome(done, told, memories), nil
}

// answer is a result as a script is given it.
func answer(out tool.Outcome) code.Answer {
	if out.Failed {
		return code.Answer{Error: out.Text}
	}
	var v any = strings.ToValidUTF8(out.Text, "\uFFFD")
	if out.Object != nil {
		v = out.Object
	}
	value, err := json.Marshal(v)
	if err != nil {
		return code.Answer{Error: "The tool's answer can't be given to a script."}
	}
	return code.Answer{Value: value}
}

// outcome is what a script printed as the model is shown it: first all that is the
// script's, then sentences of ours.
func outcome(done code.Ran, told ran, memories []nested) tool.Outcome {
	printed, thrown := render.Harmless(done.Printed), render.Harmless(done.Thrown)
	out := tool.Outcome{Object: told, Failed: done.Error != "" || done.Thrown != ""}
	if done.Calls == 0 {
		out.Object = nil
	}
	out.Emitted = surviving(printed, memories)
	var b strings.Builder
	b.WriteString(printed)
	if thrown != "" {
		fmt.Fprintf(&b, "[The script ended with an error:]\n%s\n", thrown)
		out.Emitted = append(out.Emitted, surviving(thrown, left(memories, out.Emitted))...)
	}
	switch {
	case done.Error != "":
		fmt.Fprintf(&b, "[%s]\n", render.Harmless(done.Error))
	case b.Len() == 0:
		b.WriteString("[The script ran to its end and printed nothing.]\n")
	}
	out.Text = strings.TrimSuffix(b.String(), "\n")
	return out
}

// left are the memories that have not been found yet.
func left(memories []nested, found []delivery.Emitted) []nested {
	var out []nested
	for _, n := range memories {
		is := false
		for _, f := range found {
			is = is || f.Delivery == n.Delivery
		}
		if !is {
			out = append(out, n)
		}
	}
	return out
}
