package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/model"
	"elowen/server/schedule"
	"elowen/shared/fault"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// version is set by the build.
var version = "dev"

// System is what the program takes from its surroundings.
type System struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string                           // where relative paths begin
	Env            func(name string) (string, bool) // the environment
	Terminal       bool                             // a person reads Stderr: progress may be shown
	Ask            func(prompt string) (string, error)
	Line           func(prompt string) (string, error) // asks for a line that may be seen; nil: nobody can be asked

	Clock db.Clock
	Wake  func(at int64) <-chan time.Time // fires when the clock shows an instant, in Unix milliseconds
	Hash  account.Cost                    // of a password; the zero value takes the usual one

	// Local is the built-in models; nil takes those of the program and of the data
	// directory.
	Local model.Local

	// Started is told when serve is ready; nil tells no one.
	Started func(Running)

	// inside are the stores of the server that runs the command for somebody else.
	inside *stores
}

// Running is a server that answers.
type Running struct {
	URL  string // with the base path, without a slash at its end
	Code string // of the setup of the first account; empty where there are accounts
}

// Surroundings is the System of this process.
func Surroundings() *System {
	dir, _ := os.Getwd()
	var line func(string) (string, error)
	if term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())) {
		line = askLine
	}
	return &System{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Dir: dir, Env: os.LookupEnv, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Ask: ask, Line: line, Clock: db.SystemClock, Wake: schedule.Wake,
	}
}

// ask reads a secret from the terminal without showing it; nil error and "" where
// there is no terminal.
func ask(prompt string) (string, error) {
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", fault.New(fault.Invalid, "There is no terminal to ask at.")
	}
	fmt.Fprint(os.Stderr, prompt)
	defer fmt.Fprintln(os.Stderr)
	text, err := term.ReadPassword(fd)
	return string(text), err
}

// askLine reads a line from the terminal.
func askLine(prompt string) (string, error) {
	fmt.Fprint(os.Stderr, prompt)
	text, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		return "", fault.Wrap(fault.Cancelled, err, "Nobody answered. Nothing was changed.")
	}
	return strings.TrimSpace(text), nil
}

// run is one invocation: the surroundings, the common flags, and the context.
type run struct {
	*System
	ctx  context.Context
	args []string
	data string // the data directory, absolute
	json bool
}

// local marks commands that always run in the process they were started in.
type local interface{ local() }

// secretive are commands that may have to ask for a password where the person
// is, before they run elsewhere.
type secretive interface {
	needsSecret() bool
	prompt() string
}

// inquisitive are commands that may have to ask something where the person is, before
// they run here or elsewhere. The answers go along as more arguments.
type inquisitive interface {
	inquire(r *run) (more []string, err error)
}

// exited ends parsing after --help and --version.
type exited int

// Run runs one invocation and answers its exit code.
func (s *System) Run(ctx context.Context, args []string) (code int) {
	r := &run{System: s, ctx: ctx, args: args}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case exited:
			code = int(p)
		default:
			panic(p)
		}
	}()
	r.json = s.wantsJSON(args)
	var g grammar
	k, err := s.parser(&g, args)
	if err != nil {
		return r.fail(err)
	}
	kctx, err := k.Parse(args)
	r.json = r.json || g.JSON
	if err != nil {
		return r.usage(k, err)
	}
	if s.inside != nil {
		r.data = s.inside.dir
	} else if r.data, err = s.dataDir(g.Data); err != nil {
		return r.fail(err)
	}
	selected := kctx.Selected().Target.Addr().Interface()
	if q, ok := selected.(inquisitive); ok && s.inside == nil && s.Line != nil && !r.json {
		more, err := q.inquire(r)
		if err != nil {
			return r.fail(err)
		}
		r.args = slices.Concat(args, more)
	}
	if s.inside == nil {
		if _, here := selected.(local); !here {
			if code, done := r.forward(selected); done {
				return code
			}
		}
	}
	return r.fail(kctx.Run(r))
}

// wantsJSON tells whether JSON was asked for, before anything is parsed: what is
// not understood is told in the same form.
func (s *System) wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	text, _ := s.Env(variable("json"))
	on, _ := strconv.ParseBool(text)
	return on || slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// usage tells what was not understood, and how to ask for help.
func (r *run) usage(k *kong.Kong, err error) int {
	if r.json {
		return r.fail(fault.Wrap(fault.Invalid, err, err.Error()))
	}
	fmt.Fprintf(r.Stderr, "elowen: %s\n", visible(err.Error()))
	var p *kong.ParseError
	if errors.As(err, &p) && p.Context != nil {
		fmt.Fprintf(r.Stderr, "See `%s --help`.\n", p.Context.Model.Name+commandPath(p.Context))
	}
	return exitUsage
}

func commandPath(c *kong.Context) string {
	path := ""
	for _, p := range c.Path {
		if p.Command != nil {
			path += " " + p.Command.Name
		}
	}
	return path
}

// fail tells an error and answers the exit code.
func (r *run) fail(err error) int {
	if err == nil {
		return exitDone
	}
	var code exitError
	if errors.As(err, &code) {
		return int(code)
	}
	p := fault.ProblemOf(err)
	exit := exitFailed
	if fault.Is(err, fault.Invalid) { // what was asked for, not the doing of it
		exit = exitUsage
	}
	if r.json {
		r.encode(r.Stderr, p)
		return exit
	}
	fmt.Fprintf(r.Stderr, "elowen: %s\n", visible(p.Detail))
	for _, f := range p.Errors {
		if f.Message != p.Detail {
			fmt.Fprintf(r.Stderr, "  %s: %s\n", visible(f.Field), visible(f.Message))
		}
	}
	if fault.KindOf(err) == fault.Internal { // there is no log but this
		fmt.Fprintf(r.Stderr, "  %s\n", visible(err.Error()))
	}
	return exit
}

// exitError ends with a code after everything was said.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }
