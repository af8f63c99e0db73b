package browser

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"elowen/assets"
)

// Server is the real program in a process of its own, on a data directory of the
// test, so that it can be killed and started again.
type Server struct {
	t       testing.TB
	program string
	data    string
	files   string
	base    string // path, starts and ends with a slash
	address string // host and port; the same after a restart
	front   string // where people reach it, if that is elsewhere
	args    []string
	cmd     *exec.Cmd
	out     *output
}

// Serve starts the program with these arguments besides address and data.
func Serve(t testing.TB, args ...string) *Server {
	t.Helper()
	if _, err := assets.Program(); err != nil {
		if os.Getenv(PathEnv) != "" {
			t.Fatalf("%v; ./build.sh test builds it first", err)
		}
		t.Skipf("%v; ./build.sh test builds it, and then this test is not skipped", err)
	}
	s := &Server{t: t, program: program(t), data: t.TempDir(), files: t.TempDir(), base: "/", args: args}
	for i, arg := range args {
		if arg == "--base-path" {
			s.base = args[i+1]
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = free.Addr().String()
	free.Close()
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("the server said:\n%s", clip(s.out.String(), 8000))
		}
	})
	s.Start()
	return s
}

// Start starts the program and waits until it is ready.
func (s *Server) Start() {
	s.t.Helper()
	if s.out == nil {
		s.out = &output{}
	}
	s.cmd = exec.Command(s.program, append([]string{"serve", "--addr", s.address, "--data", s.data}, s.args...)...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for deadline := time.Now().Add(Patience); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get("http://" + s.address + s.base + "readyz")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the server is not ready: %v\n%s", err, s.out.String())
		}
	}
}

// Kill ends the program without warning.
func (s *Server) Kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	s.cmd = nil
}

// URL is the address of a path of the app.
func (s *Server) URL(path string) string {
	if s.front != "" {
		return s.front + s.base + strings.TrimPrefix(path, "/")
	}
	return "http://" + s.address + s.base + strings.TrimPrefix(path, "/")
}

var setupLink = regexp.MustCompile(`http://\S*/setup#\S+`)

// SetupLink is the link for the first account, as the program printed it.
func (s *Server) SetupLink() string {
	s.t.Helper()
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if link := setupLink.FindString(s.out.String()); link != "" {
			return link
		}
	}
	s.t.Fatalf("the server printed no setup link:\n%s", s.out.String())
	return ""
}

// Run runs another command of the program on the same data directory.
func (s *Server) Run(args ...string) string {
	s.t.Helper()
	return s.RunWith("", args...)
}

// RunWith is Run with a standard input.
func (s *Server) RunWith(input string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(s.program, append(args, "--data", s.data)...)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("elowen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Path is the path of a file beside the data.
func (s *Server) Path(name string) string { return filepath.Join(s.files, name) }

// File writes a file beside the data and gives its path.
func (s *Server) File(name, content string) string {
	s.t.Helper()
	if err := os.WriteFile(s.Path(name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return s.Path(name)
}

var build struct {
	once sync.Once
	path string
	err  error
	said []byte
}

// program builds the server once for all tests of the process.
func program(t testing.TB) string {
	t.Helper()
	build.once.Do(func() {
		var dir string
		if dir, build.err = os.MkdirTemp("", "elowen-browser-"); build.err != nil {
			return
		}
		build.path = filepath.Join(dir, "elowen")
		build.said, build.err = exec.Command("go", "build", "-o", build.path, "elowen/server").CombinedOutput()
	})
	if build.err != nil {
		t.Fatalf("building the server: %v\n%s", build.err, build.said)
	}
	return build.path
}

// output collects what the program says.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// String is all that was said until now.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// Read is the content of a file beside the data.
func (s *Server) Read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(s.Path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}
