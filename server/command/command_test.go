package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/server/account"
	"elowen/server/db/dbtest"
)

// terminal is a System with its streams.
type terminal struct {
	*System
	out, err bytes.Buffer
}

func sit(dir string) *terminal {
	t := &terminal{}
	t.System = &System{
		Stdin: strings.NewReader(""), Stdout: &t.out, Stderr: &t.err, Dir: dir,
		Env:   func(string) (string, bool) { return "", false },
		Ask:   func(string) (string, error) { return "", io.EOF },
		Clock: dbtest.NewClock(dbtest.Start).Now, Wake: func(int64) <-chan time.Time { return nil },
		Hash: account.Cost{MemoryKiB: 64, Passes: 1, Threads: 1},
	}
	return t
}

// serve runs a server until the test ends, or stop is called.
func serve(t *testing.T, dir string) (url string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := sit(dir)
	started := make(chan Running, 1)
	s.Started = func(r Running) { started <- r }
	var log bytes.Buffer
	s.Stdout, s.Stderr = io.Discard, &log
	ended := make(chan int, 1)
	go func() { ended <- s.Run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data", dir}) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if code := <-ended; code != exitDone {
			t.Errorf("the server ended with %d: %s", code, log.String())
		}
	})
	t.Cleanup(stop)
	select {
	case r := <-started:
		return r.URL, stop
	case code := <-ended:
		ended <- exitDone
		t.Fatalf("the server ended with %d: %s", code, log.String())
	case <-time.After(60 * time.Second):
		t.Fatal("the server doesn't start")
	}
	return "", nil
}

// A data directory may be too deep for the address of a socket.
func TestSocketInADeepDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("deep/", 40))
	_, stop := serve(t, dir)
	if _, err := os.Stat(filepath.Join(dir, socketName)); err != nil {
		t.Fatal(err)
	}
	s := sit(dir)
	if code := s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--locked", "--data", dir}); code != exitDone {
		t.Fatalf("%d: %s", code, s.err.String())
	}
	stop()
	s = sit(dir)
	if code := s.Run(context.Background(), []string{"admin", "user", "list", "--data", dir}); code != exitDone || !strings.Contains(s.out.String(), "anna") {
		t.Errorf("%d: %s%s", code, s.out.String(), s.err.String())
	}
}

// A password is asked for where the person is, and travels to the server.
func TestPasswordIsAskedAtTheTerminal(t *testing.T) {
	dir := t.TempDir()
	run := func(answers ...string) (int, *terminal) {
		s := sit(dir)
		s.Ask = func(string) (string, error) {
			if len(answers) == 0 {
				return "", io.EOF
			}
			a := answers[0]
			answers = answers[1:]
			return a, nil
		}
		return s.Run(context.Background(), []string{"admin", "user", "add", "anna", "--data", dir}), s
	}
	_, stop := serve(t, dir)
	if code, s := run("one password here", "another password"); code != exitUsage || !strings.Contains(s.err.String(), "not the same") {
		t.Errorf("two different ones: %d %s", code, s.err.String())
	}
	if code, s := run("one password here", "one password here"); code != exitDone {
		t.Errorf("through the server: %d %s", code, s.err.String())
	}
	stop()
	if code, s := run("one password here", "one password here"); code != exitFailed || !strings.Contains(s.err.String(), "already") {
		t.Errorf("without the server: %d %s", code, s.err.String())
	}
}

// Whoever asked and went away leaves nothing running in the server, and a command
// that nobody understands doesn't harm it.
func TestCallersThatGoAway(t *testing.T) {
	dir := t.TempDir()
	_, stop := serve(t, dir)
	dial := func() net.Conn {
		t.Helper()
		c, err := net.Dial("unix", filepath.Join(dir, socketName))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, nonsense := range []string{"", "GET / HTTP/1.1\r\n\r\n", "v\x00\x00\x00\x02{}", "v\xff\xff\xff\xff", "v\x00\x00\x00\x05hello"} {
		c := dial()
		_, _ = io.WriteString(c, nonsense)
		c.Close()
	}
	// An import that waits for its input, and never gets it.
	c := dial()
	f := &frames{w: c}
	if err := f.sendJSON(frameInvocation, invocation{Version: version, Args: []string{"admin", "import", "-"}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if kind, _, err := receive(c); err != nil || kind != frameRead {
		t.Fatalf("the server says %q %v", kind, err)
	}
	c.Close()
	// An older program.
	c = dial()
	f = &frames{w: c}
	if err := f.sendJSON(frameInvocation, invocation{Version: "another", Args: []string{"admin", "stats"}}); err != nil {
		t.Fatal(err)
	}
	if kind, text, err := receive(c); err != nil || kind != frameError || !strings.Contains(string(text), "The server runs version "+version+", this program is another.") {
		t.Errorf("to an older program the server says %q %s %v", kind, text, err)
	}
	c.Close()
	stop() // waits for all of them
}

// A caller that is interrupted ends, and so does what it asked for.
func TestInterruptedCaller(t *testing.T) {
	dir := t.TempDir()
	_, stop := serve(t, dir)
	ctx, cancel := context.WithCancel(context.Background())
	s := sit(dir)
	waiting, never := io.Pipe()
	defer never.Close()
	reading := make(chan struct{})
	s.Stdin = readerFunc(func(p []byte) (int, error) {
		close(reading)
		return waiting.Read(p)
	})
	ended := make(chan int, 1)
	go func() { ended <- s.Run(ctx, []string{"admin", "import", "-", "--data", dir}) }()
	<-reading
	cancel()
	select {
	case code := <-ended:
		if code != exitFailed {
			t.Errorf("it ended with %d", code)
		}
	case <-time.After(30 * time.Second):
		t.Error("it hangs")
	}
	stop()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestFramesRoundTrip(t *testing.T) {
	var b bytes.Buffer
	f := &frames{w: &b}
	long := bytes.Repeat([]byte("0123456789"), 250_000)
	for _, p := range [][]byte{nil, []byte("x"), long} {
		if err := f.send(frameOutput, p); err != nil {
			t.Fatal(err)
		}
	}
	var got []byte
	n := 0
	for {
		kind, p, err := receive(&b)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || kind != frameOutput || len(p) > frameMost {
			t.Fatalf("%q %d %v", kind, len(p), err)
		}
		n++
		got = append(got, p...)
	}
	if n != 5 || !bytes.Equal(got, append([]byte("x"), long...)) {
		t.Errorf("%d frames, %d bytes", n, len(got))
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte("v\x00\x00\x00\x02{}"))
	f.Add([]byte("i\xff\xff\xff\xff"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for read := 0; ; {
			_, p, err := receive(r)
			if err != nil {
				return
			}
			if read += 5 + len(p); read > len(data) {
				t.Fatal("more came out than went in")
			}
		}
	})
}

// The admin of one server must not wait for that of another.
func TestServersSideBySide(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	serve(t, a)
	serve(t, b)
	for _, dir := range []string{a, b} {
		s := sit(dir)
		if code := s.Run(context.Background(), []string{"admin", "stats", "--json", "--data", dir}); code != exitDone || s.out.String() != "[]\n" {
			t.Errorf("%d: %s%s", code, s.out.String(), s.err.String())
		}
	}
}
