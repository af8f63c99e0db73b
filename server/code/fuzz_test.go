package code

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// speak runs the parent's end against whatever a child says.
func speak(t *testing.T, said []byte) (Ran, error, string, int) {
	t.Helper()
	var called atomic.Int64
	var heard bytes.Buffer
	quit := false
	s := &session{
		job: Job{Script: "x", Tools: []string{"Echo"}, Call: func(_ context.Context, name string, arguments json.RawMessage) Answer {
			called.Add(1)
			if name != "Echo" || !json.Valid(arguments) || arguments[0] != '{' {
				t.Errorf("called %q with %q", name, arguments)
			}
			return Answer{Value: json.RawMessage(`1`)}
		}},
		in: bytes.NewReader(said), out: &lines{w: &heard}, quit: func() { quit = true },
	}
	ran, err := s.run(context.Background())
	if !quit {
		t.Error("the child is not ended")
	}
	return ran, err, heard.String(), int(called.Load())
}

// FuzzParent: nothing that a child says makes the parent fail, hold more than its bounds,
// or call what it may not.
func FuzzParent(f *testing.F) {
	for _, said := range []string{
		"", "\n", "{}\n", "null\n", `{"end":true}` + "\n", `{"end":true}`, `{"print":"a"}` + "\n" + `{"end":true,"error":"x"}` + "\n",
		`{"call":1,"name":"Echo","arguments":{}}` + "\n" + `{"end":true}` + "\n", `{"call":2,"name":"Echo","arguments":{}}` + "\n",
		`{"call":1,"name":"Evil","arguments":{}}` + "\n", `{"call":1,"name":"Echo","arguments":[]}` + "\n", `{"call":1,"call":1,"name":"Echo","arguments":{}}` + "\n",
		`{"print":"a","end":true}` + "\n", `{"print":"a","more":1}` + "\n", `{"PRINT":"a"}` + "\n", `{"print":"\ud800"}` + "\n", "{\"print\":\"\xff\"}\n",
		strings.Repeat(`{"print":"`+strings.Repeat("x", 1000)+`"}`+"\n", 1100), strings.Repeat("x", mostLine+1), `{"call":-1,"name":"Echo","arguments":{}}` + "\n",
		strings.Repeat("[", 10000) + "\n",
	} {
		f.Add([]byte(said))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		ran, err, _, called := speak(t, said)
		if len(ran.Printed) > mostPrinted || !utf8.ValidString(ran.Printed) || len(ran.Error) > mostError || len(ran.Thrown) > mostError {
			t.Errorf("%d bytes printed, %d of error", len(ran.Printed), len(ran.Error)+len(ran.Thrown))
		}
		if called > mostCalls || called > ran.Calls {
			t.Errorf("%d of %d calls", called, ran.Calls)
		}
		if err == nil && !bytes.Contains(said, []byte("end")) {
			t.Errorf("an end that nobody told of: %+v", ran)
		}
	})
}

func TestAParentBelievesNoChild(t *testing.T) {
	call := `{"call":1,"name":"Echo","arguments":{}}` + "\n"
	end := `{"end":true}` + "\n"
	for _, c := range []struct {
		said    string
		err     error
		printed string
	}{
		{`{"print":"a"}` + "\n" + end, nil, "a"},
		{call + end, nil, ""},
		{`{"print":"a"}` + "\n" + end + `{"print":"b"}` + "\n", nil, "a"},
		{`{"print":"a"}` + "\n", io.EOF, "a"},
		{"", io.EOF, ""},
		{`{"print":"a"}`, errLine, ""},
		{call + call, errLine, ""},
		{`{"call":1,"name":"Evil","arguments":{}}` + "\n" + end, errLine, ""},
		{`{"call":1,"name":"Echo","arguments":null}` + "\n" + end, errLine, ""},
		{`{"call":1,"name":"Echo","arguments":{"a":1,"a":2}}` + "\n" + end, errLine, ""},
		{`{"call":1,"name":"Echo"}` + "\n" + end, errLine, ""},
		{`{"print":"a","call":1,"name":"Echo","arguments":{}}` + "\n" + end, errLine, ""},
		{`{"unknown":1}` + "\n" + end, errLine, ""},
		{"{}\n" + end, errLine, ""},
		{strings.Repeat("x", mostLine+1), errLine, ""},
		{`{"print":"` + strings.Repeat("x", mostPrinted) + `"}` + "\n" + `{"print":"y"}` + "\n" + end, errPrinted, strings.Repeat("x", mostPrinted)},
	} {
		ran, err, _, called := speak(t, []byte(c.said))
		if err != c.err || ran.Printed != c.printed || called > strings.Count(c.said, call) {
			t.Errorf("%.80q: %v, %.80q, %d calls", c.said, err, ran.Printed, called)
		}
	}
	many := ""
	for n := range mostCalls + 1 {
		many += strings.Replace(call, "1", jsonNumber(n+1), 1)
	}
	if _, err, _, called := speak(t, []byte(many+end)); err != errCalls || called > mostCalls {
		t.Errorf("%v after %d calls", err, called)
	}
}

func jsonNumber(n int) string { text, _ := json.Marshal(n); return string(text) }

// FuzzChild: nothing that comes in makes a child do more than answer, or hang.
func FuzzChild(f *testing.F) {
	for _, in := range []string{
		"", "{}\n", `{"script":"print(1)"}` + "\n", `{"script":"print(await tools.Echo())","tools":["Echo"]}` + "\n" + `{"answer":1,"value":2}` + "\n",
		`{"script":"await tools.Echo()","tools":["Echo"]}` + "\n" + `{"answer":2,"value":2}` + "\n", `{"script":"await tools.E()","tools":["E","E",""]}` + "\n" + `{"answer":1,"error":"x"}` + "\n",
		`{"script":"print(1)"}` + "\n" + strings.Repeat("{}\n", 200), `{"script":1}` + "\n", "\xff\n", `{"script":"(((((("}` + "\n",
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("while")) || bytes.Contains(in, []byte("for")) || bytes.Contains(in, []byte("\\u")) || bytes.Contains(in, []byte("repeat")) || len(in) > 4096 {
			t.Skip("computes without end, which only a process of its own bounds")
		}
		var out bytes.Buffer
		done := make(chan struct{})
		go func() { defer close(done); serve(bytes.NewReader(in), &out, func() {}) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("it hangs on %q", in)
		}
		ends := 0
		for line := range bytes.Lines(out.Bytes()) {
			var e event
			if err := read(bytes.NewReader(line), func(got event) error { e = got; return nil }); err != io.EOF || !e.check() {
				t.Fatalf("%q said %q: %v", in, line, err)
			}
			if e.End {
				ends++
			}
		}
		if ends > 1 || out.Len() > 0 && ends != 1 {
			t.Errorf("%d ends in %q", ends, out.Bytes())
		}
	})
}
