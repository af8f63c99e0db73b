package code

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"elowen/shared/fault"
)

// Whatever a script does, it ends, says why in words, and keeps what it printed before.
func TestBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector's own memory and time are more than the bounds allow")
	}
	for name, c := range map[string]struct{ script, said string }{
		"a loop":                        {`while (true) {}`, overCPU},
		"a loop that catches":           {`while (true) { try { while (true) {} } catch (e) {} finally { continue } }`, overCPU},
		"a loop after an await":         {`await null; for (;;);`, overCPU},
		"a backreference":               {`/^(.*?)(.*?)(.*?)(.*?)(.*?)(.*?)\1\2\3\4\5\6x$/.test("ab".repeat(500))`, overCPU},
		"nested quantifiers":            {`/^(?=(a+)+$)(a+)+$\1/.test("a".repeat(60) + "b")`, overCPU},
		"one allocation of 1 GB":        {`const a = new Uint8Array(1 << 30); a.fill(1); print(a.length)`, overMemory},
		"an ArrayBuffer of 4 GB":        {`print(new ArrayBuffer(4 * 1024 ** 3).byteLength)`, overMemory},
		"a text of 1 GB":                {`print("ab".repeat(1 << 29).length)`, overMemory},
		"a list that grows":             {`const a = []; for (;;) a.push(new Array(1000).fill(a.length))`, ""},
		"texts that double":             {`let s = "x"; for (;;) s += s + "y"`, ""},
		"recursion":                     {`const f = n => f(n + 1) + 1; f(0)`, overDepth},
		"recursion that catches":        {`const f = () => { try { f() } catch (e) { f() } }; f()`, overDepth},
		"recursion through the library": {`const f = () => [1].map(f); f()`, overDepth},
		"recursion through getters":     {`const o = {get a() { return this.a }}; o.a`, overDepth},
		"recursion through toString":    {`const o = {toString() { return "" + this }}; "" + o`, overDepth},
		"recursion through toJSON":      {`const o = {toJSON() { return JSON.stringify(this) }}; print(o)`, ""},
		"recursion through proxies":     {`const p = new Proxy({}, {get: (t, k, r) => r[k]}); p.x`, overDepth},
		"promises without end":          {`const f = () => Promise.resolve().then(f); await f()`, ""},
		"10 MB of output":               {`for (let i = 0; i < 10000; i++) print("x".repeat(1023))`, overPrinted},
		"10 MB at once":                 {`print("x".repeat(10 << 20))`, overPrinted},
		"output that catches":           {`for (;;) try { for (;;) print("x".repeat(1023)) } catch (e) {}`, overPrinted},
		"output after an await":         {`await null; for (;;) print("x".repeat(1023))`, overPrinted},
		"calls without end":             {`for (;;) tools.Echo({})`, overCalls},
		"calls that are awaited":        {`for (;;) await tools.Echo({})`, overCalls},
		"deep brackets":                 {strings.Repeat("(", 90_000), ""},
		"deep lists":                    {`JSON.parse("[".repeat(4e6) + "]".repeat(4e6))`, ""},
		"deep evaluation":               {`eval("(".repeat(5e6))`, ""},
		"a deep object":                 {`let o = {}; for (let i = 0; i < 1e6; i++) o = {o}; print(o)`, ""},
		"a deep expression":             {`eval("1" + "+1".repeat(2e6))`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			ran, err := New(Options{}).Run(background, Job{Script: "print('before');" + c.script, Tools: []string{"Echo"}, Call: echo})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%v, %d bytes: %s%s", time.Since(began), len(ran.Printed), ran.Error, ran.Thrown)
			// What can't be read was never begun.
			if !strings.HasPrefix(ran.Printed, "before\n") && name != "deep brackets" {
				t.Errorf("printed %.80q", ran.Printed)
			}
			if len(ran.Printed) > mostPrinted {
				t.Errorf("%d bytes printed", len(ran.Printed))
			}
			if ran.Error+ran.Thrown == "" || ran.Error == broken || c.said != "" && ran.Error != c.said {
				t.Errorf("said %q, want %q", ran.Error, c.said)
			}
		})
	}
}

func TestStopEndsAScriptAtOnce(t *testing.T) {
	for _, script := range []string{`for (;;);`, `await tools.Echo({Sleep: "20s"})`} {
		ctx, cancel := context.WithCancel(background)
		called := make(chan struct{}, 1)
		time.AfterFunc(300*time.Millisecond, cancel)
		began := time.Now()
		ran, err := New(Options{}).Run(ctx, Job{Script: "print(1);" + script, Tools: []string{"Echo"}, Call: func(ctx context.Context, _ string, _ json.RawMessage) Answer {
			called <- struct{}{}
			<-ctx.Done()
			return Answer{Error: "late"}
		}})
		if took := time.Since(began); !fault.Is(err, fault.Cancelled) || took > 3*time.Second || ran.Printed != "1\n" {
			t.Errorf("%s: %v after %v, %q", script, err, took, ran.Printed)
		}
	}
}

