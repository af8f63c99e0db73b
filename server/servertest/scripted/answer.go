package scripted

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Answer is how a request is answered.
type Answer struct {
	status int
	header http.Header
	body   string // where there are no steps
	steps  []step
	whole  bool // not streamed, though it was asked for
	hang   bool
}

// step is a part of an answer that is streamed.
type step struct {
	text  string
	call  *call
	gate  <-chan struct{}
	pause time.Duration
	usage *usage
	stop  string
	raw   string
	fail  bool
	cut   bool
}

type call struct {
	id, name string
	pieces   []string
}

type usage struct{ input, output, cached int }

// Step is a part of an answer.
type Step func(*Answer)

func of(s step) Step { return func(a *Answer) { a.steps = append(a.steps, s) } }

// Says is an answer in steps, and its end.
func Says(steps ...Step) Answer {
	a := Answer{status: http.StatusOK}
	for _, s := range steps {
		s(&a)
	}
	return a
}

// Text is a piece of text.
func Text(text string) Step { return of(step{text: text}) }

// Pieces is a text in pieces of n bytes.
func Pieces(text string, n int) Step {
	return func(a *Answer) {
		for len(text) > n {
			Text(text[:n])(a)
			text = text[n:]
		}
		Text(text)(a)
	}
}

// Calls calls a tool, with its arguments in pieces.
func Calls(id, name string, pieces ...string) Step {
	return of(step{call: &call{id, name, pieces}})
}

// Gate waits until a channel is closed, or gives something.
func Gate(open <-chan struct{}) Step { return of(step{gate: open}) }

// Pause lets time go by. It is for bubbles of testing/synctest, where that takes none.
func Pause(d time.Duration) Step { return of(step{pause: d}) }

// Usage is what is said to have been used, in tokens; cached are of input.
func Usage(input, output, cached int) Step { return of(step{usage: &usage{input, output, cached}}) }

// Stop is the reason that is given at the end, in OpenAI's words: stop, length,
// tool_calls, content_filter.
func Stop(reason string) Step { return of(step{stop: reason}) }

// Raw writes bytes into the stream as they are.
func Raw(bytes string) Step { return of(step{raw: bytes}) }

// Fails says within the stream that something failed, as the providers do.
func Fails() Step { return of(step{fail: true}) }

// Cut closes the connection there.
func Cut() Step { return of(step{cut: true}) }

// Whole is an answer that isn't streamed, whatever was asked for.
func Whole(steps ...Step) Answer {
	a := Says(steps...)
	a.whole = true
	return a
}

// Hangs is no answer, until whoever asked goes away.
func Hangs() Answer { return Answer{hang: true} }

// Status is an answer with another status and a body of the provider's. after is its
// Retry-After, empty for none.
func Status(code int, after string) Answer {
	a := Answer{status: code, header: http.Header{"Content-Type": {"application/json"}, "Location": {"http://elsewhere.invalid/"}}}
	if after != "" {
		a.header.Set("Retry-After", after)
	}
	a.body = `{"error":{"message":"the provider's own words, status ` + strconv.Itoa(code) + `","type":"error"}}`
	return a
}

// Refuses is a 400 that names what is refused.
func Refuses(part string) Answer {
	a := Status(http.StatusBadRequest, "")
	a.body = `{"error":{"message":"Unrecognized request argument: ` + part + `"}}`
	return a
}

// Body is an answer of status 200 with a body as it is. kind is its Content-Type, empty
// for none.
func Body(kind, body string) Answer {
	return Answer{status: http.StatusOK, header: http.Header{"Content-Type": {kind}}, body: body}
}

// HTML is a page where an answer should be.
func HTML() Answer { return Body("text/html", "<html><body>Sign in first</body></html>") }

// Big is a stream of n bytes of text.
func Big(n int) Answer { return Says(Pieces(strings.Repeat("0123456789abcdef", n/16), 8<<10)) }
