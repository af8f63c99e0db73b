package code

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/go-json-experiment/json/jsontext"
)

// script is one run in the child. All of it is on one goroutine.
type script struct {
	vm      *goja.Runtime
	out     *lines
	tools   map[string]bool
	printed int
	calls   int
	pending map[int]pending

	// What a bound did, which is told instead of the error that it makes in the script.
	stopped string
	// missed is the last name that was looked for among the tools in vain.
	missed string
	// unhandled are promises that were rejected and that nobody awaits.
	unhandled map[*goja.Promise]bool

	shower
}

// pending is a call of a tool that was not answered yet.
type pending struct{ resolve, reject func(any) error }

func newScript(out *lines, tools []string) *script {
	s := &script{vm: goja.New(), out: out, tools: map[string]bool{}, pending: map[int]pending{}, unhandled: map[*goja.Promise]bool{}}
	for _, name := range tools {
		s.tools[name] = true
	}
	// A source map would be read from a file.
	s.vm.SetParserOptions(parser.WithDisableSourceMaps)
	s.vm.SetMaxCallStackSize(mostDepth)
	s.vm.SetPromiseRejectionTracker(func(p *goja.Promise, op goja.PromiseRejectionOperation) {
		if op == goja.PromiseRejectionReject {
			s.unhandled[p] = true
		} else {
			delete(s.unhandled, p)
		}
	})
	s.shower = newShower(s.vm)
	console := s.vm.NewObject()
	for _, name := range []string{"log", "info", "warn", "error", "debug"} {
		s.must(console.Set(name, s.print))
	}
	s.must(s.vm.Set("print", s.print))
	s.must(s.vm.Set("console", console))
	s.must(s.vm.Set("tools", s.vm.NewDynamicObject(&toolObject{s: s, made: map[string]goja.Value{}})))
	return s
}

func (s *script) must(err error) {
	if err != nil {
		panic(err) // the interpreter has no global object
	}
}

// ending is what ended a script: in words of ours, in its own, or nothing.
type ending struct{ said, thrown string }

// run runs a script to its end and says what ended it.
func (s *script) run(source string, orders <-chan order) (how ending) {
	defer func() {
		// The interpreter has defects of its own; each is the script's misfortune alone.
		if p := recover(); p != nil {
			how = s.say(fmt.Errorf("%v", p))
		}
	}()
	main, err := s.begin(source)
	for err == nil && (len(s.pending) > 0 && main.State() != goja.PromiseStateRejected) {
		o, ok := <-orders
		if !ok {
			return ending{said: "Nobody answers any more."}
		}
		err = s.settle(o)
	}
	switch {
	case err != nil:
		return s.say(err)
	case main.State() == goja.PromiseStateRejected:
		return s.sayThrown(main.Result())
	case main.State() == goja.PromiseStatePending:
		return ending{said: deadlock}
	}
	for p := range s.unhandled {
		if p != main {
			return s.sayThrown(p.Result())
		}
	}
	if r := main.Result(); s.printed == 0 && r != nil && !goja.IsUndefined(r) {
		return ending{said: "Nothing was printed. What a script returns is not shown: print it."}
	}
	return s.say(nil)
}

// begin compiles the script as the body of an async function, so that it may await and
// return, and runs it to its first await.
func (s *script) begin(source string) (*goja.Promise, error) {
	parsed, err := parser.ParseFile(nil, "script", "(async () => {"+source+"\n})()", 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, err
	}
	compiled, err := goja.CompileAST(parsed, false)
	if err != nil {
		return nil, err
	}
	v, err := s.vm.RunProgram(compiled)
	if err != nil {
		return nil, err
	}
	if p, ok := v.Export().(*goja.Promise); ok {
		return p, nil
	}
	return nil, errors.New("the script closes a bracket that it never opened")
}

// settle takes the answer to a call.
func (s *script) settle(o order) error {
	p, ok := s.pending[o.Answer]
	if !ok {
		return errors.New("an answer that nobody asked for")
	}
	delete(s.pending, o.Answer)
	if o.Value == nil {
		return p.reject(s.vm.NewGoError(errors.New(o.Error)))
	}
	v, err := s.parse(goja.Undefined(), s.vm.ToValue(string(o.Value)))
	if err != nil {
		return p.reject(s.vm.NewGoError(errors.New("the tool's answer can't be read")))
	}
	return p.resolve(v)
}

// stop ends the script where it stands, past whatever catches errors in it.
func (s *script) stop(why string) {
	if s.stopped == "" {
		s.stopped = why
	}
	s.vm.Interrupt(why)
}

// print is the script's print and console.log.
func (s *script) print(call goja.FunctionCall) goja.Value {
	var b strings.Builder
	for i, a := range call.Arguments {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.show(a))
		if b.Len() > mostPrinted {
			break
		}
	}
	b.WriteByte('\n')
	text := strings.ToValidUTF8(b.String(), "\uFFFD")
	over := s.printed+len(text) > mostPrinted
	if over {
		text = beginning(text, mostPrinted-s.printed)
	}
	s.printed += len(text)
	for len(text) > 0 {
		piece := beginning(text, 64<<10)
		if err := s.out.write(event{Print: piece}); err != nil {
			s.stop("nobody reads any more")
			break
		}
		text = text[len(piece):]
	}
	if over {
		s.stop(overPrinted)
	}
	return goja.Undefined()
}

// beginning is a text's beginning of at most so many bytes, in whole characters.
func beginning(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// toolObject is the script's tools. It can't be changed.
type toolObject struct {
	s    *script
	made map[string]goja.Value
}

// Get implements goja.DynamicObject.
func (t *toolObject) Get(name string) goja.Value {
	if !t.s.tools[name] {
		t.s.missed = name
		return nil
	}
	if t.made[name] == nil {
		t.made[name] = t.s.vm.ToValue(func(call goja.FunctionCall) goja.Value { return t.s.call(name, call) })
	}
	return t.made[name]
}

// Set implements goja.DynamicObject.
func (t *toolObject) Set(string, goja.Value) bool { return false }

// Has implements goja.DynamicObject.
func (t *toolObject) Has(name string) bool { return t.s.tools[name] }

// Delete implements goja.DynamicObject.
func (t *toolObject) Delete(string) bool { return false }

// Keys implements goja.DynamicObject.
func (t *toolObject) Keys() []string { return slices.Sorted(maps.Keys(t.s.tools)) }

// call asks the parent to run a tool.
func (s *script) call(name string, call goja.FunctionCall) goja.Value {
	text := "{}"
	if in := call.Argument(0); !goja.IsUndefined(in) && !goja.IsNull(in) {
		v, err := s.stringify(goja.Undefined(), in)
		if err != nil {
			panic(err)
		}
		text = v.String()
	}
	arguments := jsontext.Value(text)
	if len(call.Arguments) > 1 || arguments.Kind() != '{' || !arguments.IsValid() {
		panic(s.vm.NewTypeError("tools.%s takes one object with its arguments", name))
	}
	if s.calls++; s.calls > mostCalls {
		s.stop(overCalls)
		return goja.Undefined()
	}
	promise, resolve, reject := s.vm.NewPromise()
	switch err := s.out.write(event{Call: s.calls, Name: name, Arguments: arguments}); {
	case errors.Is(err, errTooLong):
		panic(s.vm.NewTypeError("the arguments for tools.%s are too long", name))
	case err != nil:
		s.stop("nobody reads any more")
	}
	s.pending[s.calls] = pending{resolve: resolve, reject: reject}
	return s.vm.ToValue(promise)
}