// Tricks that lead out of other interpreters lead nowhere, and what a script puts in the
// place of the language's own functions changes nothing of how it is spoken with.
func TestTricks(t *testing.T) {
	for _, c := range []struct{ script, printed string }{
		{`print(typeof process, typeof require, typeof module, typeof global, typeof fetch, typeof XMLHttpRequest, typeof setTimeout, typeof Deno, typeof WebAssembly)`,
			"undefined undefined undefined undefined undefined undefined undefined undefined undefined\n"},
		{`print(this.constructor.constructor("return typeof process")())`, "undefined\n"},
		{`print((() => {}).constructor("return Object.keys(this)")().sort())`, "[\"console\",\"print\",\"tools\"]\n"},
		{`try { await import("fs") } catch (e) { print("none") }`, ""},
		{`Object.prototype.toJSON = () => ({forged: 1}); print((await tools.Echo({a: 1})).got)`, "{\"forged\":1}\n"},
		{`JSON.stringify = JSON.parse = Array.from = Promise = Error = () => { throw "mine" }; print((await tools.Echo({a: 1})).got, new Map([[1, 2]]))`, "{\"a\":1} [[1,2]]\n"},
		{`Object.prototype.Print = "x"; Object.prototype.Call = 7; Object.prototype.End = true; print((await tools.Echo({a: 1})).got.a)`, "1\n"},
		{`Promise.prototype.then = () => print("stolen"); print((await tools.Echo({a: 1})).got.a)`, "1\n"},
		{`Object.setPrototypeOf(tools, {Evil: () => 1}); print(typeof tools.Evil)`, ""},
		{`print(Object.getOwnPropertyNames(tools.Echo), tools.Echo === tools.Echo)`, ""},
		{`print('{"end":true}\n{"call":1,"name":"Echo"}')`, "{\"end\":true}\n{\"call\":1,\"name\":\"Echo\"}\n"},
		{"print(1)\n//# sourceMappingURL=/etc/passwd", "1\n"},
		{"eval('print(2)\\n//# sourceMappingURL=file:///etc/passwd')", "2\n"},
		{`}); print("outside"); (async () => {`, "outside\n"},
		{`print(new Error("x").stack.includes("/"))`, "false\n"},
		{`__proto__ = null; ({}).__proto__.__proto__ = {}; print("alive")`, ""},
		{`throw {get message() { throw 1 }, toString() { throw 2 }}`, ""},
		{`const e = new Error("x"); Object.defineProperty(e, "stack", {get() { for (;;); }}); Object.defineProperty(e, "message", {get() { throw 1 }}); print(1)`, "1\n"},
		{`throw new Proxy({}, {get() { throw 1 }, ownKeys() { throw 2 }})`, ""},
		{`print(new Proxy({}, {get() { throw 1 }, ownKeys() { throw 2 }}))`, ""},
	} {
		ran := run(t, c.script, echo, "Echo")
		if c.printed != "" && (ran.Printed != c.printed || ran.Error+ran.Thrown != "") {
			t.Errorf("%s\ngot  %q, %q\nwant %q", c.script, ran.Printed, ran.Error, c.printed)
		}
		if ran.Error == broken {
			t.Errorf("%s: its process broke", c.script)
		}
		t.Logf("%s → %q %q %q", c.script, ran.Printed, ran.Error, ran.Thrown)
	}
}

// probe is what the test's program is started with to tell what a child may do.
const probe = "probe"

// probed tells on standard output what is open to a child.
func probed() {
	if err := confine(); err != nil {
		os.Stdout.WriteString(err.Error())
	}
	tell := func(what string, err error) {
		if err == nil {
			os.Stdout.WriteString(what + "\n")
		}
	}
	_, err := os.Open("/etc/passwd")
	tell("reads files", err)
	_, err = os.Create(filepath.Join(os.TempDir(), "elowen-probe"))
	tell("makes files", err)
	_, err = net.Dial("udp", "127.0.0.1:9")
	tell("has a network", err)
	tell("starts programs", exec.Command("/bin/true").Run())
	os.Stdout.WriteString("done\n")
}

func TestAChildOpensNothing(t *testing.T) {
	out, err := exec.Command("/proc/self/exe", probe).CombinedOutput()
	if err != nil || string(out) != "done\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// Nothing of this program's environment reaches a script's process.
func TestAChildHasNoEnvironment(t *testing.T) {
	t.Setenv("ELOWEN_TEST_SECRET", "hidden")
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nenv >"+dir+"/env\necho $* >"+dir+"/arguments\nls /proc/self/fd >"+dir+"/open\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ran, err := New(Options{Program: program}).Run(background, Job{Script: "1"}); err != nil || ran.Error != broken {
		t.Errorf("%v %v", ran, err)
	}
	if text, err := os.ReadFile(dir + "/env"); err != nil || strings.Contains(string(text), "hidden") || strings.Contains(string(text), "HOME") {
		t.Errorf("%v\n%s", err, text)
	}
	if text, err := os.ReadFile(dir + "/arguments"); err != nil || string(text) != Argument+"\n" {
		t.Errorf("%v\n%s", err, text)
	}
}
