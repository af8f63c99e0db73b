package code

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"elowen/shared/fault"
)

func TestMain(m *testing.M) {
	// Both here and in the children, which are this program too.
	mostCPU = time.Second
	Child()
	if len(os.Args) == 2 && os.Args[1] == probe {
		probed()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var background = context.Background()

// run runs a script with tools that are asked in the test.
func run(t *testing.T, script string, call Caller, tools ...string) Ran {
	t.Helper()
	ran, err := New(Options{}).Run(background, Job{Script: script, Tools: tools, Call: call})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return ran
}

func TestOnlyWhatIsPrintedIsTheResult(t *testing.T) {
	for _, c := range []struct{ script, printed, said string }{
		{`print(1 + 1)`, "2\n", ""},
		{`console.log("a", 1, null, undefined, true, 1.5, [1, "x"], {a: {b: 2}}, 10n)`, "a 1 null undefined true 1.5 [1,\"x\"] {\"a\":{\"b\":2}} 10\n", ""},
		{`print(); print(""); print("日本 \u{1F600}")`, "\n\n日本 😀\n", ""},
		{`print("\ud800")`, "\uFFFD\n", ""},
		{`print(new Map([["a", 1]]), new Set([1]), new Error("oh"), () => 1, Promise.resolve(1), Symbol("s"))`,
			"[[\"a\",1]] [1] Error: oh [a function] [a promise: await it before you print it] s\n", ""},
		{`const a = {}; a.a = a; print(a)`, "[not to be shown as JSON: TypeError: Converting circular structure to JSON]\n", ""},
		{`print({toJSON() { throw {message: "x"} }})`, "[not to be shown as JSON: {\"message\":\"x\"}]\n", ""},
		{`1 + 1`, "", ""},
		{`return 7`, "", "Nothing was printed. What a script returns is not shown: print it."},
		{`print("a"); return 7`, "a\n", ""},
		{`print(1);` + "\n\n" + `throw new RangeError("no")`, "1\n", "RangeError: no (line 3)"},
		{`throw {a: 1}`, "", `{"a":1}`},
		{`throw "plain"`, "", "plain"},
		{`throw null`, "", "null"},
		{`print(nothing)`, "", "ReferenceError: nothing is not defined (line 1)"},
		{`if (`, "", "Unexpected"},
		{`await new Promise(() => {})`, "", deadlock},
		{`Promise.reject(new Error("lost")); print(1)`, "1\n", "Error: lost"},
		{`Promise.reject(1).catch(() => print("caught"))`, "caught\n", ""},
		{`const f = async () => { await null; print("later") }; f(); print("first")`, "first\nlater\n", ""},
		{`print([3, 1, 2].toSorted?.() ?? [1, 2, 3], "x".padStart(3), Object.entries({a: 1}), /(?<y>\d+)/.exec("a12").groups.y)`, "", ""},
		{`print(new Date(0).toString())`, "Thu Jan 01 1970 00:00:00 GMT+0000 (UTC)\n", ""},
		{"print(1) // a comment", "1\n", ""},
	} {
		ran := run(t, c.script, nil)
		if said := ran.Thrown + ran.Error; c.printed != "" && ran.Printed != c.printed || !strings.Contains(said, c.said) || (c.said == "") != (said == "") {
			t.Errorf("%s\ngot  %q, %q\nwant %q, %q", c.script, ran.Printed, said, c.printed, c.said)
		}
	}
}

func TestWhatIsNoScriptIsRefused(t *testing.T) {
	for _, script := range []string{"", " \n", strings.Repeat("x", mostScript+1)} {
		if _, err := New(Options{}).Run(background, Job{Script: script}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", script, err)
		}
	}
	if _, err := New(Options{Program: "/nowhere/elowen"}).Run(background, Job{Script: "1"}); !fault.Is(err, fault.Unavailable) {
		t.Error(err)
	}
}

// echo answers with what it was asked, and fails where it is told to.
func echo(_ context.Context, name string, arguments json.RawMessage) Answer {
	var in struct{ Fail, Sleep string }
	_ = json.Unmarshal(arguments, &in)
	if d, err := time.ParseDuration(in.Sleep); err == nil {
		time.Sleep(d)
	}
	switch in.Fail {
	case "error":
		return Answer{Error: "It is broken."}
	case "panic":
		panic("oh")
	case "empty":
		return Answer{}
	case "junk":
		return Answer{Value: json.RawMessage(`{`)}
	case "big":
		return Answer{Value: json.RawMessage(`"` + strings.Repeat("x", mostLine) + `"`)}
	}
	return Answer{Value: json.RawMessage(fmt.Sprintf(`{"tool":%q,"got":%s}`, name, arguments))}
}

func TestToolsAreCalled(t *testing.T) {
	for _, c := range []struct{ script, printed, said string }{
		{`print(await tools.Echo({a: [1, "ü", null]}))`, `{"tool":"Echo","got":{"a":[1,"ü",null]}}` + "\n", ""},
		{`const r = await tools["other-one"](); print(r.tool, r.got)`, "other-one {}\n", ""},
		{`tools.Echo({a: 1}).then(r => print(r.got.a))`, "1\n", ""},
		{`const all = await Promise.all([1, 2, 3].map(n => tools.Echo({n}))); print(all.map(r => r.got.n))`, "[1,2,3]\n", ""},
		{`try { await tools.Echo({Fail: "error"}) } catch (e) { print("caught", e.message) }`, "caught It is broken.\n", ""},
		{"print('x');\nawait tools.Echo({Fail: 'error'})", "x\n", "It is broken."},
		{`tools.Echo({Fail: "error"})`, "", "It is broken."},
		{`await tools.Echo({Fail: "panic"})`, "", fault.Internal.Title()},
		{`await tools.Echo({Fail: "empty"})`, "", "The tool answered nothing."},
		{`await tools.Echo({Fail: "junk"})`, "", "more than a script can be given"},
		{`await tools.Echo({Fail: "big"})`, "", "more than a script can be given"},
		{`await tools.Nowhere({})`, "", "There is no tool Nowhere; there are: Echo, other-one"},
		{`await tools.Echo("text")`, "", "takes one object"},
		{`await tools.Echo({a: 1}, 2)`, "", "takes one object"},
		{`await tools.Echo([1])`, "", "takes one object"},
		{`await tools.Echo({toJSON: () => undefined})`, "", "takes one object"},
		{`const a = {}; a.a = a; await tools.Echo(a)`, "", "circular"},
		{`await tools.Echo({a: "x".repeat(` + fmt.Sprint(mostLine) + `)})`, "", "too long"},
		{`tools.Echo = 1; delete tools.Echo; print(Object.keys(tools), "Echo" in tools)`, "[\"Echo\",\"other-one\"] true\n", ""},
		{`print(await tools.Echo({a: 1})); tools.Echo({b: 2}).then(() => print("after the end"))`, `{"tool":"Echo","got":{"a":1}}` + "\nafter the end\n", ""},
	} {
		ran := run(t, c.script, echo, "Echo", "other-one")
		if said := ran.Thrown + ran.Error; ran.Printed != c.printed || !strings.Contains(said, c.said) || (c.said == "") != (said == "") {
			t.Errorf("%s\ngot  %q, %q\nwant %q, %q", c.script, ran.Printed, said, c.printed, c.said)
		}
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	began := time.Now()
	ran := run(t, `await Promise.all([1, 2, 3, 4].map(() => tools.Echo({Sleep: "500ms"}))); print("done")`, echo, "Echo")
	if took := time.Since(began); ran.Printed != "done\n" || took > 1800*time.Millisecond {
		t.Errorf("%q after %v", ran.Printed, took)
	}
}
