package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"elowen/server/account"
	"elowen/server/command"
)

// clockEnv sets the clock of a program that a test runs: an instant in RFC 3339.
// The test program reads it, the product has no such thing.
const clockEnv = "ELOWEN_TEST_CLOCK"

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"elowen": program})
}

// program is main as the tests run it: the same, with a clock that may stand
// elsewhere and passwords that cost nothing.
func program() {
	syscall.Umask(0o077)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := command.Surroundings()
	s.Hash = account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}
	if text := os.Getenv(clockEnv); text != "" {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		s.Clock = func() int64 { return at.UnixMilli() }
	}
	os.Exit(s.Run(ctx, os.Args[1:]))
}

// TestScript plays the stories in testdata/script, each with a data directory, an
// address and a home of its own. Beside testscript's own commands there are:
//
//	await URL           until it answers 200
//	http METHOD URL STATUS [FILE]   with $TOKEN; the answer is the standard output
//	capture NAME PREFIX the rest of the last output's line that begins so, as a variable
//	poke FILE OFFSET HEX [TIMES] writes bytes over those of a file
func TestScript(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			free, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return err
			}
			defer free.Close()
			e.Setenv("ADDR", free.Addr().String())
			e.Setenv("URL", "http://"+free.Addr().String())
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("ELOWEN_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("OLDER", filepath.Join(here, "transfer", "testdata", "elowen-older.sqlite"))
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: await URL")
				}
				for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					a, err := http.Get(args[0])
					if err == nil {
						a.Body.Close()
						if a.StatusCode == http.StatusOK {
							return
						}
					}
					if time.Now().After(deadline) {
						ts.Fatalf("%s doesn't answer: %v", args[0], err)
					}
				}
			},
			"http":    scriptHTTP,
			"capture": scriptCapture,
			"poke":    scriptPoke,
		},
	})
}

func scriptHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: http METHOD URL STATUS [FILE]")
	}
	var body io.Reader
	if len(args) > 3 {
		body = strings.NewReader(ts.ReadFile(args[3]))
	}
	req, err := http.NewRequest(args[0], args[1], body)
	ts.Check(err)
	if token := ts.Getenv("TOKEN"); token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		if strings.HasSuffix(args[3], ".jsonl") {
			req.Header.Set("Content-Type", "application/jsonl")
		}
	}
	a, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer a.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(a.Body)
	ts.Check(err)
	fmt.Fprint(ts.Stdout(), text.String())
	if strconv.Itoa(a.StatusCode) != args[2] {
		ts.Fatalf("%s %s answered %d: %s", args[0], args[1], a.StatusCode, text.String())
	}
}

func scriptCapture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PREFIX")
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), args[1]); ok {
			ts.Setenv(args[0], rest)
			return
		}
	}
	ts.Fatalf("no line begins with %q", args[1])
}

func scriptPoke(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 && len(args) != 4 {
		ts.Fatalf("usage: poke FILE OFFSET HEX [TIMES]")
	}
	at, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	if len(args) == 4 {
		n, err := strconv.Atoi(args[3])
		ts.Check(err)
		data = bytes.Repeat(data, n)
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	defer f.Close()
	_, err = f.WriteAt(data, at)
	ts.Check(err)
}
