package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/job"
	"elowen/server/memory"
	"elowen/server/project"
	"elowen/server/recall"
	"elowen/server/render"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Options are the nouns that tools are made of.
type Options struct {
	Memories   *memory.Store
	Categories *category.Store
	Projects   *project.Store
	Recall     recall.Retriever
	Delivery   *delivery.Store
	// Jobs runs what takes long. It is asked for when a tool runs; nil: nobody does.
	Jobs func() *job.Store
	// Done is told of each use: the tool's name, how it ended (OutcomeOK, or the code of
	// the fault's kind) and how long it took. nil: nobody counts.
	Done func(tool, outcome string, took time.Duration)
	Log  *slog.Logger // nil is silent
}

// OutcomeOK is the outcome of a use that did what it was asked for.
const OutcomeOK = "ok"

// Call is one use of a tool.
type Call struct {
	// Identify tells whom the call is for. It is asked first of all; whether it then
	// looks, or tells what was found when a request came in, is its own affair.
	Identify func(ctx context.Context) (account.Identity, error)
	// Actor names the agent in the audit where no token does; empty: as the identity says.
	Actor string
	// ProjectPath is where the agent works; an argument of that name comes first.
	ProjectPath string
	// Within is the context of the conversation of ours that the result will stand in;
	// nil: another program's, of which nothing is known.
	Within delivery.Within
}

// Result is what a tool answers.
type Result struct {
	Text   string // for the model to read
	Object any    // the same for programs; nil where it failed
	Failed bool   // Text says why, and what to do
	// Emitted are the memories that Text holds whole. Over a wire they count as delivered
	// by now; within a conversation of ours they do once they stand there.
	Emitted []delivery.Emitted
}

// Tool is one tool.
type Tool struct {
	Name, Title, Description string
	Scope                    string // api.ScopeRead or api.ScopeWrite
	Destructive, Idempotent  bool
	Input, Output            json.RawMessage // JSON schemas of objects

	run func(*use) (Result, error)
}

// ReadOnly tells whether the tool changes nothing that anybody wrote.
func (t *Tool) ReadOnly() bool { return t.Scope == api.ScopeRead }

// Set is the tools of an instance. It is safe for concurrent use.
type Set struct {
	o    Options
	list []*Tool
}

// New makes the tools.
func New(o Options) *Set {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Set{o: o, list: []*Tool{
		memorySearch(), memoryAdd(), memoryUpdate(), memoryMerge(), memoryDelete(), memoryListRecent(),
		memoryCategories(), memoryCategoryCreate(), memoryCategoryDelete(), memoryRecategorize(),
	}}
}

// List lists the tools, always in the same order.
func (s *Set) List() []*Tool { return s.list }

// Get is the tool of a name; nil where there is none.
func (s *Set) Get(name string) *Tool {
	for _, t := range s.list {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// use is one run of a tool.
type use struct {
	*Options
	ctx  context.Context
	tool *Tool
	call Call
	who  account.Identity
	args []byte
}

func (u *use) owner() db.AccountID { return u.who.Owner }

// by names the agent in the audit.
func (u *use) by() audit.Actor {
	if u.call.Actor != "" {
		return audit.Actor{Name: u.call.Actor}
	}
	return audit.By(u.who)
}

// Run runs a tool. args is the JSON object of its arguments; nothing, and null, stand
// for an empty one. It answers a Result whatever happens.
func (s *Set) Run(ctx context.Context, t *Tool, call Call, args []byte) (out Result) {
	var err error
	began := time.Now()
	defer func() { s.done(t, err, time.Since(began)) }()
	if panicked := fault.Guarded(func() { out, err = s.try(ctx, t, call, args) }); panicked != nil {
		s.o.Log.Error("a tool panicked", "tool", t.Name, "error", panicked)
		err = panicked
		return failed(err)
	}
	if err == nil {
		return out
	}
	if k := fault.KindOf(err); (k == fault.Internal || k == fault.Corrupt) && ctx.Err() == nil {
		s.o.Log.Error("a tool failed", "tool", t.Name, "error", err)
	}
	return failed(err)
}

// done tells of a use.
func (s *Set) done(t *Tool, err error, took time.Duration) {
	if s.o.Done == nil {
		return
	}
	outcome := OutcomeOK
	if err != nil {
		outcome = fault.KindOf(err).Code()
	}
	s.o.Done(t.Name, outcome, took)
}

func (s *Set) try(ctx context.Context, t *Tool, call Call, args []byte) (Result, error) {
	who, err := call.Identify(ctx)
	if err != nil {
		return Result{}, err
	}
	if !who.Can(t.Scope) {
		return Result{}, fault.Newf(fault.Forbidden, "%s needs the scope %q, and this connection's token has only: %s. Nothing was done. Whoever set it up can make a token with that scope.",
			t.Name, t.Scope, strings.Join(who.Scopes, ", "))
	}
	if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" {
		args = []byte("{}")
	}
	return t.run(&use{Options: &s.o, ctx: ctx, tool: t, call: call, who: who, args: args})
}

// arguments reads and judges the arguments.
func arguments[T any](u *use) (T, error) { return Arguments[T](u.tool.Input, u.args) }

// failed is an error as a result: what happened, and what to do.
func failed(err error) Result {
	p := fault.ProblemOf(err)
	text := strings.TrimSpace(p.Detail)
	if advice := advise(fault.KindOf(err)); advice != "" {
		text = strings.TrimSuffix(text, ".") + ". " + advice
	}
	return Result{Text: render.Harmless(text), Failed: true}
}

// advise says what to do after an error of a kind whose text may not say it.
func advise(k fault.Kind) string {
	switch k {
	case fault.Internal, fault.Corrupt:
		return "The server's log says more. Try once more; if it fails again, tell the person and go on without it."
	case fault.Invalid:
		return "Correct the arguments and call again."
	case fault.NotFound:
		return "Look the id or name up again with MemorySearch, MemoryListRecent or MemoryCategories; it may have been merged, deleted, or belong to somebody else."
	case fault.Stale, fault.Taken:
		return "Look at it as it is now, then decide again."
	case fault.Unauthenticated:
		return "Only the person can do that; tell them, and go on without it."
	case fault.TooMany, fault.Unavailable:
		return "Try again in a moment."
	case fault.Cancelled:
		return "Call again if it is still wanted."
	}
	return ""
}

// plural is "1 memory", "2 memories".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// jobs runs what takes long; nil: nobody does.
func (o *Options) jobs() (s *job.Store) {
	if o.Jobs != nil {
		s = o.Jobs()
	}
	return s
}
