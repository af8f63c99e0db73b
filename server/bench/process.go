package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"elowen/assets"
	"elowen/shared/api"
)

// patience is how long a server or a page may take for what is expected of it.
const patience = 60 * time.Second

// server is the program serving a data directory, in a process of its own.
type server struct {
	cmd     *exec.Cmd
	address string // host and port
	said    *said
	started time.Duration // from the start of the process to ready
}

// said collects what the program prints.
type said struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// built is the path of the program, built once as build.sh builds it.
func (b *bench) built(ctx context.Context) (string, error) {
	if b.program != "" {
		return b.program, nil
	}
	path := filepath.Join(b.dir, "elowen")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "elowen/server")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the program cannot be built: %w\n%s", err, out)
	}
	b.program = path
	return path, nil
}

// serve starts the program on a directory and waits until it is ready.
func (b *bench) serve(ctx context.Context, dir string) (*server, error) {
	program, err := b.built(ctx)
	if err != nil {
		return nil, err
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{address: free.Addr().String(), said: &said{}}
	free.Close()
	s.cmd = exec.Command(program, "serve", "--addr", s.address, "--data", dir)
	s.cmd.Env = plain()
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for {
		r, err := http.Get(s.url(api.PathReady))
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				s.started = time.Since(began)
				return s, nil
			}
		}
		if time.Since(began) > patience || ctx.Err() != nil {
			s.kill()
			return nil, fmt.Errorf("the server is not ready: %w\n%s", errors.Join(err, ctx.Err()), s.said)
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *server) url(path string) string { return "http://" + s.address + path }

// kill ends the program at once.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// stop ends the program as a person does, so that its store is whole in one file.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	timer := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	_ = s.cmd.Wait()
	timer.Stop()
}

// startLine is how long people wait after they started the program.
func startLine(ctx context.Context, b *bench) ([]figure, error) {
	d, err := b.hundred(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := b.copied(d)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	start := func(end func(*server)) func() (float64, error) {
		return func() (float64, error) {
			s, err := b.serve(ctx, dir)
			if err != nil {
				return 0, err
			}
			time.Sleep(200 * time.Millisecond) // it has begun what it does beside requests
			end(s)
			return millis(s.started), nil
		}
	}
	if _, err := start((*server).stop)(); err != nil { // the first start also reads the program from disk
		return nil, err
	}
	again, err := b.repeat(ctx, start((*server).stop))
	if err != nil {
		return nil, err
	}
	killed, err := b.repeat(ctx, start((*server).kill))
	what := "start to ready, with " + short(float64(d.size))
	return []figure{
		of(what, "ms", again).to(below(500)),
		of(what+", after a kill", "ms", killed),
	}, err
}

// residentLine is what an idle server holds: after its start, and after a person
// listed, searched and looked at charts, with the catalogue in memory.
func residentLine(ctx context.Context, b *bench) ([]figure, error) {
	if _, err := resident(os.Getpid()); err != nil {
		return nil, notMeasured("this system doesn't tell a process's memory")
	}
	d, err := b.hundred(ctx)
	if err != nil {
		return nil, err
	}
	var idle, used, most sample
	_, err = b.repeat(ctx, func() (float64, error) {
		dir, err := b.copied(d)
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		s, err := b.serve(ctx, dir)
		if err != nil {
			return 0, err
		}
		defer s.kill()
		pause := time.Duration(b.size(5, 1)) * time.Second
		time.Sleep(pause)
		rest, err := resident(s.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		idle = append(idle, rest)
		for i := range 40 {
			for _, path := range []string{
				api.PathMemory + "?sort=vitality&limit=200", api.PathMemory + "?q=people+work+pro", api.PathMemory + "?status=all&sort=created&limit=200",
				api.PathStats, api.MemoryPath(int64(i+1), "vitality-history"), api.PathRetention,
			} {
				if err := s.get(ctx, path, d.token); err != nil {
					return 0, err
				}
			}
		}
		peak, err := peakResident(s.cmd.Process.Pid)
		if err != nil {
			return 0, err
		}
		most = append(most, peak)
		time.Sleep(2 * pause)
		rest, err = resident(s.cmd.Process.Pid)
		used = append(used, rest)
		return rest, err
	})
	n := short(float64(d.size))
	return []figure{
		of("resident memory, "+n+", idle after use", "MB", used).to(below(400)).noted("no models yet"),
		of("resident memory, "+n+", idle after the start", "MB", idle),
		of("resident memory, "+n+", at most", "MB", most),
	}, err
}

// get asks for something as the holder of a token.
func (s *server) get(ctx context.Context, path, token string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(path), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %s", path, answer.Status, body.String())
	}
	return nil
}

// resident is how much of a process is in memory, in MB.
func resident(pid int) (float64, error)     { return statusOf(pid, "VmRSS:") }
func peakResident(pid int) (float64, error) { return statusOf(pid, "VmHWM:") }

func statusOf(pid int, name string) (float64, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(l, name); ok {
			kb, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kb * 1024 / 1e6, err
		}
	}
	return 0, errors.New("no " + name)
}

// wasmLine is what a browser has to fetch before it can run the app.
func wasmLine(context.Context, *bench) ([]figure, error) {
	set, err := assets.Program()
	if err != nil {
		return nil, notMeasured("the browser program isn't built (./build.sh wasm)")
	}
	f, ok := set.File(assets.Wasm)
	if !ok || f.Br == nil {
		return nil, notMeasured("the browser program isn't compressed (./build.sh wasm)")
	}
	return []figure{of("browser program, brotli", "MB", sample{float64(len(f.Br)) / 1e6}).to(below(1.9)).
		noted("%s MB unpacked, %s gzip", short(float64(f.Size)/1e6), short(float64(len(f.Gzip))/1e6))}, nil
}

// offspring is the CPU time, in milliseconds, of all processes that this one has
// started, theirs included, as far as they are alive: a browser and a server.
func offspring() float64 { return descent(os.Getpid()) }

// used is the CPU time of the server and what it has started, in milliseconds.
func (s *server) used() float64 {
	_, own, _ := processTimes(s.cmd.Process.Pid)
	return own + descent(s.cmd.Process.Pid)
}

// descent is the CPU time of all processes below one.
func descent(top int) float64 {
	type one struct {
		parent int
		ms     float64
	}
	all := map[int]one{}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, d := range dirs {
		if pid, err := strconv.Atoi(d.Name()); err == nil {
			if parent, ms, err := processTimes(pid); err == nil { // else it is gone meanwhile
				all[pid] = one{parent, ms}
			}
		}
	}
	sum := 0.0
	for pid := range all {
		for p := all[pid].parent; p > 1; p = all[p].parent {
			if p == top {
				sum += all[pid].ms
				break
			}
		}
	}
	return sum
}

// processTimes are a process's parent and its CPU time in milliseconds.
func processTimes(pid int) (parent int, ms float64, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	// The name in parentheses may hold anything; what is wanted comes after it.
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 13 {
		return 0, 0, errors.New("an unknown form of stat")
	}
	parent, _ = strconv.Atoi(fields[1])
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return parent, (user + system) * 1000 / hertz, nil
}

// plain is the environment without what would set flags of the program that is measured.
func plain() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "ELOWEN_") })
}
